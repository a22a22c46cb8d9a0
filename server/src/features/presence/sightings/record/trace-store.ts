import { timePrefix, type Verdict } from '@pharos/engine';
import type { PartedVisit, VisitChange } from '@pharos/engine/decide';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import { BulkStatement, bulkDelete, bulkInsert, bulkUpdate } from '../../../../db/bulk.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import {
  eventRow,
  events,
  type NewEvent,
  type NewVerdict,
  type VerdictRow,
  verdictRow,
  verdicts,
  type WriteContext,
} from '../traces/events.ts';
import { type NewPosition, positionRow, positions } from '../traces/positions.ts';
import { firings } from '../traces/tables.ts';
import { type NewVisit, notSmoothed, visitEndOf, visitRow, visits } from '../traces/visits.ts';

/** What late reports correct in reported events and visits. SQL only. */

const removedEvents = bulkDelete(events.table, ['app_id', 'object_id']);

export function removeEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return removedEvents.each(dialect, rows.map(eventRow));
}

const changedEvents = bulkUpdate(events.table, {
  by: ['app_id', 'object_id'],
  set: ['visit_id', 'occurred_at', 'distance', 'entered_at', 'left_at', 'cause', 'inferred'],
});

export function changeEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return changedEvents.each(dialect, rows.map(eventRow));
}

export interface ChangedVisit extends WriteContext {
  readonly installationId: string;
  readonly visit: VisitChange;
}

const stays = ({ visit }: ChangedVisit) => visit.change === 'corrected' || visit.change === 'reopened';

const changedVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id'],
  set: [
    'entered_at',
    'left_at',
    'dwell',
    'is_open',
    'ended_by',
    'inferred',
    'smoothed_left_at',
    'smoothed_dwell',
    'updated_at',
  ],
});

const movedVisits = bulkUpdate(visits.table, { by: ['app_id', 'object_id'], set: ['smoothed_entered_at'] });

export function changeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const changed = rows.filter(stays).map(({ appId, now, visit: { id, enteredAt, wasEnteredAt, exit } }) => ({
    ...visitEndOf(exit, enteredAt),
    ...notSmoothed,
    app_id: appId,
    object_id: id,
    entered_at: enteredAt,
    isMoved: wasEnteredAt !== undefined && wasEnteredAt !== enteredAt,
    updated_at: now,
  }));
  const moved = changed.filter(({ isMoved }) => isMoved);
  return [...changedVisits.each(dialect, changed), ...movedVisits.each(dialect, moved)];
}

const ofVisits = { app_id: 'text', installation_id: 'text', visit_id: 'text', merged_into: 'text' } as const;

const movedVerdicts = new BulkStatement(
  ofVisits,
  ({ rows, cell }) => sql`update verdicts set visit_id = ${cell.merged_into} from ${rows} as given
    where verdicts.app_id = ${cell.app_id} and verdicts.installation_id = ${cell.installation_id}
      and verdicts.visit_id = ${cell.visit_id}`,
);

/** One for each trigger and visit is enough for it not to be shown again. */
const movedFirings = new BulkStatement(
  ofVisits,
  ({ rows, cell }) => sql`update firings set visit_id = ${cell.merged_into} from ${rows} as given
    where firings.app_id = ${cell.app_id} and firings.installation_id = ${cell.installation_id}
      and firings.visit_id = ${cell.visit_id} and not exists (select 1 from firings as own
        where own.app_id = ${cell.app_id} and own.installation_id = firings.installation_id
          and own.visit_id = ${cell.merged_into} and own.trigger_id = firings.trigger_id)`,
);

/** What was shown in a visit that has become a part of another one counts there, and is not shown again in it. */
export function moveMessages(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const moved = rows.flatMap(({ appId, installationId, visit: { id, mergedInto } }) =>
    mergedInto === undefined
      ? []
      : [{ app_id: appId, installation_id: installationId, visit_id: id, merged_into: mergedInto }],
  );
  return [...movedVerdicts.each(dialect, moved), ...movedFirings.each(dialect, moved)];
}

const ofParts = {
  app_id: 'text',
  installation_id: 'text',
  visit_id: 'text',
  parted_as: 'text',
  since_at: 'bigint',
  since_id: 'text',
} as const;

const partedVerdicts = new BulkStatement(
  ofParts,
  ({ rows, cell }) => sql`update verdicts set visit_id = ${cell.parted_as} from ${rows} as given
    where verdicts.app_id = ${cell.app_id} and verdicts.installation_id = ${cell.installation_id}
      and verdicts.visit_id = ${cell.visit_id} and verdicts.object_id >= ${cell.since_id}`,
);

const partedFirings = new BulkStatement(
  ofParts,
  ({ rows, cell }) => sql`update firings set visit_id = ${cell.parted_as} from ${rows} as given
    where firings.app_id = ${cell.app_id} and firings.installation_id = ${cell.installation_id}
      and firings.visit_id = ${cell.visit_id} and firings.fired_at >= ${cell.since_at}`,
);

export interface PartedRow extends WriteContext {
  readonly installationId: string;
  readonly part: PartedVisit;
}

/** What was shown in a part of a visit that has become a visit of its own belongs to that one. */
export function partMessages(dialect: Dialect, rows: readonly PartedRow[]): Sql[] {
  const parted = rows.map(({ appId, installationId, part: { id, from, since } }) => ({
    app_id: appId,
    installation_id: installationId,
    visit_id: from,
    parted_as: id,
    since_at: since,
    since_id: timePrefix(since),
  }));
  return [...partedVerdicts.each(dialect, parted), ...partedFirings.each(dialect, parted)];
}

const removedVisits = bulkDelete(visits.table, ['app_id', 'object_id']);

export function removeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const gone = rows.filter((row) => !stays(row));
  return removedVisits.each(
    dialect,
    gone.map(({ appId, visit }) => ({ app_id: appId, object_id: visit.id })),
  );
}

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
  readonly verdict: Pick<Verdict, 'at' | 'eventId' | 'triggerId' | 'visitId'>;
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

/** Where each installation was last known to be: one row each, written sparsely. */
const savedPositions = bulkInsert(positions.table, {
  conflict: raw(`on conflict (app_id, object_id) do update
    set beacon_id = excluded.beacon_id, distance = excluded.distance, confidence = excluded.confidence, x = excluded.x,
      y = excluded.y, floor = excluded.floor, accuracy = excluded.accuracy, sensed_at = excluded.sensed_at,
      updated_at = excluded.updated_at`),
});

export const savePositions = (dialect: Dialect, rows: readonly NewPosition[]): Sql[] =>
  savedPositions.each(dialect, rows.map(positionRow));
