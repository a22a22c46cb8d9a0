import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { timePrefix } from '@pharos/engine';
import type { SiteTrigger } from '@pharos/engine/decide';
import { createRandom } from '@pharos/engine/simulation';
import type { Database, Db } from '../db/db.ts';
import { type DemoMark, findDemoMark, saveDemoMark } from '../features/operate/apps/demo-mark.ts';
import { findAppAccess } from '../features/operate/apps/store.ts';
import { listBeaconNames } from '../features/places/beacons/store.ts';
import { installationExists } from '../features/presence/sightings/lock/lock.ts';
import { findBeaconsById } from '../features/presence/sightings/site/site.ts';
import { findTriggers } from '../features/presence/sightings/site/triggers.ts';
import { noteVisitChanges } from '../features/presence/sightings/traces/visits.ts';
import { dayMs } from './calendar.ts';
import type { PushPlan } from './collection.ts';
import type { Hall } from './halls.ts';
import { demoPushes, pushRows, pushTime } from './push-rows.ts';
import { Traces } from './rows.ts';
import { tourRows } from './tour-rows.ts';
import { evenTours, swayed, type Venue, walkThrough } from './walk-through.ts';
import type { Tour, Year } from './year.ts';

/**
 * Writes the past year while the service runs, newest first. A step is one transaction that also records its
 * completion, so that a restart continues after the last one and writes nothing twice.
 */

export interface Filling {
  readonly db: Database;
  readonly year: Year;
  readonly signal: AbortSignal;
  /** How long other work goes first after a step that took `ms` milliseconds. */
  readonly pause: (took: number) => number;
}

/** Small, because the service's own thread writes: requests wait a few milliseconds at most. */
const deliveriesAtOnce = 100;
const firingDays = 32;

type Step = { readonly at: number } & (
  | { readonly tour: Tour; readonly name: string }
  /** A part of a push's deliveries; the last part includes the push itself. */
  | { readonly push: PushPlan; readonly from: number }
);

/** Everything that has to be written; the list is the same for the same seed and moment. */
function stepsOf(year: Year, mark: DemoMark): readonly Step[] {
  const steps: Step[] = year.days.flatMap(({ date, tours }) => {
    const named = tours.map((tour, index) => ({ tour, name: `${mark.seed}/tour/${date}/${index}` }));
    return named.map((one) => ({ at: one.tour.stops[0]?.enteredAt ?? 0, ...one }));
  });
  for (const push of demoPushes) {
    const at = pushTime(push, mark.madeAt);
    for (let from = 0; from < year.guests.length; from += deliveriesAtOnce) steps.push({ at, push, from });
  }
  return steps.sort((a, b) => b.at - a.at);
}

/** Resolves when the year is complete, the app is gone, or it was stopped. Returns the rows of this run. */
export async function fillYear({ db, year, signal, pause }: Filling): Promise<number> {
  let mark = await findDemoMark(db);
  const venue = mark && (await loadVenue(db, mark.appId));
  if (!mark || !venue) return 0;
  const steps = stepsOf(year, mark);
  const until = mark.madeAt - 300_000;
  const known: Known = { venue, year, until, evened: evenTours(venue, year, until) };
  let written = 0;
  for (let step = mark.step; step < steps.length && !signal.aborted; step++) {
    const began = performance.now();
    const traces = await tracesOf(steps[step] as Step, mark, known);
    // Requests that came during the step go first.
    await nextTick();
    const done: DemoMark = { ...mark, step: step + 1 };
    const count = await db.transaction((db) => writeStep(db, done, traces));
    if (count === undefined) return written;
    mark = { ...done, rows: done.rows + count };
    written += count;
    await delay(pause(performance.now() - began), undefined, { signal }).catch(() => undefined);
  }
  return written;
}

interface Known {
  /** The push that is being written, computed once for all its parts. */
  push?: { readonly plan: PushPlan; readonly rows: Traces };
  readonly venue: Venue;
  readonly year: Year;
  /** Nothing happens later, ms: what is under way then is left to the live visitors. */
  readonly until: number;
  readonly evened: ReadonlySet<Tour>;
}

async function tracesOf(step: Step, mark: DemoMark, known: Known): Promise<Traces> {
  const { venue, year, until, evened } = known;
  const { appId, userId, seed, madeAt } = mark;
  if ('push' in step) {
    const context = { appId, userId, seed, now: madeAt, guests: year.guests };
    const all = known.push?.plan === step.push ? known.push.rows : pushRows(step.push, context);
    known.push = { plan: step.push, rows: all };
    const part = new Traces();
    part.add('deliveries', ...all.rowsOf('deliveries').slice(step.from, step.from + deliveriesAtOnce));
    if (step.from + deliveriesAtOnce >= year.guests.length) part.add('pushes', ...all.rowsOf('pushes'));
    return part;
  }
  const { tour, name } = step;
  const guest = year.guests[tour.guest];
  if (!guest) return new Traces();
  const visitsBefore = (hall: Hall) => year.visitsBefore(tour, hall);
  const walked = swayed(venue, { guest, tour, random: createRandom(`${name}/campaign`), until, evened });
  const judged = await walkThrough(venue, { guest, tour: walked, random: createRandom(name), visitsBefore });
  const { pushTimeToLive } = venue.policy;
  const firingsSince = madeAt - firingDays * dayMs;
  return tourRows(judged, { appId, guest, seed: name, pushTimeToLive, firingsSince });
}

/** Undefined when the app is gone. A deleted installation is not recreated by its traces. */
async function writeStep(db: Db, mark: DemoMark, traces: Traces): Promise<number | undefined> {
  const { appId } = mark;
  const app = await findAppAccess(db, appId);
  if (!app || app.disabled) return undefined;
  const guest = traces.rowsOf('events')[0]?.installation_id;
  const isGone = guest !== undefined && !(await installationExists(db, appId, guest));
  const count = isGone ? 0 : await traces.write(db);
  if (!isGone) await noteVisits(db, mark, traces);
  await saveDemoMark(db, { ...mark, rows: mark.rows + count });
  return count;
}

/** So that they are counted like visits that came through the interface. */
async function noteVisits(db: Db, { appId, madeAt }: DemoMark, traces: Traces): Promise<void> {
  const visits = traces.rowsOf('visits').map(({ installation_id, beacon_id, entered_at }) => ({
    appId,
    installationId: installation_id,
    beaconId: beacon_id,
    enteredAt: entered_at,
  }));
  for (const statement of noteVisitChanges(db.dialect, visits, madeAt)) await db.run(statement);
}

/** The present configuration; something created later than an event could not have been triggered by it. */
export async function loadVenue(db: Db, appId: string): Promise<Venue | undefined> {
  const app = await findAppAccess(db, appId);
  if (!app || app.disabled) return undefined;
  const rows = await listBeaconNames(db, appId);
  const ids = rows.map(({ object_id }) => object_id);
  const places = new Map((await findBeaconsById(db, appId, ids)).map((place) => [place.objectId, place]));
  const byName = new Map(rows.map(({ object_id, name }) => [name, places.get(object_id)]));
  const triggers = await findTriggers(db, appId, ids);
  const existed = ({ trigger }: SiteTrigger, at: number) => trigger.id < timePrefix(at);
  return {
    policy: app.policy,
    placeOf: ({ name }) => byName.get(name),
    triggersAt: (beaconId, at) => (triggers.get(beaconId) ?? []).filter((trigger) => existed(trigger, at)),
  };
}
