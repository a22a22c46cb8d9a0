import { retimeVisits } from '@pharos/engine';
import { calibrateWithout } from './calibration.ts';
import type { Point, Recordings, Walk } from './recordings.ts';
import type { Site, SiteEngine, SiteRun, Transition } from './site-engines.ts';
import { surveyWithout } from './surveys.ts';
import { distanceBetween, type Path, RADIUS, trueVisits } from './truth.ts';

/** How an engine does on the walks, with what it was told of the site measured on the other walks (leave one out). */

/** One true visit. Delays in ms, and in metres walked; null where it was not hit, or where the walk ends before the EXIT. */
export interface VisitResult {
  readonly walk: string;
  readonly isHit: boolean;
  readonly duplicates: number;
  readonly enterDelay: number | null;
  readonly enterMetres: number | null;
  readonly exitDelay: number | null;
}

/** One second of a walk. */
export interface SecondResult {
  readonly walk: string;
  readonly isNearestRight: boolean;
  /** Metres; null without a position. */
  readonly error: number | null;
  readonly isCovered: boolean;
  /** The same, looking back from the end of the walk. */
  readonly isSmoothedRight: boolean;
  readonly smoothedError: number | null;
  /** Whether there is a visit at the nearest beacon if that holds the visitor, and else none. */
  readonly isVisitRight: boolean;
  readonly isRetimedRight: boolean;
  readonly zones: number;
  readonly trueZones: number;
}

export interface SiteScore {
  readonly engine: string;
  readonly visits: readonly VisitResult[];
  readonly falseEnters: number;
  /** One beacon watched for one hour. */
  readonly streamHours: number;
  readonly seconds: readonly SecondResult[];
}

export interface SiteKnowledge {
  readonly isCalibrated: boolean;
  /** Added to all RSSI: a phone that hears this much louder, dB. */
  readonly shift?: number;
  /** The floor was surveyed: by all other walks, whose path is known. */
  readonly isSurveyed?: true;
}

/** An ENTER this soon after the visitor has left still belongs to the visit. */
const LAG_MS = 5_000;

export function scoreSite(
  engine: SiteEngine,
  recordings: Recordings,
  knowledge: SiteKnowledge,
  walks = recordings.walks,
): SiteScore {
  const total = { visits: [] as VisitResult[], seconds: [] as SecondResult[], falseEnters: 0, streamHours: 0 };
  for (const walk of walks) {
    const powers = knowledge.isCalibrated ? calibrateWithout(recordings, walk) : new Map<string, number>();
    const map = knowledge.isSurveyed ? surveyWithout(recordings, walk, powers) : undefined;
    const played = play(engine, { beacons: recordings.beacons, powers, map }, walk, knowledge.shift ?? 0);
    total.seconds.push(...played.seconds);
    for (const [beacon, place] of recordings.beacons) {
      const { visits, falseEnters } = scoreVisits(walk, place, played.found.get(beacon) ?? []);
      total.visits.push(...visits);
      total.falseEnters += falseEnters;
    }
    total.streamHours += (recordings.beacons.size * (endOf(walk) - (walk.samples[0]?.at ?? 0))) / 3_600_000;
  }
  return { engine: engine.name, ...total };
}

export interface FoundVisit {
  readonly start: number;
  end: number;
}

export const endOf = (walk: Path) => walk.samples.at(-1)?.at ?? 0;

function play(engine: SiteEngine, site: Site, walk: Walk, shift: number) {
  const run = engine.start(site);
  const found = new Map<string, FoundVisit[]>();
  const inside = new Set<string>();
  const seconds: Omit<SecondResult, keyof ReturnType<typeof lookedBack>[number]>[] = [];
  const truth: { readonly at: number; readonly position: Point }[] = [];
  let next = (walk.samples[0]?.at ?? 0) + 1000;
  for (const { at, beacon, rssi, position } of walk.samples) {
    for (const transition of run.hear(at, beacon, rssi + shift)) note(found, inside, transition, at, endOf(walk));
    if (at < next) continue;
    next = at + 1000;
    const here = run.position?.() ?? null;
    const error = here === null ? null : Math.hypot(here.x - position.x, here.y - position.y);
    truth.push({ at, position });
    seconds.push({
      walk: walk.name,
      isNearestRight: run.nearest(at) === nearestTo(position, site.beacons),
      error,
      isCovered: here !== null && error !== null && error <= here.error,
      zones: inside.size,
      trueZones: [...site.beacons.values()].filter((place) => distanceBetween(place, position) < RADIUS).length,
    });
  }
  const looking = lookedBack(truth, { run, site, live: visitsIn(found) });
  return { found, seconds: seconds.map((second, index) => ({ ...second, ...looking[index] })) as SecondResult[] };
}

