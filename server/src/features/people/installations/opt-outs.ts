import { timePrefix } from '@pharos/engine';
import { listsSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** What others ask about the people behind installations. */

/** Who took back the consent to messages, or whose token has died, from a time (ms) on. */
export async function withdrawnSince(
  db: Db,
  appId: string,
  since: number,
): Promise<{ installationId: string; at: number }[]> {
  const refused = await db.all<{ installation_id: string; created_at: number }>(
    sql`select installation_id, created_at from consents where app_id = ${appId} and object_id >= ${timePrefix(since)}
      and purpose = 'messages' and granted = 0 order by object_id`,
  );
  const dead = await db.all<{ object_id: string; token_dead_at: number }>(
    sql`select object_id, token_dead_at from installations where app_id = ${appId} and token_dead_at >= ${since}`,
    { tenant: appId },
  );
  return [
    ...refused.map(({ installation_id, created_at }) => ({ installationId: installation_id, at: created_at })),
    ...dead.map(({ object_id, token_dead_at }) => ({ installationId: object_id, at: token_dead_at })),
  ];
}

interface Named {
  readonly installationId: string | undefined;
  readonly userId: string | undefined;
}

/** The objectIds of installations that are named by their own id, their objectId or their user, for each of some names. */
export async function installationsNamed(db: Db, appId: string, names: readonly Named[]): Promise<string[][]> {
  const byOwn = await objectIdsBy(
    db,
    appId,
    'installation_id',
    names.map(({ installationId }) => installationId),
  );
  const byObject = await objectIdsBy(
    db,
    appId,
    'object_id',
    names.map(({ installationId }) => installationId),
  );
  const byUser = await objectIdsBy(
    db,
    appId,
    'user_id',
    names.map(({ userId }) => userId),
  );
  return names.map(({ installationId = '', userId = '' }) => [
    ...new Set([
      ...(byOwn.get(installationId) ?? []),
      ...(byObject.get(installationId) ?? []),
      ...(byUser.get(userId) ?? []),
    ]),
  ]);
}

/** By the value of a column that has an index. */
async function objectIdsBy(
  db: Db,
  appId: string,
  column: 'installation_id' | 'object_id' | 'user_id',
  wanted: readonly (string | undefined)[],
): Promise<Map<string, string[]>> {
  const values = [...new Set(wanted)].filter((value) => value !== undefined);
  const found = new Map<string, string[]>();
  for (const list of listsSql(values)) {
    const rows = await db.all<{ object_id: string; value: string }>(sql`select object_id, ${raw(column)} as value
      from installations where app_id = ${appId} and ${raw(column)} in (${list})`);
    for (const { object_id, value } of rows) found.set(value, [...(found.get(value) ?? []), object_id]);
  }
  return found;
}

/** Installations in order of their ids, with what their visitors have decided, as it is stored. */
export async function installationsAfter(
  db: Db,
  appId: string,
  after: string,
  limit: number,
): Promise<{ objectId: string; consents: string | null }[]> {
  const rows = await db.all<{ object_id: string; consents: string | null }>(sql`select object_id, consents
    from installations where app_id = ${appId} and object_id > ${after} order by object_id limit ${limit}`);
  return rows.map(({ object_id, consents }) => ({ objectId: object_id, consents }));
}

export async function countInstallations(db: Db, appId: string): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`select count(*) as n from installations where app_id = ${appId}`, {
    tenant: appId,
  });
  return Number(row?.n ?? 0);
}
