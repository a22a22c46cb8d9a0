import { WorkSlices } from '../../../../base/work-slices.ts';
import { type Count, fewest } from '../../../blur.ts';
import { addDays, addMonths, dayStart, monthOf } from '../numbers/calendar.ts';
import { Dwells } from '../numbers/dwells.ts';
import { partsOf, readSteadily } from '../numbers/periods.ts';
import { loadPlaces } from '../numbers/places.ts';
import type { AskedPlace } from '../numbers/question.ts';
import { findBlur, findState, isCounted, zoneDwellsDuring } from '../numbers/store.ts';
import { VisitorSet } from '../numbers/visitor-set.ts';
import { type FromUntil, listDue, peaksDuring } from '../ways/store.ts';
import { countError, type Forecasting, nextOpenDay, shownCount, sizeOf, weeksBack } from './answer.ts';
import { errorOf, estimate, maxDays } from './estimate.ts';
import type { ZoneDay, ZoneForecast, ZoneForecasts } from './schemas.ts';

/** How many visitors the next open day may bring to each zone at once, and how long they may stay or, in a queue, wait. */

/** Stays are reported in steps of this many seconds, since the histogram behind them is coarse. */
const stayStep = 5;

export async function zoneForecastsOf(
  by: Forecasting,
  { place, today }: { readonly place: AskedPlace | undefined; readonly today: string },
): Promise<ZoneForecasts> {
  const { db, appId, zone, isProtected } = by;
  const behind = async () => by.isBehind(db, appId, isCounted(await findState(db, appId), zone));
  const [{ date, kindOf }, isBehind, isAsked, blur] = await Promise.all([
    nextOpenDay(by, { place, today }),
    behind(),
    zonesOf(by, place),
    isProtected ? findBlur(db, appId) : undefined,
  ]);
  const common = { timeZone: zone, isProtected, isComplete: !isBehind, date };
  if (date === null) return { ...common, zones: [] };
  const alike = Array.from({ length: weeksBack }, (_, index) => addDays(date, -7 * (index + 1))).filter(
    (day) => day < today && kindOf(day) === 'open',
  );
  const venueId = place?.dimension === 'venue' ? place.id : undefined;
  const byZone = new Map<string, Map<string, Counted>>();
  for (const [day, zonesOfDay] of await countedOnAll(by, { days: alike, venueId }))
    for (const [zoneId, counted] of zonesOfDay) {
      if (!isAsked(zoneId)) continue;
      const days = byZone.get(zoneId) ?? new Map<string, Counted>();
      byZone.set(zoneId, days.set(day, counted));
    }
  const zones = [...byZone].map(([zoneId, days]) =>
    forecastOfZone(
      zoneId,
      daysOf(alike, days, (peak) => blur?.peak(peak, `z${zoneId}`) ?? peak),
      isProtected,
    ),
  );
  return { ...common, zones: zones.sort((a, b) => (a.zoneId < b.zoneId ? -1 : 1)) };
}

interface Counted {
  peak: number;
  /** Seconds, as reported. */
  stay: number | null;
}

type Counting = Pick<Forecasting, 'db' | 'appId' | 'zone' | 'isProtected'>;
type OfDays = ReadonlyMap<string, ReadonlyMap<string, Counted>>;

const daysAtOnce = 9;

/** What was counted of each zone on some days; the peaks of days that have been added up are there, those of others are of hours. */
async function countedOnAll(
  by: Counting,
  { days, venueId }: { readonly days: readonly string[]; readonly venueId: string | undefined },
): Promise<OfDays> {
  const [last, first] = [days[0], days.at(-1)];
  if (last === undefined || first === undefined) return new Map();
  const { db, appId, zone } = by;
  const stretch = { appId, from: dayStart(first, zone), until: dayStart(addDays(last, 1), zone) };
  return readSteadily(db, stretch, async () => {
    const due = await listDue(db, appId);
    // A month ends behind the last of the days.
    const until = addMonths(last, 1);
    const parts = await partsOf({ db, appId, zone, due, mayTakeYears: false }, { from: monthOf(first), until });
    const isAddedUp = ({ from }: FromUntil) =>
      parts.some((part) => part.unit !== 'day' && part.from <= from && from < part.until);
    const counted = new Map<string, ReadonlyMap<string, Counted>>();
    for (let start = 0; start < days.length; start += daysAtOnce) {
      const some = days.slice(start, start + daysAtOnce).map((day) => dayAt(day, zone));
      const [whole, hourly] = [some.filter(isAddedUp), some.filter((day) => !isAddedUp(day))];
      for (const [day, zones] of await countedOn(by, { venueId, some, whole, hourly })) counted.set(day, zones);
    }
    return counted;
  });
}

