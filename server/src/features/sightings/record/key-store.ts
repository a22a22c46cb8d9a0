import { type Sql, sql } from '../../../base/sql.ts';
import { bulkDelete, bulkInsert, bulkUpdate, Lookup } from '../../../db/bulk.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { sightingKeys } from '../traces/tables.ts';

/** Sightings and batches that have been counted. */

export interface SightingKey {
  readonly appId: string;
  readonly installationId: string;
  readonly key: string;
}

/** Keys by `keyText`. */
export const keyText = ({ appId, installationId, key }: SightingKey) => `${appId} ${installationId} ${key}`;

const cellsOf = ({ appId, installationId, key }: SightingKey) => ({
  app_id: appId,
  installation_id: installationId,
  sighting_key: key,
});

interface KeyRow {
  readonly app_id: string;
  readonly installation_id: string;
  readonly sighting_key: string;
}

const textOfRow = ({ app_id, installation_id, sighting_key }: KeyRow) =>
  keyText({ appId: app_id, installationId: installation_id, key: sighting_key });

const newKeys = bulkInsert(sightingKeys, { columns: ['app_id', 'installation_id', 'sighting_key', 'created_at'] });

export interface NewKey extends SightingKey {
  readonly now: number;
}

export function saveKeys(dialect: Dialect, keys: readonly NewKey[]): Sql[] {
  return newKeys.each(
    dialect,
    keys.map((one) => ({ ...cellsOf(one), created_at: one.now })),
  );
}

const knownKeys = new Lookup(
  ['installation_id', 'sighting_key'],
  (isWanted) =>
    sql`select app_id, installation_id, sighting_key from sighting_keys where app_id = ${null} and ${isWanted}`,
);

/** Which of the keys are stored, by `keyText`. */
export async function findKnownKeys(db: Db, keys: readonly SightingKey[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const [appId, ofApp] of Map.groupBy(keys, (one) => one.appId))
    for (const statement of knownKeys.of(db.dialect, [appId], ofApp.map(cellsOf)))
      for (const row of await db.all<KeyRow>(statement)) known.add(textOfRow(row));
  return known;
}

const answers = new Lookup(
  ['installation_id', 'sighting_key'],
  (isWanted) => sql`select app_id, installation_id, sighting_key, answer, created_at from sighting_keys
    where app_id = ${null} and ${isWanted} and answer is not null`,
);

export interface AskedAnswer extends SightingKey {
  /** Older answers are dropped. */
  readonly since: number;
}

/** The answers that were given to batches, as JSON text, by `keyText`. */
export async function findAnswers(db: Db, asked: readonly AskedAnswer[]): Promise<ReadonlyMap<string, string>> {
  const since = new Map(asked.map((one) => [keyText(one), one.since]));
  const found = new Map<string, string>();
  for (const [appId, ofApp] of Map.groupBy(asked, (one) => one.appId)) {
    const cells = ofApp.map(cellsOf);
    for (const statement of answers.of(db.dialect, [appId], cells)) {
      for (const row of await db.all<KeyRow & { answer: string; created_at: number }>(statement)) {
        const text = textOfRow(row);
        if (row.created_at >= (since.get(text) ?? Number.POSITIVE_INFINITY)) found.set(text, row.answer);
      }
    }
  }
  return found;
}

const savedAnswers = bulkInsert(sightingKeys);

export interface NewAnswer extends NewKey {
  readonly answer: string;
}

export function saveAnswers(dialect: Dialect, rows: readonly NewAnswer[]): Sql[] {
  const cells = rows.map((row) => ({ ...cellsOf(row), answer: row.answer, created_at: row.now }));
  return savedAnswers.each(dialect, cells);
}

const key = ['app_id', 'installation_id', 'sighting_key'] as const;
const shortenedKeys = bulkUpdate(sightingKeys, { by: key, set: ['answer'] });
const removedKeys = bulkDelete(sightingKeys, key);

const forgottenAtOnce = 200;

interface AnsweredRow extends KeyRow {
  readonly created_at: number;
}

/** Drops the answers of a period (ms), some at a time; that the batches have been counted stays known. */
export async function forgetAnswers(
  db: Database,
  { appId, from, until }: { readonly appId: string; readonly from: number; readonly until: number },
): Promise<void> {
  for (let since = from; ; ) {
    const answered = sql`select app_id, installation_id, sighting_key, created_at from sighting_keys where app_id = ${appId}
      and created_at >= ${since} and created_at < ${until} and answer is not null order by created_at limit ${forgottenAtOnce}`;
    const rows = db.dialect.keepsRoomOfRows
      ? await db.transaction((db) => writeAnew(db, answered))
      : await shorten(db, answered);
    const last = rows.at(-1);
    if (last === undefined || rows.length < forgottenAtOnce) return;
    since = last.created_at;
    await db.caughtUp();
  }
}

async function shorten(db: Db, answered: Sql): Promise<readonly AnsweredRow[]> {
  const rows = await db.all<AnsweredRow>(answered);
  const cells = rows.map((row) => ({ ...row, answer: null }));
  for (const statement of shortenedKeys.each(db.dialect, cells)) await db.run(statement);
  return rows;
}

/** Whoever reads in the same transaction brings back no key that is deleted meanwhile. */
async function writeAnew(db: Db, answered: Sql): Promise<readonly AnsweredRow[]> {
  const rows = await db.all<AnsweredRow>(answered);
  for (const statement of [...removedKeys.each(db.dialect, rows), ...newKeys.each(db.dialect, rows)])
    await db.run(statement);
  return rows;
}
