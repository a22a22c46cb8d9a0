import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import {
  type AppOptions,
  type LiveOptions,
  openLiveStream,
  operations,
  PharosClient,
  PharosError,
} from '../src/index.ts';

const page = '<!doctype html><title>Welcome to the hotel</title>';
const json = { 'content-type': 'application/json' };
const beacon = { name: 'b', uuid: 'u', major: 1, minor: 1 };

/** Nothing that answers in place of the service is taken for it, and no wait is endless. */
describe('the client, on bad networks', () => {
  let server: Server;
  let answer: RequestListener;
  let seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = [];
  });

  const connect = (options: Partial<AppOptions> = {}) =>
    new PharosClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      appId: 'a',
      appKey: 'k',
      token: 't',
      retry: { baseDelay: 0 },
      ...options,
    });
  async function refused(work: Promise<unknown>): Promise<PharosError> {
    const error = await work.then(
      (value) => assert.fail(`resolved with ${JSON.stringify(value)}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof PharosError, String(error));
    return error;
  }

  const calls: Readonly<Record<string, (client: PharosClient) => Promise<unknown>>> = {
    'a list': (client) => client.beacons.list(),
    'a record': (client) => client.beacons.get('x'),
    'a creation': (client) => client.beacons.create(beacon),
    'a change': (client) => client.beacons.update('x', { name: 'c' }),
    'a deletion': (client) => client.beacons.delete('x'),
    'a record of a bucket': (client) => client.bucket('guests').update('x', { a: 1 }),
    'a push': (client) => client.push.send({ data: { alert: 'Hello' } }),
    'signing in': (client) => client.users.signIn({ email: 'a@b.example', password: 'p' }),
    'signing out': (client) => client.users.signOut(),
    'an erasure': (client) => client.users.deleteMe(),
    'an upload': (client) => client.files.upload('a.txt', new Uint8Array(3), 'text/plain'),
    'any operation': (client) => client.call(operations.listVisits),
  };
  const strangers: Readonly<Record<string, RequestListener>> = {
    'a page with the status 200': (_, response) => response.setHeader('content-type', 'text/html').end(page),
    'a redirect to a page': ({ url }, response) =>
      url === '/welcome' ? response.end(page) : response.writeHead(302, { location: '/welcome' }).end(),
    'a page with the status 403': (_, response) => response.writeHead(403).end(page),
    'JSON of something else': (_, response) => response.writeHead(200, json).end('{"status":"ok"}'),
    'a list of something else': (_, response) => response.writeHead(200, json).end('[]'),
    'an error of something else': (_, response) => response.writeHead(503, json).end('{"error":"Service Unavailable"}'),
    nothing: (_, response) => response.writeHead(204).end(),
  };
  for (const [what, stranger] of Object.entries(strangers))
    test(`accepts no answer of ${what}`, async () => {
      answer = stranger;
      for (const [call, run] of Object.entries(calls)) {
        const client = connect();
        const error = await refused(run(client));
        assert.deepEqual([error.name, error.code, error.retriable], ['Unreadable', 0, true], call);
        assert.equal(client.token, 't', `${call} keeps the token`);
      }
    });

  test('tries again what may be repeated, once the network has let the person in', async () => {
    answer = (_, response) =>
      seen.length < 3 ? response.end(page) : response.writeHead(200, json).end('{"results":[]}');
    assert.deepEqual(await connect().beacons.list(), { results: [] });
    assert.equal(seen.length, 3);
  });

  test('a deletion whose answer was lost has succeeded when nothing is left to delete', async () => {
    const gone = { error: { code: 101, error: 'There is none.', name: 'ObjectNotFound', status: 404 }, code: 101 };
    answer = (request, response) =>
      seen.length === 1 ? request.socket.destroy() : response.writeHead(404, json).end(JSON.stringify(gone));
    await connect().beacons.delete('x');
    assert.equal((await refused(connect().beacons.delete('x'))).name, 'ObjectNotFound', 'at once, it is an error');
  });

  test('signing out with a token that has ended forgets it', async () => {
    const ended = {
      error: { code: 209, error: 'Sign in again.', name: 'InvalidSessionToken', status: 403 },
      code: 209,
    };
    answer = (_, response) => response.writeHead(403, json).end(JSON.stringify(ended));
    const client = connect();
    await client.users.signOut();
    assert.equal(client.token, undefined);
  });

  const hanging: Readonly<Record<string, RequestListener>> = {
    'no answer': () => undefined,
    'an answer that breaks off': (_, response) => void response.writeHead(200, json).write('{"results":['),
    'a page that never ends': (_, response) => void response.writeHead(403).write(page),
  };
  for (const [what, hang] of Object.entries(hanging))
    test(`does not wait for ${what}`, async () => {
      answer = hang;
      for (const run of Object.values(calls))
        assert.equal((await refused(run(connect({ timeout: 30, retry: false })))).name, 'TimedOut');
      const ofCall = await refused(connect({ retry: false }).beacons.list({}, { timeout: 30 }));
      assert.deepEqual([ofCall.name, ofCall.status, ofCall.retriable], ['TimedOut', 0, true]);
      assert.equal((await refused(connect({ timeout: 5, retry: { baseDelay: 0 } }).beacons.list())).name, 'TimedOut');
    });

  test('does not wait for a fetch that passes over its signal', async () => {
    const deaf = connect({ fetch: () => new Promise(() => undefined), retry: false });
    assert.equal((await refused(deaf.beacons.list({}, { timeout: 30 }))).name, 'TimedOut');
    const gone = new AbortController();
    const listing = deaf.beacons.list({}, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await assert.rejects(listing, /gone/);
  });

  test('every list takes a signal, and ends with its reason', async () => {
    answer = () => undefined;
    const client = connect();
    const lists = [
      client.beacons.list,
      client.notifications.list,
      client.storylines.list,
      client.storylines.listAllDetails,
      client.users.list,
      client.bucket('guests').list,
      client.devices.list,
      client.installations.list,
      client.files.list,
      client.logs.list,
      client.push.list,
      client.push.deliveries,
      client.activity.visits,
      client.activity.events,
      client.activity.verdicts,
    ];
    for (const list of lists) {
      const gone = new AbortController();
      const listing = list({}, { signal: gone.signal });
      gone.abort(new Error('gone'));
      await assert.rejects(listing, /gone/);
    }
  });

  test('giving up during the pause before another try ends it at once', async () => {
    answer = (_, response) => response.writeHead(503).end();
    const gone = new AbortController();
    let tries = 0;
    const patient = connect({
      retry: { baseDelay: 3_600_000, longestDelay: 3_600_000, random: () => 1 },
      async fetch(url, request) {
        tries++;
        const response = await fetch(url, request);
        // After the client has read the answer and begun to wait.
        return Object.assign(response, {
          text: async () => {
            setTimeout(() => gone.abort(new Error('gone')), 1);
            return '';
          },
        });
      },
    });
    await assert.rejects(patient.beacons.list({}, { signal: gone.signal }), /gone/);
    assert.equal(tries, 1);
  });

  const event = (id: number) => `id: ${id}\nevent: presence.enter\ndata: {"timestamp":"t","data":{"n":${id}}}\n\n`;
  const stream = { 'content-type': 'text/event-stream' };
  /** Listens until `until` says that enough has been reported. */
  function listen(options: Partial<LiveOptions>, until: (told: readonly string[]) => boolean): Promise<string[]> {
    const told: string[] = [];
    return new Promise((resolve) => {
      const say = (what: string) => {
        told.push(what);
        if (!until(told)) return;
        live.close();
        resolve(told);
      };
      const live = openLiveStream(connect({ timeout: 30_000 }), {
        onEvent: ({ id }) => {
          say(`event ${id}`);
          if (id === 1) throw new Error('of the app');
        },
        onState: say,
        onRefused: ({ name }) => say(`refused ${name}`),
        onError: (error) => say(`error ${error instanceof Error ? error.constructor.name : ''}`),
        ...options,
      });
    });
  }

  test('an exception in onEvent is reported, and the stream continues', async () => {
    answer = (_, response) => {
      response.writeHead(200, stream).write(`event: ready\ndata: {}\n\n${event(1)}`);
      response.write(`id: 2\nevent: presence.enter\ndata: {"damaged\n\n${event(3)}`);
    };
    const told = await listen({}, (all) => all.includes('event 3'));
    assert.deepEqual(told, ['open', 'event 1', 'error Error', 'error SyntaxError', 'event 3']);
    assert.equal(seen.length, 1, 'over one connection');
  });

  test('an exception in onEvent reaches the error log when nobody handles it', async (t) => {
    t.onTestFinished(() => mock.reset());
    answer = (_, response) => void response.writeHead(200, stream).write(event(1) + event(2));
    const logged = mock.method(console, 'error', () => undefined);
    await listen({ onError: undefined }, (all) => all.includes('event 2'));
    assert.match(String(logged.mock.calls[0]?.arguments[0]), /of the app/);
  });

  test('a stream that a page answers is tried again, and not over', async () => {
    for (const status of [200, 403]) {
      seen = [];
      answer = (_, response) =>
        seen.length === 1 ? response.writeHead(status).end(page) : void response.writeHead(200, stream).write(event(2));
      assert.deepEqual(await listen({}, (all) => all.includes('event 2')), ['waiting', 'event 2']);
    }
  });
});
