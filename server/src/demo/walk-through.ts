import { groupOf, heldOut, type Observation } from '@pharos/engine';
import {
  type Decision,
  decide,
  type Reads,
  type ReportedPlace,
  type SiteTrigger,
  type TrackRecord,
} from '@pharos/engine/decide';
import type { Random } from '@pharos/engine/simulation';
import type { AppPolicy } from '../access/policy.ts';
import type { Guest } from './guests.ts';
import { type Hall, hallOf } from './halls.ts';
import { goalMs, idleCampaign, workingCampaign } from './messages.ts';
import type { Tour, Year } from './year.ts';

/** A tour as the proximity engine would have seen it: the product decides about the year, nothing is made up. */

export interface Venue {
  readonly policy: AppPolicy;
  /** Undefined if somebody has removed the beacon. */
  readonly placeOf: (hall: Hall) => ReportedPlace | undefined;
  /** What could be triggered at a beacon at a time, without what did not exist yet. */
  readonly triggersAt: (beaconId: string, at: number) => readonly SiteTrigger[];
}

export interface DecidedReport {
  readonly decision: Decision;
  /** When the service learned of it. */
  readonly now: number;
}

interface Report {
  readonly observations: readonly Observation[];
  readonly now: number;
}

const inMetres = (at: number, metres: number, interval: number): Observation => ({
  occurredAt: at,
  distance: metres,
  smoothed: true,
  sender: 'phone',
  interval,
});

/** In the background the phone's system reports entering and leaving. */
function reportedBySystem(enteredAt: number, leftAt: number, delay: number): Report[] {
  const report = (occurredAt: number, event: 'ENTER' | 'EXIT') => ({
    observations: [{ occurredAt, event }],
    now: occurredAt + delay,
  });
  return [report(enteredAt, 'ENTER'), report(leftAt, 'EXIT')];
}

/** With the guide open, distances are measured: up to the beacon, perhaps very near, and away. */
function measured(random: Random, enteredAt: number, leftAt: number): Report[] {
  const interval = Math.ceil((leftAt - enteredAt) / 1000) + 30;
  const samples = (times: readonly number[], metres: number) => {
    const observations = times.map((at) => inMetres(at, metres * random.between(0.9, 1.1), interval));
    return { observations, now: (times.at(-1) ?? enteredAt) + 400 };
  };
  const reports = [samples([enteredAt, enteredAt + 2_100], 1.7)];
  const isNear = leftAt - enteredAt > 20_000 && random.next() < 0.5;
  if (isNear) reports.push(samples([enteredAt + 9_000, enteredAt + 11_100], 0.6));
  reports.push(samples([leftAt, leftAt + 4_000, leftAt + 8_500], 6));
  return reports;
}

const offlineMs = 14 * 60_000;

function reportsOf(random: Random, guest: Guest, { enteredAt, leftAt }: Tour['stops'][number]): Report[] {
  if (guest.isInForeground) return measured(random, enteredAt, leftAt);
  const delay = Math.round(guest.isOffline ? offlineMs * random.between(0.5, 2) : random.between(600, 3_500));
  return reportedBySystem(enteredAt, leftAt, delay);
}

export const isReachable = ({ deviceToken, tokenDeadAt }: Guest, at: number) =>
  deviceToken !== null && (tokenDeadAt === null || tokenDeadAt > at);

interface OneTour {
  readonly guest: Guest;
  readonly tour: Tour;
  readonly random: Random;
  /** Visits of earlier days at a hall. */
  readonly visitsBefore: (hall: Hall) => number;
}

/** What the engine decides on the way, in order. */
export async function walkThrough(
  venue: Venue,
  { guest, tour, random, visitsBefore }: OneTour,
): Promise<DecidedReport[]> {
  // One hall at a time: nobody is heard in two of them.
  const records = new Map<string, TrackRecord>();
  let hall = '';
  const counts = new Map<string, number>();
  const places = new Map<string, ReportedPlace>();
  const judged: DecidedReport[] = [];
  let fired: Awaited<ReturnType<Reads['firings']>> = [];
  let time = 0;
  const reads: Reads = {
    record: async () => records.get(hall),
    places: async (beaconIds) => beaconIds.flatMap((id) => places.get(id) ?? []),
    triggers: async (beaconId) => venue.triggersAt(beaconId, time),
    firings: async () => fired,
    visitCount: async (beaconId) => counts.get(beaconId) ?? 0,
    kept: { segments: async () => [], visits: async () => [], events: async () => [] },
  };
  const step = async (place: ReportedPlace, observations: readonly Observation[] | null, now: number) => {
    time = now;
    hall = place.objectId;
    const hasPushTarget = isReachable(guest, now);
    const hasTarget = guest.isInForeground || hasPushTarget;
    const context = { installationId: guest.objectId, policy: venue.policy, now, hasTarget, hasPushTarget };
    const samples = observations?.map((one) => ({ ...one, beaconId: place.objectId })) ?? null;
    const decision = await decide(reads, context, samples);
    records.set(hall, { ...decision.record, segments: [] });
    fired = [...fired, ...decision.fired.map(({ verdict }) => verdict)];
    for (const { event, beaconId } of decision.events)
      if (event === 'EXIT') counts.set(beaconId, (counts.get(beaconId) ?? 0) + 1);
    judged.push({ decision, now });
    return decision.deadline;
  };
  for (const stop of tour.stops) {
    const place = venue.placeOf(stop.hall);
    if (!place) continue;
    if (!places.has(place.objectId)) counts.set(place.objectId, visitsBefore(stop.hall));
    places.set(place.objectId, place);
    let due: number | null = null;
    for (const { observations, now } of reportsOf(random, guest, stop)) {
      // What becomes due between two reports, such as the end of a wait for dwell.
      while (due !== null && due < now) due = await step(place, null, due);
      due = await step(place, observations, now);
    }
  }
  return judged;
}

