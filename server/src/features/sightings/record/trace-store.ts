import { raw, type Sql, sql } from '../../../base/sql.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { insertRows, RowsStatement } from '../../../db/rows.ts';
import type { PresenceEvent, Verdict } from '../../../proximity/index.ts';
import { answeredRivals } from '../../rivals.ts';

/** What the engine leaves behind: events, visits, log records, verdicts, firings. SQL and nothing else. */

/** In whose name, and when. */
export interface Written {
  readonly appId: string;
  readonly now: number;
}

const flag = (value: boolean | undefined) => (value === true ? 1 : 0);

export interface NewEvent extends Written {
  readonly event: PresenceEvent;
}

const events = insertRows(
  [
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'bigint',
    'double precision',
    'bigint',
    'bigint',
    'text',
    'bigint',
    'text',
    'bigint',
  ],
  raw(`events (app_id, object_id, event, beacon_id, installation_id, visit_id, occurred_at, distance, entered_at,
    left_at, cause, inferred, rivals, created_at)`),
  raw('on conflict (app_id, object_id) do nothing'),
);

export function insertEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  const cells = rows.map(({ appId, now, event }) => [
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
    event.rivals === undefined ? null : JSON.stringify(answeredRivals(event.rivals)),
    now,
  ]);
  return events.each(dialect, cells);
}

/** A new visit, with its end where that is known already. */
export interface NewVisit extends NewEvent {
  readonly exit: PresenceEvent | undefined;
}

const openedVisits = insertRows(
  [
    'text',
    'text',
    'text',
    'text',
    'bigint',
    'bigint',
    'double precision',
    'bigint',
    'text',
    'text',
    'bigint',
    'bigint',
    'bigint',
  ],
  raw(`visits (app_id, object_id, beacon_id, installation_id, entered_at, left_at, dwell, is_open, source, ended_by,
    inferred, created_at, updated_at)`),
  raw('on conflict (app_id, object_id) do nothing'),
);

export function openVisits(dialect: Dialect, rows: readonly NewVisit[]): Sql[] {
  const cells = rows.map(({ appId, now, event, exit }) => [
    appId,
    event.visitId,
    event.beaconId,
    event.installationId,
    event.enteredAt ?? event.at,
    ...(exit ? timesOf(exit) : [null, null]),
    exit ? 0 : 1,
    event.cause,
    exit?.cause ?? null,
    flag(exit?.inferred),
    now,
    now,
  ]);
  return openedVisits.each(dialect, cells);
}

const closedVisits = new RowsStatement(
  ['text', 'text', 'bigint', 'double precision', 'text', 'bigint', 'bigint'],
  (rows) => sql`update visits
    set left_at = ended.column3, dwell = ended.column4, is_open = 0, ended_by = ended.column5,
      inferred = ended.column6, updated_at = ended.column7
    from ${rows} as ended where visits.app_id = ended.column1 and visits.object_id = ended.column2`,
);

/** The visits of EXIT events. */
export function closeVisits(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  const cells = rows.map(({ appId, now, event }) => [
    appId,
    event.visitId,
    ...timesOf(event),
    event.cause,
    flag(event.inferred),
    now,
  ]);
  return closedVisits.each(dialect, cells);
}

/** When somebody left, and after how many seconds. */
export function timesOf(exit: PresenceEvent): [leftAt: number, dwell: number] {
  const leftAt = exit.leftAt ?? exit.at;
  return [leftAt, Math.max(0, leftAt - (exit.enteredAt ?? leftAt)) / 1000];
}

export interface NewLog extends NewEvent {
  readonly objectId: string;
  readonly moduleType: 'PRESENCE' | 'STORYLINE';
}

const logs = insertRows(
  ['text', 'text', 'text', 'text', 'text', 'text', 'bigint', 'text', 'bigint', 'bigint'],
  raw(`logs (app_id, object_id, module_type, event, beacon_id, installation_id, occurred_at, event_id, created_at,
    updated_at)`),
  raw('on conflict (app_id, event_id) do nothing'),
);

export function insertLogs(dialect: Dialect, rows: readonly NewLog[]): Sql[] {
  const cells = rows.map(({ appId, now, objectId, moduleType, event }) => [
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
  ]);
  return logs.each(dialect, cells);
}

export interface NewVerdict extends Written {
  readonly verdict: Verdict;
  readonly beaconId: string;
  readonly installationId: string;
  readonly deliveryId: string | null;
}

const savedVerdicts = insertRows(
  [
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'text',
    'bigint',
    'bigint',
    'text',
    'bigint',
  ],
  raw(`verdicts (app_id, object_id, event_id, trigger_id, kind, event, beacon_id, installation_id, visit_id, outcome,
    reason, explanation, decided_at, due_at, delivery_id, created_at)`),
  raw(`on conflict (app_id, object_id) do update
    set outcome = excluded.outcome, reason = excluded.reason, explanation = excluded.explanation,
      decided_at = excluded.decided_at, due_at = excluded.due_at, delivery_id = excluded.delivery_id
    where verdicts.outcome <> 'fired'`),
);

/** The final verdict after a wait takes the place of the pending one. */
export function saveVerdicts(dialect: Dialect, rows: readonly NewVerdict[]): Sql[] {
  const idOf = ({ verdict }: NewVerdict) => `${verdict.eventId}-${verdict.triggerId}`;
  // Two verdicts of one trigger at one event in one statement would meet each other.
  const last = new Map<string, NewVerdict>();
  for (const row of rows) {
    const key = `${row.appId} ${idOf(row)}`;
    if (last.get(key)?.verdict.outcome !== 'fired') last.set(key, row);
  }
  const cells = [...last.values()].map((row) => [
    row.appId,
    idOf(row),
    row.verdict.eventId,
    row.verdict.triggerId,
    row.verdict.kind,
    row.verdict.event,
    row.beaconId,
    row.installationId,
    row.verdict.visitId,
    row.verdict.outcome,
    row.verdict.reason,
    row.verdict.text,
    row.verdict.at,
    row.verdict.dueAt ?? null,
    row.deliveryId,
    row.now,
  ]);
  return savedVerdicts.each(dialect, cells);
}

export interface NewFiring {
  readonly appId: string;
  readonly installationId: string;
  readonly verdict: Verdict;
}

const firings = insertRows(
  ['text', 'text', 'bigint', 'text', 'text', 'text'],
  raw('firings (app_id, installation_id, fired_at, event_id, trigger_id, visit_id)'),
  raw('on conflict (app_id, installation_id, fired_at, event_id, trigger_id) do nothing'),
);

export function insertFirings(dialect: Dialect, rows: readonly NewFiring[]): Sql[] {
  const cells = rows.map(({ appId, installationId, verdict }) => [
    appId,
    installationId,
    verdict.at,
    verdict.eventId,
    verdict.triggerId,
    verdict.visitId,
  ]);
  return firings.each(dialect, cells);
}
