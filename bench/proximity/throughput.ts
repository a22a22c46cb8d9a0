import {
  type BeaconLocation,
  follow,
  judgeEvents,
  newTrack,
  type PresenceSettings,
  type Rules,
  type Sample,
  type TrackState,
  type Wait,
} from '@pharos/engine';
import { retimeSteps } from '@pharos/engine/decide';
import { newFilter, updateFilter } from '../../packages/engine/src/presence/filter.ts';

export interface Rate {
  readonly name: string;
  readonly perSecond: number;
}

const VISITORS = 1_000;
const rules: Rules = {
  hasTarget: true,
  polite: true,
  triggers: (['ENTER', 'EXIT', 'NEAR'] as const).map((event, index) => ({
    id: `trigger${index}`,
    kind: 'notification',
    enabled: true,
    event,
    beaconIds: ['beacon'],
  })),
};

/** Samples a second: the bare filter, the whole engine with one report a call, and with ten. */
export function measureThroughput(): Rate[] {
  return [
    filterRate(),
    engineRate(1),
    engineRate(10),
    togetherRate(12, 1),
    togetherRate(12, 10),
    togetherRate(30, 10),
    lookingBackRate(12),
    lookingBackRate(30),
  ];
}

/** The same visitors, whose visits are over: a visit of a minute, looked back on with the samples of two more. */
function lookingBackRate(beacons: number): Rate {
  const spots = spotsOf(beacons);
  const settings = spots.map((location): PresenceSettings => ({ oneZone: true, location }));
  const site = { settingsOf: (beaconId: string) => settings[Number(beaconId)] as PresenceSettings };
  const routes = Array.from({ length: 20 }, (_, visitor) => routeOf(visitor, 360 * beacons, spots));
  const [enteredAt, leftAt] = [60_000, 120_000].map((ms) => (routes[0]?.[0]?.occurredAt ?? 0) + ms) as [number, number];
  const visits = [{ id: 'visit', beaconId: '0', enteredAt, leftAt }];
  const seconds = timed(() => {
    for (const samples of routes) {
      const steps = retimeSteps({ installationId: '', checkpoint: newTrack(), samples, site, visits });
      while (!steps.next().done);
    }
  });
  return { name: `${beacons} looked back on`, perSecond: (routes.length * 360 * beacons) / seconds };
}

const spotsOf = (beacons: number): BeaconLocation[] =>
  Array.from({ length: beacons }, (_, index) => ({
    x: 6 * (index % Math.ceil(Math.sqrt(beacons))),
    y: 6 * Math.floor(index / Math.ceil(Math.sqrt(beacons))),
    z: 2.3,
  }));

/** A hundred visitors who walk among beacons with locations, each heard twice a second: position and one zone at a time. */
function togetherRate(beacons: number, batch: number): Rate {
  const visitors = 100;
  const samples = 2_400;
  const spots = spotsOf(beacons);
  const routes = Array.from({ length: visitors }, (_, visitor) => routeOf(visitor, samples, spots));
  const settings = spots.map((location): PresenceSettings => ({ oneZone: true, location }));
  const settingsOf = (beaconId: string) => settings[Number(beaconId)] as PresenceSettings;
  const seconds = timed(() => {
    routes.forEach((route, visitor) => {
      let state: TrackState | null = null;
      for (let start = 0; start < samples; start += batch) {
        const part = route.slice(start, start + batch);
        state = follow({ installationId: `visitor${visitor}`, state, samples: part, settingsOf }).state;
      }
    });
  });
  return {
    name: `${beacons} together, ${batch} ${batch === 1 ? 'sample' : 'samples'} a call`,
    perSecond: (visitors * samples) / seconds,
  };
}

function routeOf(visitor: number, samples: number, spots: readonly BeaconLocation[]): Sample[] {
  return Array.from({ length: samples }, (_, index) => {
    const beacon = index % spots.length;
    const spot = spots[beacon] as BeaconLocation;
    const second = index / (2 * spots.length);
    const metres = Math.hypot(spot.x - (second / 6 + (visitor % 4)), spot.y - ((second + visitor) % 12), 1);
    const rssi = Math.round(-59 - 20 * Math.log10(metres) - ((index * 31 + visitor) % 7));
    return { beaconId: String(beacon), occurredAt: 1_700_000_000_000 + Math.round(1000 * second), rssi };
  });
}

function filterRate(): Rate {
  const filter = newFilter('', 0, 0);
  const samples = 2_000_000;
  const seconds = timed(() => {
    for (let index = 1; index <= samples; index++) updateFilter(filter, (index * 7919) % 20, index * 450, 'stable');
  });
  return { name: 'filter steps', perSecond: samples / seconds };
}

/** A thousand visitors who come and go in turn, each with its own state, three triggers and the polite preset. */
function engineRate(batch: number): Rate {
  const states = new Map<number, Visitor>();
  const rounds = 300;
  const seconds = timed(() => {
    for (let round = 0; round < rounds; round += batch) {
      for (let visitor = 0; visitor < VISITORS; visitor++) step(states, { visitor, round, batch });
    }
  });
  return {
    name: `engine, ${batch} ${batch === 1 ? 'sample' : 'samples'} a call`,
    perSecond: (VISITORS * rounds) / seconds,
  };
}

interface Visitor {
  readonly state: TrackState;
  readonly waits: readonly Wait[];
}

function step(states: Map<number, Visitor>, work: { visitor: number; round: number; batch: number }): void {
  const { visitor, round, batch } = work;
  const samples: Sample[] = [];
  for (let index = round; index < round + batch; index++) {
    const far = (index + visitor) % 100 < 50 ? 0 : 25;
    const rssi = -58 - far - ((index * 31 + visitor) % 7);
    samples.push({ beaconId: 'beacon', occurredAt: 1_700_000_000_000 + index * 1000, rssi });
  }
  const now = 1_700_000_000_000 + (round + batch) * 1000;
  const before = states.get(visitor);
  const { state, events } = follow({
    installationId: `visitor${visitor}`,
    state: before?.state ?? null,
    samples,
    settingsOf: () => ({}),
  });
  const { waits } = judgeEvents({
    events,
    waits: before?.waits ?? [],
    state,
    exitOf: (id) => events.find(({ event, visitId }) => event === 'EXIT' && visitId === id),
    isProvisional: () => false,
    knownUntil: now,
    now,
    rulesOf: () => rules,
    fired: [],
    earlierVisits: () => 0,
  });
  states.set(visitor, { state, waits });
}

function timed(work: () => void): number {
  // Processor time, because another process on the machine is no part of the engine.
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
}
