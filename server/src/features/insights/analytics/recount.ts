import type { Db } from '../../../db/db.ts';
import type { Services } from '../../services.ts';
import { addUp } from './add-up.ts';
import { hourMs, hourStart } from './numbers/calendar.ts';
import { type GoneRow, goneOf, tallyOf } from './numbers/gone.ts';
import type { PlaceHistory } from './numbers/places.ts';
import * as store from './numbers/store.ts';
import { visitorHash } from './numbers/visitor-set.ts';
import type { CountedVisit } from './ways/tours.ts';

/** Counts hours from the visits themselves, and days from hours. What is counted again gets the same numbers. */

/** Reads of visits, which are another feature's. */
export type VisitReads = Services['visitChanges'];

export interface Place {
  readonly beaconId: string;
  /** Its beginning, epoch ms. */
  readonly hour: number;
}

export interface Recount {
  readonly db: Db;
  readonly state: store.StateRow;
  readonly visits: VisitReads;
  readonly places: PlaceHistory;
}

export class Places {
  readonly #places = new Map<string, Place>();
  readonly #zone: string;

  constructor(zone: string) {
    this.#zone = zone;
  }

  add({ beacon_id: beaconId, entered_at }: Pick<CountedVisit, 'beacon_id' | 'entered_at'>): void {
    const hour = hourStart(entered_at, this.#zone);
    this.#places.set(`${hour} ${beaconId}`, { beaconId, hour });
  }

  all(): readonly Place[] {
    return [...this.#places.values()];
  }
}

/**
 * Notes the first visits of visitors of whom something has changed, and adds the places where the number of new visitors has
 * changed. A first visit of which nothing is known any more stays what it was.
 */
export async function noteFirsts(by: Recount, ids: readonly string[], places: Places): Promise<void> {
  const { db, state, visits } = by;
  const { app_id: appId, raw_since: since } = state;
  const installationIds = [...new Set(ids)];
  const [known, found] = [
    await store.findFirsts(db, appId, installationIds),
    await visits.firstVisitsOf(db, { appId, installationIds, since }),
  ];
  const changed: store.FirstRow[] = [];
  for (const id of installationIds) {
    const [before, first] = [known.get(id), found.get(id)];
    if (before !== undefined && before.entered_at < since) continue;
    if (before?.entered_at === first?.entered_at && before?.beacon_id === first?.beacon_id) continue;
    const isEarlier = first !== undefined && first.entered_at < (before?.entered_at ?? Number.POSITIVE_INFINITY);
    if (before !== undefined && !isEarlier && (await mayBeGone(by, before))) continue;
    if (before !== undefined) places.add(before);
    if (first === undefined) await store.deleteFirst(db, appId, id);
    else {
      const { beacon_id, entered_at } = first;
      places.add(first);
      changed.push({ installation_id: id, beacon_id, entered_at });
    }
  }
  await store.saveFirsts(db, appId, changed);
}

/** Whether visits that began then and there are gone because the app keeps them for no day. */
async function mayBeGone(
  { db, state }: Recount,
  { beacon_id: beaconId, entered_at }: store.FirstRow,
): Promise<boolean> {
  const hour = hourStart(entered_at, state.time_zone);
  const asked = { appId: state.app_id, beaconId, from: hour, until: hour + hourMs };
  return (await goneOf(db, asked)).length > 0;
}

/** All visits of a period, when all of it is counted. */
export interface KnownVisits {
  readonly from: number;
  readonly until: number;
  readonly visits: readonly CountedVisit[];
}

/** Visits by their hours, so that a day is one read instead of one for each hour and beacon. */
function byHour({ from, until, visits }: KnownVisits, zone: string) {
  const visitsOf = Map.groupBy(visits, (visit) => `${hourStart(visit.entered_at, zone)} ${visit.beacon_id}`);
  return ({ beaconId, hour }: Place) =>
    hour >= from && hour + hourMs <= until ? (visitsOf.get(`${hour} ${beaconId}`) ?? []) : undefined;
}

const placeKey = ({ hour, beaconId }: Place) => `${hour} ${beaconId}`;

/** What was counted of visits that are gone, by place. */
async function goneAt({ db, state }: Recount, places: readonly Place[]): Promise<ReadonlyMap<string, GoneRow[]>> {
  const { app_id: appId, time_zone: zone } = state;
  const hours = places.map(({ hour }) => hour);
  if (hours.length === 0) return new Map();
  const rows = await goneOf(db, { appId, from: Math.min(...hours), until: Math.max(...hours) + hourMs });
  return Map.groupBy(rows, (row) => placeKey({ hour: hourStart(row.started_at, zone), beaconId: row.beacon_id }));
}

/**
 * The visitors whose first visit may have changed: a change after the known first visit does not affect it. A change of a visit's beginning
 * notes both the old and the new time.
 */
export async function withOtherFirsts(
  { db, state: { app_id: appId } }: Recount,
  changed: readonly Pick<CountedVisit, 'installation_id' | 'entered_at'>[],
): Promise<readonly string[]> {
  const earliest = new Map<string, number>();
  for (const { installation_id: id, entered_at } of changed)
    earliest.set(id, Math.min(entered_at, earliest.get(id) ?? entered_at));
  const known = await store.findFirsts(db, appId, [...earliest.keys()]);
  return [...earliest].flatMap(([id, at]) => ((known.get(id)?.entered_at ?? at) < at ? [] : [id]));
}

/**
 * Counts these hours again, and the days that they belong to. Hours whose visits may have gone because of their age stay.
 * Visits that are known already are not read again.
 */
export async function recount(by: Recount, touched: readonly Place[], known?: KnownVisits): Promise<void> {
  const { db, state, visits } = by;
  const { app_id: appId, time_zone: zone } = state;
  const places = touched.filter(({ hour }) => hour >= state.raw_since);
  const knownOf = known ? byHour(known, zone) : () => undefined;
  const gone = await goneAt(by, places);
  // A visitor comes to several places in an hour, and hashing takes longer than counting.
  const hashes = new Map<string, number>();
  const hashOf = (id: string) => {
    const hash = hashes.get(id) ?? visitorHash(state.salt, id);
    hashes.set(id, hash);
    return hash;
  };
  const rows: store.RollupRow[] = [];
  for (const { beaconId, hour } of places) {
    const asked = { appId, beaconId, from: hour, until: hour + hourMs };
    const isOfHour = (at: number) => hourStart(at, zone) === hour;
    const tally = tallyOf(gone.get(placeKey({ hour, beaconId })) ?? []);
    const begun = knownOf({ beaconId, hour }) ?? (await visits.visitsBegun(db, asked));
    for (const { installation_id, entered_at, dwell } of begun)
      if (isOfHour(entered_at)) tally.count(hashOf(installation_id), dwell);
    tally.newcomers = (await store.firstsAt(db, asked)).filter(isOfHour).length;
    rows.push({ app_id: appId, span: 'hour', started_at: hour, beacon_id: beaconId, ...tally.cells() });
  }
  await store.saveRollups(db, rows);
  await addUp(by, places);
}
