import type { Db, Row } from '../../db/db.ts';
import type { Dialect } from '../../db/dialect.ts';
import { insertRows, RowsStatement } from '../../db/rows.ts';
import type { Firing, PresenceState } from '../../proximity/index.ts';
import { raw, type Sql, sql } from '../../sql.ts';

/** Who is where, as the engine keeps it, and the locks on installations. SQL and nothing else. */

export interface InstallationLock {
  readonly hasPushTarget: boolean;
}

interface LockRow extends Row {
  readonly object_id: string;
  readonly device_token: string | null;
  readonly token_dead_at: number | null;
}

/** Whom a batch is about. */
export interface Named {
  readonly appId: string;
  /** Our id, or else where `isClients` the client's own, which comes first. */
  readonly id: string;
  readonly isClients: boolean;
}

export interface NamedLock extends InstallationLock {
  readonly objectId: string;
}

interface NamedLockRow extends LockRow {
  readonly place: number;
}

const lockNamedRows = (lock: string) =>
  new RowsStatement(
    ['bigint', 'text', 'text', 'text'],
    (rows) => sql`select named.column1 as place, i.object_id, i.device_token, i.token_dead_at
      from ${rows} as named cross join installations i
      where i.app_id = named.column2 and i.object_id = coalesce(
        (select c.object_id from installations c where c.app_id = named.column2 and c.installation_id = named.column3),
        named.column4)${raw(lock)}`,
  );
const lockStatements = new Map<string, RowsStatement>();

/**
 * Locks several installations, in the order of `named`; undefined where there is none and, unless it is the only one,
 * where somebody else holds it. Nobody waits for one lock while holding another, so no two transactions ever wait for
 * each other.
 */
export async function lockNamed(db: Db, named: readonly Named[]): Promise<readonly (NamedLock | undefined)[]> {
  const { lockRow, skipLocked } = db.dialect;
  const lock = named.length === 1 ? lockRow : skipLocked;
  const statement = lockStatements.get(lock) ?? lockNamedRows(lock);
  lockStatements.set(lock, statement);
  const rows = named.map(({ appId, id, isClients }, place) => [place, appId, isClients ? id : null, id]);
  const found = new Map<number, NamedLock>();
  for (const one of statement.lookUp(db.dialect, rows)) {
    for (const row of await db.all<NamedLockRow>(one))
      found.set(row.place, { objectId: row.object_id, hasPushTarget: isReachable(row) });
  }
  return named.map((_, place) => found.get(place));
}

const isReachable = ({ device_token, token_dead_at }: LockRow) => device_token !== null && token_dead_at === null;

/**
 * Locks the installation until the end of the transaction: everything about one installation happens one after the other,
 * on all nodes. Undefined when there is none.
 */
export async function lockInstallation(
  db: Db,
  appId: string,
  installationId: string,
): Promise<InstallationLock | undefined> {
  return readLock(db, appId, installationId, db.dialect.lockRow);
}

/** Undefined too when somebody else holds it. */
export async function tryLockInstallation(
  db: Db,
  appId: string,
  installationId: string,
): Promise<InstallationLock | undefined> {
  return readLock(db, appId, installationId, db.dialect.skipLocked);
}

async function readLock(db: Db, appId: string, objectId: string, lock: string): Promise<InstallationLock | undefined> {
  const row = await db.one<LockRow>(
    sql`select object_id, device_token, token_dead_at from installations
      where app_id = ${appId} and object_id = ${objectId}${raw(lock)}`,
  );
  return row && { hasPushTarget: isReachable(row) };
}

export async function installationExists(db: Db, appId: string, objectId: string): Promise<boolean> {
  const row = await db.one(
    sql`select 1 as found from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row !== undefined;
}

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

const presencesAt = new RowsStatement(
  ['text', 'text', 'text'],
  (rows) => sql`select presence.app_id, presence.installation_id, presence.beacon_id, state, visit_count
    from ${rows} as wanted cross join presence
    where presence.app_id = wanted.column1 and presence.installation_id = wanted.column2
      and presence.beacon_id = wanted.column3`,
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
  const cells = keys.map(({ appId, installationId, beaconId }) => [appId, installationId, beaconId]);
  for (const statement of presencesAt.lookUp(db.dialect, cells)) {
    for (const row of await db.all<PresenceRow & { app_id: string; installation_id: string }>(statement)) {
      const { app_id: appId, installation_id: installationId, beacon_id: beaconId } = row;
      found.set(keyText({ appId, installationId, beaconId }), toStored(row));
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
