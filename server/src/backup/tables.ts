import type { Migration } from '../db/migrate.ts';

/** A table and its primary key, which is the order of reading. */
export interface BackupTable {
  readonly name: string;
  readonly key: readonly string[];
}

/** Whether its rows go with their app: the key of such a table names it. */
export const isOfApp = ({ key }: BackupTable): boolean => key.includes('app_id');

/** Migrating creates the migrations' own rows, the cache version only has to differ from what caches know, and processes say themselves that they are there. */
const leftOut: ReadonlySet<string> = new Set(['migrations', 'revisions', 'cache_changes', 'nodes', 'work_shares']);

/**
 * The tables that these migrations create. They are read from the migrations, so that the next backup includes a new
 * table without anybody having to remember it.
 */
export function tablesOf(migrations: readonly Migration[]): readonly BackupTable[] {
  const tables = new Map<string, BackupTable>();
  for (const statement of migrations.flatMap(({ statements }) => statements)) {
    const created = /^create table (?:if not exists )?(\w+)/i.exec(statement)?.[1];
    const dropped = /^drop table (?:if exists )?(\w+)/i.exec(statement)?.[1];
    if (/^alter table \w+ rename to/i.test(statement)) throw new Error('A backup cannot follow a renamed table yet.');
    if (created && !leftOut.has(created)) tables.set(created, { name: created, key: keyOf(created, statement) });
    if (dropped) tables.delete(dropped);
  }
  return [...tables.values()];
}

function keyOf(table: string, statement: string): readonly string[] {
  const together = /\bprimary key \(([^)]+)\)/i.exec(statement)?.[1];
  const alone = /^\s*(\w+) [\w ]*\bprimary key\b/im.exec(statement.slice(statement.indexOf('(') + 1))?.[1];
  const key = together ? together.split(',').map((column) => column.trim()) : alone ? [alone] : [];
  if (key.length === 0) throw new Error(`The table ${table} has no primary key, so a backup cannot page through it.`);
  return key;
}
