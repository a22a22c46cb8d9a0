import { canonicalJson, compileRegex, parseInstant } from '@pharos/query';
import type { Database } from 'better-sqlite3';
import { fail } from '../../base/errors.ts';

export interface SqliteFunctions {
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
