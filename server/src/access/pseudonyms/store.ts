import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { rowsOf } from '../../db/statements/row-statements.ts';
import type { RowOf } from '../../db/table.ts';
import { pseudonymDays, pseudonymPeriods } from './tables.ts';

export type PeriodRow = RowOf<typeof pseudonymPeriods>;
export type DayRow = RowOf<typeof pseudonymDays>;

const pseudonymPeriodRows = rowsOf(pseudonymPeriods);
export const listPeriods = pseudonymPeriodRows.list(['app_id'], ['begun_at']);

export async function insertPeriod(db: Db, appId: string, begunAt: number): Promise<void> {
  await db.run(sql`insert into pseudonym_spells (app_id, begun_at, ended_at) values (${appId}, ${begunAt}, null)
    on conflict (app_id, begun_at) do update set ended_at = null`);
}

export async function endPeriod(db: Db, appId: string, at: number): Promise<void> {
  await db.run(sql`update pseudonym_spells set ended_at = case when begun_at > ${at} then begun_at else ${at} end
    where app_id = ${appId} and ended_at is null`);
}

const pseudonymDayRows = rowsOf(pseudonymDays);
export const listDays = pseudonymDayRows.list(['app_id'], ['begins_at']);

/** The day in which a time is, if it has begun to have pseudonyms. */
export function findDay(db: Db, appId: string, at: number): Promise<DayRow | undefined> {
  return db.one<DayRow>(sql`select * from pseudonym_days
    where app_id = ${appId} and begins_at <= ${at} and ends_at > ${at} order by begins_at limit 1`);
}

/** One that is there already stays as it is. */
export const insertDay = pseudonymDayRows.add;

export function forgetDays(db: Db, appId: string, before: number): Promise<number> {
  return db.run(sql`delete from pseudonym_days where app_id = ${appId} and ends_at < ${before}`);
}
