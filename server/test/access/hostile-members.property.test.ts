import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { apiPrefix } from '../../src/http/api.ts';
import {
  type Answer,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { isFull, runs } from '../support/depth.ts';
import {
  changed,
  hostile,
  member,
  numbers,
  type Path,
  placesOf,
  type Schema,
  sightingMembers,
  texts,
  times,
  worst,
} from '../support/hostile/hostile-values.ts';
import { takesAnyText } from '../support/hostile/translated.ts';
import { makeExamples } from '../support/interface/examples.ts';

/**
 * Values that nobody expects, in every place where a value can be: whatever is wrong with them, the service must not
 * fail.
 */

type Change = readonly [path: Path, value: unknown];

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

const hasSightings = (operationId: string) => operationId === 'sendSightings' || operationId === 'simulateSightings';

for (const database of databases) {
  describe(`hostile values on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let browser: Browser;
    let otherAppId: string;
    /** By the pattern of the path. */
    let ids: Readonly<Record<string, string>>;
    beforeAll(async () => {
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
    afterAll(() => app.close());

    async function makeRecords(): Promise<Readonly<Record<string, string>>> {
      const make = (url: string, body: unknown) => create(app, `/api/v2${url}`, body, user.headers);
      const made = await makeExamples(make);
      const scenario = { beacons: [made['/beacons']], campaign: 'TEXT', event: 'ENTER', showOn: [] };
      await make('/data/schema/birds', { column: { count: { type: 'Number' }, species: { type: 'String' } } });
      return {
        '/storylines/:objectId/detail/': await make(`/storylines/${made['/storylines']}/detail`, scenario),
        '/data/schema': await make('/data/schema/birds', { column: { seenAt: { type: 'Date' } } }),
        '/data/bucket': await make('/data/bucket/birds', { metadata: { species: 'Kestrel', count: 2 } }),
        '/installations': await make('/installations', { installationId: 'somebody', deviceType: 'ios' }),
        '/users': user.userId,
        ...made,
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
      let place = 0;
      for (const { method, url, operationId, body, places } of targets()) {
        if (isSlow(operationId)) continue;
        for (const path of places) {
          place++;
          for (const value of worst.filter((_, n) => isFull || n % 6 === place % 6)) {
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
