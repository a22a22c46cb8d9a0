import assert from 'node:assert/strict';

import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { apiPrefix } from '../src/http/api.ts';
import {
  type Answer,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from './support/build-app.ts';
import { create } from './support/cases.ts';
import { type Browser, openConsole } from './support/console.ts';
import { takesAnyText } from './support/told.ts';

/**
 * Values that nobody expects, in every place where a value can be: whatever is wrong with them, the service must not
 * fail.
 */

/** As JSON.parse makes it: `__proto__` is a member like any other. */
const member = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

const methods = [
  'toString',
  'valueOf',
  'toJSON',
  'constructor',
  '__proto__',
  'prototype',
  'length',
  'then',
  'hasOwnProperty',
];
const times = [
  8.64e15,
  8.64e15 + 2,
  -8.64e15,
  -8.64e15 - 2,
  253_402_300_799_999,
  253_402_300_800_000,
  1e11,
  1e14,
  -62135596800001,
];
const numbers = [0, -1, 1, 0.5, 65_536, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e300, -1e300, 5e-324, 1.7976931348623157e308];
const texts = [
  ...['', ' ', '0', '-1', 'NaN', 'Infinity', '-Infinity', '1e999', '0x10', 'null', 'undefined', 'true', ...methods],
  ...[
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-19T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01',
    '2024-02-30',
  ],
  ...[
    'http://',
    'https://[',
    'https://a b',
    'https://[::1]:99999/',
    'javascript:1',
    '//x',
    '%00',
    '%',
    '../..',
    "' or 1=1 --",
  ],
  ...['(', '[[:^alpha:]', '\\', '{"$regex":"("}', '\u0001', '\u007f', '\u202e', '\ufeff', '\u0301', '😀'.repeat(60)],
  ...[
    'a'.repeat(300),
    'e\u0301'.repeat(2_000),
    'x'.repeat(70_000),
    '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
  ],
];
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
const shells = [
  ...[{}, [], [[]], [null], [{}], [[], {}], nested(50), Array(1_001).fill(0), Array(300).fill('a')],
  ...methods.flatMap((name) => [member(name, 1), member(name, null), member(name, {}), member(name, 'x')]),
  ...[{ length: -1 }, { length: 2 ** 32 }, { 0: 'a', length: 1 }, { objectId: {} }, { objectId: null }, { type: {} }],
  ...[{ __type: 'Pointer' }, { __type: {} }, { __type: 'Pointer', className: {}, objectId: [] }, { __type: 'Bytes' }],
  ...[{ __type: 'Pointer', className: 'Beacon', objectId: '\u0001' }, { __type: 'Date' }, { __type: 'Date', iso: {} }],
  ...[
    { __type: 'Date', iso: '9999999' },
    { $gt: '' },
    { $regex: '(' },
    { $in: {} },
    { $where: 'x' },
    { '': '' },
    { 'a.b': 1 },
  ],
];
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...shells) },
  { weight: 2, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...numbers, ...times, ...times.map((time) => time / 1000)) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...times)
      .map((time) => new Date(Math.max(-8.64e15, Math.min(time, 8.64e15))).toISOString()),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Those that are tried in every single place in each run. */
const worst: readonly unknown[] = process.env['PHAROS_TEST_RUNS']
  ? [...shells, ...texts, ...numbers, ...times, null, true]
  : [
      ...[
        { toString: 1 },
        member('__proto__', 1),
        { length: -1 },
        [[]],
        { __type: 'Pointer', className: {}, objectId: [] },
      ],
      ...[8.64e15 + 2, 1e300, '\u0001', '+275760-09-13T00:00:00.001Z'],
    ];

type Path = readonly (string | number)[];
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every place of a body: those of the schema and those of the example. */
function placesOf(schema: Schema, example: unknown): Path[] {
  const found = new Map<string, Path>([['[]', []]]);
  const note = (path: Path) => found.set(JSON.stringify(path), path);
  const walkSchema = (at: Schema, path: Path): void => {
    note(path);
    if (path.length > 5) return;
    for (const [name, each] of Object.entries(at.properties ?? {})) walkSchema(each, [...path, name]);
    if (at.items) walkSchema(at.items, [...path, 0]);
    for (const each of at.anyOf ?? []) walkSchema(each, path);
  };
  const walkExample = (value: unknown, path: Path): void => {
    note(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value))
      walkExample(each, [...path, Array.isArray(value) ? Number(name) : name]);
  };
  walkSchema(schema, []);
  walkExample(example, []);
  return [...found.values()];
}

