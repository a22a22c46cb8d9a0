import type { Db, Row } from '../../db/db.ts';
import type { Firing, PresenceEvent, PresenceState, Verdict } from '../../proximity/index.ts';
import { joinSql, raw, Shapes, type Sql, type SqlValue, sql } from '../../sql.ts';

/** What the engine leaves behind: presence, visits, events, verdicts, firings, log records. SQL and nothing else. */

export interface InstallationLock {
  readonly hasPushTarget: boolean;
}

interface LockRow extends Row {
  readonly object_id: string;
  readonly device_token: string | null;
  readonly token_dead_at: number | null;
}

export interface SenderLock extends InstallationLock {
  readonly objectId: string;
}

/** The same by the client's own id, or else by ours. */
export async function lockSender(db: Db, appId: string, id: string): Promise<SenderLock | undefined> {
  const row = await db.one<LockRow>(
    sql`select object_id, device_token, token_dead_at from installations
      where app_id = ${appId} and installation_id = ${id}${raw(db.dialect.lockRow)}`,
  );
  if (row) return { objectId: row.object_id, hasPushTarget: isReachable(row) };
  const lock = await lockInstallation(db, appId, id);
  return lock && { ...lock, objectId: id };
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

/** Lists are padded to a few lengths, so that a few prepared statements serve all batches. */
const lengths = [1, 4, 16, 64] as const;
const selects = new Shapes();

/** Presences of one installation at several beacons, by beacon. */
export async function findPresences(
  db: Db,
  key: { readonly appId: string; readonly installationId: string; readonly beaconIds: readonly string[] },
): Promise<ReadonlyMap<string, Stored>> {
  const { appId, installationId, beaconIds } = key;
  const found = new Map<string, Stored>();
  for (let start = 0; start < beaconIds.length; start += 64) {
    const part = beaconIds.slice(start, start + 64);
    const length = lengths.find((candidate) => candidate >= part.length) ?? 64;
    const ids = Array.from({ length }, (_, index) => part[Math.min(index, part.length - 1)] as string);
    const rows = await db.all<PresenceRow>(
      selects.of(String(length), [appId, installationId, ...ids], () => {
        const list = ids.map((id) => sql`${id}`);
        return sql`select beacon_id, state, visit_count from presence
          where app_id = ${appId} and installation_id = ${installationId} and beacon_id in (${joinSql(list, ', ')})`;
      }),
    );
    for (const row of rows) found.set(row.beacon_id, toStored(row));
  }
  return found;
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

export function savePresence(row: NewPresence): Sql {
  return sql`insert into presence
      (app_id, installation_id, beacon_id, state, next_deadline, visit_count, updated_at)
    values (${row.appId}, ${row.installationId}, ${row.beaconId}, ${JSON.stringify(row.state)}, ${row.deadline},
      ${row.visitCount}, ${row.now})
    on conflict (app_id, installation_id, beacon_id) do update
    set state = excluded.state, next_deadline = excluded.next_deadline, visit_count = excluded.visit_count,
      updated_at = excluded.updated_at`;
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

const inserts = new Shapes();

/** Several rows in one statement; lengths are few, so that few texts are prepared. `into` names the table's own columns. */
function insertRows(into: Sql, rows: readonly (readonly SqlValue[])[], conflict: Sql): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start;
    const length = left >= 16 ? 16 : left >= 4 ? 4 : 1;
    const part = rows.slice(start, start + length);
    const make = () => {
      const tuples = part.map((cells) => {
        const values = cells.map((cell) => sql`${cell}`);
        return sql`(${joinSql(values, ', ')})`;
      });
      return sql`insert into ${into} values ${joinSql(tuples, ', ')} ${conflict}`;
    };
    statements.push(inserts.of(`${into.strings[0]} ${length}`, part.flat(), make));
    start += length;
  }
  return statements;
}

export interface Written {
  readonly appId: string;
  readonly now: number;
}

const flag = (value: boolean | undefined) => (value === true ? 1 : 0);

export function insertEvents({ appId, now }: Written, events: readonly PresenceEvent[]): Sql[] {
  return insertRows(
    sql`events (app_id, object_id, event, beacon_id, installation_id, visit_id, occurred_at, distance, entered_at,
      left_at, cause, inferred, created_at)`,
    events.map((event) => [
      appId,
      event.id,
      event.event,
      event.beaconId,
      event.installationId,
      event.visitId,
      event.at,
      event.distance ?? null,
      event.enteredAt ?? null,
      event.leftAt ?? null,
      event.cause,
      flag(event.inferred),
      now,
    ]),
    sql`on conflict (app_id, object_id) do nothing`,
  );
}

/** A new visit, with its end where that is known already. */
export function openVisit({ appId, now }: Written, event: PresenceEvent, exit?: PresenceEvent): Sql {
  const enteredAt = event.enteredAt ?? event.at;
  const [leftAt, dwell] = exit ? endOf(exit) : [null, null];
  return sql`insert into visits
      (app_id, object_id, beacon_id, installation_id, entered_at, left_at, dwell, is_open, source, ended_by, inferred,
        created_at, updated_at)
    values (${appId}, ${event.visitId}, ${event.beaconId}, ${event.installationId}, ${enteredAt}, ${leftAt}, ${dwell},
      ${exit ? 0 : 1}, ${event.cause}, ${exit?.cause ?? null}, ${flag(exit?.inferred)}, ${now}, ${now})
    on conflict (app_id, object_id) do nothing`;
}

export function closeVisit({ appId, now }: Written, event: PresenceEvent): Sql {
  const [leftAt, dwell] = endOf(event);
  return sql`update visits
    set left_at = ${leftAt}, dwell = ${dwell}, is_open = 0, ended_by = ${event.cause},
      inferred = ${flag(event.inferred)}, updated_at = ${now}
    where app_id = ${appId} and object_id = ${event.visitId}`;
}

/** When somebody left, and after how many seconds. */
function endOf(exit: PresenceEvent): [leftAt: number, dwell: number] {
  const leftAt = exit.leftAt ?? exit.at;
  return [leftAt, Math.max(0, leftAt - (exit.enteredAt ?? leftAt)) / 1000];
}

export interface LogRecord {
  readonly objectId: string;
  readonly moduleType: 'PRESENCE' | 'STORYLINE';
  readonly event: PresenceEvent;
}

export function insertLogs({ appId, now }: Written, logs: readonly LogRecord[]): Sql[] {
  return insertRows(
    sql`logs (app_id, object_id, module_type, event, beacon_id, installation_id, occurred_at, event_id, created_at,
      updated_at)`,
    logs.map(({ objectId, moduleType, event }) => [
      appId,
      objectId,
      moduleType,
      event.event,
      event.beaconId,
      event.installationId,
      event.at,
      // Clients have event ids of their own in this column; these cannot be mistaken for one of them.
      `${event.id}:${moduleType}`,
      now,
      now,
    ]),
    sql`on conflict (app_id, event_id) do nothing`,
  );
}

export interface JudgedEvent {
  readonly verdict: Verdict;
  readonly beaconId: string;
  readonly installationId: string;
  readonly deliveryId: string | null;
}

/** The final verdict after a wait takes the place of the pending one. */
export function saveVerdicts({ appId, now }: Written, judged: readonly JudgedEvent[]): Sql[] {
  // Two verdicts of one trigger at one event in one statement would meet each other.
  const last = new Map(judged.map((one) => [`${one.verdict.eventId}-${one.verdict.triggerId}`, one]));
  return insertRows(
    sql`verdicts (app_id, object_id, event_id, trigger_id, kind, event, beacon_id, installation_id, visit_id, outcome,
      reason, explanation, decided_at, due_at, delivery_id, created_at)`,
    [...last].map(([objectId, { verdict, beaconId, installationId, deliveryId }]) => [
      appId,
      objectId,
      verdict.eventId,
      verdict.triggerId,
      verdict.kind,
      verdict.event,
      beaconId,
      installationId,
      verdict.visitId,
      verdict.outcome,
      verdict.reason,
      verdict.text,
      verdict.at,
      verdict.dueAt ?? null,
      deliveryId,
      now,
    ]),
    sql`on conflict (app_id, object_id) do update
      set outcome = excluded.outcome, reason = excluded.reason, explanation = excluded.explanation,
        decided_at = excluded.decided_at, due_at = excluded.due_at, delivery_id = excluded.delivery_id`,
  );
}

export function insertFirings(
  { appId, installationId }: { readonly appId: string; readonly installationId: string },
  fired: readonly Verdict[],
): Sql[] {
  return insertRows(
    sql`firings (app_id, installation_id, fired_at, event_id, trigger_id, visit_id)`,
    fired.map((verdict) => [appId, installationId, verdict.at, verdict.eventId, verdict.triggerId, verdict.visitId]),
    sql`on conflict (app_id, installation_id, fired_at, event_id, trigger_id) do nothing`,
  );
}