interface Day extends FromUntil {
  readonly date: string;
}

const dayAt = (date: string, zone: string): Day => ({
  date,
  from: dayStart(date, zone),
  until: dayStart(addDays(date, 1), zone),
});

interface CountingOn {
  readonly venueId: string | undefined;
  readonly some: readonly Day[];
  /** The days that have daily peaks, and those that have only hourly ones. */
  readonly whole: readonly Day[];
  readonly hourly: readonly Day[];
}

async function countedOn(
  { db, appId, isProtected }: Counting,
  { venueId, some, whole, hourly }: CountingOn,
): Promise<OfDays> {
  const byDay = new Map(some.map(({ date }) => [date, new Map<string, Counted>()]));
  const of = (at: number, zoneId: string): Counted => {
    const found = byDay.get(some.find(({ from, until }) => from <= at && at < until)?.date ?? '');
    const counted = found?.get(zoneId) ?? { peak: 0, stay: null };
    found?.set(zoneId, counted);
    return counted;
  };
  const [ofDays, ofHours, stays] = await Promise.all([
    peaksDuring(db, { appId, span: 'day', venueId }, whole),
    peaksDuring(db, { appId, span: 'hour', venueId }, hourly),
    zoneDwellsDuring(db, { appId, withVisitors: isProtected }, some),
  ]);
  for (const { started_at, place, tours } of [...ofDays, ...ofHours]) {
    if (!place.startsWith('z')) continue;
    const counted = of(started_at, place.slice(1));
    counted.peak = Math.max(counted.peak, tours);
  }
  const slices = new WorkSlices();
  for (const row of stays) {
    of(row.started_at, row.beacon_id).stay = stayOf(row, isProtected);
    if (slices.isOver) await slices.rest();
  }
  return byDay;
}

/** The median, under the same conditions as in the numbers of visits. */
function stayOf(
  { ended, dwells, visitors = '' }: { readonly ended: number; readonly dwells: string; readonly visitors?: string },
  isProtected: boolean,
): number | null {
  const set = new VisitorSet();
  set.addWritten(visitors);
  if (ended === 0 || (isProtected && (ended < fewest || set.size() < fewest))) return null;
  const histogram = new Dwells();
  histogram.addWritten(dwells);
  return histogram.quantile(0.5);
}

/** The days of one zone, the last first, without those before its first visitor. */
function daysOf(
  alike: readonly string[],
  counted: ReadonlyMap<string, Counted>,
  tell: (peak: number) => Count,
): ZoneDay[] {
  const first = alike.findLastIndex((day) => counted.has(day));
  return alike.slice(0, first + 1).map((date) => {
    const { peak = 0, stay = null } = counted.get(date) ?? {};
    return { date, peak: tell(peak), stay };
  });
}

function forecastOfZone(zoneId: string, days: readonly ZoneDay[], isProtected: boolean): ZoneForecast {
  const peaks = estimate(days.map(({ date, peak }) => ({ date, value: sizeOf(peak) })));
  // A day on which nobody came is not a wait of zero.
  const stays = estimate(days.flatMap(({ date, stay }) => (stay === null ? [] : [{ date, value: stay }])));
  return {
    zoneId,
    peak: peaks ? { visitors: shownCount(peaks.value, isProtected), ...countError(peaks.errors, isProtected) } : null,
    stay: stays
      ? { seconds: Math.round(stays.value / stayStep) * stayStep, ...errorOf(stays.errors, { step: stayStep }) }
      : null,
    days: days.slice(0, maxDays),
  };
}

async function zonesOf(
  { db, appId, venues }: Pick<Forecasting, 'db' | 'appId' | 'venues'>,
  place: AskedPlace | undefined,
): Promise<(zoneId: string) => boolean> {
  const isZone = place?.dimension === 'zone';
  const history = venues || (place && !isZone) ? await loadPlaces(db, appId) : undefined;
  const inside = isZone ? new Set([place.id]) : place && history?.idsIn('zone', place);
  const theirs =
    venues && new Set(venues.flatMap((id) => [...(history?.idsIn('zone', { dimension: 'venue', id }) ?? [])]));
  return (zoneId) => (inside?.has(zoneId) ?? true) && (theirs?.has(zoneId) ?? true);
}
