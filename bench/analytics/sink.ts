import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { SqlValue } from '../../server/src/base/sql.ts';
import type { DbTable } from '../../server/src/db/table.ts';
import {
  messageLoads,
  messagePlaceRollups,
  messagePlaces,
  messageRollups,
  messageShowings,
  messageStates,
} from '../../server/src/features/insights/analytics/messages/tables.ts';
import {
  beaconPlaces,
  firstVisits,
  rollupPeriods,
  rollupStates,
  visitRollups,
  wayRollups,
  waysDue,
} from '../../server/src/features/insights/analytics/numbers/tables.ts';
import { notifications } from '../../server/src/features/messages/notifications/resource.ts';
import { beacons } from '../../server/src/features/places/beacons/resource.ts';
import { floors } from '../../server/src/features/places/venues/floor-resource.ts';
import { venues } from '../../server/src/features/places/venues/venue-resource.ts';
import { zones } from '../../server/src/features/places/venues/zone-resource.ts';
import { visits } from '../../server/src/features/presence/sightings/traces/visits.ts';
import type { Place } from './service.ts';

/** Takes many rows of a table at once, while no service runs on the database. */
export interface Sink {
  write(table: DbTable, rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<void>;
  clear(tables: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export const openSink = (place: Place): Promise<Sink> | Sink =>
  place.databaseUrl ? openPostgresSink(place.databaseUrl) : openSqliteSink(join(place.folder, 'pharos.db'));

/** With more memory than the service uses, and without waiting for the disk: this writes indexes of millions of rows. */
function openSqliteSink(file: string): Sink {
  const db = new Sqlite(file, { timeout: 30_000 });
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -1000000');
  return {
    async write({ name, columns }, rows) {
      const names = Object.keys(columns);
      const insert = db.prepare(
        `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      );
      db.transaction(() => {
        for (const row of rows) insert.run(...names.map((column) => row[column] ?? null));
      })();
    },
    async clear(tables) {
      for (const table of tables) db.exec(`delete from ${table}`);
    },
    async close() {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}

/** A column is one parameter: a list, which the server takes apart. */
async function openPostgresSink(url: string): Promise<Sink> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async write({ name, columns }, rows) {
      const names = Object.keys(columns);
      const lists = names.map((column, index) => `$${index + 1}::${columns[column]?.type ?? 'text'}[]`);
      const values = names.map((column) => rows.map((row) => row[column] ?? null));
      await client.query(`insert into ${name} (${names.join(', ')}) select * from unnest(${lists.join(', ')})`, values);
    },
    async clear(tables) {
      for (const table of tables) await client.query(`delete from ${table}`);
    },
    async close() {
      await client.query('analyze');
      await client.end();
    },
  };
}

const copiedTables: readonly DbTable[] = [
  ...[venues, floors, zones, beacons, notifications, visits].map(({ table }) => table as DbTable),
  ...[visitRollups, wayRollups, rollupPeriods, waysDue, firstVisits, rollupStates, beaconPlaces],
  ...[messageShowings, messagePlaces, messageRollups, messagePlaceRollups, messageLoads, messageStates],
];
const copiedAtOnce = 5_000;

/** Everything that a filled file has of its only app, as rows of another app. */
export async function copyRows(file: string, sink: Sink, appId: string): Promise<void> {
  const db = new Sqlite(file, { readonly: true });
  try {
    for (const table of copiedTables) {
      await sink.clear([table.name]);
      const columns = Object.keys(table.columns).join(', ');
      let rows: Record<string, SqlValue>[] = [];
      for (const row of db.prepare(`select ${columns} from ${table.name}`).iterate()) {
        rows.push({ ...(row as Record<string, SqlValue>), app_id: appId });
        if (rows.length < copiedAtOnce) continue;
        await sink.write(table, rows);
        rows = [];
      }
      if (rows.length > 0) await sink.write(table, rows);
    }
  } finally {
    db.close();
  }
}
