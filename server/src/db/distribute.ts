import { raw, sql } from '../base/sql.ts';
import type { Database, Db } from './db.ts';
import type { DbTable } from './table.ts';

/**
 * Distributing the tables over the nodes of a Citus cluster: the rows of one app are together on one of them, so that any
 * statement with `app_id = …` is answered there. Tables that belong to no app stay where the service connects.
 */

const isOfApps = ({ key, indexes = {} }: DbTable) =>
  key.includes('app_id') &&
  Object.values(indexes).every(({ on, isUnique }) => isUnique !== true || on.includes('app_id'));

export interface Distribution {
  readonly distributed: readonly string[];
  /** Tables that stay: a key of theirs is unique over all apps. */
  readonly local: readonly string[];
}

/** `first` holds the apps themselves; the others are laid beside it. */
export function distributionOf(tables: readonly DbTable[], first = 'apps'): Distribution {
  const ofApps = tables.filter(isOfApps).sort((a, b) => (a.name < b.name ? -1 : 1));
  const distributed = [first];
  // What a table refers to comes before it: Citus refuses a foreign key to a table that is not distributed.
  const place = ({ name, childOf = [] }: DbTable) => {
    for (const parent of ofApps) if (childOf.includes(parent.name) && !distributed.includes(parent.name)) place(parent);
    if (!distributed.includes(name)) distributed.push(name);
  };
  for (const table of ofApps) place(table);
  return { distributed, local: tables.flatMap((table) => (isOfApps(table) ? [] : [table.name])).sort() };
}

const statementOf = (name: string, first: string) =>
  name === first
    ? `select create_distributed_table('${name}', 'app_id')`
    : `select create_distributed_table('${name}', 'app_id', colocate_with => '${first}')`;

/** The statements, in their order, for somebody who wants to run them by hand. */
export function distributionStatements({ distributed: [first = '', ...others] }: Distribution): string[] {
  return [first, ...others].map((name) => statementOf(name, first));
}

/**
 * Distributes the tables that are not distributed yet, each by itself, so that it can be run again after an interruption.
 * Answers their names.
 *
 * @throws Error when the database is not part of a Citus cluster, or none of its nodes takes rows
 */
export async function distribute(db: Database, { distributed }: Distribution): Promise<string[]> {
  await assertCitus(db);
  const [first = ''] = distributed;
  const placed = await db.all<{ name: string }>(
    sql`select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
  );
  const known = new Set(placed.map(({ name }) => name));
  const missing = distributed.filter((name) => !known.has(name));
  // Moving the rows of a table takes as long as it takes.
  for (const name of missing) await db.longTransaction((inner) => inner.all(raw(statementOf(name, first))));
  return missing;
}

async function assertCitus(db: Db): Promise<void> {
  if (db.dialect.name !== 'postgres')
    throw new Error(
      'SQLite is one file and is not distributed. Set PHAROS_DATABASE_URL to the coordinator of a Citus cluster.',
    );
  const found = await db.one(sql`select 1 as found from pg_extension where extname = 'citus'`);
  if (!found)
    throw new Error(
      'This database does not have the extension citus. Install it on all nodes, run `create extension citus` in this database, ' +
        `add the workers with citus_add_node, and call this again. ${nothingElse}`,
    );
  const node = await db.one(sql`select 1 as found from pg_dist_node
    where isactive and shouldhaveshards and noderole = 'primary' limit 1`);
  if (node) return;
  throw new Error(
    "No node of this Citus cluster takes rows. Add the workers: `select citus_add_node('worker1', 5432)`. Or let the coordinator " +
      "keep the rows itself: `select citus_set_coordinator_host('coordinator', 5432)`, then " +
      "`select citus_set_node_property('coordinator', 5432, 'shouldhaveshards', true)`. " +
      `Then call this again. ${nothingElse}`,
  );
}

const nothingElse = 'Nothing was changed but the migration.';
