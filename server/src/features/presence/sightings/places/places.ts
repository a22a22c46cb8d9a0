import { learnClock, newClock } from '@pharos/engine';
import { isObject } from '@pharos/query';
import { permissionsOf } from '../../../../access/consent.ts';
import { isProven } from '../../../../access/installation-proof.ts';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { isoTime } from '../../../../http/answers.ts';
import type { Context } from '../../../context.ts';
import type { DomainEvent } from '../../../domain-event.ts';
import { lockNamed } from '../lock/lock.ts';
import { type Batch, isOfPlace, readTime } from '../read/reports.ts';
import type { ItemProblem, Sender } from '../stages/stages.ts';
import type { VenueEntry } from '../traces/tables.ts';

/**
 * A phone that crosses the border of a region of a whole venue says so with `place`. It is an ENTER or EXIT of that venue and of no beacon:
 * there is no visit, and no message. The newest ENTER and the newest EXIT of each venue are kept, so that it makes no difference in
 * which order reports come, and how often.
 */

interface Report {
  readonly index: number;
  readonly venueId: string;
  readonly event: 'ENTER' | 'EXIT';
  /** ms, by the sender's clock; undefined: when it arrived. */
  readonly sentTime: number | undefined;
}

function readPlace(raw: unknown, index: number): Report | ItemProblem {
  const { place, event, occurredAt } = raw as Readonly<Record<string, unknown>>;
  const venueId = isObject(place) && place['className'] === 'Venue' ? place['objectId'] : undefined;
  if (typeof venueId !== 'string')
    return {
      ...{ index, code: 'bad_place', field: 'place' },
      message: 'place is a pointer to a venue; a beacon is sent as beacon, or with uuid, major and minor.',
    };
  if (event !== 'ENTER' && event !== 'EXIT')
    return { index, code: 'bad_event', field: 'event', message: 'event of a place is ENTER or EXIT.' };
  if (occurredAt === undefined) return { index, venueId, event, sentTime: undefined };
  const sentTime = typeof occurredAt === 'string' || typeof occurredAt === 'number' ? readTime(occurredAt) : undefined;
  if (sentTime === undefined || sentTime < 0)
    return {
      ...{ index, code: 'bad_time', field: 'occurredAt' },
      message: 'occurredAt is an ISO 8601 date or epoch milliseconds.',
    };
  return { index, venueId, event, sentTime };
}

export type PlaceDeps = Pick<Context, 'announce' | 'existingVenues'>;

/** Reads what a batch says about venues, and keeps it. `db` is a transaction. */
export async function takePlaces(
  db: Db,
  deps: PlaceDeps,
  { sender, batch }: { readonly sender: Sender; readonly batch: Batch },
): Promise<readonly ItemProblem[]> {
  const read = batch.sightings.flatMap((raw, index) => (isOfPlace(raw) ? [readPlace(raw, index)] : []));
  const problems = read.filter((one): one is ItemProblem => 'code' in one);
  const { appId, policy, now } = sender;
  const [lock] = await lockNamed(db, [{ appId, id: batch.installationId ?? '', isClients: true }]);
  // What is wrong with the sender is said for the whole batch.
  if (!lock || !isProven(lock, sender) || !permissionsOf(lock.consents, policy).analytics) return problems;
  const timed = onOurClock(
    read.filter((one): one is Report => !('code' in one)),
    { sentAt: batch.sentAt, now },
  );
  const venues = await deps.existingVenues(db, appId, [...new Set(timed.reports.map(({ venueId }) => venueId))]);
  const known = timed.reports.filter(({ venueId }) => venues.has(venueId));
  for (const [venueId, ofVenue] of Map.groupBy(known, (one) => one.venueId)) {
    const key = { appId, installationId: lock.objectId, venueId };
    const event = await recordVisits(db, key, { reports: ofVenue, now });
    if (event) await deps.announce(db, appId, () => [event]);
  }
  const unknown = timed.reports
    .filter(({ venueId }) => !venues.has(venueId))
    .map(({ index, venueId }) => ({
      ...{ index, code: 'unknown_place', field: 'place' },
      message: `There is no venue ${venueId.slice(0, 64)} in this app.`,
    }));
  return [...problems, ...timed.problems, ...unknown];
}

interface Timed extends Report {
  readonly at: number;
}

function onOurClock(
  reports: readonly Report[],
  { sentAt, now }: { readonly sentAt: number | undefined; readonly now: number },
): { readonly reports: readonly Timed[]; readonly problems: readonly ItemProblem[] } {
  const times = reports.flatMap(({ sentTime }) => sentTime ?? []);
  const { error, latest } = learnClock(newClock, { sentAt, times, now });
  const isPossible = ({ sentTime = 0 }: Report) => sentTime <= latest;
  return {
    reports: reports
      .filter(isPossible)
      .map((one) => ({ ...one, at: one.sentTime === undefined ? now : Math.min(now, one.sentTime - error) })),
    problems: reports
      .filter((one) => !isPossible(one))
      .map(({ index }) => ({
        ...{ index, code: 'bad_time', field: 'occurredAt' },
        message: "occurredAt lies in the future of what the sender's clock can say; this sighting was left out.",
      })),
  };
}

interface EntryKey {
  readonly appId: string;
  readonly installationId: string;
  readonly venueId: string;
}

type Stay = Pick<VenueEntry, 'entered_at' | 'left_at'>;

const isThere = ({ entered_at, left_at }: Stay) => entered_at !== null && (left_at === null || left_at < entered_at);

/** What has changed is answered: whether the phone is in the venue. */
async function recordVisits(
  db: Db,
  { appId, installationId, venueId }: EntryKey,
  { reports, now }: { readonly reports: readonly Timed[]; readonly now: number },
): Promise<DomainEvent | undefined> {
  const where = sql`app_id = ${appId} and installation_id = ${installationId} and venue_id = ${venueId}`;
  const row = await db.one<Stay>(sql`select entered_at, left_at from venue_entries where ${where}`);
  const before = row ?? { entered_at: null, left_at: null };
  const newest = (event: 'ENTER' | 'EXIT', stored: number | null) =>
    reports.reduce<number | null>(
      (last, one) => (one.event === event && (last === null || one.at > last) ? one.at : last),
      stored,
    );
  const after = { entered_at: newest('ENTER', before.entered_at), left_at: newest('EXIT', before.left_at) };
  if (after.entered_at === before.entered_at && after.left_at === before.left_at) return undefined;
  await db.run(
    row
      ? sql`update venue_entries set entered_at = ${after.entered_at}, left_at = ${after.left_at}, updated_at = ${now}
          where ${where}`
      : sql`insert into venue_entries (app_id, installation_id, venue_id, entered_at, left_at, updated_at)
          values (${appId}, ${installationId}, ${venueId}, ${after.entered_at}, ${after.left_at}, ${now})`,
  );
  if (isThere(before) === isThere(after)) return undefined;
  const event = isThere(after) ? 'ENTER' : 'EXIT';
  const at = (isThere(after) ? after.entered_at : after.left_at) ?? now;
  const data = {
    event,
    venueId: { __type: 'Pointer', className: 'Venue', objectId: venueId },
    installationId: { __type: 'Pointer', className: '_Installation', objectId: installationId },
    occurredAt: isoTime(at),
  };
  return { type: event === 'ENTER' ? 'place.enter' : 'place.exit', at, data };
}
