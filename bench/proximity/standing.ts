import { follow, type PresenceSettings, type TrackState } from '@pharos/engine';
import { calibrateWithout } from './calibration.ts';
import { bootstrap } from './intervals.ts';
import type { Point, Recordings, Stream } from './recordings.ts';
import { percent } from './site-tables.ts';
import { distanceBetween, RADIUS } from './truth.ts';

/** Who stands still for half an hour: is the state the right one, and does it stay? Measured powers come from the walks. */

/** One beacon that hears somebody standing. */
interface Stood {
  readonly isWithin: boolean;
  /** Share of the time with a visit open. */
  readonly inside: number;
  readonly changes: number;
  readonly hours: number;
}

type StillStream = Stream & { readonly position: Point };

export const STANDING_HEADINGS = [
  'one zone, locations',
  'right state',
  'of those within 3 m',
  'changes/h',
  'after the first ENTER',
];

export function standingRows(recordings: Recordings): string[][] {
  const streams = [...recordings.stills, ...recordings.moreStills].filter(
    (stream): stream is StillStream => stream.position !== undefined,
  );
  const visitors = together(streams);
  const powers = calibrateWithout(recordings, null);
  return [true, false].map((isCalibrated) => {
    const stood = visitors.flatMap((group) => stand(group, recordings, isCalibrated ? powers : new Map()));
    const right = (some: readonly Stood[]) =>
      percent(
        bootstrap(
          some.map((one) => [one]),
          (items) => items.reduce((sum, one) => sum + (one.isWithin ? one.inside : 1 - one.inside), 0) / items.length,
        ),
      );
    const hours = stood.reduce((sum, one) => sum + one.hours, 0);
    const perHour = (of: (changes: number) => number) =>
      (stood.reduce((sum, { changes }) => sum + of(changes), 0) / hours).toFixed(2);
    return [
      isCalibrated ? 'calibrated' : 'not calibrated',
      right(stood),
      right(stood.filter(({ isWithin }) => isWithin)),
      perHour((changes) => changes),
      perHour((changes) => Math.max(0, changes - 1)),
    ];
  });
}

const SAME_TIME_MS = 30_000;

/** Those that heard one visitor at one time. */
function together(streams: readonly StillStream[]): StillStream[][] {
  const groups: StillStream[][] = [];
  for (const stream of [...streams].sort((a, b) => startOf(a) - startOf(b))) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && startOf(stream) - startOf(last[0]) < SAME_TIME_MS) last.push(stream);
    else groups.push([stream]);
  }
  return groups;
}

const startOf = ({ samples }: Stream) => samples[0]?.at ?? 0;

function stand(
  group: readonly StillStream[],
  { beacons }: Recordings,
  powers: ReadonlyMap<string, number>,
): readonly Stood[] {
  const samples = group.flatMap((stream) => stream.samples).sort((a, b) => a.at - b.at);
  const [start, end] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const [inside, changes, open] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const add = (sums: Map<string, number>, id: string, more: number) => sums.set(id, (sums.get(id) ?? 0) + more);
  const settingsOf = (id: string): PresenceSettings => {
    const [location, measuredPower] = [beacons.get(id), powers.get(id)];
    return {
      oneZone: true,
      ...(location === undefined ? {} : { location }),
      ...(measuredPower === undefined ? {} : { measuredPower }),
    };
  };
  let state: TrackState | null = null;
  for (const { at, beacon, rssi } of samples) {
    const heard = { beaconId: beacon, occurredAt: Math.max(at, (state?.at ?? 0) + 1), rssi };
    const outcome: ReturnType<typeof follow> = follow({
      installationId: 'visitor',
      state,
      samples: [heard],
      settingsOf,
    });
    state = outcome.state;
    for (const { event, beaconId } of outcome.events) {
      if (event !== 'ENTER' && event !== 'EXIT') continue;
      add(changes, beaconId, 1);
      if (event === 'ENTER') open.set(beaconId, at);
      else add(inside, beaconId, at - (open.get(beaconId) ?? at));
      if (event === 'EXIT') open.delete(beaconId);
    }
  }
  for (const [beaconId, since] of open) add(inside, beaconId, end - since);
  return group.map(({ beacon, position }) => {
    const place = beacons.get(beacon);
    return {
      isWithin: place !== undefined && distanceBetween(place, position) < RADIUS,
      inside: (inside.get(beacon) ?? 0) / (end - start),
      changes: changes.get(beacon) ?? 0,
      hours: (end - start) / 3_600_000,
    };
  });
}
