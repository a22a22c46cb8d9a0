import { raw } from '../../base/sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const begin = raw('begin');
const commit = raw('commit');

/**
 * One read transaction for what a turn of the event loop reads, from its second statement on: SQLite asks the system for a
 * lock at the begin and the end of each, which is a fifth of what a small query costs. No work of the turn sees another
 * state of the database than it would have; what another process commits meanwhile is seen in the next turn.
 */
export class ReadingTurn {
  readonly #connection: SqliteConnection;
  #isCounting = false;
  #isOpen = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Before each statement that reads. False while a transaction that writes is open on the connection. */
  begin(): boolean {
    if (this.#isOpen) return true;
    if (this.#connection.raw.inTransaction) return false;
    if (this.#isCounting) {
      this.#connection.run(begin);
      this.#isOpen = true;
    } else {
      this.#isCounting = true;
      setImmediate(() => {
        this.#isCounting = false;
        this.end();
      });
    }
    return true;
  }

  /** Before anything else is begun on the connection. Never throws: nothing was written, so nothing can be lost. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { raw } = this.#connection;
    try {
      // An error of the disk in a statement has ended the transaction already.
      if (raw.inTransaction) this.#connection.run(commit);
    } catch {
      // The statements that met the error have reported it.
      endAnyhow(this.#connection);
    }
  }
}

function endAnyhow({ raw }: SqliteConnection): void {
  try {
    if (raw.inTransaction) raw.exec('rollback');
  } catch {
    // What is begun next on the connection reports it.
  }
}
