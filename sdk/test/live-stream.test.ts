import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type SignedIn, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { type LiveEvent, type LiveOptions, openLiveStream, PharosClient, type PharosError } from '../src/index.ts';

describe('the live stream, against the service', () => {
  let app: TestApp;
  let user: SignedIn;
  let client: PharosClient;
  let beacon: string;
  /** Cuts the newest connection. */
  let cut = () => {};
  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    user = await signInManager(app);
    beacon = await create(app, '/api/v2/beacons', { name: 'Hall', uuid: 'u', major: 1, minor: 1 }, user.headers);
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'ios' });
    client = new PharosClient({
      baseUrl: `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`,
      appId: app.appId,
      appKey: app.appKey,
      token: user.token,
      async fetch(url, request) {
        const ending = new AbortController();
        cut = () => ending.abort();
        const signal = request?.signal ? AbortSignal.any([request.signal, ending.signal]) : ending.signal;
        return fetch(url, { ...request, signal });
      },
    });
  });
  afterAll(() => app.close());

  /** Opens a stream; `next` waits for its next report. */
  function open(options: Partial<LiveOptions> = {}) {
    const told: string[] = [];
    const events: LiveEvent[] = [];
    let wake = () => {};
    const say = (what: string) => {
      told.push(what);
      wake();
    };
    const stream = openLiveStream(client, {
      onEvent: (event) => {
        events.push(event);
        say(event.type);
      },
      onState: say,
      onLost: () => say('lost'),
      onRefused: (error: PharosError) => say(`refused ${error.status} ${error.code}`),
      ...options,
    });
    const until = async (what: string, times = 1) => {
      while (told.filter((one) => one === what).length < times)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    return { stream, told, events, until };
  }
  async function report(event: 'ENTER' | 'EXIT') {
    app.clock.now += 60_000;
    const body = { installationId: 'phone', sightings: [{ beacon, event, occurredAt: app.clock.now }] };
    assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', body })).status, 200);
  }

  test('reports events and, after an interruption, those in between, each once', async () => {
    const { stream, events, until } = open();
    await until('open');
    await report('ENTER');
    await until('presence.enter');
    cut();
    await until('waiting');
    await report('EXIT');
    await until('presence.exit');
    await until('visit.closed');
    const ids = events.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.map((_, index) => (ids[0] ?? 0) + index),
      'no number is missing or twice',
    );
    const [enter] = events.filter(({ type }) => type === 'presence.enter');
    assert.deepEqual(enter?.data['beaconId'], { __type: 'Pointer', className: 'Beacon', objectId: beacon });
    stream.close();
    await until('closed');
  });

  test('continues after an earlier event', async () => {
    const first = open();
    await first.until('open');
    await report('ENTER');
    await first.until('visit.opened');
    const last = first.events.at(-1)?.id ?? 0;
    first.stream.close();
    await first.until('closed');
    await report('EXIT');
    const second = open({ after: last });
    await second.until('visit.closed');
    assert.equal(second.events[0]?.id, last + 1);
    second.stream.close();
    await second.until('closed');
  });

  test('ends when the service refuses it, and says why', async () => {
    const { token } = client;
    client.token = 'nobody';
    const { told, until } = open();
    await until('refused 403 209');
    assert.deepEqual(told, ['closed', 'refused 403 209']);
    client.token = token;
  });
});
