import { canonicalJson, compileRegex, parseInstant } from '@pharos/query';
import type { Database } from 'better-sqlite3';
import Sqlite from 'better-sqlite3';
import { fail } from '../../base/errors.ts';
import { perLiteral, renderSql, type Sql } from '../../base/sql.ts';
import { charactersOf, type Row, type RowBudget } from '../db.ts';

interface SqliteFunctions {
  /**
   * Sets the deadline of the next query in epoch milliseconds, or undefined for none. Past it the query fails with
   * Timeout (124) at the next row on which it evaluates a JSON condition or a regular expression.
   */
  setDeadline(epochMs: number | undefined): void;
}

/** Adds the functions that `sqliteWhere` uses to a connection. `now` returns epoch milliseconds. */
export function registerSqliteFunctions(database: Database, now: () => number = Date.now): SqliteFunctions {
  let deadline: number | undefined;
  const alive = () => {
    if (deadline !== undefined && now() >= deadline) throw fail('Timeout');
    return 1;
  };
  // Not deterministic: SQLite would call a deterministic function without arguments once instead of for every row.
  database.function('pharos_alive', alive);
  database.function('pharos_regexp', { deterministic: true }, (source: unknown, text: unknown) => {
    if (typeof source !== 'string' || typeof text !== 'string') return null;
    alive();
    return compileRegex(source).test(text) ? 1 : 0;
  });
  database.function('pharos_json', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? canonicalJson(JSON.parse(text)) : null,
  );
  database.function('pharos_instant', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? (parseInstant(text) ?? null) : null,
  );
  return {
    setDeadline(epochMs) {
      deadline = epochMs;
    },
  };
}

/** Keeps at most `limit` values by text, dropping the one used longest ago. */
class StatementCache<T> {
  readonly #limit: number;
  readonly #make: (text: string) => T;
  readonly #entries = new Map<string, T>();

  constructor(limit: number, make: (text: string) => T) {
    this.#limit = limit;
    this.#make = make;
  }

  get(text: string): T {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      // Moving an entry on each hit would cost more than it saves; only a full cache needs to know what is old.
      if (this.#entries.size >= this.#limit) {
        this.#entries.delete(text);
        this.#entries.set(text, known);
      }
      return known;
    }
    const made = this.#make(text);
    if (this.#entries.size >= this.#limit) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(text, made);
    return made;
  }
}

/**
 * The part of the log's file beyond this is cut off. That takes time, in which writes wait; the file is seldom this
 * long.
 */
export const usualLogBytes = 268_435_456;

/**
 * `likely` leaves a value unchanged. SQLite looks at the value bound to a bare `?` beside an equals sign that the index
 * in question does not use, or after `limit`; and it plans a statement that was planned with a value again for each
 * execution, in case the value has changed: 5 to 11 µs each time with twenty indexes.
 */
export const sqliteText = (statement: Sql): string => renderSql(statement, () => 'likely(?)');

/** Returns rows, and refuses a statement that would change something. */
export interface SqliteReader {
  all(statement: Sql, within?: RowBudget): Row[];
  one(statement: Sql): Row | undefined;
}

export interface SqliteConnection {
  readonly raw: Sqlite.Database;
  readonly functions: SqliteFunctions;
  readonly reader: SqliteReader;
  all(statement: Sql): Row[];
  one(statement: Sql): Row | undefined;
  run(statement: Sql): number;
  close(): void;
}

/** One record has 256 KiB at most. Stopping between two rows costs 0.25 µs a row, a fifth of a list of a hundred. */
const fewRows = 100;

function readWithin(rows: Iterable<Row>, maxCharacters: number): Row[] {
  const read: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    read.push(row);
    characters += charactersOf(row);
    if (characters > maxCharacters) break;
  }
  return read;
}

/**
 * Opens one connection. Commits do not wait for the disk: the writer flushes the log before a write is acknowledged
 * (`WalFile`, ADR 10), which is all that `synchronous=FULL` would do. Checkpoints, which flush by themselves, are left
 * to the maintenance thread so that no request waits for one.
 */
export function openSqliteConnection(file: string, mode: 'write' | 'read'): SqliteConnection {
  const raw = new Sqlite(file, { readonly: mode === 'read', timeout: 0 });
  if (mode === 'write') {
    raw.pragma('journal_mode = WAL');
    raw.pragma('synchronous = NORMAL');
    raw.pragma('wal_autocheckpoint = 0');
    raw.pragma(`journal_size_limit = ${usualLogBytes}`);
    // What is deleted is overwritten: whoever is erased must not be found in pages that nothing uses yet. See ADR 99.
    raw.pragma('secure_delete = on');
  }
  // Kibibytes. A write touches pages all over the indexes; for reading, the system caches the file too.
  raw.pragma(`cache_size = -${mode === 'write' ? 16_384 : 6_144}`);
  raw.pragma('temp_store = MEMORY');
  // Lists in records go with them.
  raw.pragma('foreign_keys = ON');
  const functions = registerSqliteFunctions(raw);
  const cache = new StatementCache(500, (text) => raw.prepare(text));
  const prepare = perLiteral((statement) => cache.get(sqliteText(statement)));
  const prepareReading = perLiteral((statement) => {
    const prepared = prepare(statement);
    if (!prepared.readonly) throw new Error('a statement that writes needs a transaction, or run()');
    return prepared;
  });
  return {
    raw,
    functions,
    reader: {
      all: (statement, within) => {
        const prepared = prepareReading(statement);
        if (within === undefined || within.rows <= fewRows) return prepared.all(...statement.values) as Row[];
        return readWithin(prepared.iterate(...statement.values) as IterableIterator<Row>, within.characters);
      },
      one: (statement) => prepareReading(statement).get(...statement.values) as Row | undefined,
    },
    all: (statement) => prepare(statement).all(...statement.values) as Row[],
    one: (statement) => prepare(statement).get(...statement.values) as Row | undefined,
    run: (statement) => prepare(statement).run(...statement.values).changes,
    close: () => raw.close(),
  };
}
