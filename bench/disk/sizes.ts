import { raw } from '../../server/src/base/sql.ts';
import type { Database } from '../../server/src/db/db.ts';

/** Of one table, with its partitions. */
export interface Size {
  readonly table: string;
  /** Bytes of its rows. */
  readonly bytes: number;
  /** Bytes of its indexes. */
  readonly indexes: number;
  /** Of all its indexes. */
  readonly entries: number;
  readonly byIndex: readonly { readonly name: string; readonly bytes: number; readonly entries: number }[];
}

interface Relation {
  /** The table that it belongs to, or is. */
  readonly table_name: string;
  readonly name: string;
  readonly is_index: number;
  readonly bytes: number;
  readonly entries: number;
}

const ofPostgres = raw(`with root as (
    select c.oid, coalesce(pg_partition_root(c.oid)::oid, c.oid) as top from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema() where c.relkind in ('r', 'p'))
  select (select relname from pg_class where oid = root.top) as table_name, c.relname as name, 0 as is_index,
    pg_table_size(c.oid) as bytes, 0 as entries from root join pg_class c on c.oid = root.oid
  union all
  select (select relname from pg_class where oid = root.top), i.relname, 1, pg_relation_size(i.oid),
    case when i.relkind = 'i' then greatest(i.reltuples, 0) else 0 end
    from root join pg_index x on x.indrelid = root.oid join pg_class i on i.oid = x.indexrelid`);

/** dbstat is compiled into the driver's SQLite. Without an automatic index a row of a table has an entry in each of its indexes. */
const ofSqlite =
  raw(`select m.tbl_name as table_name, m.name, m.type = 'index' as is_index, s.bytes as bytes, s.cells as entries
  from sqlite_master m join (select name, sum(pgsize) as bytes, sum(case when pagetype = 'leaf' or path = '/' then ncell end) as cells
    from dbstat group by name) s on s.name = m.name`);

/** The largest first. */
export async function listSizes(db: Database): Promise<Size[]> {
  const isPostgres = db.dialect.name === 'postgres';
  if (isPostgres) await db.run(raw('vacuum (analyze)'));
  const rows = await db.all<Relation>(isPostgres ? ofPostgres : ofSqlite);
  const sizes = [...Map.groupBy(rows, ({ table_name }) => table_name)].map(([table, relations]): Size => {
    const sum = (of: readonly Relation[], what: 'bytes' | 'entries') =>
      of.reduce((total, one) => total + Number(one[what]), 0);
    const own = relations.filter(({ is_index }) => !Number(is_index));
    const indexes = relations.filter(({ is_index }) => Number(is_index));
    return {
      table,
      bytes: sum(own, 'bytes'),
      indexes: sum(indexes, 'bytes'),
      entries: sum(indexes, 'entries'),
      byIndex: indexes.map(({ name, bytes, entries }) => ({ name, bytes: Number(bytes), entries: Number(entries) })),
    };
  });
  return sizes.sort((a, b) => b.bytes + b.indexes - a.bytes - a.indexes);
}

/** What has been added. */
export function since(before: readonly Size[], after: readonly Size[]): Size[] {
  const earlier = new Map(before.map((size) => [size.table, size]));
  return after.map((size) => {
    const own = earlier.get(size.table);
    const indexes = new Map(own?.byIndex.map((index) => [index.name, index]));
    return {
      table: size.table,
      bytes: size.bytes - (own?.bytes ?? 0),
      indexes: size.indexes - (own?.indexes ?? 0),
      entries: size.entries - (own?.entries ?? 0),
      byIndex: size.byIndex.map(({ name, bytes, entries }) => ({
        name,
        bytes: bytes - (indexes.get(name)?.bytes ?? 0),
        entries: entries - (indexes.get(name)?.entries ?? 0),
      })),
    };
  });
}
