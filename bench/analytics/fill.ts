/** Tours of five million visits, and the messages that were shown on them: written as rows, through the interface it would take days. */
import { firstIdAt } from '../../server/src/base/id.ts';
import {
  messageLoads,
  messagePlaceRollups,
  messagePlaces,
  messageRollups,
  messageShowings,
  messageStates,
} from '../../server/src/features/insights/analytics/messages/tables.ts';
import {
  addDays,
  dateOf,
  dayStart,
  monthOf,
  weekdayOf,
  weekOf,
} from '../../server/src/features/insights/analytics/numbers/calendar.ts';
import { visits } from '../../server/src/features/presence/sightings/traces/visits.ts';
import { mulberry32 } from '../proximity/generated.ts';
import type { Sink } from './sink.ts';
import type { Site, Spot } from './site.ts';

/** Of the app, where its days begin. */
export const zone = 'UTC';
const visitsInTour = 10;
/** Every second visitor has been there before. */
const visitorsOf = (total: number) => Math.ceil(total / visitsInTour / 2);
const [minuteMs, hourMs] = [60_000, 3_600_000];
const perTransaction = 20_000;

interface Filling {
  readonly appId: string;
  readonly site: Site;
  readonly total: number;
  /** Epoch ms. The visits are those of the year before and of this one until yesterday. */
  readonly now: number;
}

interface Tour {
  readonly date: string;
  readonly visitor: number;
  readonly beganAt: number;
  readonly spots: readonly Spot[];
  /** Where each visit began and how long it took, ms. */
  readonly stays: readonly { readonly at: number; readonly dwell: number }[];
}

const openDays = (now: number): string[] => {
  const days: string[] = [];
  const today = dateOf(now, zone);
  for (let date = `${Number(today.slice(0, 4)) - 1}-01-01`; date < today; date = addDays(date, 1))
    if (weekdayOf(date) !== 1) days.push(date);
  return days;
};

function* toursOf({ site, total, now }: Filling): Generator<Tour> {
  const random = mulberry32(21);
  const days = openDays(now);
  const [tours, visitors] = [Math.floor(total / visitsInTour), visitorsOf(total)];
  for (let n = 0; n < tours; n++) {
    const date = days[Math.floor((n * days.length) / tours)] ?? '';
    const ofVenue = site.venues[Math.floor(random() ** 1.5 * site.venues.length)] ?? [];
    const beganAt = dayStart(date, zone) + 9 * hourMs + Math.floor(random() * 8 * hourMs);
    const start = Math.floor(random() * 8);
    const stays: { at: number; dwell: number }[] = [];
    const spots: Spot[] = [];
    let at = beganAt;
    for (let step = 0; step < visitsInTour; step++) {
      // Most walk on to the next beacon; some leave one or more out.
      const spot = ofVenue[(start + step + Math.floor(random() ** 3 * 6) + (step > 5 ? 18 : 0)) % ofVenue.length];
      if (!spot) break;
      const dwell = 20_000 + Math.floor(random() ** 3 * 15 * minuteMs);
      spots.push(spot);
      stays.push({ at, dwell });
      at += dwell + 5_000 + Math.floor(random() * minuteMs);
    }
    yield { date, visitor: Math.floor(random() * visitors), beganAt, spots, stays };
  }
}

const visitorName = (n: number) => `Visitor${String(n).padStart(13, '0')}`;

export async function fillVisits(sink: Sink, filling: Filling): Promise<number> {
  let rows: Record<string, string | number>[] = [];
  let count = 0;
  for (const { visitor, spots, stays } of toursOf(filling)) {
    for (const [step, { at, dwell }] of stays.entries())
      rows.push({
        app_id: filling.appId,
        object_id: firstIdAt(at) + String(count++).padStart(12, '0'),
        beacon_id: spots[step]?.beaconId ?? '',
        installation_id: visitorName(visitor),
        entered_at: at,
        left_at: at + dwell,
        dwell: dwell / 1000,
        is_open: 0,
        source: 'samples',
        ended_by: 'samples',
        inferred: 0,
        created_at: at,
        updated_at: at + dwell,
      });
    if (rows.length < perTransaction) continue;
    await sink.write(visits.table, rows);
    rows = [];
  }
  await sink.write(visits.table, rows);
  return count;
}

const sums = { reached: 0, opened_by: 0, acted: 0, shown: 0, received: 0, opened: 0, withdrawn: 0 };

/**
 * A message on each tour, one in five of them held out; with the numbers of days that the service would count, since counting a showing
 * looks through the visits of its visitor, which takes an hour for half a million.
 */
