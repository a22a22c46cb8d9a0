import { type Sql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { aliveNodes, knownNodes } from '../../../db/nodes/work-shares.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import type { DeviceLogin } from '../../../delivery/mqtt/mqtt-connection.ts';
import type { Published } from '../../../delivery/mqtt/mqtt-in-flight.ts';
import type { deviceHandovers } from './session-tables.ts';
import { deviceSessions } from './session-tables.ts';

/** Where a device listens. `session` names the connection. */
export interface DeviceSession {
  readonly node: string;
  readonly session: string;
}

export type Listening = Pick<DeviceLogin, 'appId' | 'deviceId' | 'topic'> & DeviceSession;

/** Notes that the device listens here, and answers where it has listened until now. To be called in a transaction. */
export async function saveSession(
  db: Db,
  { appId, deviceId, topic, node, session }: Listening,
): Promise<DeviceSession[]> {
  const before = await db.all<{ node: string; session: string }>(
    sql`delete from device_sessions where app_id = ${appId} and device_id = ${deviceId} returning node, session`,
  );
  await db.run(sql`insert into device_sessions (app_id, device_id, node, session, topic)
    values (${appId}, ${deviceId}, ${node}, ${session}, ${topic})
    on conflict (app_id, device_id) do update set node = excluded.node, session = excluded.session, topic = excluded.topic`);
  return before;
}

const deviceSessionRows = rowsOf(deviceSessions);
export const deleteSession = deviceSessionRows.remove('app_id', 'device_id', 'session');
export const deleteSessionsOf = deviceSessionRows.remove('node');

/** Deletes sessions of nodes that have been gone for an hour, and messages that nobody waits for. */
export async function sweepSessions(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from device_sessions where node not in (${knownNodes})`);
  await db.run(sql`delete from device_handovers where expires_at < ${now}`);
}

/** Where devices listen to a topic, on nodes that are alive. */
export function findSessions(
  db: Db,
  appId: string,
  topic: string,
  now: number,
): Promise<(DeviceSession & { readonly deviceId: string })[]> {
  return db.all(sql`select device_id as "deviceId", node, session from device_sessions where app_id = ${appId} and topic = ${topic}
    and node in (${aliveNodes(now)})`);
}

export interface Handover extends DeviceSession {
  readonly appId: string;
  readonly messageId: string;
  readonly sender: string;
  /** Null: another node has the device now. */
  readonly payload: string | null;
  readonly seconds: number;
  readonly timeoutMs: number;
  readonly expiresAt: number;
}

/** Hands a message over. One already in progress stays as it is, and answers to this sender from now on. */
export async function insertHandover(db: Db, handover: Handover): Promise<void> {
  const { appId, messageId, session, node, sender, payload, seconds, timeoutMs, expiresAt } = handover;
  await db.run(sql`insert into device_handovers
      (app_id, message_id, session, node, sender, payload, seconds, timeout_ms, state, expires_at)
    values (${appId}, ${messageId}, ${session}, ${node}, ${sender}, ${payload}, ${seconds}, ${timeoutMs}, 'new', ${expiresAt})
    on conflict (app_id, message_id) do update set sender = excluded.sender`);
}

type TakenRow = Omit<RowOf<typeof deviceHandovers>, 'state' | 'result'>;

/** Takes what was handed over to this node; each row once. */
export async function takeHandovers(db: Db, node: string): Promise<Handover[]> {
  const rows =
    await db.all<TakenRow>(sql`update device_handovers set state = 'taken' where node = ${node} and state = 'new'
    returning app_id, message_id, session, node, sender, payload, seconds, timeout_ms, expires_at`);
  return rows.map(({ app_id, message_id, timeout_ms, expires_at, ...row }) => ({
    ...row,
    appId: app_id,
    messageId: message_id,
    timeoutMs: timeout_ms,
    expiresAt: expires_at,
  }));
}

/** Stores the result of a message that this node has taken. */
export async function answerHandover(db: Db, { appId, messageId }: Handover, result: Published): Promise<void> {
  await db.run(sql`update device_handovers set state = 'done', result = ${result}
    where app_id = ${appId} and message_id = ${messageId} and state = 'taken'`);
}

/** The device has moved to another node: what its former one has not taken yet never reached it. Returns who waits for it. */
export async function returnHandovers(db: Db, appId: string, session: string): Promise<string[]> {
  const rows = await db.all<{ sender: string }>(sql`update device_handovers set state = 'done', result = 'absent'
    where app_id = ${appId} and session = ${session} and state = 'new' and payload is not null returning sender`);
  return rows.map(({ sender }) => sender);
}

export interface HandoverResult {
  readonly appId: string;
  readonly messageId: string;
  readonly result: Published;
}

/** Takes the answers to what this node has handed over. */
export function takeResults(db: Db, sender: string): Promise<HandoverResult[]> {
  return db.all<HandoverResult>(sql`delete from device_handovers where sender = ${sender} and state = 'done'
    returning app_id as "appId", message_id as "messageId", result`);
}

/** Deletes a message for which nobody waits any more; true if nobody had taken it. */
export async function withdrawHandover(db: Db, appId: string, messageId: string): Promise<boolean> {
  const rows = await db.all<{ state: string }>(
    sql`delete from device_handovers where app_id = ${appId} and message_id = ${messageId} returning state`,
  );
  return rows[0]?.state === 'new';
}

export async function deleteHandover(db: Db, { appId, messageId }: Handover): Promise<void> {
  await db.run(sql`delete from device_handovers where app_id = ${appId} and message_id = ${messageId}`);
}

/** Selects how many rows wait for a node: messages for its devices, and answers for itself. */
export const waitingFor = (
  node: string,
): Sql => sql`select (select count(*) from device_handovers where node = ${node} and state = 'new')
  + (select count(*) from device_handovers where sender = ${node} and state = 'done')`;
