import { renderSql, type Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/db/db.ts';

const asking = ['all', 'one', 'run', 'latest'] as const;

/** Calls `note` for each statement that goes through a database and its transactions, before it is sent. */
export function onStatements(db: Database, note: (statement: Sql) => void): void {
  const watched = new WeakSet<object>();
  function watch(target: object): void {
    if (watched.has(target)) return;
    watched.add(target);
    const own = target as Record<string, (...given: unknown[]) => unknown>;
    for (const name of asking) {
      const original = own[name];
      if (!original) continue;
      own[name] = (...given) => {
        note(given[0] as Sql);
        return original.apply(target, given);
      };
    }
    const together = own['runTogether'];
    if (together)
      own['runTogether'] = (given) => {
        for (const statement of given as readonly Sql[]) note(statement);
        return together.call(target, given);
      };
    const transaction = own['transaction'];
    if (transaction)
      own['transaction'] = (work) =>
        transaction.call(target, (inner: object) => {
          watch(inner);
          return (work as (db: object) => unknown)(inner);
        });
  }
  watch(db);
}

/** The text of a statement with `?` for each parameter, and without extra white space. */
export const plainText = (statement: Sql) => renderSql(statement, () => '?').replace(/\s+/g, ' ');

/**
 * Notes the texts of all statements that go through a database and its transactions; what somebody does to find out whether
 * something has changed is not among them unless it is asked for. `take` answers and forgets them.
 */
export function watchStatements(db: Database, { pollers = false } = {}): { take(): string[] } {
  let texts: string[] = [];
  const isPoll = (text: string) => /\b(revisions|cache_changes)\b/.test(text);
  onStatements(db, (statement) => {
    const text = plainText(statement);
    if (pollers || !isPoll(text)) texts.push(text);
  });
  return {
    take() {
      const taken = texts;
      texts = [];
      return taken;
    },
  };
}
