/**
 * Databases for tests. Those that a test wants empty and migrated are copies of one that was migrated once,
 * since many tests would otherwise spend more time on migrations than on what they are about.
 */
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { knownMigrations, migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { patientMs } from './patience.ts';
import { onDatabase, onServer, postgresUrl, urlOf } from './postgres-url.ts';
import { giveBack, type Pristine, readPristine, takeIdle } from './storage/idle-databases.ts';

export interface PostgresDatabase {
  readonly url: string;
  /** The test does not need it any more. */
  drop(): Promise<void>;
}

function nameAtRandom(): { readonly name: string; drop(): Promise<void> } {
  const name = `pharos_${randomBytes(6).toString('hex')}`;
  return { name, drop: async () => void (await onServer(`drop database ${name} with (force)`)) };
}

const emptyAs = (name: string, encoding: string) =>
  `create database ${name} template template0 lc_collate 'C' lc_ctype 'C' encoding '${encoding}'`;

/** A new empty PostgreSQL database; `drop` removes it. */
export async function createPostgresDatabase(encoding = 'UTF8'): Promise<PostgresDatabase> {
  const { name, drop } = nameAtRandom();
  await onServer(emptyAs(name, encoding));
  return { url: await urlOf(name), drop };
}

/** The same with all migrations. */
export async function createMigratedPostgres(): Promise<PostgresDatabase> {
  // On a server that stays, nothing is left behind.
  if (process.env['PHAROS_TEST_POSTGRES_URL']) {
    const database = await createPostgresDatabase();
    await migratePostgres(database.url);
    return database;
  }
  template ??= makeTemplate();
  const pristine = await template;
  const name = (await takeIdle()) ?? (await copyTemplate());
  const url = await urlOf(name);
  return { url, drop: () => giveBack(name, url, pristine) };
}

const migrated = 'pharos_migrated';
let template: Promise<Pristine> | undefined;

/** Copying the files costs a quarter of writing every page to the log, which is the default. */
async function copyTemplate(): Promise<string> {
  const { name } = nameAtRandom();
  await onServer(`create database ${name} template ${migrated} strategy file_copy`);
  return name;
}

/** The first process that needs it makes it; the others wait. It gets its name when it is complete. */
async function makeTemplate(): Promise<Pristine> {
  await onDatabase(await postgresUrl(), async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [migrated]);
    if (rowCount !== 0) return;
    await client.query('create table idle_databases (name text primary key)');
    const { name } = nameAtRandom();
    await client.query(emptyAs(name, 'UTF8'));
    await migratePostgres(await urlOf(name));
    await client.query(`alter database ${name} rename to ${migrated}`);
  });
  return readPristine();
}

async function migratePostgres(url: string): Promise<void> {
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs });
  try {
    await migrate(db, Date.now());
  } finally {
    await db.close();
  }
}

/** Puts an SQLite database with all migrations at `file`. */
export async function copyMigratedSqlite(file: string): Promise<void> {
  known ??= fingerprint();
  const kept = join(cache, `migrated-${known}.db`);
  if (!existsSync(kept)) await keepMigratedSqlite(kept);
  copyFileSync(kept, file);
}

const cache = fileURLToPath(new URL('../../../.cache/test/', import.meta.url));

/** Read once: that takes as long as copying the database a few times. */
let known: string | undefined;

/** Of the migrations, so that a copy made before one of them changed is not used. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const { name, statements } of knownMigrations()) hash.update(JSON.stringify([name, statements]));
  return hash.digest('hex').slice(0, 16);
}

/** Two processes may do this at the same moment: what stands at `kept` is always complete. */
async function keepMigratedSqlite(kept: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache)) if (/^migrated-\w+\.db$/.test(old)) rmSync(join(cache, old), { force: true });
  const folder = mkdtempSync(join(cache, 'making-'));
  const file = join(folder, 'pharos.db');
  const db = openSqlite({ file, queryDeadlineMs: 5_000 });
  await migrate(db, Date.now());
  await db.close();
  renameSync(file, kept);
  rmSync(folder, { recursive: true });
}
