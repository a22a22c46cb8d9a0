import { tables } from '../../../src/app/tables.ts';
import { raw } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/db/db.ts';

const columnsOf = ({ columns }: (typeof tables)[number]) =>
  Object.entries(columns).flatMap(([name, { type }]) => (type === 'bigint' ? [name] : []));

const fractions = new Map(
  tables.flatMap((table) => {
    const names = columnsOf(table);
    const found = names.map((name) => `typeof(${name}) = 'real'`).join(' or ');
    return names.length === 0
      ? []
      : [[table.name, `select '${table.name}' as name where exists (select 1 from ${table.name} where ${found})`]];
  }),
);

/**
 * SQLite stores a fraction in a column of whole numbers, where PostgreSQL refuses the statement.
 *
 * @throws Error with the tables that hold one
 */
export async function assertWholeNumbers(db: Database): Promise<void> {
  // A test may have dropped some.
  const there = await db.all<{ name: string }>(raw("select name from sqlite_master where type = 'table'"));
  const each = there.flatMap(({ name }) => fractions.get(name) ?? []);
  const found = await db.all<{ name: string }>(raw(each.join(' union all ')));
  if (found.length > 0)
    throw new Error(`PostgreSQL would refuse the fractions in ${found.map(({ name }) => name).join(', ')}.`);
}
