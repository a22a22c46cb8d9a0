/** What each page with plots asks, all at once as a browser does: the page is there when the last answer is. */
import { addMonths, dateOf, monthOf } from '../../server/src/features/insights/analytics/numbers/calendar.ts';
import { cpuSeconds, family } from '../compare/processes.ts';
import { zone } from './fill.ts';
import { median, quantile } from './median.ts';
import type { Service } from './service.ts';
import type { Site } from './site.ts';

const aimMs = 300;
const heatAimMs = 1_000;

interface Page {
  readonly title: string;
  readonly paths: readonly string[];
  readonly aim: number;
}

function pagesOf({ venues }: Site, now: number): readonly Page[] {
  const today = dateOf(now, zone);
  const [{ floorId, zoneId, beaconId } = { floorId: '', zoneId: '', beaconId: '' }] = venues[0] ?? [];
  const [year, month] = [`${today.slice(0, 4)}-01-01`, monthOf(today)];
  const units = {
    year: { from: year, until: addMonths(year, 12), interval: 'month', peaks: 'day' },
    month: { from: month, until: addMonths(month, 1), interval: 'day', peaks: 'hourOfWeek' },
  };
  return Object.entries(units).flatMap(([unit, { from, until, interval, peaks }]) => {
    const of = (what: string, query: Readonly<Record<string, string>> = {}) =>
      `/analytics/${what}?${new URLSearchParams({ from, until, ...query })}`;
    const page = (name: string, paths: readonly string[], aim = aimMs): Page => ({
      title: `${name}, ${unit}`,
      paths,
      aim,
    });
    const groups = ['venue', 'floor', 'zone', 'beacon'].map((groupBy) => of('visits', { groupBy }));
    return [
      page('Numbers', [
        of('visits', { interval, compare: 'previous' }),
        of('visits', { interval: 'hourOfWeek' }),
        '/analytics/forecast',
        '/notifications?limit=1000',
        ...groups,
      ]),
      page(
        'Heat map of a floor',
        ['zone', 'beacon'].map((groupBy) => of('visits', { floorId, groupBy })),
        heatAimMs,
      ),
      page('Ways', [of('flows'), of('paths')]),
      page('Ways on a floor', [of('flows', { floorId })]),
      page('Peaks', [of('peaks', { interval: peaks }), of('visits', { groupBy: 'zone' }), '/analytics/forecast/zones']),
      page('Messages', [of('messages')]),
      page('Ways in a zone', [of('flows', { zoneId }), of('paths', { zoneId })]),
      page('Peaks at a beacon', [
        of('peaks', { interval: peaks, beaconId }),
        of('visits', { groupBy: 'beacon', beaconId }),
      ]),
      page('Messages on a floor', [of('messages', { floorId })]),
    ];
  });
}

export async function measurePages(service: Service, site: Site, rounds: number, like: RegExp): Promise<void> {
  console.log(`\n| page | requests | first ms | p50 ms | p95 ms | ms of CPU | aim |\n|---|---|---|---|---|---|---|`);
  for (const { title, paths, aim } of pagesOf(site, Date.now())) {
    if (!like.test(title)) continue;
    const open = async () => {
      const began = performance.now();
      await Promise.all(
        paths.map(async (path) => {
          const answer = await fetch(service.dataUrl + path, { headers: { cookie: service.cookie } });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
        }),
      );
      return performance.now() - began;
    };
    // Nothing of the page is kept yet.
    const first = await open();
    await open();
    const before = cpuSeconds(family(service.pid));
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await open());
    const cpu = ((cpuSeconds(family(service.pid)) - before) * 1000) / rounds;
    const p95 = quantile(times, 0.95);
    const figures = [first, median(times), p95, cpu].map((value) => value.toFixed(0));
    console.log(`| ${title} | ${paths.length} | ${figures.join(' | ')} | ${aim}${p95 > aim ? ' MISSED' : ''} |`);
  }
}
