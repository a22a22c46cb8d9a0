import type { PresenceEvent } from '@pharos/engine';
import { type TSchema, Type } from 'typebox';
import { type FindHeld, ownTraces } from '../../../../access/caller.ts';
import { newObjectId } from '../../../../base/id.ts';
import { listsSql, raw, type Sql, sql } from '../../../../base/sql.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { RowOf } from '../../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
  timestampSchema,
} from '../../../../http/answers.ts';
import type { Endpoint } from '../../../../http/endpoint.ts';
import { defineResource } from '../../../../resources/define.ts';
import { boolean, number, pointer, text, time } from '../../../../resources/members/members.ts';
import { getEndpoint, listEndpoint } from '../../../../resources/read-endpoints.ts';
import { flag, type NewEvent } from './events.ts';
import { visitChanges } from './tables.ts';

const cause = ['samples', 'device', 'silence', 'timeout'] as const;

const smoothed = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description: `${description}; null until then, and where no position is known` });

/** Written by the proximity engine; an objectId begins with the time of the visit's first event. */
export const visits = defineResource({
  owner: 'sightings',
  table: 'visits',
  noun: ['visit', 'visits'],
  tag: {
    name: 'Visits',
    description: 'Who was where, from when until when.',
    place: 110,
    console: { read: 'activity.read', byVenue: true },
  },
  path: '/visits',
  record: {
    schema: Type.Object({
      objectId: objectIdSchema,
      beaconId: pointerSchema('Beacon'),
      installationId: pointerSchema('_Installation'),
      enteredAt: timestampSchema,
      leftAt: Type.Union([timestampSchema, Type.Null()], { description: 'null while the visit is open' }),
      dwell: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'Seconds; null while it is open' }),
      isOpen: Type.Boolean(),
      source: Type.Enum([...cause], { description: 'Who noticed the ENTER: samples, or the device itself' }),
      endedBy: Type.Union([Type.Enum([...cause]), Type.Null()], {
        description: 'samples, device, silence, or timeout: twelve hours without a word',
      }),
      inferred: Type.Boolean({ description: 'Its end is a guess: nobody reported it' }),
      smoothedEnteredAt: smoothed(timestampSchema, 'When it began, by what was heard later too'),
      smoothedLeftAt: smoothed(timestampSchema, 'When it ended, by what was heard later too'),
      smoothedDwell: smoothed(Type.Number({ minimum: 0 }), 'The seconds between, which analytics count'),
      ...recordStamps,
    }),
    example: {
      objectId: exampleId,
      beaconId: pointerExample('Beacon', otherExampleId),
      installationId: pointerExample('_Installation', otherExampleId),
      enteredAt: exampleCreated,
      leftAt: exampleUpdated,
      dwell: 2730.25,
      isOpen: false,
      source: 'samples',
      endedBy: 'silence',
      inferred: false,
      smoothedEnteredAt: null,
      smoothedLeftAt: null,
      smoothedDwell: null,
      createdAt: exampleCreated,
      updatedAt: exampleUpdated,
    },
  },
  members: {
    objectId: text('object_id'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation', { phone: { day: 'object_id', as: 'pseudonym' } }),
    enteredAt: time('entered_at'),
    leftAt: time('left_at', { nullable: true }),
    dwell: number('dwell', { nullable: true, isFraction: true }),
    isOpen: boolean('is_open'),
    source: text('source'),
    endedBy: text('ended_by', { nullable: true }),
    inferred: boolean('inferred'),
    smoothedEnteredAt: time('smoothed_entered_at', { nullable: true }),
    smoothedLeftAt: time('smoothed_left_at', { nullable: true }),
    smoothedDwell: number('smoothed_dwell', { nullable: true, isFraction: true }),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  indexes: {
    visits_entered: { on: ['app_id', 'entered_at', 'object_id'] },
    visits_beacon_entered: { on: ['app_id', 'beacon_id', 'entered_at', 'object_id'] },
    visits_installation_entered: { on: ['app_id', 'installation_id', 'entered_at', 'object_id'] },
    visits_open_entered: { on: ['app_id', 'is_open', 'entered_at', 'object_id'] },
  },
  trail: { installation: 'installation_id', at: 'created_at' },
  kept: { days: 'visits', only: 'is_open = 0' },
  rules: 'visits',
  venue: { beacon: 'beacon_id' },
});

