import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { operations, PharosClient, PharosError } from '../src/index.ts';

/** A connection that gives the prepared answers one after the other, and then answers like the service. */
type Script = (number | 'drop' | readonly [status: number, retryAfter: string])[];

describe('repeating', () => {
  let server: Server;
  let script: Script = [];
  let seen: string[] = [];
  let keys: unknown[] = [];
  let waits: number[] = [];
  let client: PharosClient;

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      keys.push(request.headers['idempotency-key']);
      const next = script.shift();
      if (next === 'drop') return void request.socket.destroy();
      const [status, retryAfter] = Array.isArray(next) ? next : [next ?? 200, undefined];
      if (retryAfter) response.setHeader('retry-after', retryAfter);
      response.statusCode = status as number;
      response.setHeader('content-type', 'application/json');
      const error = { code: status === 429 ? 904 : status === 404 ? 101 : 1, name: 'X', error: 'no', status };
      response.end(JSON.stringify(status === 200 ? { result: {}, results: [] } : { error, code: error.code }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new PharosClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      appId: 'a',
      appKey: 'k',
      retry: { sleep: async (wait) => void waits.push(wait), random: () => 0.5 },
    });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    [seen, keys, waits] = [[], [], []];
  });

  test('of what a person calls again after its answer was lost has the key of the lost call, once for each', async () => {
    const { port } = server.address() as AddressInfo;
    const page = new PharosClient({ apiUrl: `http://127.0.0.1:${port}`, retry: false, repeatedByPeople: true });
    const make = (minor: number) => page.beacons.create({ ...beacon, minor });
    script = ['drop', 504];
    for (const minor of [1, 1]) await assert.rejects(make(minor), PharosError);
    assert.equal(keys[0], keys[1]);
    script = ['drop', 'drop', 'drop'];
    const together = await Promise.allSettled([1, 1, 2].map(make));
    assert.ok(together.every(({ status }) => status === 'rejected'));
    const lost = keys.slice(2);
    assert.equal(new Set(lost).size, 3, 'both were wanted');
    await Promise.all([1, 1, 2].map(make));
    assert.deepEqual(keys.slice(5).toSorted(), lost.toSorted());
    await make(1);
    assert.ok(!lost.includes(keys.at(-1)), 'what was answered is over');
    script = [400];
    await assert.rejects(make(4), PharosError);
    await make(4);
    assert.notEqual(keys.at(-1), keys.at(-2), 'what was refused, too');
  });

  test('of what a person calls again keeps the key of the lost call until an answer says that it is done', async () => {
    const { port } = server.address() as AddressInfo;
    let patience = new AbortController();
    const page = new PharosClient({
      apiUrl: `http://127.0.0.1:${port}`,
      retry: { attempts: 2, sleep: async () => patience.abort() },
      repeatedByPeople: true,
    });
    const make = (signal?: AbortSignal) => page.beacons.create(beacon, signal ? { signal } : {});
    script = ['drop', 503, 503, 429, 429];
    await assert.rejects(make(patience.signal), 'given up between two tries');
    await assert.rejects(make(AbortSignal.abort()), 'and before the first');
    for (const status of [503, 429]) await assert.rejects(make(), { status });
    await make();
    assert.deepEqual([keys.length, new Set(keys).size], [6, 1]);
    patience = new AbortController();
    script = ['drop', 404];
    await assert.rejects(page.beacons.delete('a', { signal: patience.signal }));
    await page.beacons.delete('a');
  });

  test('of a file that is sent again has the key of the lost one, for these bytes only', async () => {
    const { port } = server.address() as AddressInfo;
    const page = new PharosClient({ apiUrl: `http://127.0.0.1:${port}`, retry: false, repeatedByPeople: true });
    const chosen = (text: string, lastModified = 1) => new File([text], 'a.png', { type: 'image/png', lastModified });
    const upload = (body: Blob) =>
      page.files.upload('a.png', body, 'image/png').catch((error: unknown) => assert.ok(error instanceof PharosError));
    const drawn = [new Blob(['one']), new Blob(['two'])] as const;
    script = ['drop', 'drop', 'drop', 'drop'];
    for (const body of [chosen('one'), chosen('two', 2), ...drawn]) await upload(body);
    assert.equal(new Set(keys).size, 4);
    // The same file, chosen once more, is another object.
    for (const body of [...drawn, chosen('two', 2), chosen('one')]) await upload(body);
    assert.deepEqual(keys.slice(4), [keys[2], keys[3], keys[1], keys[0]]);
    const other = new File(['one'], 'a.png', { lastModified: 7 });
    await upload(other);
    assert.ok(!keys.slice(0, 8).includes(keys.at(-1)));
  });

  test('sends a file again by itself, but not a stream, which can be read once', async () => {
    const upload = (body: Blob | ReadableStream) => client.files.upload('a.png', body, 'image/png');
    script = ['drop', 503, 400, 503];
    await assert.rejects(upload(new Blob(['one'])), PharosError);
    assert.deepEqual([seen.length, new Set(keys).size, waits.length], [3, 1, 2]);
    await assert.rejects(upload(new Blob(['one']).stream()), { status: 503 });
    assert.deepEqual([seen.length, waits.length], [4, 2]);
  });

  test('of a deletion that a person calls again after its answer was lost it is enough that the record is gone', async () => {
    const { port } = server.address() as AddressInfo;
    const page = new PharosClient({ apiUrl: `http://127.0.0.1:${port}`, retry: false, repeatedByPeople: true });
    const remove = (id: string) => page.beacons.delete(id);
    const isGone = (error: unknown) => error instanceof PharosError && error.status === 404;
    script = ['drop', 404, 404, 'drop', 403, 404, 404];
    await assert.rejects(remove('a'), PharosError);
    await assert.rejects(remove('b'), isGone, 'nobody has begun to delete this one');
    await remove('a');
    await assert.rejects(remove('a'), PharosError);
    await assert.rejects(remove('a'), PharosError);
    await remove('a');
    await assert.rejects(remove('a'), isGone, 'what was answered is over');
  });

  const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'correct horse' };
  const beacon = { name: 'b', uuid: 'u', major: 1, minor: 1 };
  const log = {
    event: 'ENTER',
    moduleType: 'PRESENCE',
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: 'x' },
  } as const;
  const calls: readonly [
    what: string,
    call: () => Promise<unknown>,
    script: Script,
    tries: number,
    isRefused: boolean,
  ][] = [
    ['a list after a broken line and two busy answers', () => client.beacons.list(), ['drop', 503, 502], 4, false],
    ['at most four times', () => client.beacons.list(), [503, 503, 503, 503], 4, true],
    ['replacing', () => client.beacons.update('x', { name: 'c' }), [504], 2, false],
    ['deleting', () => client.beacons.delete('x'), ['drop'], 2, false],
    ['not a refusal', () => client.beacons.list(), [400], 1, true],
    ['not an error of the service itself', () => client.beacons.list(), [500], 1, true],
    ['creating, with a key', () => client.beacons.create(beacon), ['drop', 503], 3, false],
    ['not signing up', () => client.users.signUp(account), [503], 1, true],
    ['a log with an eventId', () => client.logs.create({ ...log, eventId: 'e1' }), ['drop'], 2, false],
    ['not a log without one', () => client.logs.create(log), ['drop'], 1, true],
    ['registering', () => client.installations.register({ installationId: 'p', deviceType: 'ios' }), [503], 2, false],
    [
      'sightings that all have an eventId',
      () => client.call(operations.sendSightings, { body: { installationId: 'p', sightings: [{ eventId: 'e' }] } }),
      [503],
      2,
      false,
    ],
    [
      'not sightings of which one has none',
      () => client.call(operations.sendSightings, { body: { installationId: 'p', sightings: [{ eventId: 'e' }, {}] } }),
      [503],
      1,
      true,
    ],
    ['not when the service asks for more patience than there is', () => client.beacons.list(), [[429, '600']], 1, true],
  ];
  for (const [what, call, answers, tries, isRefused] of calls)
    test(what, async () => {
      script = [...answers];
      const outcome = await call().then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.equal(outcome instanceof PharosError, isRefused, String(outcome));
      assert.equal(seen.length, tries);
    });

  test('a creation has one key for all its tries, and the next one has another', async () => {
    script = ['drop', 503];
    await client.push.send({ data: { title: 'Hall 2', alert: 'The tour begins.' } });
    await client.beacons.create(beacon);
    await client.beacons.create(beacon, { idempotencyKey: 'job-7' });
    const [first, , , second, third] = keys;
    assert.deepEqual(keys, [first, first, first, second, third]);
    assert.match(String(first), /^[\w-]{20,64}$/);
    assert.notEqual(first, second);
    assert.equal(third, 'job-7');
    await client.beacons.list();
    assert.equal(keys.at(-1), undefined);
  });

  test('waits as long as the service asks, and longer from time to time', async () => {
    script = [[429, '2'], 503, 503];
    await client.beacons.list();
    assert.deepEqual(waits, [2_000 + 250, 500, 1_000]);
  });

  test('is given up at once when the caller has gone', async () => {
    script = [503, 503];
    const gone = new AbortController();
    const patient = new PharosClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      appId: 'a',
      appKey: 'k',
      retry: { sleep: async () => gone.abort() },
    });
    await assert.rejects(patient.call(operations.listBeacons, { signal: gone.signal }));
    assert.equal(seen.length, 1);
    script = [];
  });
});
