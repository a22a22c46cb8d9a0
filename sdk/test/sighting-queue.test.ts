import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildApp, signIn, type TestApp } from '../../server/test/build-app.ts';
import { create } from '../../server/test/cases.ts';
import { PharosClient, PharosError, type Sighting, type SightingQueueOptions } from '../src/index.ts';

describe('the queue of sightings, against the service', () => {
  let app: TestApp;
  let baseUrl: string;
  let headers: Readonly<Record<string, string>>;
  let beacon: string;
  /** What the network does with each request: let it through, lose it, or lose only the answer. */
  let network: ('up' | 'down' | 'answer lost')[] = [];
  let batches: number[] = [];
  let client: PharosClient;

  before(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    headers = (await signIn(app)).headers;
    beacon = await create(app, '/api/v2/beacons', { name: 'Hall', uuid: 'u', major: 1, minor: 1 }, headers);
    client = new PharosClient({
      baseUrl,
      appId: app.appId,
      appKey: app.appKey,
      retry: false,
      fetch: async (url, request) => {
        const state = network.shift() ?? 'up';
        if (state === 'down') throw new TypeError('no network');
        batches.push((JSON.parse(String(request?.body)) as { sightings: unknown[] }).sightings.length);
        const answer = await fetch(url, request);
        if (state === 'answer lost') throw new TypeError('lost');
        return answer;
      },
    });
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'ios' });
  });
  after(() => app.close());
  beforeEach(() => {
    [network, batches] = [[], []];
  });

  function open(options: Partial<SightingQueueOptions> = {}) {
    const dropped: (readonly [number, string])[] = [];
    const queue = client.sightings.queue({
      installationId: 'phone',
      now: () => app.clock.now,
      onDropped: (sightings, reason) => dropped.push([sightings.length, reason]),
      ...options,
    });
    return { queue, dropped };
  }
  const events = async () =>
    (await app.send({ method: 'GET', url: '/api/v2/events?limit=0&count=1', headers })).body.count as number;
  const sample = { uuid: 'u', major: 1, minor: 1, rssi: -60 };

  test('what could not be sent stays, and counts once although it is sent twice', async () => {
    const known = await events();
    const { queue } = open();
    await queue.add({ beacon, event: 'ENTER' });
    network = ['down', 'answer lost'];
    await assert.rejects(queue.flush(), (error) => error instanceof PharosError && error.name === 'Unreachable');
    await assert.rejects(queue.flush());
    assert.deepEqual([queue.size, (await events()) - known], [1, 1]);
    await queue.flush();
    assert.deepEqual([queue.size, (await events()) - known], [0, 1]);
  });

  test('sends at most a thousand at once, in their order', async () => {
    const { queue } = open();
    await queue.add(...Array.from({ length: 2_500 }, () => sample));
    await Promise.all([queue.flush(), queue.flush()]);
    assert.deepEqual([batches, queue.size], [[1_000, 1_000, 500], 0]);
  });

  test('survives the end of the app', async () => {
    let kept: string | null = null;
    const storage = {
      load: () => kept,
      save: async (text: string) => {
        kept = text;
      },
    };
    await open({ storage }).queue.add(sample, sample);
    const { queue } = open({ storage });
    await queue.add(sample);
    assert.equal(queue.size, 3);
    await queue.flush();
    assert.deepEqual([batches, kept], [[3], '[]']);
  });

  test('begins anew when the storage holds something else', async () => {
    const { queue } = open({ storage: { load: () => '{not json', save: () => undefined } });
    await queue.add(sample);
    assert.equal(queue.size, 1);
  });

  test('lets the oldest go when it is full, and says so', async () => {
    let kept: readonly Sighting[] = [];
    const storage = {
      load: () => null,
      save: (text: string) => {
        kept = JSON.parse(text);
      },
    };
    const { queue, dropped } = open({ capacity: 3, storage });
    for (const rssi of [-50, -51, -52, -53, -54]) await queue.add({ ...sample, rssi });
    assert.deepEqual(dropped, [
      [1, 'full'],
      [1, 'full'],
    ]);
    assert.deepEqual(
      kept.map((one) => one['rssi']),
      [-52, -53, -54],
    );
  });

  test('one that is too large for the service does not hold up the others', async () => {
    const { queue, dropped } = open();
    await queue.add(sample, sample, { ...sample, note: 'x'.repeat(1_100_000) }, sample);
    await queue.flush();
    assert.deepEqual([dropped, queue.size], [[[1, 'refused']], 0]);
  });

  test('the example prints the messages of a visit', async () => {
    const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacon };
    const message = { alertTitle: 'Hello', alertMessage: 'Welcome to the hall' };
    const body = { description: 'Welcome', beaconId, event: 'ENTER', type: 'TEXT', message, isEnabled: true };
    await create(app, '/api/v2/notifications', body, headers);
    const example = spawn(process.execPath, [fileURLToPath(new URL('../../examples/visitor.ts', import.meta.url))], {
      env: {
        ...process.env,
        PHAROS_URL: baseUrl,
        PHAROS_APP_ID: app.appId,
        PHAROS_APP_KEY: app.appKey,
        PHAROS_EMAIL: 'vera@example.org',
        PHAROS_PASSWORD: 'correct horse',
        PHAROS_QUEUE_FILE: join(app.storage.folder, 'queue.json'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    example.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const [code] = await once(example, 'close');
    assert.equal(code, 0, printed);
    assert.match(printed, /near Hall[\s\S]*ENTER at [\s\S]*Welcome to the hall[\s\S]*EXIT at [\s\S]*0 sightings wait/);
  });
});
