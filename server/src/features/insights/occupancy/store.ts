import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { CrowdedRow } from './limit.ts';
import { crowdedPlaces } from './tables.ts';

/** The places over their limit: only SQL. Each change returns whether this call made it, since two nodes may check at once. */

const crowdedPlaceRows = rowsOf<typeof crowdedPlaces, CrowdedRow>(crowdedPlaces);
export const listCrowded = crowdedPlaceRows.list(['app_id'], ['place_id']);

export async function listAppsWithCrowds(db: Db): Promise<readonly string[]> {
  const rows = await db.all<{ app_id: string }>(raw('select distinct app_id from crowded_places'));
  return rows.map(({ app_id }) => app_id);
}

export async function noteOver(db: Db, row: Omit<CrowdedRow, 'begun_at' | 'under_at'>): Promise<void> {
  const { app_id, place_id, place, venue_id, name, capacity, first_over_at } = row;
  await db.run(sql`insert into crowded_places (app_id, place_id, place, venue_id, name, capacity, first_over_at)
    values (${app_id}, ${place_id}, ${place}, ${venue_id}, ${name}, ${capacity}, ${first_over_at})
    on conflict do nothing`);
}

export async function describe(db: Db, { app_id, place_id, venue_id, name, capacity }: CrowdedRow): Promise<void> {
  await db.run(sql`update crowded_places set venue_id = ${venue_id}, name = ${name}, capacity = ${capacity}
    where app_id = ${app_id} and place_id = ${place_id}`);
}

export async function forget(db: Db, { app_id, place_id }: CrowdedRow): Promise<void> {
  await db.run(
    sql`delete from crowded_places where app_id = ${app_id} and place_id = ${place_id} and begun_at is null`,
  );
}

export async function begin(db: Db, { app_id, place_id }: CrowdedRow, at: number): Promise<boolean> {
  const changed = await db.run(sql`update crowded_places set begun_at = ${at}
    where app_id = ${app_id} and place_id = ${place_id} and begun_at is null`);
  return changed > 0;
}

export async function mark(db: Db, { app_id, place_id }: CrowdedRow, underAt: number | null): Promise<void> {
  await db.run(
    sql`update crowded_places set under_at = ${underAt} where app_id = ${app_id} and place_id = ${place_id}`,
  );
}

export async function end(db: Db, { app_id, place_id }: CrowdedRow): Promise<boolean> {
  const changed = await db.run(
    sql`delete from crowded_places where app_id = ${app_id} and place_id = ${place_id} and begun_at is not null`,
  );
  return changed > 0;
}
