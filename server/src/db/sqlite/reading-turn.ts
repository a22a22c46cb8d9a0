import { raw } from '../../base/sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const begin = raw('begin');
const commit = raw('commit');

/**
 * One read transaction for what a tick of the event loop reads, from its second statement on: SQLite asks the system
 * for a lock at the begin and the end of each transaction, a fifth of the cost of a small query. No work of the tick
 * sees another state of the database than it would have; commits of other processes are seen in the next tick.
 */
export class ReadingTurn {
  readonly #connection: SqliteConnection;
  #isCounting = false;
  #isOpen = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Call it before each statement that reads. False while a write transaction is open on the connection. */
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

  /**
   * Call it before anything else is begun on the connection. Never throws: nothing was written, so nothing can be lost.
   */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { raw } = this.#connection;
    try {
      // A disk error in a statement has already ended the transaction.
      if (raw.inTransaction) this.#connection.run(commit);
    } catch {
      // The statements that failed have reported it.
      endAnyhow(this.#connection);
    }
  }
}

function endAnyhow({ raw }: SqliteConnection): void {
  try {
    if (raw.inTransaction) raw.exec('rollback');
  } catch {
    // The next transaction on the connection reports it.
  }
}
