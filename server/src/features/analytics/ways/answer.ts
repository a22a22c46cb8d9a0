import { WorkSlices } from '../../../base/work-slices.ts';
import type { Db } from '../../../db/db.ts';
import { localTime } from '../../../proximity/index.ts';
import { addMonths, dateOf, dayStart, hourText, monthOf, weekdayOf } from '../numbers/calendar.ts';
import { loadPlaces, type PlaceHistory } from '../numbers/places.ts';
import type { AskedPeriod, AskedPlace } from '../numbers/question.ts';
import { type Count, fewest, rounded } from '../numbers/small-groups.ts';
import { findState, isCounted } from '../numbers/store.ts';
import { addRow, otherPaths } from './count.ts';
import * as store from './store.ts';
import { cutMark, type Way, type WayKind, Ways } from './tours.ts';

/** What is told of ways, from the rows that were counted. */

export interface AskingWays {
  readonly db: Db;
  readonly appId: string;
  readonly zone: string;
  readonly isProtected: boolean;
  /** As of the numbers of visits. */
  readonly isBehind: (db: Db, appId: string, isCounted: boolean) => Promise<boolean>;
}

/** A zone, or a beacon that was in none. */
export interface WayPlace {
  readonly zoneId?: string;
  readonly beaconId?: string;
}

interface Times {
  /** Seconds. */
  readonly timeMedian: number | null;
  readonly timeLowerQuartile: number | null;
  readonly timeUpperQuartile: number | null;
}

export interface Flow extends Times {
  /** Null: they came in here. */
  readonly from: WayPlace | null;
  /** Null: they left here. */
  readonly to: WayPlace | null;
  readonly tours: Count;
  readonly visitors: Count;
}

interface Head extends AskedPeriod {
  readonly timeZone: string;
  readonly isProtected: boolean;
  readonly isComplete: boolean;
}

export interface Flows extends Head {
  readonly moves: readonly Flow[];
  readonly reaches: readonly Flow[];
}

export interface Path {
  readonly stops: readonly WayPlace[];
  /** There were more places after these. */
  readonly isCut: boolean;
  readonly tours: Count;
  readonly visitors: Count;
}

export interface Paths extends Head {
  /** All tours that have ended. */
  readonly tours: Count;
  readonly paths: readonly Path[];
}

export type WayQuestion = AskedPeriod & { readonly place: AskedPlace | undefined };

/** Whole months, and days before and after them. A month in which something has changed is read by its days. */
async function stretchesOf({ db, appId, zone }: AskingWays, { from, until }: AskedPeriod) {
  const due = new Set((await store.listDue(db, appId)).map(({ span, started_at }) => `${span} ${started_at}`));
  const stretches: { readonly span: store.DueSpan; readonly from: number; until: number }[] = [];
  const add = (span: store.DueSpan, begin: string, end: string) => {
    const [start, stop] = [dayStart(begin, zone), dayStart(end, zone)];
    const last = stretches.at(-1);
    if (last?.span === span && last.until === start) last.until = stop;
    else stretches.push({ span, from: start, until: stop });
  };
  for (let date = from; date < until; ) {
    const next = addMonths(date, 1);
    const isWhole = monthOf(date) === date && next <= until && !due.has(`month ${dayStart(date, zone)}`);
    const end = next < until ? next : until;
    add(isWhole ? 'month' : 'day', date, end);
    date = end;
  }
  return stretches;
}

async function readAll(by: AskingWays, question: WayQuestion, kind: WayKind): Promise<Way[]> {
  const ways = new Ways();
  const venueId = question.place?.dimension === 'venue' ? question.place.id : undefined;
  for (const stretch of await stretchesOf(by, question))
    for await (const row of store.readWays(by.db, { appId: by.appId, kind, ...stretch }, venueId)) addRow(ways, row);
  return [...ways.all()].sort((a, b) => b.tours - a.tours || (a.place < b.place ? -1 : 1));
}

async function headOf(
  { db, appId, zone, isProtected, isBehind }: AskingWays,
  { from, until }: AskedPeriod,
): Promise<Head> {
  const isComplete =
    !(await isBehind(db, appId, isCounted(await findState(db, appId), zone))) &&
    !(await isDue({ db, appId, zone }, { from, until }));
  return { from, until, timeZone: zone, isProtected, isComplete };
}

/** The present day is always a little behind. */
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

const placeOf = (text: string): WayPlace =>
  text.startsWith('z') ? { zoneId: text.slice(1) } : { beaconId: text.slice(1) };

/** Where small groups are protected, ways of one to four visitors are left out: already that there were any tells about them. */
const isTold = ({ visitors }: Way, isProtected: boolean) => !isProtected || visitors.size() >= fewest;

