import type { Sensitivity, TrackState } from '../../server/src/proximity/presence/types.ts';
import { follow } from '../../server/src/proximity/track.ts';
import { calibrateWithout } from './calibration.ts';
import { bootstrap } from './intervals.ts';
import type { Recordings, Stream } from './recordings.ts';
import { percent } from './site-tables.ts';
import { distanceBetween, RADIUS } from './truth.ts';

/** Who stands still: is the state the right one, and does it stay? One beacon hears, so no competition and no position helps. */

interface Stood {
  readonly isWithin: boolean;
  /** Share of the time with a visit open. */
  readonly inside: number;
  readonly changes: number;
  readonly hours: number;
}

export const STANDING_HEADINGS = ['engine', 'calibrated', 'right state', 'right of those within 3 m', 'changes/h'];

export function standingRows(recordings: Recordings): string[][] {
  const streams = [...recordings.stills, ...recordings.moreStills].filter(({ position }) => position !== undefined);
  if (streams.length === 0) return [];
  const powers = calibrateWithout(recordings, null);
  return (['stable', 'fast'] as const).flatMap((sensitivity) =>
    [true, false].map((isCalibrated) => {
      const stood = streams.map((stream) =>
        stand(stream, recordings, { sensitivity, power: isCalibrated ? (powers.get(stream.beacon) ?? -59) : -59 }),
      );
      const right = ({ isWithin, inside }: Stood) => (isWithin ? inside : 1 - inside);
      const mean = (items: readonly Stood[]) => items.reduce((sum, one) => sum + right(one), 0) / items.length;
      const single = (items: readonly Stood[]) => items.map((one) => [one]);
      const hours = stood.reduce((sum, one) => sum + one.hours, 0);
      return [
        sensitivity,
        isCalibrated ? 'yes' : 'no',
        percent(bootstrap(single(stood), mean)),
        percent(bootstrap(single(stood.filter(({ isWithin }) => isWithin)), mean)),
        (stood.reduce((sum, one) => sum + one.changes, 0) / hours).toFixed(2),
      ];
    }),
  );
}

function stand(
  { samples, position, beacon }: Stream,
  { beacons }: Recordings,
  { sensitivity, power }: { readonly sensitivity: Sensitivity; readonly power: number },
): Stood {
  const place = beacons.get(beacon);
  let state: TrackState | null = null;
  let [isInside, inside, changes, last] = [false, 0, 0, samples[0]?.at ?? 0];
  for (const { at, rssi } of samples) {
    if (isInside) inside += at - last;
    last = at;
    const outcome = follow({
      installationId: 'visitor',
      state,
      samples: [{ beaconId: 'beacon', occurredAt: Math.max(at, (state?.at ?? 0) + 1), rssi }],
      settingsOf: () => ({ sensitivity, measuredPower: power }),
    });
    state = outcome.state;
    for (const { event } of outcome.events) {
      if (event !== 'ENTER' && event !== 'EXIT') continue;
      isInside = event === 'ENTER';
      changes++;
    }
  }
  const length = last - (samples[0]?.at ?? 0);
  const isWithin = place !== undefined && position !== undefined && distanceBetween(place, position) < RADIUS;
  return { isWithin, inside: inside / length, changes, hours: length / 3_600_000 };
}
