import { sql } from '../../base/sql.ts';
import { openSqliteConnection, type SqliteConnection, type SqliteReader } from './sqlite-connection.ts';

// As literals they are prepared once, and then not even looked up by their text.
const begin = sql`begin`;
const commit = sql`commit`;

/**
 * The connection that writes and, because its cache knows what it has written, reads too. What one tick of the
 * event loop reads shares one read transaction, from its second statement on: SQLite asks the system for a lock at the
 * beginning and the end of each, which is a fifth of the cost of a small query. What another process commits in between is
 * seen in the next tick.
 *
 * Within that transaction nothing may be written, and nothing read that must see the latest state. So only the three methods
 * below hand out the connection, each for one of these cases.
 */
export class WriteConnection {
  readonly #connection: SqliteConnection;
  #isCounting = false;
  #isOpen = false;

  constructor(file: string) {
    this.#connection = openSqliteConnection(file, 'write');
  }

  /** For one statement that reads, within the tick. Undefined while a transaction that writes is open. */
  tickReader(): SqliteReader | undefined {
    if (this.#isOpen) return this.#connection.reader;
    if (this.#connection.raw.inTransaction) return undefined;
    if (this.#isCounting) {
      this.#connection.run(begin);
      this.#isOpen = true;
    } else {
      this.#isCounting = true;
      setImmediate(() => {
        this.#isCounting = false;
        this.#endTick();
      });
    }
    return this.#connection.reader;
  }

  /** For one statement that must see everything committed by now, by any process. Undefined like `turnReader`. */
  latestReader(): SqliteReader | undefined {
    this.#endTick();
    return this.tickReader();
  }

  /** For everything else: the tick's read transaction has ended before. `work` keeps nothing of the connection. */
  outsideTick<T>(work: (connection: SqliteConnection) => T): T {
    this.#endTick();
    return work(this.#connection);
  }

  close(): void {
    this.#endTick();
    this.#connection.close();
  }

  /** Never throws: nothing was written, so nothing can be lost. */
  #endTick(): void {
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
