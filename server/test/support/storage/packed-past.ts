import assert from 'node:assert/strict';
import { raw, sql } from '../../../src/base/sql.ts';
import { Chunk } from '../../../src/cold/chunk.ts';
import type { Database, Row } from '../../../src/db/db.ts';
import type { DbTable } from '../../../src/db/table.ts';
import { buildApp, type databases, signInManager } from '../build-app.ts';
import { create } from '../cases.ts';
import { insertPast, packedTables } from './cold-data.ts';

/** An app with a long past, and what is stored and packed of it. */

export interface StoredChunk {
  readonly app_id: string;
  readonly filter: string;
  readonly content: string;
  readonly row_count: number;
  readonly first_id: string;
}

export const chunksOf = (db: Database, table: DbTable) =>
  db.all<StoredChunk>(sql`select * from cold_chunks where kind = ${table.name} order by first_id, object_id`);

export const idOf = (row: Row) => String(row['object_id']);

export const lengthOf = ({ length }: readonly unknown[]) => length;

/** Every row of a table, stored or packed, in the order of the ids. */
export async function everyRow(db: Database, table: DbTable): Promise<Row[]> {
  const rows = (await db.all<Row>(raw(`select * from ${table.name}`))).map((row) => ({ ...row }));
  for (const { app_id, content, row_count } of await chunksOf(db, table)) {
    const packed = await Chunk.open(table, app_id, content).all();
    assert.equal(packed.length, Number(row_count));
    rows.push(...packed);
  }
  return rows.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const everything = (db: Database) => Promise.all(packedTables.map((table) => everyRow(db, table)));
export const chunks = async (db: Database) =>
  (await Promise.all(packedTables.map((table) => chunksOf(db, table)))).flat();

/** An app of whose visits in the last 200 days everything is stored. */
export async function buildPast(database: (typeof databases)[number]) {
  const app = await buildApp({ database });
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
  return { app, db, now, manager, installations };
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

export function changed(db: Database, change: Partial<Database>): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name in change) return change[name as keyof Database];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
