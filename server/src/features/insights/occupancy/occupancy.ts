import { isoTime } from '../../../http/answers.ts';
import type { Count } from '../../blur.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import type { DomainEvent } from '../../domain-event.ts';
import { type CrowdedRow, type LimitStep, limitOf, stepOf } from './limit.ts';
import * as store from './store.ts';

/** A zone or a venue with a limit of people. */
export type LimitedPlace = Awaited<ReturnType<Context['listLimitedPlaces']>>[number];

/** How an app counts, as its policy says. */
export interface Counting {
  /** Where its visitors are is decided for one zone at a time. */
  readonly oneZone: boolean;
  /** Small groups are protected. */
  readonly isProtected: boolean;
}

export interface OccupancyDeps extends Pick<Context, 'db' | 'now' | 'announce' | 'findBlur'> {
  readonly listPlaces: Context['listLimitedPlaces'];
  /** How many are in each place now; one where nobody is may be missing. */
  readonly count: (
    appId: string,
    places: readonly LimitedPlace[],
    oneZone: boolean,
  ) => Promise<ReadonlyMap<string, number>>;
  /** Undefined: it is switched off or gone. */
  readonly findCounting: (appId: string) => Promise<Counting | undefined>;
  /** Something was reported about the app: its alerts are checked at once. */
  readonly onReported: (appId: string) => Promise<void>;
}

interface OccupiedPlace extends LimitedPlace {
  readonly visitors: Exclude<Count, null>;
  /** Since when it is over its limit, ms; null: it is not. */
  readonly since: number | null;
}

/** Follows how many are in the places that have a limit, and reports when there are too many and when that is over. */
export class Occupancy {
  readonly #deps: OccupancyDeps;

  constructor(deps: OccupancyDeps) {
    this.#deps = deps;
  }

  /** The places with a limit, with how many are there now. */
  async list(
    appId: string,
    { oneZone, isProtected, venues }: Counting & { readonly venues?: readonly string[] | undefined },
  ) {
    const { db, listPlaces, count, findBlur } = this.#deps;
    const places = await listPlaces(db, appId, venues);
    if (places.length === 0) return [];
    const counts = await count(appId, places, oneZone);
    const over = new Map((await store.listCrowded(db, appId)).map((row) => [row.place_id, row.begun_at]));
    const blur = isProtected ? await findBlur(appId) : undefined;
    return places.map((place): OccupiedPlace => {
      const visitors = counts.get(place.placeId) ?? 0;
      return {
        ...place,
        visitors: blur ? blur.peak(visitors, peakOf(place)) : visitors,
        since: over.get(place.placeId) ?? null,
      };
    });
  }

  /** The places over their limit, as conditions that need a person. */
  async conditions(appId: string): Promise<readonly ServiceCondition[]> {
    const rows = await store.listCrowded(this.#deps.db, appId);
    return rows.filter(({ begun_at }) => begun_at !== null).map(conditionOf);
  }

  /** One check of an app. A notice is queued with the change that it reports, so that it is sent once. */
  async check(appId: string): Promise<void> {
    const { db, now, listPlaces, count, findCounting, findBlur, onReported } = this.#deps;
    const counting = await findCounting(appId);
    const rows = new Map((await store.listCrowded(db, appId)).map((row) => [row.place_id, row]));
    const places = counting ? await listPlaces(db, appId) : [];
    if (places.length === 0 && rows.size === 0) return;
    const counts = counting ? await count(appId, places, counting.oneZone) : new Map<string, number>();
    const blur = counting?.isProtected ? await findBlur(appId) : undefined;
    const at = now();
    let hasReported = false;
    for (const place of places) {
      const limit = limitOf(place.capacity, counting?.isProtected ?? true);
      const counted = counts.get(place.placeId) ?? 0;
      const visitors = blur ? blur.lowerBound(counted, peakOf(place)) : counted;
      const known = rows.get(place.placeId);
      const row = known && (await this.#renew(known, place, visitors > limit.most ? limit.most : known.capacity));
      rows.delete(place.placeId);
      const step = stepOf(row, { limit, visitors, at });
      if (row) hasReported = (await this.#do(step, row, at)) || hasReported;
      else if (step.do === 'note') await store.noteOver(db, rowOf(appId, place, { at, most: limit.most }));
    }
    // Their limit has been taken away, or they are gone themselves.
    for (const row of rows.values())
      hasReported = (await this.#do(stepOf(row, { limit: undefined, visitors: 0, at }), row, at)) || hasReported;
    if (hasReported) await onReported(appId);
  }

  /** Updates the name, the venue and the limit, which may have changed since. */
  async #renew(row: CrowdedRow, { name, venueId }: LimitedPlace, capacity: number): Promise<CrowdedRow> {
    if (row.name === name && row.venue_id === venueId && row.capacity === capacity) return row;
    const renewed = { ...row, name, venue_id: venueId, capacity };
    await store.describe(this.#deps.db, renewed);
    return renewed;
  }

  /** Carries out a step. Whether it has reported something. */
  async #do(step: LimitStep, row: CrowdedRow, at: number): Promise<boolean> {
    const { db, announce } = this.#deps;
    if (step.do === 'forget') await store.forget(db, row);
    if (step.do === 'mark') await store.mark(db, row, step.underAt);
    if (step.do !== 'begin' && step.do !== 'end') return false;
    const { do: what } = step;
    return db.transaction(async (db) => {
      const isOurs = what === 'begin' ? await store.begin(db, row, at) : await store.end(db, row);
      if (isOurs) await announce(db, row.app_id, () => [eventOf(what, row, at)]);
      return isOurs;
    });
  }
}

/** As the peaks of analytics name a zone, so that both tell the same number in the same way. */
const peakOf = ({ place, placeId }: Pick<LimitedPlace, 'place' | 'placeId'>) => `${place[0]}${placeId}`;

function rowOf(appId: string, { place, placeId, venueId, name }: LimitedPlace, now: { at: number; most: number }) {
  return {
    app_id: appId,
    place_id: placeId,
    place,
    venue_id: venueId,
    name,
    capacity: now.most,
    first_over_at: now.at,
  };
}

function eventOf(what: 'begin' | 'end', row: CrowdedRow, at: number): DomainEvent {
  const data = {
    ...(row.place === 'zone' ? { zoneId: pointerTo('Zone', row.place_id) } : {}),
    venueId: pointerTo('Venue', row.venue_id),
    name: row.name,
    capacity: row.capacity,
    since: isoTime(row.begun_at ?? at),
    ...(what === 'end' ? { until: isoTime(at) } : {}),
  };
  return { type: what === 'begin' ? 'occupancy.exceeded' : 'occupancy.cleared', at, data };
}

export const pointerTo = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

export const conditionKey = 'crowded ';

function conditionOf({ place, place_id, venue_id, name, capacity }: CrowdedRow): ServiceCondition {
  const most = capacity.toLocaleString('en');
  return {
    kind: 'crowded',
    key: `${conditionKey}${place} ${place_id}`,
    isGrave: true,
    title: `More than ${most} ${capacity === 1 ? 'visitor' : 'visitors'} in ${name}`,
    text: `No more than ${most} should be in ${name} at once. Counted are visitors whose phones are heard there.`,
    venueId: venue_id,
  };
}
