import pg from 'pg';
import { charactersOf, type Row, type RowBudget } from '../db.ts';

/**
 * Rows that are fetched before it is decided whether there is room for more. Fetching rows in steps costs a round trip,
 * so a result of at most `fewRows` is fetched at once; one record has 256 KiB at most.
 */
const rowsAtOnce = 128;
const fewRows = 100;

type Done = (error: Error | null | undefined, result: pg.QueryResult) => void;

/** The methods that the driver calls as the server's messages arrive; they are not in its published types. */
interface DriverQuery {
  callback?: Done;
  readonly rows?: number;
  _result: { readonly rows: Row[] };
  handleDataRow(message: unknown): void;
  handlePortalSuspended(connection: Wire): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
}

interface Wire {
  sync(): void;
}

const DriverQuery = pg.Query as unknown as new (config: object) => DriverQuery & pg.Submittable;

/**
 * A query that stops reading once the texts of its rows have more characters than `within` allows: the server is asked
 * for some rows at a time, and rows that arrive beyond the budget are dropped.
 */
export class BoundedQuery extends DriverQuery {
  readonly #maxCharacters: number;
  #characters = 0;
  #isEnded = false;

  constructor(config: pg.QueryConfig, within: RowBudget) {
    super(within.rows > fewRows ? { ...config, rows: rowsAtOnce } : config);
    this.#maxCharacters = within.characters;
  }

  /** Runs it on `client` like the driver's own queries. */
  runOn<T extends object>(client: pg.ClientBase | pg.Pool): Promise<pg.QueryResult<T>> {
    return new Promise((resolve, reject) => {
      const done: Done = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<T>));
      (client.query as (query: unknown, values: undefined, done: Done) => unknown)(this, undefined, done);
    });
  }

  override handleDataRow(message: unknown): void {
    if (this.#isFull()) return;
    super.handleDataRow(message);
    this.#characters += charactersOf(this._result.rows.at(-1) ?? {});
  }

  override handlePortalSuspended(connection: Wire): void {
    if (!this.#isFull()) {
      super.handlePortalSuspended(connection);
      return;
    }
    this.#isEnded = true;
    connection.sync();
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    this.#isEnded = true;
    super.handleCommandComplete(message, connection);
  }

  /**
   * After an error the server skips everything up to a Sync ("Extended Query" in PostgreSQL's protocol flow). The driver
   * sends one with a query of a single step only; without it the next statement on the connection is never answered.
   */
  override handleError(error: Error, connection: Wire): void {
    if (this.rows && !this.#isEnded && error instanceof pg.DatabaseError) {
      this.#isEnded = true;
      connection.sync();
    }
    super.handleError(error, connection);
  }

  #isFull(): boolean {
    return this.#characters > this.#maxCharacters;
  }
}
