import { raw, type Sql, sql } from '../base/sql.ts';
import type { Database } from './db.ts';
import { type DbTable, stepColumn } from './table.ts';

const stepSize = 100;

/**
 * Deletes the rows in `scope`, a hundred per transaction, so that a large deletion never holds up another write. It is not
 * atomic: call it again to finish after an interruption. Answers the number of rows.
 */
export async function deleteInSteps(
  db: Database,
  what: { readonly table: string; readonly id: string; readonly scope: Sql },
): Promise<number> {
  const [table, id] = [raw(what.table), raw(what.id)];
  for (let total = 0; ; ) {
    const step = sql`delete from ${table} where ${what.scope} and ${id} in (select ${id} from ${table} where ${what.scope} limit ${stepSize})`;
    const deleted = await db.run(step);
    total += deleted;
    if (deleted < stepSize) return total;
    await db.caughtUp();
  }
}

/** Children before what they belong to, and the apps themselves last. */
export function childrenFirst(unordered: readonly DbTable[]): readonly DbTable[] {
  const ordered: DbTable[] = [];
  const add = (table: DbTable) => {
    if (ordered.includes(table)) return;
    for (const child of unordered) if (child.childOf?.includes(table.name)) add(child);
    ordered.push(table);
  };
  for (const table of unordered) if (table.name !== 'apps') add(table);
  return [...ordered, ...unordered.filter(({ name }) => name === 'apps')];
}

/** Deletes all rows of an app in these tables, a few at a time. */
export async function deleteRowsOf(db: Database, tables: readonly DbTable[], appId: string): Promise<void> {
  for (const table of tables) await deleteRows(db, table, appId);
}

async function deleteRows(db: Database, table: DbTable, appId: string): Promise<void> {
  const { name, within } = table;
  const ofApp = sql`app_id = ${appId}`;
  const id = stepColumn(table);
  if (within === undefined) {
    await deleteInSteps(db, { table: name, id, scope: ofApp });
    return;
  }
  for (;;) {
    const column = raw(within);
    const next = await db.one<{ value: string }>(
      sql`select ${column} as value from ${raw(name)} where ${ofApp} limit 1`,
    );
    if (!next) return;
    await deleteInSteps(db, { table: name, id, scope: sql`${ofApp} and ${column} = ${next.value}` });
  }
}
