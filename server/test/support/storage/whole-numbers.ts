import { tables } from '../../../src/app/tables.ts';
import { raw } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/db/db.ts';

const columnsOf = ({ columns }: (typeof tables)[number]) =>
  Object.entries(columns).flatMap(([name, { type }]) => (type === 'bigint' ? [name] : []));

const fractions = tables
  .flatMap((table) => {
    const names = columnsOf(table);
    const found = names.map((name) => `typeof(${name}) = 'real'`).join(' or ');
    return names.length === 0
      ? []
      : [`select '${table.name}' as name where exists (select 1 from ${table.name} where ${found})`];
  })
  .join(' union all ');

/**
 * SQLite stores a fraction in a column of whole numbers, where PostgreSQL refuses the statement.
 *
 * @throws Error with the tables that hold one
 */
export async function assertWholeNumbers(db: Database): Promise<void> {
  const found = await db.all<{ name: string }>(raw(fractions));
  if (found.length > 0)
    throw new Error(`PostgreSQL would refuse the fractions in ${found.map(({ name }) => name).join(', ')}.`);
}
