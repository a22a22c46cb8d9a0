import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { FloorPlan, Waypoint } from '@pharos/engine/simulation';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type DatabaseKind, databases } from '../../../../test/support/build-app.ts';
import { testInFull } from '../../../../test/support/depth.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { type CommandClock, type Reply, ServiceClient, ServiceError } from '../../support/service-client.ts';
import { removeSimulated } from './installations.ts';
import { runSimulation, type SimulationRun } from './run.ts';

/** A client that knows which requests are in progress, so that a test's clock stands still during them. */
class CountingClient extends ServiceClient {
  underWay = 0;

  override async once(method: string, path: string, body?: object): Promise<Reply> {
    this.underWay++;
    try {
      return await super.once(method, path, body);
    } finally {
      this.underWay--;
    }
  }
}

export interface Bench {
  readonly site: Site;
  readonly client: CountingClient;
  readonly pace: CommandClock;
  readonly stop: AbortController;
}

/** A listening service whose time passes only while the simulation waits. */
async function openBench(database: DatabaseKind, site = openSite(database)): Promise<Bench> {
  const opened = await site;
  const { app } = opened;
  const url = app.app.server.server.listening
    ? `http://127.0.0.1:${(app.app.server.server.address() as { port: number }).port}`
    : await app.app.server.listen({ port: 0, host: '127.0.0.1' });
  const stop = new AbortController();
  const pace: CommandClock = {
    now: () => app.clock.now,
    stop: stop.signal,
    async wait(ms) {
      while (client.underWay > 0) await new Promise((resolve) => setImmediate(resolve));
      app.clock.now += ms;
      if (app.clock.now % 1000 < ms) await app.app.ticker.tick();
    },
  };
  const { appId, appKey } = app;
  const client: CountingClient = new CountingClient({ url, appId, appKey, token: opened.user.token, pace });
  return { site: opened, client, pace, stop };
}

const at = (name: string, x: number, y = 0): Waypoint => ({ name, x, y, floor: 0 });

function planOf(beacon: string, waypoints: readonly Waypoint[]): FloorPlan {
  return {
    beacons: [{ x: 0, y: 0, floor: 0, address: { beacon }, measuredPower: -59, interval: 200 }],
    walls: [],
    waypoints,
    paths: waypoints.slice(1).map(({ name }, index) => [waypoints[index]?.name ?? '', name]),
    pathLossExponent: 2,
  };
}

/** From 25 m before the beacon to 25 m after it, with a stroll of a few metres in front of it. */
const past = (beacon: string) =>
  planOf(beacon, [
    at('entrance', -25, 1),
    ...Array.from({ length: 10 }, (_, turn) => at(`turn ${turn}`, turn % 2 === 0 ? -1 : 1, 0.5)),
    { ...at('end', 25, 1), stay: [1_000, 1_000] },
  ]);

/** Visits the beacon again and again, with a stay of this many seconds. */
const visiting = (beacon: string, least: number, most: number) =>
  planOf(beacon, [
    at('entrance', -25),
    { ...at('hall', -1), stay: [least, most], faces: at('beacon', 0) },
    at('end', 25),
  ]);

const runOf = (plan: FloorPlan, change: Partial<SimulationRun> = {}): SimulationRun => ({
  name: 'test',
  plan,
  seed: '1',
  visitors: 1,
  rate: 1_000,
  durationMs: 120_000,
  ...change,
});

const traces = ['installations', 'presence', 'events', 'visits', 'logs', 'verdicts', 'firings', 'sighting_keys'];

