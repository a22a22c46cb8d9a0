import { WorkSlices } from '../../../../base/work-slices.ts';
import type { Db } from '../../../../db/db.ts';
import { type Blur, smallGroup } from '../../../blur.ts';
import { dateOf, dayStart } from '../numbers/calendar.ts';
import { partsOf, readSteadily } from '../numbers/periods.ts';
import { loadPlaces, type PlaceHistory } from '../numbers/places.ts';
import type { AskedPeriod, AskedPlace } from '../numbers/question.ts';
import { findBlur, findState, isCounted } from '../numbers/store.ts';
import { type CountedWay, type KeepingWays, readKept } from './closed.ts';
import { otherPaths } from './rows.ts';
import type { Flow, Flows, Head, Path, Paths, WayPlace } from './schemas.ts';
import * as store from './store.ts';
import { cutMark, type Way, type WayKind } from './tours.ts';

export interface AskingWays extends KeepingWays {
  readonly isProtected: boolean;
  /** As for the numbers of visits. */
  readonly isBehind: (db: Db, appId: string, isCounted: boolean) => Promise<boolean>;
  /** Only ways in these venues; undefined: all. */
  readonly venues?: readonly string[] | undefined;
}

/** Whether the caller may learn what visitors did in a venue. */
export function venueFilter({ venues }: Pick<AskingWays, 'venues'>): (venueId: string) => boolean {
  const theirs = venues && new Set(venues);
  return (venueId) => theirs?.has(venueId) ?? true;
}

export type WayQuestion = AskedPeriod & { readonly place: AskedPlace | undefined };

export const stretchOf = ({ appId, zone }: AskingWays, { from, until }: AskedPeriod) => ({
  appId,
  from: dayStart(from, zone),
  until: dayStart(until, zone),
});

async function readAll(
  by: AskingWays,
  question: WayQuestion,
  kind: WayKind,
  isAsked: (way: Pick<Way, 'place'>) => boolean = () => true,
): Promise<CountedWay[]> {
  const venueId = question.place?.dimension === 'venue' ? question.place.id : undefined;
  const { db, appId, zone } = by;
  const due = await store.listDue(db, appId);
  const parts = await partsOf({ db, appId, zone, due, mayTakeYears: true }, question);
  const ways = await readKept(by, parts, { kind, venueId, isTheirs: venueFilter(by), isAsked });
  return ways.sort((a, b) => b.tours - a.tours || (a.place < b.place ? -1 : 1));
}

export async function headOf(
  { db, appId, zone, isProtected, isBehind }: AskingWays,
  { from, until }: AskedPeriod,
): Promise<Head> {
  const behind = async () => isBehind(db, appId, isCounted(await findState(db, appId), zone));
  const waits = await Promise.all([behind(), isDue({ db, appId, zone }, { from, until })]);
  return { from, until, timeZone: zone, isProtected, isComplete: !waits.includes(true) };
}

/** Whether something is still to be counted. The present day is always a little behind. */
async function isDue(
  { db, appId, zone }: Pick<AskingWays, 'db' | 'appId' | 'zone'>,
  { from, until }: AskedPeriod,
): Promise<boolean> {
  const due = await store.listDue(db, appId);
  const days = due.filter(({ span, started_at }) => {
    const date = dateOf(started_at, zone);
    return span === 'day' && date >= from && date < until;
  });
  return days.length > 1;
}

export const placeOf = (text: string): WayPlace =>
  text.startsWith('z') ? { zoneId: text.slice(1) } : { beaconId: text.slice(1) };

/**
 * A way as it is shown. Where small groups are protected, ways of one to four visitors are left out: their existence alone would reveal
 * something about them.
 */
function countsOf(way: CountedWay, blur: Blur | undefined): Pick<Flow, 'tours' | 'visitors'> | undefined {
  const size = way.visitors();
  if (!blur) return { tours: way.tours, visitors: size };
  const { place } = way;
  const [visitors, tours] = [blur.blurred(size, 'visitors', place), blur.blurred(way.tours, 'tours', place)];
  if (visitors === smallGroup) return undefined;
  // Each of them went there once at least.
  return { tours: tours === smallGroup ? visitors : Math.max(tours, visitors), visitors };
}

