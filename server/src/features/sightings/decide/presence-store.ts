import { raw, type Sql, sql } from '../../../base/sql.ts';
import type { Database, Db, Row } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { insertRows, Lookup } from '../../../db/rows.ts';
import type { Firing, PresenceState } from '../../../proximity/index.ts';

/** Who is where, as the engine keeps it. SQL and nothing else. */

export interface Stored {
  readonly state: PresenceState;
  /** Visits of the two that are over. */
  readonly visitCount: number;
}

interface PresenceRow extends Row {
  readonly beacon_id: string;
  readonly state: string;
  readonly visit_count: number;
}

const toStored = (row: PresenceRow): Stored => ({
  state: JSON.parse(row.state) as PresenceState,
  visitCount: row.visit_count,
});

export async function findPresence(
  db: Db,
  key: { readonly appId: string; readonly installationId: string; readonly beaconId: string },
): Promise<Stored | undefined> {
  const row = await db.one<PresenceRow>(
    sql`select beacon_id, state, visit_count from presence
      where app_id = ${key.appId} and installation_id = ${key.installationId} and beacon_id = ${key.beaconId}`,
  );
  return row && toStored(row);
}

const presencesAt = new Lookup(
  ['installation_id', 'beacon_id'],
  (isWanted) => sql`select installation_id, beacon_id, state, visit_count from presence
    where app_id = ${null} and ${isWanted}`,
);

/** Where a presence is kept. */
export interface PresenceKey {
  readonly appId: string;
  readonly installationId: string;
  readonly beaconId: string;
}

const keyText = ({ appId, installationId, beaconId }: PresenceKey) => `${appId} ${installationId} ${beaconId}`;

/** Presences of several installations, each asked for by its key. */
export async function findPresences(
  db: Db,
  keys: readonly PresenceKey[],
): Promise<(key: PresenceKey) => Stored | undefined> {
  const found = new Map<string, Stored>();
  for (const [appId, ofApp] of Map.groupBy(keys, (key) => key.appId)) {
    const cells = ofApp.map(({ installationId, beaconId }) => [installationId, beaconId]);
    for (const statement of presencesAt.of(db.dialect, [appId], cells)) {
      for (const row of await db.all<PresenceRow & { readonly installation_id: string }>(statement)) {
        const { installation_id: installationId, beacon_id: beaconId } = row;
        found.set(keyText({ appId, installationId, beaconId }), toStored(row));
      }
    }
  }
  return (key) => found.get(keyText(key));
}

/** Presences of one installation that are due, by beacon. */
export async function findDuePresences(
  db: Db,
  due: { readonly appId: string; readonly installationId: string; readonly now: number },
): Promise<ReadonlyMap<string, Stored>> {
  const rows = await db.all<PresenceRow>(
    sql`select beacon_id, state, visit_count from presence
      where app_id = ${due.appId} and installation_id = ${due.installationId} and next_deadline <= ${due.now}
      order by beacon_id`,
  );
  return new Map(rows.map((row) => [row.beacon_id, toStored(row)]));
}

export interface DueInstallation {
  readonly app_id: string;
  readonly installation_id: string;
}

/** Who has something due, the longest overdue first; one may be named more than once. */
export function findDueInstallations(db: Db, now: number, limit: number): Promise<DueInstallation[]> {
  return db.all<DueInstallation>(
    sql`select app_id, installation_id from presence where next_deadline <= ${now} order by next_deadline limit ${limit}`,
  );
}

/** When the next presence falls due after a time; undefined when none does. One look at an index. */
export async function findNextDeadline(db: Db, after: number): Promise<number | undefined> {
  const row = await db.one<{ next_deadline: number }>(
    sql`select next_deadline from presence where next_deadline > ${after} order by next_deadline limit 1`,
  );
  return row?.next_deadline;
}

const clockStep = 500;

/**
 * Moves what was written by a clock that has been set back since, while no process ran, to the present: a silence lasts as
 * long as it would have lasted.
 */
export async function mendFuturePresences(db: Database, now: number): Promise<void> {
  const tolerated = now + 60_000;
  for (;;) {
    const isDone = await db.transaction(async (db) => {
      const rows = await db.all<PresenceRow & FutureRow>(
        sql`select app_id, installation_id, beacon_id, state, next_deadline, updated_at from presence
          where next_deadline > ${tolerated} and updated_at > ${tolerated} order by next_deadline limit ${clockStep}${raw(db.dialect.skipLocked)}`,
      );
      for (const row of rows) {
        const ahead = row.updated_at - now;
        const state = JSON.parse(row.state) as PresenceState;
        // The lag is what lies between the sender's clock and ours; of the two, ours has moved.
        const moved = JSON.stringify({ ...state, lag: state.lag - ahead });
        await db.run(sql`update presence set state = ${moved}, next_deadline = ${row.next_deadline - ahead}, updated_at = ${now}
          where app_id = ${row.app_id} and installation_id = ${row.installation_id} and beacon_id = ${row.beacon_id}`);
      }
      return rows.length < clockStep;
    });
    if (isDone) return;
  }
}

interface FutureRow extends Row {
  readonly app_id: string;
  readonly installation_id: string;
  readonly next_deadline: number;
  readonly updated_at: number;
}

export interface NewPresence {
  readonly appId: string;
  readonly installationId: string;
  readonly beaconId: string;
  readonly state: PresenceState;
  readonly deadline: number | null;
  readonly visitCount: number;
  readonly now: number;
}

const savedPresences = insertRows(
  ['text', 'text', 'text', 'text', 'bigint', 'bigint', 'bigint'],
  raw('presence (app_id, installation_id, beacon_id, state, next_deadline, visit_count, updated_at)'),
  raw(`on conflict (app_id, installation_id, beacon_id) do update
    set state = excluded.state, next_deadline = excluded.next_deadline, visit_count = excluded.visit_count,
      updated_at = excluded.updated_at`),
);

export function savePresences(dialect: Dialect, presences: readonly NewPresence[]): Sql[] {
  return savedPresences.each(
    dialect,
    presences.map(({ appId, installationId, beaconId, state, deadline, visitCount, now }) => [
      appId,
      installationId,
      beaconId,
      JSON.stringify(state),
      deadline,
      visitCount,
      now,
    ]),
  );
}

export async function deletePresences(db: Db, appId: string, installationId: string): Promise<void> {
  await db.run(sql`delete from presence where app_id = ${appId} and installation_id = ${installationId}`);
}

/** What was shown since a time, oldest first. */
export async function findFirings(
  db: Db,
  scope: { readonly appId: string; readonly installationId: string; readonly since: number },
): Promise<Firing[]> {
  const rows = await db.all<{ trigger_id: string; visit_id: string; fired_at: number }>(
    sql`select trigger_id, visit_id, fired_at from firings
      where app_id = ${scope.appId} and installation_id = ${scope.installationId} and fired_at >= ${scope.since}
      order by fired_at`,
  );
  return rows.map((row) => ({ triggerId: row.trigger_id, visitId: row.visit_id, at: row.fired_at }));
}
