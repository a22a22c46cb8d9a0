import {
  type BeaconLocation,
  errorRadius,
  follow,
  lookBack,
  nearestOf,
  type PastPosition,
  type PositionStep,
  type PresenceSettings,
  type Sensitivity,
  type SignalMap,
  type TrackState,
} from '@pharos/engine';
import { THRESHOLDS, type Thresholds } from '../../packages/engine/src/presence/thresholds.ts';
import type { Point } from './recordings.ts';

/** An engine under comparison over all beacons of a site. */
export interface SiteEngine {
  readonly name: string;
  start(site: Site): SiteRun;
}

/** What an owner has told of a site. */
export interface Site {
  readonly beacons: ReadonlyMap<string, Point>;
  /** Measured power by beacon, dBm; empty: nobody has calibrated. */
  readonly powers: ReadonlyMap<string, number>;
  /** What surveys say of it. */
  readonly map?: SignalMap | undefined;
}

export interface SiteRun {
  /** One sample; answers what it confirms. */
  hear(at: number, beacon: string, rssi: number): readonly Transition[];
  /** The beacon that is taken for the nearest now. */
  nearest(at: number): string | null;
  /** Metres, with the radius that should hold the truth in 68 of 100 cases. */
  position?(): { readonly x: number; readonly y: number; readonly error: number } | null;
  /** The positions of all steps so far, looking back. */
  lookBack?(): PastPosition[];
}

export interface Transition {
  readonly beacon: string;
  readonly event: 'ENTER' | 'EXIT';
}

export interface PharosOptions {
  readonly name: string;
  readonly sensitivity?: Sensitivity;
  readonly oneZone: boolean;
  /** Whether the engine is told where the beacons hang. */
  readonly isLocated: boolean;
  /** Without them, the product's. */
  readonly thresholds?: Thresholds;
}

/** The product's engine through its one entry, one report a call, as a live phone sends. */
export function pharosSite({
  name,
  sensitivity = 'stable',
  oneZone,
  isLocated,
  thresholds = THRESHOLDS,
}: PharosOptions): SiteEngine {
  return {
    name,
    start({ beacons, powers, map }) {
      const settings = new Map<string, PresenceSettings>(
        [...beacons].map(([id, location]) => [
          id,
          { sensitivity, ...powerOf(powers, id), ...(oneZone ? { oneZone: true as const } : {}), ...at(location) },
        ]),
      );
      function at(location: Point): { location?: BeaconLocation } {
        return isLocated ? { location } : {};
      }
      const settingsOf = (id: string) => settings.get(id) ?? {};
      const mapOf = (id: string) => map?.[id];
      const steps: PositionStep[] = [];
      let state: TrackState | null = null;
      return {
        hear(at, beaconId, rssi) {
          const occurredAt = Math.max(at, (state?.at ?? 0) + 1);
          const samples = [{ beaconId, occurredAt, rssi }];
          const outcome = follow({
            installationId: 'visitor',
            state,
            samples,
            settingsOf,
            thresholds,
            mapOf,
            noteStep: (step) => steps.push(step),
          });
          state = outcome.state;
          return outcome.events.flatMap(({ event, beaconId: beacon }) =>
            event === 'ENTER' || event === 'EXIT' ? [{ beacon, event }] : [],
          );
        },
        nearest: (at) => (state === null ? null : (nearestOf(state, at)?.beaconId ?? null)),
        lookBack: () => lookBack({ steps, settingsOf, mapOf }),
        position() {
          const fix = state?.fix ?? null;
          return fix === null ? null : { x: fix.x, y: fix.y, error: errorRadius(fix) };
        },
      };
    },
  };
}

function powerOf(powers: ReadonlyMap<string, number>, id: string): { measuredPower?: number } {
  const power = powers.get(id);
  return power === undefined ? {} : { measuredPower: power };
}
