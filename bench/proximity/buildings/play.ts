import { errorRadius } from '../../../server/src/proximity/position/fix.ts';
import { nearestOf } from '../../../server/src/proximity/position/nearest.ts';
import type { PresenceSettings, Sample, TrackState } from '../../../server/src/proximity/presence/types.ts';
import { follow } from '../../../server/src/proximity/track.ts';
import type { Point } from '../recordings.ts';
import { type FoundVisit, nearestTo, note } from '../site-score.ts';
import type { Building, Trace } from './building.ts';

/** Plays what one visitor heard to the product's engine. */

/** What the owner of a building has told of it. */
export interface Told {
  readonly isLocated: boolean;
  /** Calibrated one by one; as all packets state it, wrongly; or nothing. */
  readonly power: 'calibrated' | 'stated' | 'none';
  /** Only the beacon that is nearest on the whole is there. */
  readonly isAlone?: true;
}

export interface Played {
  readonly found: ReadonlyMap<string, readonly FoundVisit[]>;
  readonly changes: number;
  readonly beacons: ReadonlyMap<string, Point>;
  readonly seconds: readonly Second[];
}

export interface Second {
  readonly isNearestRight: boolean;
  /** Metres; null without a position. */
  readonly error: number | null;
  readonly isCovered: boolean;
}

export function play(building: Building, trace: Trace, told: Told): Played {
  const beacons = heardBeacons(building, trace, told);
  const settings = settingsFor(building, beacons, told);
  const end = trace.truth.at(-1)?.at ?? 0;
  const found = new Map<string, FoundVisit[]>();
  const inside = new Set<string>();
  const seconds: Second[] = [];
  const stated = told.power === 'stated' ? { txPower: building.stated } : {};
  let state: TrackState | null = null;
  let changes = 0;
  for (const { at: second, position, samples } of bySecond(trace, beacons)) {
    const outcome: ReturnType<typeof follow> = follow({
      installationId: 'visitor',
      state,
      samples: samples.map((sample) => ({ ...sample, ...stated })),
      settingsOf: (id) => settings.get(id) ?? {},
    });
    state = outcome.state;
    for (const { event, beaconId: beacon, at } of outcome.events) {
      if (event !== 'ENTER' && event !== 'EXIT') continue;
      changes++;
      note(found, inside, { beacon, event }, at, end);
    }
    seconds.push(judge(state, { at: second, position, beacons }));
  }
  return { found, changes, beacons, seconds };
}

function judge(
  state: TrackState,
  { at, position, beacons }: { at: number; position: Point; beacons: ReadonlyMap<string, Point> },
): Second {
  const { fix } = state;
  const error = fix === null ? null : Math.hypot(fix.x - position.x, fix.y - position.y);
  return {
    isNearestRight: nearestOf(state, at)?.beaconId === nearestTo(position, beacons),
    error,
    isCovered: fix !== null && error !== null && error <= errorRadius(fix),
  };
}

function heardBeacons({ plan }: Building, trace: Trace, { isAlone }: Told): Map<string, Point> {
  const all = new Map<string, Point>(plan.beacons.map(({ id, x, y, z }) => [id, { x, y, z }]));
  const nearest = isAlone ? nearestTo(trace.truth[0]?.position ?? { x: 0, y: 0, z: 0 }, all) : null;
  const place = nearest === null ? undefined : all.get(nearest);
  return nearest === null || place === undefined ? all : new Map([[nearest, place]]);
}

function settingsFor(building: Building, beacons: ReadonlyMap<string, Point>, { isLocated, power }: Told) {
  return new Map<string, PresenceSettings>(
    [...beacons].map(([id, location]) => {
      const measuredPower = power === 'calibrated' ? building.calibrated.get(id) : undefined;
      return [
        id,
        {
          oneZone: true as const,
          ...(isLocated ? { location } : {}),
          ...(measuredPower === undefined ? {} : { measuredPower }),
        },
      ];
    }),
  );
}

/** What was heard in each second, with an instant for each sample; how samples are cut makes no difference to the engine. */
function* bySecond(trace: Trace, beacons: ReadonlyMap<string, Point>) {
  const { truth } = trace;
  let next = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 2; index < truth.length; index += 2) {
    const { at, position } = truth[index] as Trace['truth'][number];
    const samples: Sample[] = [];
    for (; next < trace.samples.length; next++) {
      const sample = trace.samples[next] as Trace['samples'][number];
      if (sample.at > at) break;
      if (!beacons.has(sample.beacon)) continue;
      last = Math.max(sample.at, last + 1);
      samples.push({ beaconId: sample.beacon, occurredAt: last, rssi: sample.rssi });
    }
    yield { at, position, samples };
  }
}
