import { type EventKind, follow, type Sensitivity, type TrackState } from '@pharos/engine';

/** An engine in the comparison: one sample in, the confirmed events out. */
export interface Engine {
  readonly name: string;
  /** A new engine for one beacon and one visitor; `power` is the beacon's measured power in dBm. */
  start(power: number): (at: number, rssi: number) => readonly EventKind[];
}

const NOTHING: readonly EventKind[] = [];

/** What a naive app does: compares every sample with 3 m. */
const raw: Engine = {
  name: 'raw threshold',
  start(power) {
    let inside = false;
    return (_at, rssi) => {
      const near = 10 ** ((power - rssi) / 20) < 3;
      if (near === inside) return NOTHING;
      inside = near;
      return near ? ['ENTER', 'NEAR'] : ['FAR', 'EXIT'];
    };
  },
};

/** A moving average of 3 s with ±20 % hysteresis and no holds: the design's `fast` to the letter. */
const ema: Engine = {
  name: 'EMA 3 s ±20 %',
  start(power) {
    let inside = false;
    let mean: number | null = null;
    let last = 0;
    return (at, rssi) => {
      mean = mean === null || at - last > 30_000 ? rssi : mean + (1 - Math.exp((last - at) / 3000)) * (rssi - mean);
      last = at;
      const distance = 10 ** ((power - mean) / 20);
      if (inside ? distance < 3.6 : distance > 2.4) return NOTHING;
      inside = !inside;
      return inside ? ['ENTER', 'NEAR'] : ['FAR', 'EXIT'];
    };
  },
};

/** The product's engine through its one entry, one report a call, as a live phone sends. */
export function pharos(sensitivity: Sensitivity): Engine {
  return {
    name: sensitivity,
    start(measuredPower) {
      let state: TrackState | null = null;
      return (at, rssi) => {
        // The recordings contain a few samples of one instant, which the service would replay as one.
        const occurredAt = Math.max(at, (state?.at ?? 0) + 1);
        const outcome = follow({
          installationId: 'visitor',
          state,
          settingsOf: () => ({ sensitivity, measuredPower }),
          samples: [{ beaconId: 'beacon', occurredAt, rssi }],
        });
        state = outcome.state;
        return outcome.events.length === 0 ? NOTHING : outcome.events.map(({ event }) => event);
      };
    },
  };
}

export const ENGINES: readonly Engine[] = [raw, ema, pharos('stable'), pharos('fast')];
