import { timePrefix } from '@pharos/engine';
import { type Sql, sql } from '../../../base/sql.ts';
import { BulkStatement, bulkDelete, bulkUpdate } from '../../../db/bulk.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { PartedVisit, VisitChange } from '../decide/reconcile.ts';
import { eventRow, events, type NewEvent, type WriteContext } from '../traces/events.ts';
import { visitEndOf, visits } from '../traces/visits.ts';

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
  set: ['entered_at', 'left_at', 'dwell', 'is_open', 'ended_by', 'inferred', 'updated_at'],
});

export function changeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const changed = rows.filter(stays).map(({ appId, now, visit: { id, enteredAt, exit } }) => ({
    ...visitEndOf(exit, enteredAt),
    app_id: appId,
    object_id: id,
    entered_at: enteredAt,
    updated_at: now,
  }));
  return changedVisits.each(dialect, changed);
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