export type VisitRow = RowOf<typeof visits.table>;

/** A new visit, with its end where that is known already. */
export interface NewVisit extends NewEvent {
  readonly exit: PresenceEvent | undefined;
}

/** A visit from its ENTER on. */
export function visitRow({ appId, now, event, exit }: NewVisit): VisitRow {
  const { left_at, dwell, is_open, ended_by, inferred } = visitEndOf(exit);
  return {
    app_id: appId,
    object_id: event.visitId,
    beacon_id: event.beaconId,
    installation_id: event.installationId,
    entered_at: event.enteredAt ?? event.at,
    left_at,
    dwell,
    is_open,
    source: event.cause,
    ended_by,
    inferred,
    ...notSmoothed,
    created_at: now,
    updated_at: now,
  };
}

export const notSmoothed = { smoothed_entered_at: null, smoothed_left_at: null, smoothed_dwell: null };

export type VisitEnd = Pick<VisitRow, 'left_at' | 'dwell' | 'is_open' | 'ended_by' | 'inferred'>;

const underWay: VisitEnd = { left_at: null, dwell: null, is_open: 1, ended_by: null, inferred: 0 };

/** How a visit ended: when somebody left and after how many seconds, and who noticed. Without an EXIT it is under way. */
export function visitEndOf(exit: PresenceEvent | null | undefined, enteredAt = exit?.enteredAt): VisitEnd {
  if (!exit) return underWay;
  const leftAt = exit.leftAt ?? exit.at;
  return {
    left_at: leftAt,
    dwell: Math.max(0, leftAt - (enteredAt ?? leftAt)) / 1000,
    is_open: 0,
    ended_by: exit.cause,
    inferred: flag(exit.inferred),
  };
}

export function visitEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const options = {
    ...visits,
    db,
    narrow: ownTraces(findHeld, 'visits_installation_entered', ['created_at', 'entered_at']),
  };
  const description =
    'Newest first. A visit runs from ENTER to EXIT of one installation at one beacon. Users see those of their own ' +
    'installations; managers see all.';
  return [listEndpoint(options, { description, defaultOrder: '-enteredAt' }), getEndpoint(options)];
}

export interface VisitChanged {
  readonly appId: string;
  readonly installationId: string;
  readonly beaconId: string;
  /** Epoch ms. */
  readonly enteredAt: number;
}

const newChanges = bulkInsert(visitChanges);

/** `now`: the service's time (ms). */
export function noteVisitChanges(dialect: Dialect, changed: readonly VisitChanged[], now: number): Sql[] {
  const rows = changed.map(({ appId, installationId, beaconId, enteredAt }) => ({
    app_id: appId,
    object_id: newObjectId(now),
    installation_id: installationId,
    beacon_id: beaconId,
    entered_at: enteredAt,
  }));
  return newChanges.each(dialect, rows);
}

export type VisitChangeRow = Omit<RowOf<typeof visitChanges>, 'app_id'>;

export function listVisitChanges(db: Db, appId: string, limit: number): Promise<VisitChangeRow[]> {
  return db.all<VisitChangeRow>(sql`select object_id, installation_id, beacon_id, entered_at from visit_changes
    where app_id = ${appId} order by object_id limit ${limit}`);
}

/** Whether more than so many wait to be counted. */
export async function hasMoreVisitChanges(db: Db, appId: string, than: number): Promise<boolean> {
  const row = await db.one(
    sql`select 1 as found from visit_changes where app_id = ${appId} order by object_id limit 1 offset ${than}`,
  );
  return row !== undefined;
}

export async function appsWithVisitChanges(db: Db): Promise<string[]> {
  const rows = await db.all<{ app_id: string }>(sql`select distinct app_id from visit_changes`);
  return rows.map(({ app_id }) => app_id);
}

/** Exactly these rows: others written since are about something newer. */
export async function deleteVisitChanges(db: Db, appId: string, ids: readonly string[]): Promise<void> {
  for (const list of listsSql(ids))
    await db.run(sql`delete from visit_changes where app_id = ${appId} and object_id in (${list})`);
}

/** The smoothed dwell if there is one. A visit counts in the hour of its reported beginning. */
const bestDwell = raw('coalesce(smoothed_dwell, dwell) as dwell');

