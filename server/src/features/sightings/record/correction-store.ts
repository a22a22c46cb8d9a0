import type { Sql } from '../../../base/sql.ts';
import { bulkDelete, bulkUpdate } from '../../../db/bulk.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { VisitChange } from '../decide/reconcile.ts';
import { eventRow, events, type NewEvent, type Written } from '../traces/events.ts';
import { endOf, visits } from '../traces/visits.ts';

/** What late reports correct in events and visits that were told. SQL and nothing else. */

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

export interface ChangedVisit extends Written {
  readonly visit: VisitChange;
}

const stays = ({ visit }: ChangedVisit) => visit.change === 'corrected' || visit.change === 'reopened';

const changedVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id'],
  set: ['entered_at', 'left_at', 'dwell', 'is_open', 'ended_by', 'inferred', 'updated_at'],
});

export function changeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const changed = rows.filter(stays).map(({ appId, now, visit: { id, enteredAt, exit } }) => ({
    ...endOf(exit, enteredAt),
    app_id: appId,
    object_id: id,
    entered_at: enteredAt,
    updated_at: now,
  }));
  return changedVisits.each(dialect, changed);
}

const removedVisits = bulkDelete(visits.table, ['app_id', 'object_id']);

export function removeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const gone = rows.filter((row) => !stays(row));
  return removedVisits.each(
    dialect,
    gone.map(({ appId, visit }) => ({ app_id: appId, object_id: visit.id })),
  );
}