function flowOf(way: CountedWay, blur: Blur | undefined): Flow | undefined {
  const counts = countsOf(way, blur);
  if (!counts) return undefined;
  const [from = '', to = ''] = way.place.split('>');
  const { times } = way;
  return {
    from: from === '' ? null : placeOf(from),
    to: to === '' ? null : placeOf(to),
    ...counts,
    timeMedian: times.quantile(0.5),
    timeLowerQuartile: times.quantile(0.25),
    timeUpperQuartile: times.quantile(0.75),
  };
}

/**
 * Ways with one end there at least; of paths, one place. Ways are told between zones: a beacon stands for the zones in which it was during
 * the period, and for itself where it was in none; see ADR 95.
 */
export function touching(
  { place, from, until }: WayQuestion,
  zone: string,
  history: PlaceHistory | undefined,
): (way: Pick<Way, 'place'>) => boolean {
  if (!place || !history || place.dimension === 'venue') return () => true;
  const during = { from: dayStart(from, zone), until: dayStart(until, zone) };
  const zonesOf = {
    zone: () => new Set([place.id]),
    floor: () => history.idsIn('zone', place),
    beacon: () => history.zonesDuring(place.id, during),
  };
  const zones = zonesOf[place.dimension]();
  const beacons = { zone: () => [], floor: () => history.idsIn('beacon', place), beacon: () => [place.id] };
  const own = new Set(beacons[place.dimension]());
  const isThere = (text: string) => (text.startsWith('z') ? zones : own).has(text.slice(1));
  return ({ place: text }) => text.split('>').some((end) => end !== '' && isThere(end));
}

const blurOf = async ({ db, appId, isProtected }: AskingWays) => (isProtected ? findBlur(db, appId) : undefined);

export async function flowsOf(by: AskingWays, question: WayQuestion): Promise<Flows> {
  const history = question.place ? await loadPlaces(by.db, by.appId) : undefined;
  const isAsked = touching(question, by.zone, history);
  const blur = await blurOf(by);
  const slices = new WorkSlices();
  const stretch = stretchOf(by, question);
  const shownFlows = async (kind: WayKind) => {
    const flows: Flow[] = [];
    for (const way of await readSteadily(by.db, stretch, () => readAll(by, question, kind, isAsked))) {
      const flow = flowOf(way, blur);
      if (flow) flows.push(flow);
      await slices.rest();
    }
    return flows;
  };
  const [head, moves, reaches] = await Promise.all([headOf(by, question), shownFlows('move'), shownFlows('reach')]);
  return { ...head, moves, reaches };
}

export async function pathsOf(by: AskingWays, question: WayQuestion, limit: number): Promise<Paths> {
  const history = question.place ? await loadPlaces(by.db, by.appId) : undefined;
  const isAsked = touching(question, by.zone, history);
  const blur = await blurOf(by);
  const [ways, head] = await Promise.all([
    readSteadily(by.db, stretchOf(by, question), () => readAll(by, question, 'path', isAsked)),
    headOf(by, question),
  ]);
  const tours = ways.reduce((sum, way) => sum + way.tours, 0);
  const paths: Path[] = [];
  for (const way of ways) {
    if (paths.length === limit) break;
    const counts = way.place === otherPaths ? undefined : countsOf(way, blur);
    if (counts) paths.push({ ...stopsOf(way), ...counts });
  }
  return { ...head, tours: blur ? blur.blurred(tours, 'paths', '') : tours, paths };
}

function stopsOf({ place }: CountedWay): Pick<Path, 'stops' | 'isCut'> {
  const stops = place.split('>');
  const isCut = stops.at(-1) === cutMark;
  return { stops: (isCut ? stops.slice(0, -1) : stops).map(placeOf), isCut };
}