export interface BegunVisit {
  readonly installation_id: string;
  readonly beacon_id: string;
  /** Epoch ms. */
  readonly entered_at: number;
  /** Seconds; null while it is open. */
  readonly dwell: number | null;
}

export interface VisitsAsked {
  readonly appId: string;
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
  /** Of all beacons without it. */
  readonly beaconId?: string;
}

/** The visits that began then, in any order. */
export function visitsBegun(db: Db, { appId, from, until, beaconId }: VisitsAsked): Promise<BegunVisit[]> {
  const place = beaconId === undefined ? sql`` : sql`and beacon_id = ${beaconId}`;
  return db.all<BegunVisit>(sql`select installation_id, beacon_id, entered_at, ${bestDwell} from visits
    where app_id = ${appId} ${place} and entered_at >= ${from} and entered_at < ${until}`);
}

export interface EndedVisit extends BegunVisit {
  readonly object_id: string;
}

/** Visits that ended before a time (ms), in any order. */
export function visitsEnded(
  db: Db,
  { appId, before, limit }: { readonly appId: string; readonly before: number; readonly limit: number },
): Promise<EndedVisit[]> {
  return db.all<EndedVisit>(sql`select object_id, installation_id, beacon_id, entered_at, dwell from visits
    where app_id = ${appId} and is_open = 0 and entered_at < ${before} and left_at < ${before}
    order by entered_at, object_id limit ${limit}`);
}

export async function deleteVisits(db: Db, appId: string, ids: readonly string[]): Promise<void> {
  for (const list of listsSql(ids))
    await db.run(sql`delete from visits where app_id = ${appId} and object_id in (${list})`);
}

const readAtOnce = 2_000;

interface PagedVisit extends BegunVisit {
  readonly object_id: string;
  readonly smoothed_entered_at: number | null;
}

/** The visits by their reported beginning, in pages beside other requests. */
export async function* visitsInOrder(
  db: Db,
  { appId, from, until }: Omit<VisitsAsked, 'beaconId'>,
): AsyncGenerator<readonly BegunVisit[]> {
  let [at, after] = [from, ''];
  for (;;) {
    const rows = await db.all<PagedVisit>(
      sql`select object_id, installation_id, beacon_id, entered_at, smoothed_entered_at, ${bestDwell} from visits
        where app_id = ${appId} and entered_at < ${until} and (entered_at, object_id) > (${at}, ${after})
        order by entered_at, object_id limit ${readAtOnce}`,
      { tenant: appId },
    );
    yield rows.map(({ smoothed_entered_at: best, ...row }) =>
      best === null ? row : { ...row, entered_at: Math.max(from, best) },
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < readAtOnce) return;
    [at, after] = [last.entered_at, last.object_id];
  }
}

/** When the first visit at `from` (ms) or later began. */
export async function nextVisitBegan(db: Db, appId: string, from: number): Promise<number | undefined> {
  const row = await db.one<{ entered_at: number }>(sql`select entered_at from visits
    where app_id = ${appId} and entered_at >= ${from} order by entered_at, object_id limit 1`);
  return row?.entered_at;
}

export interface FirstVisit {
  readonly installation_id: string;
  readonly beacon_id: string;
  readonly entered_at: number;
}

/** Each installation's first visit at `since` (ms) or later; of several at one moment the one with the smallest objectId. */
export async function firstVisitsOf(
  db: Db,
  {
    appId,
    installationIds,
    since,
  }: { readonly appId: string; readonly installationIds: readonly string[]; readonly since: number },
): Promise<Map<string, FirstVisit>> {
  const found = new Map<string, FirstVisit & { readonly object_id: string }>();
  for (const list of listsSql(installationIds)) {
    // A cross join keeps its order on SQLite, which would look through all visits of the app otherwise.
    const rows = await db.all<FirstVisit & { readonly object_id: string }>(sql`
      select visits.installation_id, visits.beacon_id, visits.entered_at, visits.object_id from (
        select installation_id, min(entered_at) as entered_at from visits
        where app_id = ${appId} and installation_id in (${list}) and entered_at >= ${since} group by installation_id
      ) as earliest cross join visits where visits.app_id = ${appId}
        and visits.installation_id = earliest.installation_id and visits.entered_at = earliest.entered_at`);
    for (const row of rows) {
      const other = found.get(row.installation_id);
      if (other === undefined || row.object_id < other.object_id) found.set(row.installation_id, row);
    }
  }
  return found;
}
