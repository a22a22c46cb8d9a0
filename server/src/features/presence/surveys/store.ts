import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import { bigint, defineTable, nullable, type RowOf, text } from '../../../db/table.ts';

/** Walks through a floor whose way is known, and what all of a floor's say together. SQL only. */

export const surveys = defineTable({
  name: 'surveys',
  owner: 'surveys',
  columns: {
    app_id: text,
    floor_id: text,
    object_id: text,
    /** JSON: [{x, y, at}], metres and ms. */
    way: text,
    /** As the engine writes them. */
    samples: text,
    /** JSON: which beacons were heard, how often, and where they hung. */
    heard: text,
    counted: bigint,
    unknown: bigint,
    unusable: bigint,
    started_at: bigint,
    ended_at: bigint,
    device_model: nullable(text),
    /** Of way and samples: the same survey must not count twice. */
    digest: text,
    by_admin: nullable(text),
    created_by: nullable(text),
    created_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    surveys_floor: { on: ['app_id', 'floor_id', 'object_id'] },
    surveys_created_by: { on: ['app_id', 'created_by', 'object_id'] },
  },
  childOf: ['floors'],
  users: ['created_by'],
  erased: 'unname',
});

/** What the surveys of a floor say together. */
export const floorMaps = defineTable({
  name: 'floor_maps',
  owner: 'surveys',
  columns: {
    app_id: text,
    floor_id: text,
    version: bigint,
    /** Digest of the surveys and beacons from which it was made. */
    basis: text,
    /** JSON of the engine's `Trial`; null: there is nothing to leave out. */
    trial: nullable(text),
    beacons: bigint,
    made_at: bigint,
  },
  key: ['app_id', 'floor_id'],
  childOf: ['floors'],
});

export type SurveyRow = RowOf<typeof surveys>;
/** Without the samples, which are long. */
export type ListedSurvey = Omit<SurveyRow, 'samples' | 'digest'>;
export type FloorMapRow = RowOf<typeof floorMaps>;

const surveyRows = rowsOf(surveys);
export const insertSurvey = surveyRows.insert;

/** All of a floor, oldest first; their number is bounded. */
export function listSurveys(db: Db, appId: string, floorId: string): Promise<ListedSurvey[]> {
  return db.all<ListedSurvey>(sql`select app_id, floor_id, object_id, way, heard, counted, unknown, unusable, started_at,
      ended_at, device_model, by_admin, created_by, created_at
    from surveys where app_id = ${appId} and floor_id = ${floorId} order by object_id`);
}

export function findSurvey(
  db: Db,
  { appId, floorId, objectId }: { readonly appId: string; readonly floorId: string; readonly objectId: string },
): Promise<SurveyRow | undefined> {
  return db.one<SurveyRow>(sql`select * from surveys
    where app_id = ${appId} and floor_id = ${floorId} and object_id = ${objectId}`);
}

/** The one with the same way and samples. */
export async function findSame(
  db: Db,
  { appId, floorId, digest }: { readonly appId: string; readonly floorId: string; readonly digest: string },
): Promise<string | undefined> {
  const row = await db.one<{ object_id: string }>(sql`select object_id from surveys
    where app_id = ${appId} and floor_id = ${floorId} and digest = ${digest}`);
  return row?.object_id;
}

export async function countSurveys(
  db: Db,
  appId: string,
  floorId: string,
): Promise<{ readonly surveys: number; readonly samples: number }> {
  const row = await db.one<{ n: number; samples: number | null }>(sql`select count(*) as n, sum(counted) as samples
    from surveys where app_id = ${appId} and floor_id = ${floorId}`);
  return { surveys: Number(row?.n ?? 0), samples: Number(row?.samples ?? 0) };
}

/** Whether there was one. */
export async function deleteSurvey(
  db: Db,
  { appId, floorId, objectId }: { readonly appId: string; readonly floorId: string; readonly objectId: string },
): Promise<boolean> {
  const gone = await db.run(sql`delete from surveys
    where app_id = ${appId} and floor_id = ${floorId} and object_id = ${objectId}`);
  return gone > 0;
}

export async function listSurveyedFloors(db: Db, appId: string): Promise<string[]> {
  const rows = await db.all<{ floor_id: string }>(
    sql`select distinct floor_id from surveys where app_id = ${appId} order by floor_id`,
  );
  return rows.map(({ floor_id }) => floor_id);
}

const floorMapRows = rowsOf(floorMaps);
export const findFloorMap = floorMapRows.find('app_id', 'floor_id');

export async function saveFloorMap(db: Db, row: Omit<FloorMapRow, 'version'>): Promise<void> {
  await db.run(sql`insert into floor_maps (app_id, floor_id, version, basis, trial, beacons, made_at)
    values (${row.app_id}, ${row.floor_id}, 1, ${row.basis}, ${row.trial}, ${row.beacons}, ${row.made_at})
    on conflict (app_id, floor_id) do update set version = floor_maps.version + 1, basis = excluded.basis,
      trial = excluded.trial, beacons = excluded.beacons, made_at = excluded.made_at`);
}

/** In the transaction that deletes the floor. */
export async function forgetSurveys(db: Db, appId: string, floorId: string): Promise<void> {
  await db.run(sql`delete from surveys where app_id = ${appId} and floor_id = ${floorId}`);
  await db.run(sql`delete from floor_maps where app_id = ${appId} and floor_id = ${floorId}`);
}