interface SwayedTour {
  readonly guest: Guest;
  readonly tour: Tour;
  readonly random: Random;
  /** Nothing happens later, ms. */
  readonly until: number;
  /** Tours that go on to the goal of the campaign that changes nothing; see `evenTours`. */
  readonly evened: ReadonlySet<Tour>;
}

const walkMs = 45_000;
const stayMs = 190_000;

/** The tour as changed by the campaign that works: some of those who got it went on to the shop. */
export function swayed(venue: Venue, { guest, tour, random, until, evened }: SwayedTour): Tour {
  const chance = random.next();
  const isSwayed =
    chance <= workingCampaign.lift &&
    !tour.stops.some(({ hall }) => hall.key === workingCampaign.goal) &&
    groupIn(venue, { guest, tour }, workingCampaign) === 'got it';
  const gone = isSwayed ? goneOn(tour, workingCampaign.goal, until) : tour;
  return evened.has(tour) ? goneOn(gone, idleCampaign.goal, until) : gone;
}

function goneOn(tour: Tour, goal: string, until: number): Tour {
  const enteredAt = (tour.stops.at(-1)?.leftAt ?? until) + walkMs;
  const leftAt = enteredAt + stayMs;
  return leftAt > until ? tour : { ...tour, stops: [...tour.stops, { hall: hallOf(goal), enteredAt, leftAt }] };
}

interface Campaign {
  readonly description: string;
  readonly hall: string;
}

/** Undefined for visitors who did not pass the campaign's beacon, or only before it began. */
export function groupIn(
  venue: Venue,
  { guest, tour }: Pick<SwayedTour, 'guest' | 'tour'>,
  { description, hall }: Campaign,
): 'got it' | 'held out' | undefined {
  const seen = tour.stops.find((stop) => stop.hall.key === hall);
  const place = seen && venue.placeOf(seen.hall);
  const campaign = place && venue.triggersAt(place.objectId, seen.enteredAt).find(({ name }) => name === description);
  if (!campaign) return undefined;
  return groupOf(campaign.trigger, guest.objectId) === heldOut ? 'held out' : 'got it';
}

/** The share of either group that goes on to the goal of the ineffective campaign: more than would by chance. */
const evenShare = 0.36;

/**
 * For the ineffective campaign: the tours that go on to its goal, chosen so that the shares of both groups are equal. By chance, it would
 * seem effective in one demo of twenty.
 *
 * @param until nothing happens later, ms
 */
export function evenTours(venue: Venue, { days, guests }: Year, until: number): ReadonlySet<Tour> {
  const counts = { 'got it': { of: 0, acted: 0 }, 'held out': { of: 0, acted: 0 } };
  const reached = new Set<number>();
  const evened = new Set<Tour>();
  for (const tour of days.toReversed().flatMap(({ tours }) => tours)) {
    const guest = guests[tour.guest];
    const group = guest && groupIn(venue, { guest, tour }, idleCampaign);
    if (!group || reached.has(tour.guest)) continue;
    reached.add(tour.guest);
    const own = counts[group];
    const cameAt = tour.stops.find(({ hall }) => hall.key === idleCampaign.hall)?.enteredAt ?? 0;
    const isThere = tour.stops.some(
      ({ hall, enteredAt }) => hall.key === idleCampaign.goal && enteredAt >= cameAt && enteredAt - cameAt < goalMs,
    );
    own.of++;
    own.acted += Number(isThere);
    if (isThere || own.acted >= evenShare * own.of || goneOn(tour, idleCampaign.goal, until) === tour) continue;
    own.acted++;
    evened.add(tour);
  }
  return evened;
}
