import { dateOf, hourText, localAt, weekdayOf } from '../numbers/calendar.ts';
import type { Sized } from '../numbers/kept.ts';
import { type Part, partsOf, readSteadily } from '../numbers/periods.ts';
import { loadPlaces } from '../numbers/places.ts';
import { findBlur } from '../numbers/store.ts';
import { type AskingWays, headOf, placeOf, stretchOf, touching, venueFilter, type WayQuestion } from './answer.ts';
import { closedOf, keptOf } from './closed.ts';
import type { Peak, PeakInterval, Peaks } from './schemas.ts';
import * as store from './store.ts';
import { peakKinds } from './tours.ts';

/** The most visitors at a place at once. */

/** The most at a place of a venue in an interval. */
interface Most {
  readonly venueId: string;
  readonly place: string;
  /** The place and the interval: a beacon may have been in several venues. */
  readonly text: string;
  readonly row: Omit<Peak, 'peak'>;
  count: number;
}

/** By `text` and venue. */
type MostByKey = ReadonlyMap<string, Most>;

interface ClosedPeaks extends Sized {
  readonly most: MostByKey;
}

export async function peaksOf(by: AskingWays, question: WayQuestion, interval: PeakInterval): Promise<Peaks> {
  const beaconId = question.place?.dimension === 'beacon' ? question.place.id : undefined;
  const history = question.place ? await loadPlaces(by.db, by.appId) : undefined;
  // Of a beacon only its own rows are read.
  const isAsked = beaconId === undefined ? touching(question, by.zone, history) : () => true;
  const isTheirs = venueFilter(by);
  const venueId = question.place?.dimension === 'venue' ? question.place.id : undefined;
  const [{ closed, open }, head, blur] = await Promise.all([
    readSteadily(by.db, stretchOf(by, question), () => readPeaks(by, question, interval)),
    headOf(by, question),
    by.isProtected ? findBlur(by.db, by.appId) : undefined,
  ]);
  const rows: Peak[] = [];
  let [last, most]: [Most | undefined, number] = [undefined, 0];
  const tell = () => {
    if (last) rows.push({ ...last.row, peak: blur ? blur.peak(most, last.place) : most });
  };
  for (const [key, one] of inOrder(closed, open)) {
    if ((venueId !== undefined && one.venueId !== venueId) || !isTheirs(one.venueId) || !isAsked(one)) continue;
    if (one.text !== last?.text) {
      tell();
      [last, most] = [one, 0];
    }
    most = Math.max(most, one.count, open.get(key)?.count ?? 0);
  }
  tell();
  return { ...head, interval, rows };
}

/** Merges open and closed peaks in order; the closed ones are sorted already. */
function inOrder(closed: MostByKey, open: MostByKey): Iterable<[string, Most]> {
  const more = [...open].filter(([key]) => !closed.has(key));
  return more.length === 0 ? closed : [...closed, ...more.sort(byKey)].sort(byKey);
}

const byKey = ([one]: [string, Most], [other]: [string, Most]) => (one < other ? -1 : 1);
const sorted = (most: MostByKey): MostByKey => new Map([...most].sort(byKey));

async function readPeaks(
  by: AskingWays,
  { from, until, place }: WayQuestion,
  interval: PeakInterval,
): Promise<{ readonly closed: MostByKey; readonly open: MostByKey }> {
  const { db, appId, zone } = by;
  const venueId = place?.dimension === 'venue' ? place.id : undefined;
  const due = await store.listDue(db, appId);
  // There are no rows of years: for a year that has been added up, the rows of its days and hours are used.
  const all = await partsOf({ db, appId, zone, due, mayTakeYears: true }, { from, until });
  if (place?.dimension === 'beacon')
    return { closed: sorted(await maxOf(by, { parts: all, interval, beaconId: place.id })), open: new Map() };
  const parts = closedOf(all);
  const open = await maxOf(by, { parts: parts.open, interval, venueId });
  if (parts.closed.length === 0) return { closed: sorted(open), open: new Map() };
  const { most } = await keptOf(by, { what: `peak-${interval}`, parts: parts.closed, venueId }, async (venue) => {
    const all = await maxOf(by, { parts: parts.closed, interval, venueId: venue });
    return { most: sorted(all), bytes: all.size * bytesOfOne } satisfies ClosedPeaks;
  });
  return { closed: most, open };
}

/** Approximate bytes of a row with its key. */
const bytesOfOne = 400;

interface AskedPeaks {
  readonly parts: readonly Part[];
  readonly interval: PeakInterval;
  readonly venueId?: string | undefined;
  readonly beaconId?: string | undefined;
}

/** Rows of hours, or of days that have been added up if hours are not needed. */
async function maxOf(by: AskingWays, { parts, interval, venueId, beaconId }: AskedPeaks): Promise<MostByKey> {
  const { db, appId, zone } = by;
  const most = new Map<string, Most>();
  // A beacon may have been in a zone for a part of the time.
  const [kinds, asked] =
    beaconId === undefined ? [['peak'] as const, { venueId }] : [peakKinds, { place: `b${beaconId}` }];
  for (const { unit, from, until } of parts) {
    const span = interval === 'day' && unit !== 'day' ? 'day' : 'hour';
    for (const kind of kinds)
      for await (const row of store.readWays(db, { appId, kind, span, from, until }, asked)) {
        const { started_at, venue_id, place, tours } = row;
        const when = whenOf(started_at, interval, zone);
        const text = `${place} ${Object.values(when).map(padded).join(' ')}`;
        const key = `${text} ${venue_id}`;
        const known = most.get(key);
        if (known) known.count = Math.max(known.count, tours);
        else most.set(key, { venueId: venue_id, place, text, row: { ...placeOf(place), ...when }, count: tours });
      }
  }
  return most;
}

const padded = (part: string | number) => String(part).padStart(2, '0');

function whenOf(at: number, interval: PeakInterval, zone: string) {
  const date = dateOf(at, zone);
  if (interval === 'day') return { start: date };
  if (interval === 'hour') return { start: hourText(at, zone) };
  return { weekday: weekdayOf(date), hour: Math.floor(localAt(at, zone).minute / 60) };
}
