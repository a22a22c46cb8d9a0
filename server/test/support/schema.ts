import { raw } from '../../src/base/sql.ts';
import type { Db } from '../../src/db/db.ts';

/** Tables, columns and indexes as the database itself lists them. */

export interface StoredColumn {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: boolean;
  readonly has_default: boolean;
}

export async function storedColumns(db: Db): Promise<ReadonlyMap<string, readonly StoredColumn[]>> {
  const rows = await db.all<Record<string, string | number | boolean>>(
    db.dialect.name === 'sqlite'
      ? raw(`select m.name as table_name, c.name as column_name, lower(c.type) as data_type,
          c."notnull" = 0 and c.pk = 0 as is_nullable, c.dflt_value is not null as has_default
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'`)
      : raw(`select table_name, column_name, data_type, is_nullable = 'YES' as is_nullable,
          column_default is not null as has_default
          from information_schema.columns where table_schema = current_schema()
          and not (select relispartition from pg_class where oid = to_regclass(table_name))`),
  );
  const columns = rows.map((row) => ({
    table_name: String(row['table_name']),
    column_name: String(row['column_name']),
    data_type: String(row['data_type']),
    is_nullable: Boolean(row['is_nullable']),
    has_default: Boolean(row['has_default']),
  }));
  return Map.groupBy(columns, ({ table_name }) => table_name);
}

export interface StoredIndex {
  readonly name: string;
  readonly table: string;
  /** In their order. */
  readonly on: readonly string[];
  readonly isUnique: boolean;
  readonly isPartial: boolean;
}

/** Those that migrations have made, and each table's primary key under the name `<table> key`. */
export async function storedIndexes(db: Db): Promise<readonly StoredIndex[]> {
  const rows = await db.all<Record<string, string | number | boolean>>(
    db.dialect.name === 'sqlite'
      ? raw(`select l.name, m.name as table_name, i.name as column_name, l."unique" as is_unique, l.partial as is_partial,
          l.origin = 'pk' as is_key
          from sqlite_master m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
          where m.type = 'table' order by l.name, i.seqno`)
      : raw(`select c.relname as name, t.relname as table_name, a.attname as column_name, x.indisunique as is_unique,
          x.indpred is not null as is_partial, x.indisprimary as is_key
          from pg_index x join pg_class c on c.oid = x.indexrelid join pg_class t on t.oid = x.indrelid and not t.relispartition
          join pg_namespace n on n.oid = t.relnamespace and n.nspname = current_schema()
          join unnest(x.indkey) with ordinality as k (column_number, place) on true
          join pg_attribute a on a.attrelid = t.oid and a.attnum = k.column_number order by c.relname, k.place`),
  );
  const named = rows.map((row) => ({ ...row, name: row['is_key'] ? `${row['table_name']} key` : String(row['name']) }));
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, columns]) => {
    const first: Record<string, unknown> = columns[0] ?? {};
    return {
      name,
      table: String(first['table_name']),
      on: columns.map((column: Record<string, unknown>) => String(column['column_name'])),
      isUnique: Boolean(first['is_unique']),
      isPartial: Boolean(first['is_partial']),
    };
  });
}