const countsOf = ({ tours, visitors }: Way, isProtected: boolean) => {
  const told = isProtected ? rounded : (count: number): Count => count;
  return { tours: told(tours), visitors: told(visitors.size()) };
};

function flowOf(way: Way, isProtected: boolean): Flow {
  const [from = '', to = ''] = way.place.split('>');
  const { times } = way;
  return {
    from: from === '' ? null : placeOf(from),
    to: to === '' ? null : placeOf(to),
    ...countsOf(way, isProtected),
    timeMedian: times.quantile(0.5),
    timeLowerQuartile: times.quantile(0.25),
    timeUpperQuartile: times.quantile(0.75),
  };
}

/** Of a floor: ways with one end there at least. */
function touching(place: AskedPlace | undefined, history: PlaceHistory | undefined): (way: Way) => boolean {
  if (!place || !history || place.dimension === 'venue') return () => true;
  const zones = place.dimension === 'zone' ? new Set([place.id]) : history.idsIn('zone', place);
  const beacons = place.dimension === 'floor' ? history.idsIn('beacon', place) : new Set<string>();
  const isThere = (text: string) => (text.startsWith('z') ? zones : beacons).has(text.slice(1));
  return ({ place: text }) => text.split('>').some((end) => end !== '' && isThere(end));
}

export async function flowsOf(by: AskingWays, question: WayQuestion): Promise<Flows> {
  const history = question.place ? await loadPlaces(by.db, by.appId) : undefined;
  const isAsked = touching(question.place, history);
  const slices = new WorkSlices();
  const told = async (kind: WayKind) => {
    const flows: Flow[] = [];
    for (const way of await readAll(by, question, kind)) {
      if (isAsked(way) && isTold(way, by.isProtected)) flows.push(flowOf(way, by.isProtected));
      await slices.rest();
    }
    return flows;
  };
  return { ...(await headOf(by, question)), moves: await told('move'), reaches: await told('reach') };
}

export async function pathsOf(by: AskingWays, question: WayQuestion, limit: number): Promise<Paths> {
  const ways = await readAll(by, question, 'path');
  const named = ways.filter((way) => way.place !== otherPaths && isTold(way, by.isProtected));
  const tours = ways.reduce((sum, way) => sum + way.tours, 0);
  return {
    ...(await headOf(by, question)),
    tours: by.isProtected ? rounded(tours) : tours,
    paths: named.slice(0, limit).map((way) => {
      const stops = way.place.split('>');
      const isCut = stops.at(-1) === cutMark;
      return {
        stops: (isCut ? stops.slice(0, -1) : stops).map(placeOf),
        isCut,
        ...countsOf(way, by.isProtected),
      };
    }),
  };
}

export const peakIntervals = ['day', 'hour', 'hourOfWeek'] as const;
export type PeakInterval = (typeof peakIntervals)[number];

export interface Peak extends WayPlace {
  readonly start?: string;
  readonly weekday?: number;
  readonly hour?: number;
  /** Most visitors at once. */
  readonly peak: Count;
}

export interface Peaks extends Head {
  readonly interval: PeakInterval;
  readonly rows: readonly Peak[];
}

/** How many were at a place at once, at most. */
export async function peaksOf(by: AskingWays, question: WayQuestion, interval: PeakInterval): Promise<Peaks> {
  const history = question.place ? await loadPlaces(by.db, by.appId) : undefined;
  const isAsked = touching(question.place, history);
  const most = new Map<string, { readonly row: Omit<Peak, 'peak'>; readonly key: string; count: number }>();
  const stretch = { from: dayStart(question.from, by.zone), until: dayStart(question.until, by.zone) };
  const venueId = question.place?.dimension === 'venue' ? question.place.id : undefined;
  const asked = { appId: by.appId, kind: 'peak', span: 'hour', ...stretch } as const;
  for await (const { started_at, place, tours } of store.readWays(by.db, asked, venueId)) {
    if (!isAsked({ place } as Way)) continue;
    const when = whenOf(started_at, interval, by.zone);
    const key = `${place} ${Object.values(when).map(padded).join(' ')}`;
    const known = most.get(key) ?? { row: { ...placeOf(place), ...when }, key, count: 0 };
    known.count = Math.max(known.count, tours);
    most.set(key, known);
  }
  const rows = [...most.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    ...(await headOf(by, question)),
    interval,
    rows: rows.map(({ row, count }) => ({ ...row, peak: by.isProtected ? rounded(count) : count })),
  };
}

const padded = (part: string | number) => String(part).padStart(2, '0');

function whenOf(at: number, interval: PeakInterval, zone: string) {
  const date = dateOf(at, zone);
  if (interval === 'day') return { start: date };
  if (interval === 'hour') return { start: hourText(at, zone) };
  return { weekday: weekdayOf(date), hour: Math.floor(localTime(at, zone).minute / 60) };
}
