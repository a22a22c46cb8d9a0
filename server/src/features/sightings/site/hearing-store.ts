import { type Hearing, noHearing } from '@pharos/engine';
import { raw, sql } from '../../../base/sql.ts';
import { BulkRead, bulkInsert } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import { hearings } from '../traces/tables.ts';

/** How loudly phones hear, as it is stored. SQL only. */

/** An installation (`model` empty), a model (`installationId` empty), or all of an app (both empty). */
export interface HearingSubject {
  readonly appId: string;
  readonly installationId: string;
  readonly model: string;
}

export interface StoredHearing extends HearingSubject {
  readonly hearing: Hearing;
  readonly updatedAt: number;
}

interface HearingRow {
  readonly installation_id: string;
  readonly model: string;
  readonly hearing: string;
  readonly updated_at: number;
}

const cellsOf = ({ appId, installationId, model }: HearingSubject) => ({
  app_id: appId,
  installation_id: installationId,
  model,
});

const read = new BulkRead<'app_id' | 'installation_id' | 'model', Pick<HearingRow, 'hearing'>>(
  { app_id: 'text', installation_id: 'text', model: 'text' },
  (cell) => ({
    table: hearings.name,
    columns: ['hearing'],
    same: [
      ['app_id', cell.app_id],
      ['installation_id', cell.installation_id],
      ['model', cell.model],
    ],
  }),
);

/** In the order of the subjects. */
export async function findHearings(db: Db, subjects: readonly HearingSubject[]): Promise<Hearing[]> {
  const found = await read.of(db, subjects.map(cellsOf));
  return found.map(([row]) => (row === undefined ? noHearing : readHearing(row.hearing)));
}

const readHearing = (text: string): Hearing => ({ ...noHearing, ...(JSON.parse(text) as Partial<Hearing>) });

const saved = bulkInsert(hearings, {
  conflict: raw(`on conflict (app_id, installation_id, model) do update
    set hearing = excluded.hearing, updated_at = excluded.updated_at`),
});

export async function saveHearings(db: Db, stored: readonly StoredHearing[]): Promise<void> {
  const cells = stored.map(({ hearing, updatedAt, ...subject }) => ({
    ...cellsOf(subject),
    hearing: JSON.stringify(hearing),
    updated_at: updatedAt,
  }));
  await db.runTogether(saved.each(db.dialect, cells));
}

/** Nobody else adds to what is known about an app until the end of the transaction. */
export async function lockHearings(db: Db, appId: string): Promise<void> {
  const { lockNames } = db.dialect;
  if (lockNames) await db.all(lockNames.all([`hearing ${appId}`]));
}

/** There are not so many models in the world; a name is whatever a client says. */
export const mostModels = 1_000;

/** Deletes the models last heard from longest ago, if there are too many. */
export async function forgetOldModels(db: Db, appId: string): Promise<void> {
  const models = sql`app_id = ${appId} and installation_id = '' and model <> ''`;
  const row = await db.one<{ n: number }>(sql`select count(*) as n from hearing where ${models}`);
  const over = Number(row?.n ?? 0) - mostModels;
  if (over <= 0) return;
  await db.run(sql`delete from hearing where ${models} and model in (
    select model from hearing where ${models} order by updated_at, model limit ${over})`);
}

/** More models are not shown. */
const mostShown = 500;

/** Of the app, of its models, and of one installation if it is named. */
export async function listHearings(db: Db, appId: string, installationId: string): Promise<StoredHearing[]> {
  const rows = await db.all<HearingRow>(
    sql`select installation_id, model, hearing, updated_at from hearing
      where app_id = ${appId} and installation_id in ('', ${installationId})
      order by installation_id desc, model limit ${mostShown}`,
  );
  return rows.map((row) => ({
    appId,
    installationId: row.installation_id,
    model: row.model,
    hearing: readHearing(row.hearing),
    updatedAt: row.updated_at,
  }));
}

/** Of one installation, or of all of the app. */
export async function deleteHearings(db: Db, appId: string, installationId?: string): Promise<void> {
  await db.run(sql`delete from hearing where app_id = ${appId}
    and ${installationId === undefined ? raw('1 = 1') : sql`installation_id = ${installationId}`}`);
}
