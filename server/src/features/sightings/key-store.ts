import type { Db } from '../../db/db.ts';
import type { Dialect } from '../../db/dialect.ts';
import { insertRows, RowsStatement } from '../../db/rows.ts';
import { raw, type Sql, sql } from '../../sql.ts';

/** Sightings and batches that have been counted. */

export interface SightingKey {
  readonly appId: string;
  readonly installationId: string;
  readonly key: string;
}

/** Keys by `keyText`. */
export const keyText = ({ appId, installationId, key }: SightingKey) => `${appId} ${installationId} ${key}`;

interface KeyRow {
  readonly app_id: string;
  readonly installation_id: string;
  readonly sighting_key: string;
}

const textOfRow = ({ app_id, installation_id, sighting_key }: KeyRow) =>
  keyText({ appId: app_id, installationId: installation_id, key: sighting_key });

const newKeys = insertRows(
  ['text', 'text', 'text', 'bigint'],
  raw('sighting_keys (app_id, installation_id, sighting_key, created_at)'),
  raw(`on conflict (app_id, installation_id, sighting_key) do nothing
    returning app_id, installation_id, sighting_key`),
);

export interface NewKey extends SightingKey {
  readonly now: number;
}

/** Notes the keys, each named once, and answers those that were new, by `keyText`. */
export async function noteKeys(db: Db, keys: readonly NewKey[]): Promise<Set<string>> {
  const cells = keys.map(({ appId, installationId, key, now }) => [appId, installationId, key, now]);
  const fresh = new Set<string>();
  for (const statement of newKeys.each(db.dialect, cells))
    for (const row of await db.all<KeyRow>(statement)) fresh.add(textOfRow(row));
  return fresh;
}

const answers = new RowsStatement(
  ['text', 'text', 'text', 'bigint'],
  (rows) => sql`select known.app_id, known.installation_id, known.sighting_key, known.answer
    from ${rows} as asked cross join sighting_keys known
    where known.app_id = asked.column1 and known.installation_id = asked.column2
      and known.sighting_key = asked.column3 and known.created_at >= asked.column4 and known.answer is not null`,
);

export interface AskedAnswer extends SightingKey {
  /** Older answers are forgotten. */
  readonly since: number;
}

/** The answers that were given to batches, as JSON text, by `keyText`. */
export async function findAnswers(db: Db, asked: readonly AskedAnswer[]): Promise<ReadonlyMap<string, string>> {
  const cells = asked.map(({ appId, installationId, key, since }) => [appId, installationId, key, since]);
  const found = new Map<string, string>();
  for (const statement of answers.lookUp(db.dialect, cells))
    for (const row of await db.all<KeyRow & { answer: string }>(statement)) found.set(textOfRow(row), row.answer);
  return found;
}

const savedAnswers = insertRows(
  ['text', 'text', 'text', 'text', 'bigint'],
  raw('sighting_keys (app_id, installation_id, sighting_key, answer, created_at)'),
  raw('on conflict (app_id, installation_id, sighting_key) do nothing'),
);

export interface NewAnswer extends NewKey {
  readonly answer: string;
}

export function saveAnswers(dialect: Dialect, rows: readonly NewAnswer[]): Sql[] {
  const cells = rows.map(({ appId, installationId, key, answer, now }) => [appId, installationId, key, answer, now]);
  return savedAnswers.each(dialect, cells);
}
