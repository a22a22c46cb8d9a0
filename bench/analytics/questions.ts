/** Every question that the pages with numbers ask, about a year beside the year before wherever a comparison can be asked for. */
import { addDays, dateOf } from '../../server/src/features/insights/analytics/numbers/calendar.ts';
import { zone } from './fill.ts';
import type { Site } from './site.ts';

export interface Question {
  readonly title: string;
  readonly path: string;
  /** Milliseconds that it may take at p95. */
  readonly aim: number;
}

const pageAim = 300;
const heatAim = 1_000;

export function questions({ venues }: Site, now: number): readonly Question[] {
  const today = dateOf(now, zone);
  const year = Number(today.slice(0, 4));
  const period = { from: `${year}-01-01`, until: `${year + 1}-01-01` };
  const last = (days: number) => ({ from: addDays(today, -days), until: today });
  const [spot] = venues[0] ?? [];
  if (!spot) throw new Error('There are no beacons.');
  const places = { venueId: spot.venueId, floorId: spot.floorId, zoneId: spot.zoneId, beaconId: spot.beaconId };
  const asked: Question[] = [];
  const add = (path: string, query: Readonly<Record<string, string>>, aim = pageAim) => {
    const { from: _, until: __, ...options } = query;
    const days = query['from'] === period.from ? 'year' : 'days';
    const words = Object.entries(options).map(([name, value]) => (name.endsWith('Id') ? name : `${name}=${value}`));
    const title = [path, days, ...words].join(' ');
    asked.push({ title, path: `/analytics/${path}?${new URLSearchParams(query)}`, aim });
  };
  const compared = { ...period, compare: 'previous' };
  for (const interval of ['total', 'day', 'week', 'month', 'hourOfWeek']) {
    add('visits', { ...compared, interval });
    for (const [name, id] of Object.entries(places)) add('visits', { ...compared, interval, [name]: id });
  }
  for (const groupBy of ['venue', 'floor', 'zone', 'beacon'])
    for (const interval of ['total', 'month', ...(groupBy === 'beacon' ? [] : ['week'])])
      add('visits', { ...compared, groupBy, interval });
  for (const groupBy of ['venue', 'floor']) add('visits', { ...compared, groupBy, interval: 'day' });
  add('visits', { ...last(62), compare: 'previous', interval: 'hour' });
  for (const interval of ['hour', 'hourOfWeek'])
    for (const groupBy of ['venue', 'zone', 'beacon'])
      add('visits', { ...last(7), compare: 'previous', groupBy, interval });
  for (const groupBy of ['zone', 'beacon']) add('visits', { ...period, floorId: spot.floorId, groupBy }, heatAim);
  for (const place of [{}, ...Object.entries(places).map(([name, id]) => ({ [name]: id }))]) {
    add('flows', { ...period, ...place });
    add('paths', { ...period, ...place });
    add('peaks', { ...period, ...place, interval: 'day' });
    add('peaks', { ...last(31), ...place, interval: 'hour' });
    add('peaks', { ...last(100), ...place, interval: 'hourOfWeek' });
  }
  for (const interval of ['total', 'week', 'month']) add('messages', { ...period, interval });
  for (const [name, id] of Object.entries(places)) add('messages', { ...period, [name]: id });
  for (const place of [{}, ...Object.entries(places).map(([name, id]) => ({ [name]: id }))]) add('forecast', place);
  return asked;
}
