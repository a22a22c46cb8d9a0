import { type Sql, sql } from '../../../base/sql.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { RowsStatement } from '../../../db/rows.ts';
import type { VisitChange } from '../decide/reconcile.ts';
import { type NewEvent, timesOf, type Written } from './trace-store.ts';

/** What late reports correct in events, log records and visits that were told. SQL and nothing else. */

const removedEvents = new RowsStatement(
  ['text', 'text'],
  (rows) =>
    sql`delete from events where (app_id, object_id) in (select gone.column1, gone.column2 from ${rows} as gone)`,
);

export function removeEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return removedEvents.each(
    dialect,
    rows.map(({ appId, event }) => [appId, event.id]),
  );
}

const moduleTypes = ['PRESENCE', 'STORYLINE'] as const;
const isLogged = ({ event: { event } }: NewEvent) => event === 'ENTER' || event === 'EXIT';

const removedLogs = new RowsStatement(
  ['text', 'text'],
  (rows) => sql`delete from logs where (app_id, event_id) in (select gone.column1, gone.column2 from ${rows} as gone)`,
);

export function removeLogs(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return removedLogs.each(
    dialect,
    rows.filter(isLogged).flatMap(({ appId, event }) => moduleTypes.map((type) => [appId, `${event.id}:${type}`])),
  );
}

const changedEvents = new RowsStatement(
  ['text', 'text', 'text', 'bigint', 'double precision', 'bigint', 'bigint', 'text', 'bigint'],
  (rows) => sql`update events
    set visit_id = other.column3, occurred_at = other.column4, distance = other.column5, entered_at = other.column6,
      left_at = other.column7, cause = other.column8, inferred = other.column9
    from ${rows} as other where events.app_id = other.column1 and events.object_id = other.column2`,
);

export function changeEvents(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return changedEvents.each(
    dialect,
    rows.map(({ appId, event }) => [
      appId,
      event.id,
      event.visitId,
      event.at,
      event.distance ?? null,
      event.enteredAt ?? null,
      event.leftAt ?? null,
      event.cause,
      event.inferred === true ? 1 : 0,
    ]),
  );
}

const changedLogs = new RowsStatement(
  ['text', 'text', 'bigint', 'bigint'],
  (rows) => sql`update logs set occurred_at = other.column3, updated_at = other.column4
    from ${rows} as other where logs.app_id = other.column1 and logs.event_id = other.column2`,
);

export function changeLogs(dialect: Dialect, rows: readonly NewEvent[]): Sql[] {
  return changedLogs.each(
    dialect,
    rows
      .filter(isLogged)
      .flatMap(({ appId, event, now }) => moduleTypes.map((type) => [appId, `${event.id}:${type}`, event.at, now])),
  );
}

export interface ChangedVisit extends Written {
  readonly visit: VisitChange;
}

const stays = ({ visit }: ChangedVisit) => visit.change === 'corrected' || visit.change === 'reopened';

const changedVisits = new RowsStatement(
  ['text', 'text', 'bigint', 'bigint', 'double precision', 'bigint', 'text', 'bigint', 'bigint'],
  (rows) => sql`update visits
    set entered_at = other.column3, left_at = other.column4, dwell = other.column5, is_open = other.column6,
      ended_by = other.column7, inferred = other.column8, updated_at = other.column9
    from ${rows} as other where visits.app_id = other.column1 and visits.object_id = other.column2`,
);

export function changeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  const cells = rows.filter(stays).map(({ appId, now, visit: { id, enteredAt, exit } }) => {
    const end = exit === null ? [null, null] : timesOf({ ...exit, enteredAt });
    const isInferred = exit?.inferred === true ? 1 : 0;
    return [appId, id, enteredAt, ...end, exit === null ? 1 : 0, exit?.cause ?? null, isInferred, now];
  });
  return changedVisits.each(dialect, cells);
}

const ofVisits = ['text', 'text', 'text', 'text'] as const;

const movedVerdicts = new RowsStatement(
  ofVisits,
  (rows) => sql`update verdicts set visit_id = other.column4 from ${rows} as other
    where verdicts.app_id = other.column1 and verdicts.installation_id = other.column2
      and verdicts.visit_id = other.column3`,
);

/** One for each trigger and visit is enough for it not to be shown again. */
const movedFirings = new RowsStatement(
  ofVisits,
  (rows) => sql`update firings set visit_id = other.column4 from ${rows} as other
    where firings.app_id = other.column1 and firings.installation_id = other.column2
      and firings.visit_id = other.column3 and not exists (select 1 from firings as own
        where own.app_id = firings.app_id and own.installation_id = firings.installation_id
          and own.visit_id = other.column4 and own.trigger_id = firings.trigger_id)`,
);

/** What was shown in a visit that has become a part of another one counts there, and is not shown again in it. */
export function moveMessages(dialect: Dialect, installationId: string, rows: readonly ChangedVisit[]): Sql[] {
  return rows.flatMap(({ appId, visit: { id, mergedInto } }) => {
    if (mergedInto === undefined) return [];
    const cells = [[appId, installationId, id, mergedInto]];
    return [...movedVerdicts.each(dialect, cells), ...movedFirings.each(dialect, cells)];
  });
}

const removedVisits = new RowsStatement(
  ['text', 'text'],
  (rows) =>
    sql`delete from visits where (app_id, object_id) in (select gone.column1, gone.column2 from ${rows} as gone)`,
);

export function removeVisits(dialect: Dialect, rows: readonly ChangedVisit[]): Sql[] {
  return removedVisits.each(
    dialect,
    rows.filter((row) => !stays(row)).map(({ appId, visit }) => [appId, visit.id]),
  );
}
