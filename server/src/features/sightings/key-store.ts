import type { Db } from '../../db/db.ts';
import { joinSql, Shapes, type Sql, sql } from '../../sql.ts';

/** Sightings and batches that have been counted. */

interface Scope {
  readonly appId: string;
  readonly installationId: string;
}

const inserts = new Shapes();

/** Notes the keys and answers those that were new. */
export async function noteKeys(
  db: Db,
  { appId, installationId }: Scope,
  keys: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const fresh = new Set<string>();
  for (let start = 0; start < keys.length; ) {
    const left = keys.length - start;
    const length = left >= 100 ? 100 : left >= 10 ? 10 : 1;
    const part = keys.slice(start, start + length);
    const values = part.flatMap((key) => [appId, installationId, key, now]);
    const noted = await db.all<{ sighting_key: string }>(
      inserts.of(String(length), values, () => {
        const tuples = part.map((key) => sql`(${appId}, ${installationId}, ${key}, ${now})`);
        return sql`insert into sighting_keys (app_id, installation_id, sighting_key, created_at)
          values ${joinSql(tuples, ', ')}
          on conflict (app_id, installation_id, sighting_key) do nothing returning sighting_key`;
      }),
    );
    for (const { sighting_key } of noted) fresh.add(sighting_key);
    start += length;
  }
  return fresh;
}

/** The answer that was given to a batch since a time, as JSON text. */
export async function findAnswer(
  db: Db,
  { appId, installationId }: Scope,
  key: string,
  since: number,
): Promise<string | undefined> {
  const row = await db.one<{ answer: string | null }>(
    sql`select answer from sighting_keys
      where app_id = ${appId} and installation_id = ${installationId} and sighting_key = ${key}
        and created_at >= ${since}`,
  );
  return row?.answer ?? undefined;
}

export function saveAnswer(
  { appId, installationId }: Scope,
  { key, answer, now }: { readonly key: string; readonly answer: string; readonly now: number },
): Sql {
  return sql`insert into sighting_keys (app_id, installation_id, sighting_key, answer, created_at)
    values (${appId}, ${installationId}, ${key}, ${answer}, ${now})
    on conflict (app_id, installation_id, sighting_key) do nothing`;
}