export async function fillMessages(sink: Sink, filling: Filling): Promise<number> {
  const { appId, site, now } = filling;
  const random = mulberry32(22);
  const known = new Set<string>();
  const days = new Map<string, Record<string, string | number>>();
  const shownIn = new Map<string, Map<number, number>>();
  const placeDays = new Map<string, Record<string, string | number>>();
  let rows: Record<string, string | number | null>[] = [];
  let places: Record<string, string | number>[] = [];
  let count = 0;
  for (const {
    date,
    visitor,
    beganAt,
    spots: [spot],
  } of toursOf(filling)) {
    const message = Math.floor(random() ** 2 * site.messageIds.length);
    const triggerId = site.messageIds[message] ?? '';
    const isHeldOut = (visitor * 31 + message * 17) % 5 === 0;
    const key = `${visitor} ${message}`;
    const isFirst = !known.has(key);
    known.add(key);
    const isOpened = !isHeldOut && random() < 0.3;
    const hasActed = isFirst && random() < (isHeldOut ? 0.1 : 0.1 + message / 200);
    const startedAt = dayStart(date, zone);
    const group = isHeldOut ? 'holdout' : '';
    const dayKey = `${date} ${triggerId} ${group}`;
    const ofDay = { app_id: appId, started_at: startedAt, trigger_id: triggerId, message_group: group };
    const day = days.get(dayKey) ?? { ...ofDay, ...sums };
    days.set(dayKey, day);
    const placeKey = `${dayKey} ${spot?.beaconId}`;
    const placeDay = placeDays.get(placeKey) ?? { ...ofDay, ...placeRow(spot), ...sums };
    placeDays.set(placeKey, placeDay);
    const add = (member: keyof typeof sums, isCounted: boolean) => {
      for (const counted of [day, placeDay]) counted[member] = Number(counted[member]) + Number(isCounted);
    };
    add('reached', isFirst);
    add('opened_by', isFirst && isOpened);
    add('acted', hasActed);
    add('shown', !isHeldOut);
    add('received', !isHeldOut);
    add('opened', isOpened);
    for (const [span, from] of [
      ['week', weekOf(date)],
      ['month', monthOf(date)],
    ] as const) {
      const load = shownIn.get(`${span} ${from}`) ?? new Map<number, number>();
      shownIn.set(`${span} ${from}`, load);
      if (!isHeldOut) load.set(visitor, (load.get(visitor) ?? 0) + 1);
    }
    const objectId = firstIdAt(beganAt) + String(count++).padStart(12, '0');
    const showing = { app_id: appId, object_id: objectId, installation_id: visitorName(visitor), shown_at: beganAt };
    places.push({ ...showing, beacon_id: spot?.beaconId ?? '' });
    rows.push({
      ...showing,
      trigger_id: triggerId,
      message_group: group,
      is_first: isFirst ? 1 : 0,
      received_at: isHeldOut ? null : beganAt + 1_000,
      opened_at: isOpened ? beganAt + 5_000 : null,
      acted_at: hasActed ? beganAt + hourMs : null,
      withdrawn_at: null,
      changes: 0,
    });
    if (rows.length < perTransaction) continue;
    await sink.write(messageShowings, rows);
    await sink.write(messagePlaces, places);
    [rows, places] = [[], []];
  }
  await sink.write(messageShowings, rows);
  await sink.write(messagePlaces, places);
  await sink.write(messagePlaceRollups, [...placeDays.values()]);
  await sink.write(messageRollups, [...days.values()]);
  await sink.write(
    messageLoads,
    [...shownIn].map(([key, load]) => loadRow(appId, key, load, now)),
  );
  return count;
}

const placeRow = (spot: Spot | undefined) => ({
  beacon_id: spot?.beaconId ?? '',
  venue_id: spot?.venueId ?? '',
  floor_id: spot?.floorId ?? '',
  zone_id: spot?.zoneId ?? '',
});

function loadRow(appId: string, key: string, load: ReadonlyMap<number, number>, now: number) {
  const [span = '', from = ''] = key.split(' ');
  const visitors: Record<number, number> = {};
  for (const messages of load.values()) visitors[messages] = (visitors[messages] ?? 0) + 1;
  return {
    app_id: appId,
    span,
    started_at: dayStart(from, zone),
    visitors: JSON.stringify(visitors),
    counted_at: now,
    is_stale: 0,
  };
}

/** All of it has been counted, with these goals. */
export async function fillMessageState(sink: Sink, { appId, now }: Filling, goals: string): Promise<void> {
  const state = { app_id: appId, time_zone: zone, goals, shown_since: 0, recounted_to: null };
  await sink.write(messageStates, [{ ...state, records_until: now, withdrawn_until: now }]);
}
