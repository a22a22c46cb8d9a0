import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Db } from '../db/db.ts';
import { type DemoMark, findDemoMark, saveDemoMark } from '../demo-mark.ts';
import { findAppAccess } from '../features/apps/store.ts';
import { findBeaconsById, findTriggers, type SiteTrigger } from '../features/sightings/site-store.ts';
import { timePrefix } from '../proximity/index.ts';
import { createRandom } from '../simulation/random.ts';
import { sql } from '../sql.ts';
import { dayMs } from './calendar.ts';
import type { halls } from './halls.ts';
import { pushes, pushRows, pushTime } from './push-rows.ts';
import { Traces } from './rows.ts';
import { tourRows } from './tour-rows.ts';
import { type Venue, walkThrough } from './walk-through.ts';
import { planYear, type Tour, type Year } from './year.ts';

/**
 * Writes the year behind the running service, newest first. A step is one transaction with the note that it is done, so
 * that a restart goes on behind the last one and writes nothing twice.
 */

export interface Filling {
  readonly db: Database;
  readonly signal: AbortSignal;
  /** How long the others go first after a step that took so many milliseconds. */
  readonly pause: (took: number) => number;
}

const toursAtOnce = 3;
const deliveriesAtOnce = 500;
const firingDays = 32;

type Step = { readonly at: number } & (
  | { readonly tours: readonly { readonly tour: Tour; readonly name: string }[] }
  /** A part of a push's deliveries; the last one brings the push itself. */
  | { readonly push: (typeof pushes)[number]; readonly from: number }
);

/** Everything there is to write; the same list for the same seed and moment. */
function stepsOf(year: Year, mark: DemoMark): readonly Step[] {
  const steps: Step[] = year.days.flatMap(({ date, tours }) => {
    const named = tours.map((tour, index) => ({ tour, name: `${mark.seed}/tour/${date}/${index}` })).reverse();
    return Array.from({ length: Math.ceil(named.length / toursAtOnce) }, (_, index) => {
      const part = named.slice(index * toursAtOnce, (index + 1) * toursAtOnce);
      return { at: part[0]?.tour.stops[0]?.enteredAt ?? 0, tours: part };
    });
  });
  for (const push of pushes) {
    const at = pushTime(push, mark.madeAt);
    for (let from = 0; from < year.guests.length; from += deliveriesAtOnce) steps.push({ at, push, from });
  }
  return steps.sort((a, b) => b.at - a.at);
}

/** Resolves when the year is complete, the app is gone, or it was stopped. Answers the rows of this run. */
export async function fillYear({ db, signal, pause }: Filling): Promise<number> {
  let mark = await findDemoMark(db);
  const venue = mark && (await loadVenue(db, mark.appId));
  if (!mark || !venue) return 0;
  const year = planYear(mark.seed, mark.madeAt);
  const steps = stepsOf(year, mark);
  let written = 0;
  for (let step = mark.step; step < steps.length && !signal.aborted; step++) {
    const began = performance.now();
    const traces = await tracesOf(steps[step] as Step, { mark, venue, year });
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
  readonly mark: DemoMark;
  readonly venue: Venue;
  readonly year: Year;
}

async function tracesOf(step: Step, { mark, venue, year }: Known): Promise<readonly Traces[]> {
  const { appId, userId, seed, madeAt } = mark;
  if ('push' in step) {
    const all = pushRows(step.push, { appId, userId, seed, now: madeAt, guests: year.guests });
    const part = new Traces();
    part.add('deliveries', ...all.rowsOf('deliveries').slice(step.from, step.from + deliveriesAtOnce));
    if (step.from + deliveriesAtOnce >= year.guests.length) part.add('pushes', ...all.rowsOf('pushes'));
    return [part];
  }
  const found: Traces[] = [];
  for (const { tour, name } of step.tours) {
    const guest = year.guests[tour.guest];
    if (!guest) continue;
    const visitsBefore = (hall: (typeof halls)[number]) => year.visitsBefore(tour, hall);
    const judged = await walkThrough(venue, { guest, tour, random: createRandom(name), visitsBefore });
    const { pushTimeToLive } = venue.policy;
    const firingsSince = madeAt - firingDays * dayMs;
    found.push(tourRows(judged, { appId, guest, seed: name, pushTimeToLive, firingsSince }));
  }
  return found;
}

/** Undefined when the app is gone. An installation that somebody has deleted is not brought back by its traces. */
async function writeStep(db: Db, mark: DemoMark, traces: readonly Traces[]): Promise<number | undefined> {
  const { appId } = mark;
  const app = await db.one(sql`select 1 as found from apps where app_id = ${appId} and disabled_at is null`);
  if (!app) return undefined;
  let count = 0;
  for (const one of traces) {
    const guest = one.rowsOf('events')[0]?.[4];
    const isGone =
      guest !== undefined &&
      !(await db.one(sql`select 1 as found from installations where app_id = ${appId} and object_id = ${guest}`));
    if (!isGone) count += await one.write(db);
  }
  await saveDemoMark(db, { ...mark, rows: mark.rows + count });
  return count;
}

/** What is configured now; what was made later than an event could not be set off by it. */
async function loadVenue(db: Db, appId: string): Promise<Venue | undefined> {
  const app = await findAppAccess(db, appId);
  if (!app || app.disabled) return undefined;
  const rows = await db.all<{ object_id: string; name: string }>(
    sql`select object_id, name from beacons where app_id = ${appId} order by object_id`,
  );
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
