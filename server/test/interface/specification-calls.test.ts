import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  bothDatabases,
  buildApp,
  type SentRequest,
  type SignedIn,
  signIn,
  type TestApp,
} from '../support/build-app.ts';
import { pointer } from '../support/site.ts';

/**
 * Every call of the interface specification, as a client that was written by it makes it: as an ordinary user of an app that was made without
 * any choice. Content and records are the app's, so that one user goes on with what another has made.
 */

type Answers = 'result' | 'results' | 'list' | 'flat';

for (const database of bothDatabases) {
  describe(`the calls of the specification, by ordinary users on ${database}`, () => {
    let app: TestApp;
    let [anna, ben]: SignedIn[] = [];
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.buckets.createBucket(app.appId, 'birds');
      anna = await signIn(app);
      ben = await signIn(app);
    });
    afterAll(() => app.close());

    /** Sends it and checks the form of the answer; `list`: a result that is a list of one object. */
    async function call(answers: Answers, status: number, request: SentRequest, by: SignedIn | undefined = ben) {
      const url = `/api/v2/${request.url}`;
      const sent = await app.send({ ...request, url, headers: { ...by?.headers, ...request.headers } });
      const what = `${request.method} ${url} ${sent.raw}`;
      assert.equal(sent.status, status, what);
      const { result, results } = sent.body;
      if (answers === 'results') assert.ok(Array.isArray(results), what);
      if (answers === 'result') assert.ok(result && !Array.isArray(result), what);
      if (answers === 'list') assert.ok(Array.isArray(result) && result.length === 1, what);
      return answers === 'results'
        ? results
        : answers === 'list'
          ? result[0]
          : answers === 'result'
            ? result
            : sent.body;
    }
    const get = (answers: Answers, url: string) => call(answers, 200, { method: 'GET', url });
    const make = async (url: string, body: object): Promise<string> => {
      const { objectId, createdAt } = await call('result', 201, { method: 'POST', url, body }, anna);
      assert.ok(objectId && createdAt, url);
      return objectId;
    };
    /** What Anna has made is read, changed and deleted by Ben. */
    async function goOn(url: string, objectId: string, change: object, answers: 'result' | 'list' = 'result') {
      const path = `${url}/${objectId}`;
      assert.equal((await get('result', path)).objectId, objectId);
      const listed = await get('results', url);
      assert.ok(
        listed.some((one: { objectId: string }) => one.objectId === objectId),
        url,
      );
      assert.ok((await call(answers, 200, { method: 'PUT', url: path, body: change })).updatedAt, path);
      return async () => assert.deepEqual(await call(answers, 200, { method: 'DELETE', url: path }), {});
    }

    test('accounts', async () => {
      const body = {
        firstname: 'Vera',
        lastname: 'Visitor',
        email: 'v@example.org',
        password: 'secret',
        country: 'FR',
      };
      const made = await app.send({ method: 'POST', url: '/api/v2/users', body });
      assert.equal(made.status, 201, made.raw.toString());
      const request = {
        method: 'POST',
        url: 'users/signin',
        body: { email: 'v@example.org', password: 'secret' },
      } as const;
      const { accessToken, expiresIn, objectId, tokenType } = await call('flat', 200, request);
      assert.deepEqual([typeof accessToken, typeof expiresIn, tokenType], ['string', 'number', 'Bearer']);
      const headers = { authorization: `Bearer ${accessToken}` };
      const me = await app.send({ method: 'GET', url: '/api/v2/users/me', headers });
      assert.deepEqual([me.body.result.objectId, me.body.result.validemail], [objectId, 'v@example.org']);
      const all = (await app.send({ method: 'GET', url: '/api/v2/users' })).body.results;
      const found = all.find((one: { objectId: string }) => one.objectId === objectId);
      assert.equal(found.validemail, 'v@example.org', 'with the headers of the app alone');
    });

    test('beacons, notifications and storylines', async () => {
      const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12 };
      const beacon = await make('beacons', { ...hall, metadata: { greeting: 'Hello' } });
      const removeBeacon = await goOn('beacons', beacon, { ...hall, location: { x: 1.5, y: 2 } });
      const text = { type: 'TEXT', message: { alertTitle: 'Hello', alertMessage: 'Welcome' } };
      const body = {
        description: 'Welcome',
        beaconId: pointer('Beacon', beacon),
        event: 'ENTER',
        isEnabled: true,
        ...text,
      };
      const removeNotification = await goOn('notifications', await make('notifications', body), {
        ...body,
        event: 'EXIT',
      });
      const storyline = await make('storylines', { title: 'Tour', isEnabled: true });
      const removeStoryline = await goOn('storylines', storyline, { title: 'Tour 2', isEnabled: false });
      const showOn = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].map((dayName) => ({ dayName, checked: true }));
      const scenario = { beacons: [beacon], campaign: 'URL', event: 'NEAR', showOn, urlPage: 'https://example.org' };
      const detail = `storylines/${storyline}/detail`;
      const removeScenario = await goOn(detail, await make(detail, scenario), { ...scenario, event: 'FAR' });
      await get('results', `logs?${new URLSearchParams({ where: '{"moduleType":"PRESENCE"}' })}`);
      for (const remove of [removeScenario, removeStoryline, removeNotification, removeBeacon]) await remove();
    });

    test('schemas and records', async () => {
      const column = { species: { type: 'String' }, seen: { type: 'Number' } };
      const schema = await make('data/schema/birds', { column });
      const removeSchema = await goOn(
        'data/schema/birds',
        schema,
        { column: { ...column, at: { type: 'Date' } } },
        'list',
      );
      const record = await make('data/bucket/birds', { metadata: { species: 'owl', seen: 3 } });
      // Without a wrapper, as the sample has it.
      const removeRecord = await goOn('data/bucket/birds', record, { species: 'owl', seen: 4 }, 'list');
      const query = { where: '{"metadata.seen":{"$gt":3}}', order: '-createdAt', skip: '0', limit: '5' };
      assert.equal((await get('results', `data/bucket/birds?${new URLSearchParams(query)}`)).length, 1);
      assert.equal((await get('flat', 'data/bucket/birds?count=1&limit=0')).count, 1);
      await removeRecord();
      await removeSchema();
    });

    test('pushes, devices and files', async () => {
      const push = { data: { title: 'Tonight', alert: 'Concert' }, where: { deviceType: 'ios' } };
      const { result } = await call('result', 200, { method: 'POST', url: 'push/notification', body: push });
      assert.equal(result, true);
      const device = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'hall' };
      const made = await call('flat', 201, { method: 'POST', url: 'device', body: device });
      const path = `device/${made.objectId ?? made.result.objectId}`;
      await get('result', path);
      await get('results', 'device?order=-createdAt&limit=1');
      await call('list', 200, { method: 'PUT', url: path, body: { ...device, topic: 'cafe' } });
      await call('list', 200, { method: 'DELETE', url: path });
      const headers = { 'content-type': 'image/png' };
      const file = await call('flat', 201, { method: 'POST', url: 'files/plan.png', headers, body: 'not really' });
      assert.match(file.name, /^.+_plan\.png$/);
      assert.ok(file.url);
      assert.deepEqual(await call('list', 200, { method: 'DELETE', url: `files/${file.objectId}` }), {});
    });
  });
}
