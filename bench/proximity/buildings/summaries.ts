import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { quantile } from '../intervals.ts';
import type { Point, Recordings, Sample } from '../recordings.ts';
import { distanceBetween } from '../truth.ts';
import type { Building } from './building.ts';

/** Whether generated signals are like recorded ones: the same figures of both. */

/** What one receiver heard of one sender, with the distances in metres where they are known. */
interface Stream {
  readonly samples: readonly Sample[];
  readonly metres: ((sample: Sample) => number) | null;
  readonly isMoving: boolean;
}

export const SUMMARY_HEADINGS = [
  'source (5 %, half, 95 % of its streams)',
  'sd within a second dB',
  'sd of all, standing dB',
  'level at 1 m dBm',
  'slope n, moving',
];

export function summaryRows(recordings: Recordings, folder: string, buildings: readonly Building[]): string[][] {
  const traces = buildings.flatMap(({ plan, traces }) =>
    traces.map((trace) => ({ plan, trace, isMoving: trace.kind !== 'standing' })),
  );
  const generated = traces.flatMap(({ plan, trace, isMoving }) =>
    plan.beacons.map((beacon) => placed(trace.samples, beacon.id, { place: beacon, isMoving })),
  );
  return [
    row(
      'generated, moving',
      generated.filter(({ isMoving }) => isMoving),
    ),
    row(
      'generated, standing',
      generated.filter(({ isMoving }) => !isMoving),
    ),
    ...recordedRows(recordings, folder),
  ];
}

function recordedRows({ walks, beacons, stills, moreStills, phones }: Recordings, folder: string): string[][] {
  const walked = walks.flatMap(({ samples }) =>
    [...beacons].map(([id, place]) => placed(samples, id, { place, isMoving: true })),
  );
  const stood = [...stills, ...moreStills].flatMap(({ samples, beacon, position }): Stream[] => {
    const place = beacons.get(beacon);
    if (place === undefined || position === undefined) return [];
    return [{ samples, metres: () => distanceBetween(place, position), isMoving: false }];
  });
  const worn = phones.map(({ samples }): Stream => ({ samples, metres: () => 1.83, isMoving: false }));
  return [
    row('philotuxo, walks', walked),
    row('philotuxo, half hours', stood),
    row('mitll, phones on bodies', worn),
    row('albacete, sectors of two floors', sectorsOf(`${folder}/albacete/data`)),
  ];
}

interface Placed {
  readonly place: Point;
  readonly isMoving: boolean;
}

function placed(samples: readonly Sample[], beacon: string, { place, isMoving }: Placed): Stream {
  const metres = ({ position }: Sample) => (position === undefined ? Number.NaN : distanceBetween(place, position));
  return { samples: samples.filter((sample) => sample.beacon === beacon), metres, isMoving };
}

/** The columns are six beacons and the sector; −105 and less stands for what was not heard. */
function sectorsOf(folder: string): Stream[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /^Tx.*[AB]\.csv$/.test(name));
  return files.flatMap((name) => {
    const streams = new Map<string, Sample[]>();
    for (const line of readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n').slice(1)) {
      const cells = line.split(',').map(Number);
      cells.slice(0, 6).forEach((rssi, beacon) => {
        const key = `${beacon} ${cells[6]}`;
        if (rssi > -105) streams.set(key, [...(streams.get(key) ?? []), { at: 0, beacon: key, rssi }]);
      });
    }
    return [...streams.values()].map((samples) => ({ samples, metres: null, isMoving: false }));
  });
}

const LEAST = 20;

function row(name: string, all: readonly Stream[]): string[] {
  const streams = all.filter(({ samples }) => samples.length >= LEAST);
  const standing = streams.filter(({ isMoving }) => !isMoving);
  const known = streams.filter(({ metres }) => metres !== null);
  return [
    name,
    spread(known.map(withinSecond)),
    spread(standing.map(({ samples }) => deviation(samples.map(({ rssi }) => rssi)))),
    spread(known.map(levelAtOneMetre)),
    spread(known.filter(({ isMoving }) => isMoving).map(slopeOf)),
  ];
}

function spread(values: readonly number[]): string {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? '–' : [0.05, 0.5, 0.95].map((share) => quantile(finite, share).toFixed(1)).join(', ');
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

/** Standard deviation around the mean of each second. */
function withinSecond({ samples }: Stream): number {
  const seconds = Map.groupBy(samples, ({ at }) => Math.floor(at / 1000));
  let [squares, count] = [0, 0];
  for (const group of seconds.values()) {
    const middle = mean(group.map(({ rssi }) => rssi));
    for (const { rssi } of group) squares += (rssi - middle) ** 2;
    count += group.length - 1;
  }
  return count < LEAST / 2 ? Number.NaN : Math.sqrt(squares / count);
}

/** What would be heard at one metre, as an exponent of 2 has it, from what was heard within four metres. */
function levelAtOneMetre({ samples, metres }: Stream): number {
  const near = samples.flatMap((sample) => {
    const distance = metres?.(sample) ?? Number.NaN;
    return distance < 4 ? [sample.rssi + 20 * Math.log10(distance)] : [];
  });
  return near.length < LEAST / 4 ? Number.NaN : mean(near);
}

function slopeOf({ samples, metres }: Stream): number {
  const points = samples.map((sample) => [10 * Math.log10(metres?.(sample) ?? Number.NaN), sample.rssi] as const);
  const [middle, level] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const across = mean(points.map(([x]) => (x - middle) ** 2));
  return across < 1 ? Number.NaN : -mean(points.map(([x, y]) => (x - middle) * (y - level))) / across;
}
