import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { tables } from '../../../src/app/tables.ts';
import { raw, sql } from '../../../src/base/sql.ts';
import { announcePacking } from '../../../src/cold/ever.ts';
import { Chunk } from '../../../src/cold/format/chunk.ts';
import { coldChunks, coldSummaries } from '../../../src/cold/tables.ts';
import type { Database, Row } from '../../../src/db/db.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { DbTable } from '../../../src/db/table.ts';
import { buildApp, type databases, type SignedIn, signInManager, type TestApp } from '../build-app.ts';
import { create } from '../cases.ts';
import { changed } from './changed.ts';
import { insertPast, insertRows, packedTables, packPast } from './cold-data.ts';

/** An app with a long past, and what is stored and packed of it. */

export interface StoredChunk {
  readonly app_id: string;
  readonly filter: string;
  readonly content: string;
  readonly row_count: number;
  readonly first_id: string;
  readonly last_id: string;
}

export const chunksOf = (db: Database, table: DbTable) =>
  db.all<StoredChunk>(sql`select * from cold_chunks where kind = ${table.name} order by first_id, object_id`);

export const idOf = (row: Row) => String(row['object_id']);

/** What retention leaves of rows before an id: all behind it, and messages that are under way. */
export const isKeptFrom = (id: string) => (row: Row) => idOf(row) >= id || row['state'] === 'queued';

export const lengthOf = ({ length }: readonly unknown[]) => length;