/** The body with another value at the path; missing parents are created. */
function changed(body: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const isRecord = typeof body === 'object' && body !== null;
  if (typeof name === 'number') {
    const list = Array.isArray(body) ? [...body] : [];
    list[name] = changed(list[name], rest, value);
    return list;
  }
  const entries = isRecord && !Array.isArray(body) ? Object.entries(body) : [];
  const known = entries.find(([key]) => key === name)?.[1];
  return Object.fromEntries([...entries.filter(([key]) => key !== name), [name, changed(known, rest, value)]]);
}

type Change = readonly [path: Path, value: unknown];
const runs = (usual: number) => ({ numRuns: Number(process.env['PHAROS_TEST_RUNS'] ?? usual) });

function assertOwnFault(answer: Answer, app: TestApp, what: string): void {
  const log = answer.status < 500 ? '' : app.log.filter((line) => line.includes('"err"')).at(-1);
  assert.ok(answer.status < 500, `${answer.status} to ${what.slice(0, 2_000)}\n${log?.slice(0, 3_000)}`);
}

interface Target {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  readonly operationId: string;
  readonly url: string;
  readonly body: unknown;
  readonly places: readonly Path[];
}

/** The names that senders of sightings use for their members; the schema accepts any. */
const sightingMembers = [
  ...['beacon', 'beaconId', 'event', 'rssi', 'txPower', 'distance', 'accuracy', 'proximity', 'occurredAt', 'timestamp'],
  ...['eventId', 'sender', 'interval', 'receiver', 'topic', 'tag', 'id', 'id1', 'id2', 'id3', 'tx', 'rssi@1m', 'uuid'],
  ...['major', 'minor', 'txpower'],
];
const hasSightings = (operationId: string) => operationId === 'sendSightings' || operationId === 'simulateSightings';

