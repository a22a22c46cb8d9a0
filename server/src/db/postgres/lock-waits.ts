import { fail } from '../../base/errors.ts';
import { perLiteral, renderSql, type Sql } from '../../base/sql.ts';

interface Scope {
  readonly table: string;
  /** The statement's parameters that hold the app; undefined if it concerns several apps. */
  readonly appAt: number | undefined;
}

const scopeOf = perLiteral((statement): Scope => {
  const text = renderSql(statement, (position) => `$${position}`);
  const app = /\bapp_id = \$(\d+)/.exec(text)?.[1];
  return {
    table: /\b(?:update|into|from|join)\s+(?!unnest|jsonb_)([a-z_]+)/.exec(text)?.[1] ?? '',
    appAt: app === undefined ? undefined : Number(app) - 1,
  };
});

/** Statements that may wait at the same time after a lock timeout. */
const maxWaiting = 2;
/** From this number of apps on, the whole table counts as locked. */
const manyApps = 3;

/**
 * Keeps statements that wait for a locked row or table from occupying every connection. After one has timed out, only a
 * few statements of the same app on the same table may wait; others are refused at once, until another lock timeout has
 * passed. If several apps are affected, this applies to the whole table.
 */
export class LockWaits {
  readonly #heldMs: number;
  /** By table and app: until when waiting is limited (`performance.now()`), and how many wait. */
  readonly #suspects = new Map<string, { until: number; waiting: number }>();

  constructor(lockMs: number) {
    this.#heldMs = lockMs;
  }

  /** Returns a function to call when the statement has ended. @throws Failure Timeout when too many wait already */
  enter(statement: Sql): (() => void) | undefined {
    if (this.#suspects.size === 0) return undefined;
    const entered: { waiting: number }[] = [];
    for (const key of this.#keysOf(statement)) {
      const suspect = this.#suspects.get(key);
      if (!suspect) continue;
      if (performance.now() > suspect.until && suspect.waiting === 0) this.#suspects.delete(key);
      else if (performance.now() <= suspect.until && suspect.waiting >= maxWaiting)
        throw fail('Timeout', { message: 'The data is locked by another operation. Try again.', retryAfter: 1 });
      else entered.push(suspect);
    }
    for (const suspect of entered) suspect.waiting++;
    return () => {
      for (const suspect of entered) suspect.waiting--;
    };
  }

  /** The statement timed out waiting for a lock. */
  waitedInVain(statement: Sql): void {
    const [ofApp, ofTable] = this.#keysOf(statement);
    this.#suspect(ofApp);
    const apps = [...this.#suspects.keys()].filter((key) => key.startsWith(`${ofTable}/`));
    if (apps.length >= manyApps) this.#suspect(ofTable);
    if (this.#suspects.size > 1_000) this.#forget();
  }

  #suspect(key: string): void {
    const known = this.#suspects.get(key);
    const until = performance.now() + this.#heldMs;
    if (known) known.until = until;
    else this.#suspects.set(key, { until, waiting: 0 });
  }

  #forget(): void {
    for (const [key, { until, waiting }] of this.#suspects)
      if (performance.now() > until && waiting === 0) this.#suspects.delete(key);
  }

  #keysOf(statement: Sql): readonly [ofApp: string, ofTable: string] {
    const { table, appAt } = scopeOf(statement);
    const app = appAt === undefined ? undefined : statement.values[appAt];
    return [app === undefined ? table : `${table}/${app}`, table];
  }
}
