import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { PharosClient, PharosError, type Sighting, SightingQueue, type SightingQueueOptions } from '../src/index.ts';

describe('the queue of sightings, against the service', () => {
  let app: TestApp;
  let baseUrl: string;
  let headers: Readonly<Record<string, string>>;
  let beacon: string;
  /** The network's treatment of each request: let it through, lose it, or lose only the answer. */
  let network: ('up' | 'down' | 'answer lost')[] = [];
  let batches: number[] = [];
  let client: PharosClient;

  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    headers = (await signInManager(app)).headers;
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
  afterAll(() => app.close());
  beforeEach(() => {
    [network, batches] = [[], []];
  });

  function open(options: Partial<SightingQueueOptions> = {}) {
    const dropped: (readonly [number, string])[] = [];
    const queue = new SightingQueue(client, {
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

  test('what senses is said with each sighting, as it was when it was added', async () => {
    await create(app, '/api/v2/installations', { installationId: 'woken', deviceType: 'android' });
    let isInForeground = true;
    const sender = () => (isInForeground ? 'phone' : 'androidBackground');
    const { queue } = open({ installationId: 'woken', sender });
    const heard = { beacon, rssi: -60 };
    const start = app.clock.now - 3_600_000;
    for (let second = 0; second < 4; second++) await queue.add({ ...heard, occurredAt: start + second * 1_000 });
    isInForeground = false;
    for (const minutes of [20, 5]) await queue.add({ ...heard, occurredAt: app.clock.now - minutes * 60_000 });
    isInForeground = true;
    await queue.flush();
    await app.app.ticker.tick();
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/visits?order=enteredAt', headers })).body;
    assert.deepEqual(
      results.slice(-2).map(({ endedBy, isOpen }: { endedBy: string; isOpen: boolean }) => [endedBy, isOpen]),
      [
        ['silence', false],
        [null, true],
      ],
    );
  });

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

  test('starts again when the storage holds something else', async () => {
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

  test('a sighting too large for the service does not hold up the others', async () => {
    const { queue, dropped } = open();
    await queue.add(sample, sample, { ...sample, note: 'x'.repeat(1_100_000) }, sample);
    await queue.flush();
    assert.deepEqual([dropped, queue.size], [[[1, 'refused']], 0]);
  });

  /** A storage that several queues share; reading and writing each take a tick of the event loop. */
  function sharedStorage() {
    const state = { text: null as string | null };
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const storage = {
      async load() {
        await turn();
        return state.text;
      },
      async save(text: string) {
        await turn();
        state.text = text;
      },
    };
    return { state, storage, kept: () => JSON.parse(state.text ?? '[]') as Sighting[] };
  }
  const isStorageFailure = (error: unknown) => error instanceof PharosError && error.name === 'StorageFailed';

  test('two queues on one storage lose nothing, and each sees what the other has sent', async () => {
    const { storage, kept } = sharedStorage();
    const [one, two] = [open({ storage }).queue, open({ storage }).queue];
    await Promise.all([one, two, one, two].map((queue, index) => queue.add({ ...sample, rssi: -50 - index })));
    assert.deepEqual(
      kept()
        .map(({ rssi }) => rssi as number)
        .sort(),
      [-50, -51, -52, -53].sort(),
    );
    await one.flush();
    assert.deepEqual([batches, kept()], [[4], []]);
    await two.add({ ...sample, rssi: -60 });
    await two.flush();
    assert.deepEqual([batches, kept(), one.size, two.size], [[4, 1], [], 0, 0]);
  });

  test('what somebody else has written over is sent all the same', async () => {
    const { state, storage } = sharedStorage();
    const { queue } = open({ storage });
    await queue.add(sample, sample);
    // Another process has read the storage before this queue, and writes it afterwards.
    state.text = JSON.stringify([{ ...sample, eventId: 'of-another-process' }]);
    await queue.add(sample);
    await queue.flush();
    assert.deepEqual([batches, state.text], [[4], '[]']);
  });

  test('a full storage holds up nothing', async () => {
    const { state, storage } = sharedStorage();
    await open({ storage }).queue.add(sample);
    const before = state.text;
    const answers: unknown[] = [];
    const full = { ...storage, save: () => Promise.reject(new Error('QuotaExceededError')) };
    const { queue, dropped } = open({ storage: full, onAnswer: (answer) => answers.push(answer) });
    await assert.rejects(queue.add(sample), isStorageFailure);
    assert.deepEqual([queue.size, state.text], [2, before]);
    await queue.flush().catch((error) => assert.ok(isStorageFailure(error)));
    assert.deepEqual([batches, answers.length, queue.size, dropped], [[2], 1, 0, []]);
  });

  for (const [what, load] of [
    ['cannot be read', () => Promise.reject(new Error('no disk'))],
    ['does not answer', () => new Promise<string>(() => undefined)],
  ] as const)
    test(`a storage that ${what} holds up nothing and is not written over`, async () => {
      const saved: string[] = [];
      const storage = { load, save: (text: string) => void saved.push(text) };
      const { queue } = open({ storage, storageTimeout: 20 });
      await assert.rejects(queue.add(sample), isStorageFailure);
      await assert.rejects(queue.flush(), isStorageFailure);
      assert.deepEqual([batches, queue.size, saved], [[1], 0, []]);
    });

  test('leaves out damaged entries and sends the others', async () => {
    const entries = [null, 5, 'text', [], { ...sample, eventId: 'a' }, { ...sample, eventId: 7 }, sample];
    const { storage, state } = sharedStorage();
    state.text = JSON.stringify(entries);
    const { queue } = open({ storage });
    await queue.flush();
    assert.deepEqual([batches, queue.size, state.text], [[3], 0, '[]']);
  });

  test('what JSON cannot express is refused at once and blocks nothing', async () => {
    const { queue } = open();
    await assert.rejects(queue.add(sample, { ...sample, note: 1n }), TypeError);
    const mine = { ...sample, note: 'as it was' };
    await queue.add(mine);
    Object.assign(mine, { note: 1n });
    await queue.flush();
    assert.deepEqual([batches, queue.size], [[1], 0]);
  });

  test('an exception in onAnswer is reported and does not stop the sending', async () => {
    const errors: unknown[] = [];
    const onAnswer = () => {
      throw new Error('of the app');
    };
    const { queue } = open({ onAnswer, onError: (error) => errors.push(error) });
    await queue.add(...Array.from({ length: 1_001 }, () => sample));
    await queue.flush();
    assert.deepEqual([batches, queue.size, errors.length], [[1_000, 1], 0, 2]);
  });

  test('an app that ends in the middle of a flush sends the rest with the next start, each once', async () => {
    const known = await events();
    const { storage, state } = sharedStorage();
    const { queue } = open({ storage });
    await queue.add({ beacon, event: 'EXIT' }, { beacon, event: 'ENTER' });
    const whenSent = state.text;
    network = ['answer lost'];
    await assert.rejects(queue.flush());
    assert.equal(state.text, whenSent, 'nothing is removed before it is acknowledged');
    const next = open({ storage }).queue;
    await next.flush();
    assert.deepEqual([batches, next.size], [[2, 2], 0]);
    assert.ok((await events()) - known <= 2, 'each event once');
  });

  describe('with a network that does not answer', () => {
    const connect = (fetch: typeof globalThis.fetch, options: object = {}) =>
      new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey, retry: false, fetch, ...options });

    test('a flush that hangs ends, and the next one sends', async () => {
      let isUp = false;
      const fetchOrHang: typeof fetch = (url, request) =>
        isUp ? fetch(url, request) : new Promise<Response>(() => undefined);
      const queue = new SightingQueue(connect(fetchOrHang), { installationId: 'phone' });
      await queue.add(sample);
      await assert.rejects(
        queue.flush({ timeout: 30 }),
        (error) => error instanceof PharosError && error.name === 'TimedOut',
      );
      isUp = true;
      await queue.flush();
      assert.equal(queue.size, 0);
    });

    test('a signal ends the wait of one, and the sending with the last', async () => {
      let ended = 0;
      let isUp = false;
      const hang: typeof fetch = (url, request) => {
        if (isUp) return fetch(url, request);
        request?.signal?.addEventListener('abort', () => ended++);
        return new Promise<Response>(() => undefined);
      };
      const queue = new SightingQueue(connect(hang, { timeout: 0 }), { installationId: 'phone' });
      await queue.add(sample);
      const [first, second] = [new AbortController(), new AbortController()];
      const flushes = [queue.flush({ signal: first.signal }), queue.flush({ signal: second.signal })];
      first.abort(new Error('first'));
      await assert.rejects(flushes[0] as Promise<void>, /first/);
      assert.equal(ended, 0);
      second.abort(new Error('second'));
      await assert.rejects(flushes[1] as Promise<void>, /second/);
      isUp = true;
      await queue.flush();
      assert.deepEqual([ended, queue.size], [1, 0]);
    });

    test('what a page answers drops nothing', async () => {
      for (const status of [200, 400, 511]) {
        const dropped: unknown[] = [];
        const portal = async () => new Response('<h1>Sign in</h1>', { status });
        const queue = new SightingQueue(connect(portal), {
          installationId: 'phone',
          onDropped: (sightings) => dropped.push(sightings),
        });
        await queue.add(sample, sample);
        await assert.rejects(queue.flush(), (error) => error instanceof PharosError && error.retriable);
        assert.deepEqual([queue.size, dropped], [2, []]);
      }
    });

    test('a client that has not been given its key yet loses no sighting', async () => {
      const dropped: unknown[] = [];
      const keyless = new PharosClient({ baseUrl, appId: app.appId, appKey: '' });
      const queue = new SightingQueue(keyless, {
        installationId: 'phone',
        onDropped: (sightings) => dropped.push(sightings),
      });
      await queue.add(sample, sample);
      await assert.rejects(
        queue.flush(),
        (error) => error instanceof PharosError && error.name === 'CredentialsMissing',
      );
      assert.deepEqual([queue.size, dropped], [2, []]);
    });

    test('an installationId that the service does not take costs no sighting', async () => {
      const dropped: unknown[] = [];
      const queue = new SightingQueue(connect(fetch), {
        installationId: 'x'.repeat(200),
        onDropped: (sightings) => dropped.push(sightings),
      });
      await queue.add(sample, sample);
      await assert.rejects(queue.flush(), (error) => error instanceof PharosError && error.status === 400);
      assert.deepEqual([queue.size, dropped], [2, []]);
    });
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