for (const database of databases) {
  describe(`simulated visitors on ${database}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(database);
    });
    afterAll(() => bench.site.close());
    const simulate = (run: SimulationRun) =>
      runSimulation(run, { client: bench.client, pace: bench.pace, progress: () => undefined });

    test('walking past a beacon makes one visit, and removing it leaves nothing', async () => {
      const { site, client } = bench;
      await site.notification();
      const before = await Promise.all(traces.map((table) => site.rows(table)));
      const totals = await simulate(runOf(past(site.hall)));
      assert.equal(totals.errors, 0, totals.lastError);
      const installations = await site.list('installations', { where: '{"metadata.simulated":"test"}' });
      assert.equal(installations.length, 1);
      assert.match(installations[0].installationId, /^simulated:test:1$/);
      const visits = await site.list('visits');
      assert.equal(visits.length, 1);
      assert.equal(visits[0].isOpen, false);
      assert.ok(visits[0].dwell > 2 && visits[0].dwell < 30, `${visits[0].dwell} s`);
      const events = await site.list('events', { where: '{"event":{"$in":["ENTER","EXIT"]}}', order: 'objectId' });
      assert.deepEqual(
        events.map(({ event }: { event: string }) => event),
        ['ENTER', 'EXIT'],
      );
      assert.equal(totals.messages, 1, 'the notification was shown once');

      assert.equal(await removeSimulated(client, 'another'), 0);
      assert.equal(await removeSimulated(client, 'test'), 1);
      await site.app.app.idle();
      assert.deepEqual(await Promise.all(traces.map((table) => site.rows(table))), before);
    });

    // What follows is about the visitors and their clock; the database has no part in it.
    if (database !== 'sqlite') return;

    test('the same seed gives the same events, another seed others', async () => {
      const { site, client } = bench;
      const histories: unknown[] = [];
      for (const seed of ['7', '7', '8']) {
        const start = site.now;
        await simulate(runOf(visiting(site.hall, 5, 60), { seed, visitors: 3, durationMs: 90_000 }));
        const events = await site.list('events', { order: 'objectId', limit: '1000' });
        const lines = events.map((one: Record<string, string | number>) => {
          const seconds = (Date.parse(String(one['occurredAt'])) - start) / 1000;
          return `${seconds} ${one['event']} ${one['distance']}`;
        });
        histories.push(lines.sort());
        await removeSimulated(client, undefined);
        await site.app.app.idle();
      }
      assert.ok((histories[0] as unknown[]).length > 3);
      assert.deepEqual(histories[1], histories[0]);
      assert.notDeepEqual(histories[2], histories[0]);
    });

    testInFull('the rate holds for all visitors together, and every visitor gets a share', async () => {
      const { site, client } = bench;
      const plan = visiting(site.hall, 300, 300);
      const totals = await simulate(runOf(plan, { visitors: 20, rate: 5, durationMs: 90_000 }));
      assert.ok(totals.sightings <= 5 * 91 && totals.sightings > 5 * 50, `${totals.sightings} in 90 seconds`);
      assert.ok(totals.skipped > 0);
      const heard = new Set((await site.rows('tracks')).map((row) => row['installation_id']));
      assert.equal(heard.size, 20);
      await removeSimulated(client, undefined);
      await site.app.app.idle();
    });

    test('the call limit is honoured and costs no sighting', async () => {
      const { site, client } = bench;
      const limit = (rateLimit: object) => site.app.app.apps.change(site.app.appId, { policy: { rateLimit } });
      await limit({ enabled: true, perSecond: 0.3, burst: 3 });
      const totals = await simulate(runOf(past(site.hall), { name: 'slow' }));
      await limit({ enabled: true, perSecond: 100, burst: 1000 });
      assert.ok(client.retries > 0, 'it was told to wait');
      assert.equal(totals.errors, 0, totals.lastError);
      assert.equal((await site.list('visits')).length, 1);
      await removeSimulated(client, 'slow');
      await site.app.app.idle();
    });

    test('it ends when it is stopped, with everything answered', async () => {
      const { site, client, pace } = bench;
      const stop = new AbortController();
      const until = pace.now() + 40_000;
      const stopping: CommandClock = {
        ...pace,
        stop: stop.signal,
        wait: (ms) => {
          if (pace.now() >= until) stop.abort();
          return pace.wait(ms);
        },
      };
      const run = runOf(visiting(site.hall, 60, 60), { durationMs: undefined });
      const totals = await runSimulation(run, { client, pace: stopping, progress: () => undefined });
      assert.ok(totals.sightings > 0);
      assert.equal(client.underWay, 0);
    });

    test('wrong credentials are explained in words', async () => {
      const { client } = bench;
      const wrong = (change: object) => new ServiceClient({ ...optionsOf(bench), ...change });
      await assert.rejects(
        runSimulation(runOf(past('x')), {
          ...bench,
          client: wrong({ appKey: 'no' }),
          progress: () => undefined,
        }),
        (error: Error) => error instanceof ServiceError && /pharos app list/.test(error.message),
      );
      await assert.rejects(removeSimulated(wrong({ token: undefined }), undefined), /pass --token or set TOKEN/);
      await assert.rejects(wrong({ url: 'http://127.0.0.1:1' }).once('GET', '/beacons'), /Start it with npm start/);
      assert.equal(client.underWay, 0);
    });
  });
}

function optionsOf({ site, pace }: Bench) {
  const { app } = site;
  const { port } = app.app.server.server.address() as { port: number };
  const { appId, appKey } = app;
  return { url: `http://127.0.0.1:${port}`, appId, appKey, token: site.user.token, pace };
}

test('without a service it ends at once and says how to start one', async () => {
  let waits = 0;
  const pace: CommandClock = {
    now: Date.now,
    wait: async () => void assert.ok(++waits < 20, 'it waits for a service that was never there'),
    stop: new AbortController().signal,
  };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  const client = new ServiceClient({ url, appId: 'a', appKey: 'k', token: undefined, pace });
  await assert.rejects(
    runSimulation(runOf(past('hall')), { client, pace, progress: () => undefined }),
    new ServiceError(`No service answers at ${url}. Start it with npm start, or name its address with --url.`),
  );
});
