import type { Verdict } from '@pharos/engine';
import { raw, type Sql } from '../../../base/sql.ts';
import { bulkInsert, bulkUpdate } from '../../../db/bulk.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { eventRow, events, type NewEvent } from '../traces/events.ts';
import { firings } from '../traces/tables.ts';
import { type NewVerdict, type VerdictRow, verdictRow, verdicts } from '../traces/verdicts.ts';
import { type NewVisit, visitEndOf, visitRow, visits } from '../traces/visits.ts';

/** What the engine leaves behind: events, visits, verdicts, firings. SQL only. */

const newEvents = bulkInsert(events.table);

export function insertEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return newEvents.each(dialect, rows.map(eventRow));
}

const newVisits = bulkInsert(visits.table);

export function openVisits(dialect: Dialect, rows: readonly NewVisit[]): Sql[] {
  return newVisits.each(dialect, rows.map(visitRow));
}

const closedVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id'],
  set: ['left_at', 'dwell', 'is_open', 'ended_by', 'inferred', 'updated_at'],
});

/** The visits of EXIT events. */
export function closeVisits(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  const closed = rows.map(({ appId, now, event }) => {
    const { left_at, dwell, is_open, ended_by, inferred } = visitEndOf(event);
    return { app_id: appId, object_id: event.visitId, left_at, dwell, is_open, ended_by, inferred, updated_at: now };
  });
  return closedVisits.each(dialect, closed);
}

const newVerdicts = bulkInsert(verdicts.table, {
  conflict: raw(`on conflict (app_id, object_id) do update
    set outcome = excluded.outcome, reason = excluded.reason, explanation = excluded.explanation,
      decided_at = excluded.decided_at, due_at = excluded.due_at, delivery_id = excluded.delivery_id
    where verdicts.outcome <> 'fired'`),
});

/** The final verdict after a wait takes the place of the pending one. */
export function saveVerdicts(dialect: Dialect, rows: readonly NewVerdict[]): Sql[] {
  // Two verdicts of one trigger at one event in one statement would conflict.
  const last = new Map<string, VerdictRow>();
  for (const row of rows.map(verdictRow)) {
    const key = `${row.app_id} ${row.object_id}`;
    if (last.get(key)?.outcome !== 'fired') last.set(key, row);
  }
  return newVerdicts.each(dialect, [...last.values()]);
}

export interface NewFiring {
  readonly appId: string;
  readonly installationId: string;
  readonly verdict: Verdict;
}

const newFirings = bulkInsert(firings);

export function insertFirings(dialect: Dialect, rows: readonly NewFiring[]): Sql[] {
  const cells = rows.map(({ appId, installationId, verdict }) => ({
    app_id: appId,
    installation_id: installationId,
    fired_at: verdict.at,
    event_id: verdict.eventId,
    trigger_id: verdict.triggerId,
    visit_id: verdict.visitId,
  }));
  return newFirings.each(dialect, cells);
}
