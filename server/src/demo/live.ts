import { setTimeout as delay } from 'node:timers/promises';
import { type FloorPlan, type PlannedBeacon, Routes, Visitor, type Waypoint } from '@pharos/engine/simulation';
import type { FastifyInstance } from 'fastify';
import { hallOf, halls } from './halls.ts';

/** A few virtual visitors who walk through the demo while the service runs. */

export interface Walking {
  readonly server: FastifyInstance;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const visitors = 5;
const tickMs = 1_000;
const runName = 'demo';
const power = -59;

/** Named like those of `pharos simulate`, so that its --remove finds them. */
const installationOf = (number: number) => `simulated:${runName}:${number}`;

/** One open space with something to look at in front of each beacon; the entrance is the first beacon. */
function planOf(beacons: ReadonlyMap<string, string>): FloorPlan {
  const stops = halls.flatMap(({ name, x, y, floor, stay }) => {
    const objectId = beacons.get(name);
    if (objectId === undefined) return [];
    const beacon: PlannedBeacon = { x, y, floor, address: { beacon: objectId }, measuredPower: power, interval: 300 };
    // A short look, so that something happens every few seconds.
    const most = Math.min(90, Math.max(20, stay / 3));
    const waypoint: Waypoint = { name, x: x + 0.8, y, floor, stay: [12, most], faces: beacon };
    return [{ beacon, waypoint }];
  });
  const { x, y, floor } = hallOf('entrance');
  const entrance: Waypoint = { name: 'entrance', x: x + 0.9, y, floor, stay: [4, 10] };
  return {
    beacons: stops.map(({ beacon }) => beacon),
    walls: [],
    waypoints: [entrance, ...stops.map(({ waypoint }) => waypoint)],
    paths: undefined,
    pathLossExponent: 2,
  };
}

/** Resolves when it was stopped, after the last report was answered. */
export async function walkLive(walking: Walking): Promise<void> {
  const { now, signal } = walking;
  const beacons = new Map((await list(walking)).map(({ name, objectId }) => [name, objectId]));
  const plan = planOf(beacons);
  if (plan.beacons.length === 0) return;
  const routes = new Routes(plan);
  const start = now();
  const phones = Array.from({ length: visitors }, (_, index) => new Visitor(plan, routes, `demo/${start}`, index + 1));
  for (const index of phones.keys()) await register(walking, index + 1);
  while (!signal.aborted) {
    const elapsed = now() - start;
    for (const [index, phone] of phones.entries()) {
      const sightings = phone
        .live(elapsed)
        .flatMap(({ at, heard }) =>
          heard.map(({ beacon, rssi }) => ({ ...beacon.address, rssi, txPower: power, occurredAt: start + at })),
        );
      if (sightings.length > 0) await report(walking, index + 1, sightings);
    }
    await delay(tickMs, undefined, { signal }).catch(() => undefined);
  }
}

async function send({ server, headers }: Walking, path: string, body: object): Promise<number> {
  const request = {
    method: 'POST',
    url: `/api/v2${path}`,
    headers: { ...headers, 'content-type': 'application/json' },
  } as const;
  return (await server.inject({ ...request, payload: JSON.stringify(body) })).statusCode;
}

async function list({ server, headers }: Walking): Promise<readonly { name: string; objectId: string }[]> {
  const answer = await server.inject({ method: 'GET', url: '/api/v2/beacons', headers });
  return answer.statusCode === 200 ? JSON.parse(answer.payload).results : [];
}

function register(walking: Walking, number: number): Promise<number> {
  const metadata = { simulated: runName };
  return send(walking, '/installations', {
    installationId: installationOf(number),
    deviceType: number % 2 === 0 ? 'ios' : 'android',
    appName: 'Virtual visitor',
    metadata,
  });
}

/** The most sightings of one request. */
const maxAtOnce = 1_000;

async function report(walking: Walking, number: number, sightings: readonly object[]): Promise<void> {
  try {
    // After a pause of the machine only the newest ones count.
    const status = await send(walking, '/sightings', {
      installationId: installationOf(number),
      sightings: sightings.slice(-maxAtOnce),
      sentAt: walking.now(),
    });
    // Somebody has removed the installation.
    if (status === 404) await register(walking, number);
  } catch (error) {
    if (!walking.signal.aborted) walking.onError(error);
  }
}
