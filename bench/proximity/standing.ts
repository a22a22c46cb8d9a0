import type { PresenceSettings, Sensitivity, TrackState } from '../../server/src/proximity/presence/types.ts';
import { follow } from '../../server/src/proximity/track.ts';
import { calibrateWithout } from './calibration.ts';
import { bootstrap } from './intervals.ts';
import type { Point, Recordings, Sample, Stream } from './recordings.ts';
import { percent } from './site-tables.ts';
import { distanceBetween, RADIUS } from './truth.ts';

/** Who stands still: is the state the right one, and does it stay? By one beacon alone, and by all that hear at the same time. */

/** One beacon that hears somebody standing. */
interface Stood {
  readonly isWithin: boolean;
  /** Share of the time with a visit open. */
  readonly inside: number;
  readonly changes: number;
  readonly hours: number;
  /** By how many beacons the visitor was heard. */
  readonly heardBy: number;
}

type StillStream = Stream & { readonly position: Point };

export const STANDING_HEADINGS = ['engine', 'calibrated', 'right state', 'right of those within 3 m', 'changes/h'];

export function standingRows(recordings: Recordings): string[][] {
  const streams = [...recordings.stills, ...recordings.moreStills].filter(
    (stream): stream is StillStream => stream.position !== undefined,
  );
  if (streams.length === 0) return [];
  const visitors = together(streams);
  const powers = calibrateWithout(recordings, null);
  const played = (groups: readonly (readonly StillStream[])[], isCalibrated: boolean, common: PresenceSettings) =>
    groups.flatMap((group) =>
      stand(group, recordings, (id) => ({
        ...common,
        ...(isCalibrated ? { measuredPower: powers.get(id) ?? -59 } : {}),
      })),
    );
  const alone = (['stable', 'fast'] satisfies Sensitivity[]).flatMap((sensitivity) =>
    [true, false].map((isCalibrated) =>
      row(
        `${sensitivity}, each beacon by itself`,
        isCalibrated,
        played(
          streams.map((stream) => [stream]),
          isCalibrated,
          { sensitivity },
        ),
      ),
    ),
  );
  const zones = [true, false].flatMap((isCalibrated) => {
    const stood = played(visitors, isCalibrated, { oneZone: true });
    return [
      row('one zone, locations', isCalibrated, stood),
      row(
        'the same, heard by three or more',
        isCalibrated,
        stood.filter(({ heardBy }) => heardBy > 2),
      ),
    ];
  });
  return [
    ...alone,
    ...zones,
    ['the best threshold on half an hour’s mean, in hindsight', '', hindsight(streams, recordings), '', '0'],
  ];
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

function row(name: string, isCalibrated: boolean, stood: readonly Stood[]): string[] {
  const right = ({ isWithin, inside }: Stood) => (isWithin ? inside : 1 - inside);
  const mean = (items: readonly Stood[]) => items.reduce((sum, one) => sum + right(one), 0) / items.length;
  const single = (items: readonly Stood[]) => items.map((one) => [one]);
  const hours = stood.reduce((sum, one) => sum + one.hours, 0);
  return [
    name,
    isCalibrated ? 'yes' : 'no',
    percent(bootstrap(single(stood), mean)),
    percent(bootstrap(single(stood.filter(({ isWithin }) => isWithin)), mean)),
    (stood.reduce((sum, one) => sum + one.changes, 0) / hours).toFixed(2),
  ];
}

function isWithin({ beacon, position }: StillStream, { beacons }: Recordings): boolean {
  const place = beacons.get(beacon);
  return place !== undefined && distanceBetween(place, position) < RADIUS;
}

/** What no rule for one beacon can beat: the threshold is chosen on the very recordings on which it is scored. */
function hindsight(streams: readonly StillStream[], recordings: Recordings): string {
  const means = streams.map((stream) => ({
    mean: stream.samples.reduce((sum, { rssi }) => sum + rssi, 0) / stream.samples.length,
    within: isWithin(stream, recordings),
  }));
  const rightAt = (threshold: number) => means.filter(({ mean, within }) => mean >= threshold === within).length;
  const most = means.reduce((best, { mean }) => Math.max(best, rightAt(mean)), 0);
  return `${Math.round((100 * most) / means.length)} %`;
}

function stand(
  group: readonly StillStream[],
  recordings: Recordings,
  settingsFor: (beaconId: string) => PresenceSettings,
): Stood[] {
  const samples = group.flatMap((stream) => stream.samples).sort((a, b) => a.at - b.at);
  const start = samples[0]?.at ?? 0;
  const length = (samples.at(-1)?.at ?? 0) - start;
  const { inside, changes } = visitsIn(samples, (id) => {
    const location = recordings.beacons.get(id);
    return { ...settingsFor(id), ...(location === undefined ? {} : { location }) };
  });
  return group.map((stream) => ({
    isWithin: isWithin(stream, recordings),
    inside: (inside.get(stream.beacon) ?? 0) / length,
    changes: changes.get(stream.beacon) ?? 0,
    hours: length / 3_600_000,
    heardBy: group.length,
  }));
}

/** Milliseconds with a visit open, and how often one began or ended, by beacon. */
function visitsIn(samples: readonly Sample[], settingsOf: (beaconId: string) => PresenceSettings) {
  const [inside, changes, open] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let state: TrackState | null = null;
  const close = (beacon: string, at: number) => {
    inside.set(beacon, (inside.get(beacon) ?? 0) + at - (open.get(beacon) ?? at));
    open.delete(beacon);
  };
  for (const { at, beacon, rssi } of samples) {
    const occurredAt = Math.max(at, (state?.at ?? 0) + 1);
    const outcome: ReturnType<typeof follow> = follow({
      installationId: 'visitor',
      state,
      samples: [{ beaconId: beacon, occurredAt, rssi }],
      settingsOf,
    });
    state = outcome.state;
    for (const { event, beaconId } of outcome.events) {
      if (event !== 'ENTER' && event !== 'EXIT') continue;
      changes.set(beaconId, (changes.get(beaconId) ?? 0) + 1);
      if (event === 'ENTER') open.set(beaconId, at);
      else close(beaconId, at);
    }
  }
  for (const beacon of [...open.keys()]) close(beacon, samples.at(-1)?.at ?? 0);
  return { inside, changes };
}
