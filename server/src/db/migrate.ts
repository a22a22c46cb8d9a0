import { readdirSync, readFileSync } from 'node:fs';
import { raw, type Sql, sql } from '../base/sql.ts';
import { type Database, type Db, type Row, UniqueViolation } from './db.ts';
import { bearInPartitions } from './partitions.ts';
import { unpackRows } from './unpack-rows.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** The only database that runs it (`0005-name-only-sqlite.sql`). The other counts it as done, so that both count alike. */
  readonly only: string | undefined;
  readonly statements: readonly string[];
}

const folder = new URL('../../migrations/', import.meta.url);

/** Versions before this migration cannot write to tables in partitions. */
const firstInPartitions = 130;

/** From this migration on nothing is packed. */
export const firstUnpacked = 390;

/** A statement ends with a semicolon at the end of a line; comments stand on lines of their own. */
function statementsOf(name: string): readonly string[] {
  const text = readFileSync(new URL(name, folder), 'utf8').replace(/^\s*--.*$/gm, '');
  const statements = text.split(/;\s*$/m).map((statement) => statement.trim());
  return statements.filter((statement) => statement !== '');
}

export function knownMigrations(): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}-.+\.sql$/.test(name));
  return names.sort().map((name) => ({
    id: Number.parseInt(name, 10),
    name,
    only: /-only-(sqlite|postgres)\.sql$/.exec(name)?.[1],
    // Most starts need those of none.
    get statements() {
      return statementsOf(name);
    },
  }));
}

/** Whether the database has ever been migrated. */
export async function isInUse(db: Db): Promise<boolean> {
  return (await db.one(db.dialect.findTable('migrations'))) !== undefined;
}

export async function newestMigration(read: (statement: Sql) => Promise<readonly Row[]>): Promise<number> {
  const [row] = await read(raw('select max(id) as newest from migrations'));
  return Number(row?.['newest'] ?? 0);
}

const ledger = raw(
  'create table if not exists migrations (id bigint primary key, name text not null, applied_at bigint not null)',
);

/** The numbers of the migrations that the database has had; empty for a new one. */
async function appliedMigrations(db: Db): Promise<Set<number>> {
  try {
    await db.run(ledger);
  } catch {
    // In PostgreSQL, two nodes that create the table at the same moment collide in its catalogue, with one of several errors; by
    // now it exists. Any other error recurs and is reported.
    await db.run(ledger);
  }
  return readApplied(db);
}

export async function readApplied(db: Db): Promise<Set<number>> {
  const rows = await db.all<{ id: number }>(raw('select id from migrations'));
  return new Set(rows.map((row) => row.id));
}

async function apply(db: Db, migration: Migration, now: number): Promise<void> {
  // Its own row comes first: a second node that migrates at the same moment waits here and then finds it done.
  await db.run(sql`insert into migrations (id, name, applied_at) values (${migration.id}, ${migration.name}, ${now})`);
  if (migration.only !== undefined && migration.only !== db.dialect.name) return;
  for (const statement of migration.statements) await db.run(raw(statement));
}

/** @throws Error when the database is newer than the code */
function pendingOf(applied: ReadonlySet<number>): readonly Migration[] {
  const known = knownMigrations();
  const newest = Math.max(0, ...applied);
  const newestKnown = known.at(-1)?.id ?? 0;
  if (newest > newestKnown)
    throw new Error(
      `The database is at migration ${newest}, this version of Pharos knows ${newestKnown}. Run a newer version.`,
    );
  return known.filter(({ id }) => !applied.has(id));
}

/**
 * Migrates a new database only: on any other a service of the version before may be running.
 *
 * @throws Error when it is not at the version of this code
 */
export async function migrateNew(db: Database, now: number): Promise<void> {
  if (!(await isInUse(db))) return void (await migrate(db, now));
  const { length } = pendingOf(await readApplied(db));
  if (length > 0)
    throw new Error(
      `The database is of an earlier version: ${length} migrations are missing. Nothing was changed. Start the service of this version, or run: pharos migrate`,
    );
}

/**
 * Brings the database to the version of this code, or to an older migration of it, and answers what was applied.
 *
 * @throws Error when the database is newer than the code, or (PostgreSQL) was created with an unusable collation, or when packed
 *   rows cannot be unpacked now.
 */
export async function migrate(db: Database, now: number, newestWanted = Infinity): Promise<readonly string[]> {
  await db.assertUsable();
  const applied = await appliedMigrations(db);
  const pending = pendingOf(applied).filter(({ id }) => id <= newestWanted);
  if (newestWanted >= firstUnpacked && !applied.has(firstUnpacked)) await unpackRows(db);
  const done: string[] = [];
  for (const migration of pending) {
    try {
      await db.longTransaction((tx) => apply(tx, migration, now));
      done.push(migration.name);
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
  // A node of an older version, which could not write to partitions, has never used a new database.
  if (applied.size === 0 && newestWanted >= firstInPartitions && db.dialect.name === 'postgres')
    await db.longTransaction((tx) => bearInPartitions(tx, now));
  return done;
}