for (const database of databases) {
  describe(`hostile values on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let browser: Browser;
    let otherAppId: string;
    /** By the pattern of the path. */
    let ids: Readonly<Record<string, string>>;
    before(async () => {
      app = await buildApp({ database });
      takesAnyText(app.app);
      // This does not test rate limits.
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      // Also of what only managers write.
      user = await signInManager(app);
      browser = await openConsole(app, 'owner');
      otherAppId = (await app.app.apps.create('Another app')).appId;
      ids = await makeRecords();
    });
    after(() => app.close());

    async function makeRecords(): Promise<Readonly<Record<string, string>>> {
      const make = (url: string, body: unknown) => create(app, `/api/v2${url}`, body, user.headers);
      const beacon = await make('/beacons', {
        name: 'b',
        uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
        major: 1,
        minor: 12,
      });
      const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacon };
      const message = { alertTitle: 'a', alertMessage: 'b' };
      const venueId = { __type: 'Pointer', className: 'Venue', objectId: await make('/venues', { name: 'v' }) };
      const floor = await make('/floors', { venueId, name: 'f', level: 0 });
      const floorId = { __type: 'Pointer', className: 'Floor', objectId: floor };
      const polygon = [0, 1, 2].map((x) => ({ x, y: x * x }));
      const storyline = await make('/storylines', { title: 't', isEnabled: true });
      const scenario = { beacons: [beacon], campaign: 'TEXT', event: 'ENTER', showOn: [] };
      await make('/data/schema/birds', { column: { count: { type: 'Number' }, species: { type: 'String' } } });
      return {
        '/beacons': beacon,
        '/venues': venueId.objectId,
        '/floors': floor,
        '/zones': await make('/zones', { floorId, name: 'z', kind: 'room', polygon }),
        '/notifications': await make('/notifications', {
          description: 'd',
          beaconId,
          event: 'ENTER',
          type: 'TEXT',
          message,
          isEnabled: true,
        }),
        '/storylines/:objectId/detail/': await make(`/storylines/${storyline}/detail`, scenario),
        '/storylines': storyline,
        '/data/schema': await make('/data/schema/birds', { column: { seenAt: { type: 'Date' } } }),
        '/data/bucket': await make('/data/bucket/birds', { metadata: { species: 'Kestrel', count: 2 } }),
        '/device': await make('/device', { deviceName: 'Gate', manufacture: 'Acme', topic: 'a/b' }),
        '/installations': await make('/installations', { installationId: 'somebody', deviceType: 'ios' }),
        '/users': user.userId,
      };
    }

    /** The path with ids of existing records. */
    function pathOf(pattern: string): string {
      const own = Object.keys(ids).find((prefix) => pattern.startsWith(prefix)) ?? '';
      return pattern
        .replace(':bucketName', 'birds')
        .replace(':appId', app.appId)
        .replace(/:objectId(?=\/detail)/, ids['/storylines'] ?? '')
        .replace(':detailId', ids['/storylines/:objectId/detail/'] ?? '')
        .replace(/:\w+/g, ids[own] ?? 'nosuch');
    }

    /** Ids in an example are those of existing records, so that later checks are reached too. */
    function exampleOf(example: unknown): unknown {
      const known: Readonly<Record<string, string | undefined>> = {
        beacon: ids['/beacons'],
        objectId: ids['/beacons'],
        installationId: 'somebody',
      };
      const text = JSON.stringify(example, (key, value) => (typeof value === 'string' && known[key]) || value);
      return JSON.parse(text);
    }

    /** Values other than objects would be sent as they are. */
    const jsonHeaders = { 'content-type': 'application/json' };

    /** Signs in again if an operation has ended the session, as some are meant to. */
    async function send({ method, url, body }: Pick<Target, 'method' | 'url' | 'body'>): Promise<Answer> {
      const ask = () =>
        app.send({
          method,
          url,
          headers: body === undefined ? user.headers : { ...user.headers, ...jsonHeaders },
          ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
        });
      const answer = await ask();
      if (answer.body.code !== 209) return answer;
      user = await signIn(app);
      return ask();
    }

    /** Hashing a password takes time. */
    const isSlow = (operationId: string) => /^(signUp|signIn|resetPassword)/.test(operationId);

    function targets(): Target[] {
      return app.app.endpoints
        .filter((endpoint) => endpoint.body && !endpoint.takesStream)
        .map((endpoint) => ({
          method: endpoint.method,
          operationId: endpoint.operationId,
          url: apiPrefix + pathOf(endpoint.path),
          body: exampleOf(endpoint.body?.example),
          places: [
            ...placesOf(endpoint.body?.schema as Schema, endpoint.body?.example),
            ...(hasSightings(endpoint.operationId) ? sightingMembers.map((name) => ['sightings', 1, name]) : []),
          ],
        }));
    }

    /** One or two places of a body with other values. */
    const changesOf = (target: Target): fc.Arbitrary<readonly Change[]> =>
      fc.array(fc.tuple(fc.constantFrom(...target.places), hostile), { minLength: 1, maxLength: 3 });
    const apply = (body: unknown, changes: readonly Change[]) =>
      changes.reduce((whole, [path, value]) => changed(whole, path, value), body);

    test('in each place of a body are refused or taken', async () => {
      for (const { method, url, operationId, body, places } of targets()) {
        if (isSlow(operationId)) continue;
        for (const path of places) {
          for (const value of worst) {
            const sent = changed(body, path, value);
            assertOwnFault(await send({ method, url, body: sent }), app, `${operationId} ${JSON.stringify(sent)}`);
          }
        }
      }
    });

    test('in several places of a body are refused or taken', async () => {
      const all = targets();
      const chosen = fc.oneof(
        { weight: 10, arbitrary: fc.constantFrom(...all.filter(({ operationId }) => hasSightings(operationId))) },
        { weight: 60, arbitrary: fc.constantFrom(...all.filter(({ operationId }) => !isSlow(operationId))) },
        { weight: 1, arbitrary: fc.constantFrom(...all) },
      );
      const requests = chosen.chain((target) => changesOf(target).map((changes) => ({ target, changes })));
      const property = fc.asyncProperty(requests, async ({ target, changes }) => {
        const { method, url, operationId } = target;
        const body = apply(target.body, changes);
        assertOwnFault(await send({ method, url, body }), app, `${operationId} ${JSON.stringify(body)}`);
      });
      await fc.assert(property, runs(500));
      // Accepted requests are processed in the background.
      await app.app.idle();
      assert.deepEqual(app.log.filter((line) => /"level":[56]0/.test(line)).slice(0, 3), []);
    });

    test('in a body of the console are refused or taken', async () => {
      const all = app.app.consoleEndpoints
        .filter(({ body, operationId }) => body && !leaves.test(operationId))
        .map(
          (endpoint): Target => ({
            method: endpoint.method,
            operationId: endpoint.operationId,
            // An app that may be switched off without harm.
            url: pathOf(endpoint.path.replace(':appId', otherAppId).replace(':kind', 'fcm')),
            body: exampleOf(endpoint.body?.example),
            places: placesOf(endpoint.body?.schema as Schema, endpoint.body?.example),
          }),
        );
      const requests = fc
        .constantFrom(...all)
        .chain((target) => changesOf(target).map((changes) => ({ target, changes })));
      const property = fc.asyncProperty(requests, async ({ target, changes }) => {
        const { method, url, operationId } = target;
        const body = apply(target.body, changes);
        assertOwnFault(
          await browser.send({ method, url, headers: jsonHeaders, body: Buffer.from(JSON.stringify(body)) }),
          app,
          `${operationId} ${JSON.stringify(body)}`,
        );
      });
      await fc.assert(property, runs(200));
    });

    test('in queries and paths are refused or taken', async () => {
      const names = [
        'where',
        'order',
        'skip',
        'limit',
        'count',
        'cursor',
        'after',
        'since',
        'until',
        'types',
        'from',
        'to',
      ];
      const mine = app.app.endpoints
        .filter((endpoint) => endpoint.method === 'GET' && endpoint.answer.type === undefined)
        .map(({ path, operationId, query }) => ({ at: `${apiPrefix}${path}`, operationId, query, console: false }));
      const theirs = app.app.consoleEndpoints
        .filter(({ method, operationId }) => method === 'GET' && !leaves.test(operationId))
        .map(({ path, operationId, query }) => ({ at: path, operationId, query, console: true }));
      const wheres = fc.oneof(
        hostile,
        fc
          .tuple(
            fc.constantFrom(
              'objectId',
              'createdAt',
              'metadata.count',
              'metadata.species',
              'name',
              'beaconId',
              'metadata.a',
            ),
            hostile,
          )
          .map(([name, value]) => member(name, value)),
        fc
          .tuple(
            fc.constantFrom('createdAt', 'metadata.count', 'objectId', 'updatedAt'),
            fc.constantFrom('$gt', '$lt', '$in', '$ne', '$all', '$regex', '$exists'),
            hostile,
          )
          .map(([name, key, value]) => member(name, member(key, value))),
      );
      const value = fc.oneof(
        wheres.map((where) => JSON.stringify(where)),
        fc.constantFrom(...texts.filter((text) => text.length < 4_000)),
        fc.constantFrom(...numbers, ...times).map(String),
        fc.constantFrom(
          '-createdAt',
          'metadata.count,-objectId',
          'createdAt,',
          ',',
          '-',
          '--createdAt',
          'metadata',
          'metadata.__proto__',
          'a'.repeat(5_000),
        ),
      );
      const questions = fc.constantFrom(...mine, ...theirs).chain((target) =>
        fc.record({
          target: fc.constant(target),
          query: fc.array(
            fc.tuple(fc.constantFrom(...(target.query?.map(({ name }) => name) ?? []), ...names), value),
            { maxLength: 3 },
          ),
          id: fc.option(fc.constantFrom(...texts.filter((text) => text !== '' && text.length < 400)), {
            nil: undefined,
            freq: 4,
          }),
        }),
      );
      const property = fc.asyncProperty(questions, async ({ target, query, id }) => {
        const path =
          id === undefined
            ? pathOf(target.at.replace(apiPrefix, ''))
            : target.at.replace(apiPrefix, '').replace(':appId', app.appId).replace(/:\w+/g, encodeURIComponent(id));
        const url = `${path}?${new URLSearchParams(query.map(([name, text]): [string, string] => [name, text]))}`;
        const answer = target.console
          ? await browser.send({ method: 'GET', url })
          : await send({ method: 'GET', url: apiPrefix + url, body: undefined });
        assertOwnFault(answer, app, `${target.operationId} ${url}`);
      });
      await fc.assert(property, runs(500));
    });
  });
}

/** Operations that call other services, take long, or end the session that is used here. */
const leaves = /^(test|check|send|signOut|createBackup|downloadBackup|setUp)/i;
