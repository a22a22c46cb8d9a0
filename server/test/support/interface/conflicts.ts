import type { Database, Db } from '../../../src/db/db.ts';

/**
 * Makes PostgreSQL behave as a distributed one does at times: of every `each` transactions the first try of one ends as a
 * conflict (40001) instead of committing, and nobody leaves out rows that another transaction has locked.
 */
export function withConflicts(
  db: Database,
  each: number,
  isTurn = (begun: number) => begun % each === 0,
): { readonly conflicts: () => number } {
  let begun = 0;
  let conflicts = 0;
  const plain = Object.freeze({ ...db.dialect, skipLocked: db.dialect.lockRow });
  Object.defineProperty(db, 'dialect', { value: plain });
  const transaction = db.transaction.bind(db);
  Object.defineProperty(db, 'transaction', {
    value: <T>(work: (db: Db) => Promise<T>): Promise<T> => {
      let isFirst = true;
      return transaction(async (inner) => {
        Object.defineProperty(inner, 'dialect', { value: plain, configurable: true });
        const result = await work(inner);
        const isRefused = isFirst && isTurn(++begun);
        isFirst = false;
        if (!isRefused) return result;
        conflicts++;
        throw Object.assign(new Error('could not serialize access'), { code: '40001' });
      });
    },
  });
  return { conflicts: () => conflicts };
}

/** `PHAROS_TEST_CONFLICTS=20`: the same to one in twenty transactions, which chance chooses. */
export function beDistributed(db: Database): void {
  const each = Number(process.env['PHAROS_TEST_CONFLICTS'] ?? 0);
  if (each > 0) withConflicts(db, each, () => Math.random() * each < 1);
}
