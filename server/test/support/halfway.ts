import assert from 'node:assert/strict';
import type { Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/db/db.ts';
import type { TestApp } from './build-app.ts';
import { onServer } from './postgres-url.ts';
import { plainText } from './statements.ts';

const asking = ['all', 'one', 'run', 'latest'] as const;

/** Stops before the first statement of this form, until `go`. */
export function holdUp(db: Database, form: RegExp): { readonly reached: Promise<void>; go(): void } {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isOver = false;
  const watched = new WeakSet<object>();
  function watch(target: object): void {
    if (watched.has(target)) return;
    watched.add(target);
    const own = target as Record<string, (...given: unknown[]) => Promise<unknown>>;
    for (const name of asking) {
      const original = own[name];
      if (!original) continue;
      own[name] = async (...given) => {
        if (!isOver && form.test(plainText(given[0] as Sql))) {
          isOver = true;
          reached.resolve();
          await gate.promise;
        }
        return original.apply(target, given);
      };
    }
    const transaction = own['transaction'];
    if (transaction)
      own['transaction'] = (work) =>
        transaction.call(target, (inner: object) => {
          if (!isOver) watch(inner);
          return (work as (db: object) => unknown)(inner);
        });
  }
  watch(db);
  return { reached: reached.promise, go: () => gate.resolve() };
}

/** Until a statement in the database waits for somebody else's lock, or nobody wants to know any more. */
async function untilWaiting({ storage }: TestApp, signal: AbortSignal): Promise<void> {
  const url = storage.settings['PHAROS_DATABASE_URL'];
  // On SQLite nobody holds a lock between two statements that are not of one transaction.
  if (url === undefined) return new Promise(() => undefined);
  const name = new URL(url).pathname.slice(1);
  while (!signal.aborted) {
    const { rowCount } = await onServer(
      `select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' limit 1`,
      [name],
    );
    if ((rowCount ?? 0) > 0) return;
  }
}

/**
 * Lets `first` come as far as a statement of this form, does `second` as far as that can be done meanwhile, and goes on with both. For
 * PostgreSQL, and on SQLite for what is no transaction: of two transactions one is over there before the other begins.
 */
export async function halfway<A, B>(
  app: TestApp,
  form: RegExp,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<readonly [A, B]> {
  const { reached, go } = holdUp(app.storage.db, form);
  const ofFirst = first();
  await Promise.race([reached, ofFirst.then((ended) => assert.fail(`it came to its end: ${JSON.stringify(ended)}`))]);
  const isDone = new AbortController();
  const ofSecond = second().finally(() => isDone.abort());
  await Promise.race([ofSecond, untilWaiting(app, isDone.signal)]);
  go();
  return [await ofFirst, await ofSecond];
}