interface BeaconVisit extends FoundVisit {
  readonly beacon: string;
}

const visitsIn = (found: ReadonlyMap<string, readonly FoundVisit[]>): BeaconVisit[] =>
  [...found]
    .flatMap(([beacon, visits]) => visits.map((visit) => ({ ...visit, beacon })))
    .sort((a, b) => a.start - b.start);

interface Looking {
  readonly run: SiteRun;
  readonly site: Site;
  readonly live: readonly BeaconVisit[];
}

function lookedBack(
  truth: readonly { readonly at: number; readonly position: Point }[],
  { run, site: { beacons }, live }: Looking,
) {
  const positions = run.lookBack?.() ?? [];
  const retimed = retimeVisits({
    positions,
    visits: live.map(({ beacon, start, end }, index) => ({
      ...{ id: String(index), beaconId: beacon, enteredAt: start, leftAt: end },
    })),
    beacons: new Map([...beacons].map(([id, location]) => [id, { location, radius: RADIUS }])),
  }).map(({ beaconId: beacon, enteredAt: start, leftAt: end }) => ({ beacon, start, end }));
  const visitAt = (visits: readonly BeaconVisit[], at: number) =>
    visits.find(({ start, end }) => start <= at && at < end)?.beacon ?? null;
  let index = -1;
  return truth.map(({ at, position }) => {
    while ((positions[index + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) index++;
    const found = positions[index];
    const nearest = nearestTo(position, beacons);
    const place = nearest === null ? undefined : beacons.get(nearest);
    const here = place !== undefined && distanceBetween(place, position) < RADIUS ? nearest : null;
    const visit = { isVisitRight: visitAt(live, at) === here, isRetimedRight: visitAt(retimed, at) === here };
    if (found === undefined) return { ...visit, isSmoothedRight: false, smoothedError: null };
    return {
      ...visit,
      isSmoothedRight: nearestTo({ ...found, z: position.z }, beacons) === nearest,
      smoothedError: Math.hypot(found.x - position.x, found.y - position.y),
    };
  });
}

export function note(
  found: Map<string, FoundVisit[]>,
  inside: Set<string>,
  { beacon, event }: Transition,
  at: number,
  end: number,
) {
  const visits = found.get(beacon) ?? [];
  found.set(beacon, visits);
  if (event === 'ENTER') {
    visits.push({ start: at, end });
    inside.add(beacon);
    return;
  }
  const last = visits.at(-1);
  if (last !== undefined) last.end = at;
  inside.delete(beacon);
}

export function nearestTo(position: Point, beacons: ReadonlyMap<string, Point>): string | null {
  let [nearest, least]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const [beacon, place] of beacons) {
    const distance = distanceBetween(place, position);
    if (distance < least) [nearest, least] = [beacon, distance];
  }
  return nearest;
}

/** From one time (ms) until another, second by second, since each position is a little wrong. */
function metresWalked({ samples }: Path, from: number, until: number): number {
  let metres = 0;
  let last: Path['samples'][number] | undefined;
  for (const sample of samples) {
    if (sample.at < from || sample.at > until || (last !== undefined && sample.at < last.at + 1000)) continue;
    if (last !== undefined) metres += distanceBetween(last.position, sample.position);
    last = sample;
  }
  return metres;
}

/** A true visit is hit by a found one that overlaps it; each further one is a duplicate; one that meets none is false. */
export function scoreVisits(walk: Path & { readonly name: string }, place: Point, found: readonly FoundVisit[]) {
  const truth = trueVisits(walk, place);
  const meets = (one: FoundVisit, real: { start: number; end: number }) =>
    one.start <= real.end + LAG_MS && one.end >= real.start;
  const visits = truth.map((real): VisitResult => {
    const hits = found.filter((one) => meets(one, real));
    const [first] = hits;
    const isOver = first !== undefined && first.end < endOf(walk);
    return {
      walk: walk.name,
      isHit: first !== undefined,
      duplicates: Math.max(0, hits.length - 1),
      enterDelay: first === undefined ? null : first.start - real.start,
      enterMetres: first === undefined ? null : metresWalked(walk, real.start, first.start),
      exitDelay: isOver ? first.end - real.end : null,
    };
  });
  return { visits, falseEnters: found.filter((one) => !truth.some((real) => meets(one, real))).length };
}