/** Every row of a table, stored or packed, in the order of the ids. What is unpacked has to be stored. */
export async function everyRow(db: Database, table: DbTable): Promise<Row[]> {
  const rows = (await db.all<Row>(raw(`select * from ${table.name}`))).map((row) => ({ ...row }));
  for (const { app_id, content, row_count } of await chunksOf(db, table)) {
    const packed = await Chunk.open(table, app_id, content).all();
    if (Number(row_count) === 0) {
      const stored = new Set(rows.map(idOf));
      assert.deepEqual(
        packed.map(idOf).filter((id) => !stored.has(id)),
        [],
      );
      continue;
    }
    assert.equal(packed.length, Number(row_count));
    rows.push(...packed);
  }
  return rows.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const everything = (db: Database) => Promise.all(packedTables.map((table) => everyRow(db, table)));

/**
 * Rows of each table, in order. Says how many differ and names one: `assert.deepEqual` would compare thousands of rows with one another to print a
 * difference, which takes more memory than there is.
 */
export function assertRows(found: readonly (readonly Row[])[], expected: readonly (readonly Row[])[], when = ''): void {
  const wrong = packedTables.flatMap(({ name }, n) => {
    const [have, want] = [found[n] ?? [], expected[n] ?? []];
    const place = want.findIndex((row, at) => !isDeepStrictEqual({ ...have[at] }, { ...row }));
    if (place < 0 && have.length === want.length) return [];
    const at = place < 0 ? want.length : place;
    return [{ name, rows: have.length, instead: want.length, at, found: have[at], expected: want[at] }];
  });
  assert.equal(wrong.length, 0, `${when} ${JSON.stringify(wrong)}`);
}

/** All rows, stored or packed, are these. */
export const assertEverything = async (db: Database, expected: readonly (readonly Row[])[], when?: string) =>
  assertRows(await everything(db), expected, when);

export const chunks = async (db: Database) =>
  (await Promise.all(packedTables.map((table) => chunksOf(db, table)))).flat();

/** An app of whose visits in the last 200 days everything is stored. */
export interface BuiltPast {
  readonly app: TestApp;
  readonly db: Database;
  readonly now: number;
  readonly manager: SignedIn;
  readonly installations: string[];
}

type DatabaseKind = (typeof databases)[number];

interface KeptPast extends Pick<BuiltPast, 'now' | 'manager' | 'installations'> {
  readonly appId: string;
  readonly appKey: string;
  readonly rows: ReadonlyMap<DbTable, readonly Row[]>;
  /** Once it was packed. */
  packed?: { readonly counts: number[]; readonly rows: ReadonlyMap<DbTable, readonly Row[]> };
}

/** Of this process: signing up, inserting and packing again for each test takes ten times as long as writing the rows. */
const kept = new Map<DatabaseKind, KeptPast>();

/** Built once, and then written as it was. */
export async function buildPast(
  database: DatabaseKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<BuiltPast> {
  const known = kept.get(database);
  if (known === undefined) return firstPast(database, settings);
  const { appId, appKey, now, manager, installations, rows } = known;
  const fill = (db: Database) => insertAll(db, rows);
  const app = await buildApp({ database, settings, from: { appId, appKey, now, fill } });
  return { app, db: app.storage.db, now, manager, installations: [...installations] };
}

async function firstPast(database: DatabaseKind, settings: Readonly<Record<string, string>>): Promise<BuiltPast> {
  const app = await buildApp({ database, settings });
  const { db } = app.storage;
  const { now } = app.clock;
  const manager = await signInManager(app);
  const retentionDays = { logs: 900, visits: 900, events: 900, deliveries: 900, positions: 900 };
  await app.app.apps.change(app.appId, { policy: { retentionDays } });
  const installations: string[] = [];
  for (let n = 0; n < 5; n++)
    installations.push(await create(app, '/api/v2/installations', { installationId: `past-${n}`, deviceType: 'ios' }));
  await app.app.idle();
  const beacons = ['B1', 'B2', 'B3'].map((name) => name.padEnd(20, '0'));
  await insertPast(db, { appId: app.appId, beacons, installations, now, days: 200, visits: 200 });
  const { appId, appKey } = app;
  kept.set(database, { appId, appKey, now, manager, installations, rows: await readAll(db, ofApps) });
  return { app, db, now, manager, installations: [...installations] };
}

/** Not of the nodes, which come and go, nor what they have told each other. */
const ofApps = tables.filter(({ name }) => !['nodes', 'work_shares', 'settings', 'cache_changes'].includes(name));

async function readAll(db: Database, of: readonly DbTable[]): Promise<ReadonlyMap<DbTable, readonly Row[]>> {
  const all = new Map<DbTable, readonly Row[]>();
  for (const table of of) {
    const rows = await db.all<Row>(raw(`select * from ${table.name}`));
    if (rows.length > 0)
      all.set(
        table,
        rows.map((row) => ({ ...row })),
      );
  }
  return all;
}

async function insertAll(db: Database, all: ReadonlyMap<DbTable, readonly Row[]>): Promise<void> {
  for (const [table, rows] of all) await insertRows(db, table, rows);
}

/**
 * Packs what is older than 40 days, as `packPast` does: really the first time, and then the rows and chunks are written that it left. Only
 * for a past in which no row has changed.
 */
export async function packKept(database: DatabaseKind, { db, now }: Pick<BuiltPast, 'db' | 'now'>): Promise<number[]> {
  const past = kept.get(database);
  assert.ok(past);
  const { appId } = past;
  if (past.packed === undefined) {
    const counts = await packPast(db, { appId, now });
    past.packed = { counts, rows: await readAll(db, [...packedTables, coldChunks, coldSummaries]) };
    return counts;
  }
  await announcePacking(db);
  for (const { name } of packedTables) await db.run(sql`delete from ${raw(name)} where app_id = ${appId}`);
  await insertAll(db, past.packed.rows);
  return past.packed.counts;
}

/** A database in whose transactions something happens before the commit. */
export function during(db: Database, also: () => Promise<void>): Database {
  return changed(db, {
    transaction: (work) =>
      db.transaction(async (inner) => {
        const result = await work(inner);
        await also();
        return result;
      }),
  });
}

/** A database before whose transactions something happens. */
export function beforeEachOf(db: Database, also: () => Promise<void>): Database {
  return changed(db, {
    async transaction(work) {
      await also();
      return db.transaction(work);
    },
  });
}

const program = fileURLToPath(new URL('./pack-process.ts', import.meta.url));
/** Libraries with hundreds of modules as one file, which is most of the time of a start. */
const libraries = new URL('../../../../scripts/bundled-libraries.mjs', import.meta.url).href;

/** A process that packs or unpacks, with these words behind the app (`pack-process.ts`). */
export const startPacking = ({ appId, storage }: Pick<TestApp, 'appId' | 'storage'>, words: readonly string[]) =>
  spawn(process.execPath, [`--import=${libraries}`, program, appId, ...words], {
    env: { ...process.env, ...storage.settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

interface Kills {
  /** One after the first write that begins with each of these, within the transaction if there is one. */
  readonly after: readonly string[];
  /** So many more at any time from its first transaction on. */
  readonly kills: number;
  readonly check: (when: string) => Promise<void>;
}

/** Kills such a process again and again in the middle of its work, and then lets one end. */
export async function killed(app: TestApp, words: readonly string[], { after, kills, check }: Kills): Promise<void> {
  const stops: readonly (string | undefined)[] = [...after, ...Array.from({ length: kills }, () => undefined)];
  for (const stop of stops) {
    const child = startPacking(app, stop === undefined ? words : [...words, stop]);
    const ended = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), ended]);
    if (stop === undefined) await Promise.race([delay(Math.random() * 60), ended]);
    else assert.equal(child.exitCode, null, `There was no “${stop}”.`);
    child.kill('SIGKILL');
    await ended;
    await check(`killed after “${stop ?? 'a moment'}”`);
  }
  const [code] = await once(startPacking(app, words), 'exit');
  assert.equal(code, 0);
  await check('at the end');
}

/** Visits of an app that is nothing but its id. */
export async function fillWithPast(db: Database, now: number, visits: number): Promise<void> {
  const ids = (of: string) => ['1', '2', '3'].map((n) => `${of}${n}`.padEnd(20, '0'));
  const past = { appId: 'app', beacons: ids('B'), installations: ids('I'), now, days: 200, visits };
  await migrate(db, now);
  await insertPast(db, past);
}
