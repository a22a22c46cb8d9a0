import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, buildApp, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { testOn } from '../support/depth.ts';

const api = '/api/v2';

/** A record of each kind that can be changed: where it is made, from what, and two changes to it. */
interface Kind {
  readonly name: string;
  readonly url: string;
  readonly body: unknown;
  readonly changes: readonly [object, object];
}

for (const database of bothDatabases) {
  describe(`entity tags on ${database}`, () => {
    let app: TestApp;
    let headers: Readonly<Record<string, string>>;
    let kinds: readonly Kind[];
    beforeAll(async () => {
      app = await buildApp({ database });
      headers = (await signInManager(app)).headers;
      await app.app.apps.change(app.appId, { policy: { writeContent: 'user' } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      const beacon = { name: 'Gate', uuid: 'AA', major: 1, minor: 1 };
      const beaconId = await create(app, `${api}/beacons`, beacon, headers);
      const storylineId = await create(app, `${api}/storylines`, { title: 'A day', isEnabled: true }, headers);
      const notification = {
        description: 'Welcome',
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beaconId },
        event: 'ENTER',
        type: 'TEXT',
        message: { alertTitle: 'a', alertMessage: 'b' },
        isEnabled: true,
      };
      const showOn = [{ dayName: 'Mon', checked: true }];
      const detail = { beacons: [beaconId], event: 'ENTER', campaign: 'TEXT', showOn };
      const device = { deviceName: 'A sign', manufacture: 'Acme', topic: 'museum/gate' };
      const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
      const house = { name: 'House', timeZone: 'Europe/Vienna' };
      const venueId = pointer('Venue', await create(app, `${api}/venues`, house, headers));
      const floor = { venueId, name: 'Ground', level: 0 };
      const floorId = pointer('Floor', await create(app, `${api}/floors`, floor, headers));
      const polygon = [
        { x: 0, y: 0 },
        { x: 4, y: 0 },
        { x: 4, y: 3 },
      ];
      const zone = { floorId, name: 'Hall', kind: 'room', polygon };
      kinds = [
        { name: 'beacon', url: `${api}/beacons`, body: beacon, changes: [{ name: 'One' }, { name: 'Two' }] },
        { name: 'venue', url: `${api}/venues`, body: house, changes: [{ name: 'One' }, { capacity: 40 }] },
        {
          name: 'floor',
          url: `${api}/floors`,
          body: { ...floor, level: 1 },
          changes: [{ name: 'First' }, { north: 90 }],
        },
        { name: 'zone', url: `${api}/zones`, body: zone, changes: [{ name: 'One' }, { capacity: 40 }] },
        {
          name: 'notification',
          url: `${api}/notifications`,
          body: notification,
          changes: [{ isEnabled: false }, { description: 'Hello' }],
        },
        {
          name: 'storyline',
          url: `${api}/storylines`,
          body: { title: 'A day', isEnabled: true },
          changes: [{ title: 'One' }, { title: 'Two' }],
        },
        {
          name: 'scenario',
          url: `${api}/storylines/${storylineId}/detail`,
          body: detail,
          changes: [{ alertTitle: 'One' }, { alertTitle: 'Two' }],
        },
        { name: 'device', url: `${api}/device`, body: device, changes: [{ topic: 'a/b' }, { topic: 'c/d' }] },
        {
          name: 'record',
          url: `${api}/data/bucket/birds`,
          body: { metadata: { species: 'owl' } },
          changes: [{ species: 'jay' }, { species: 'tit' }],
        },
        {
          name: 'schema',
          url: `${api}/data/schema/birds`,
          body: { column: { wings: { type: 'Number' } } },
          changes: [
            { column: { wings: { type: 'Number' }, sex: { type: 'String' } } },
            { column: { a: { type: 'Number' } } },
          ],
        },
        {
          name: 'installation',
          url: `${api}/installations`,
          body: { installationId: 'phone-1', deviceType: 'ios' },
          changes: [{ appVersion: '1' }, { appVersion: '2' }],
        },
      ];
    });
    afterAll(() => app.close());

    const send = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown, tag?: string) =>
      app.send({ method, url, body, headers: { ...headers, ...(tag === undefined ? {} : { 'if-match': tag }) } });
    const tagOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }) => String(answer.headers['etag']);

    test('a change is refused when somebody has changed the record since it was read', async () => {
      for (const { name, url, body, changes } of kinds) {
        const one = `${url}/${await create(app, url, body, headers)}`;
        const read = tagOf(await send('GET', one));
        assert.match(read, /^"[\w-]{24}"$/, name);
        const first = await send('PUT', one, changes[0], read);
        assert.equal(first.status, 200, `${name}: ${JSON.stringify(first.body)}`);
        assert.notEqual(tagOf(first), read, name);
        assert.equal(tagOf(await send('GET', one)), tagOf(first), name);
        const stored = (await send('GET', one)).body;
        for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
          const late = await send(method, one, method === 'DELETE' ? undefined : changes[1], read);
          assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed'], `${name} ${method}`);
          assert.match(late.body.error.error, /Read it again/);
        }
        assert.deepEqual((await send('GET', one)).body, stored, name);
        const patched = await send('PATCH', one, changes[1], tagOf(first));
        assert.equal(patched.status, 200, `${name}: ${JSON.stringify(patched.body)}`);
        assert.equal((await send('PUT', one, changes[0])).status, 200, `${name} without a condition`);
        assert.equal((await send('DELETE', one, undefined, tagOf(await send('GET', one)))).status, 200, name);
      }
    });

    test('of two changes to the same version, made at once, one is refused', async () => {
      for (const { name, url, body, changes } of kinds) {
        const one = `${url}/${await create(app, url, body, headers)}`;
        const tag = tagOf(await send('GET', one));
        const answers = await Promise.all(changes.map((change) => send('PUT', one, change, tag)));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412], name);
        await send('DELETE', one);
      }
    });

    testOn(database)(
      'a star fits any version, one of several tags is enough, and a weak tag or nonsense fits none',
      async () => {
        const { url, body } = kinds[0] as Kind;
        const one = `${url}/${await create(app, url, body, headers)}`;
        const tag = tagOf(await send('GET', one));
        assert.equal((await send('PUT', one, { name: 'Gate' }, `W/${tag}`)).status, 412);
        assert.equal((await send('PUT', one, { name: 'Gate' }, 'nonsense')).status, 412);
        assert.equal((await send('PUT', one, { name: 'Gate' }, `"other", ${tag}`)).status, 200);
        assert.equal((await send('PUT', one, { name: 'Gate' }, '*')).status, 200);
      },
    );

    testOn(database)('what is set up in the console has tags too', async () => {
      const owner = await openConsole(app, 'owner');
      const webhook = { url: 'https://93.184.216.34/hook', events: ['visit.opened'] };
      const made = await owner.send({ method: 'POST', url: `/apps/${app.appId}/webhooks`, body: webhook });
      const sso = { name: 'Museum', issuer: 'https://93.184.216.34', clientId: 'console' };
      const provider = await owner.send({ method: 'POST', url: '/sso-providers', body: sso });
      assert.equal(provider.status, 201, JSON.stringify(provider.body));
      const editor = await openConsole(app, 'editor');
      const mqtt = (username: string) => ({ settings: { url: 'mqtts://broker.example.org:8883', username } });
      const cases = [
        [`/sso-providers/${provider.body.result.providerId}`, { name: 'One' }, { scopes: 'openid' }],
        [`/administrators/${editor.adminId}`, { apps: [{ appId: app.appId }] }, { role: 'analyst' }],
        ['/sso', { sessionHours: 8 }, { sessionHours: 24 }],
        ['/session/alerts', { kinds: { silent: false } }, { digest: 'daily' }],
        [`/apps/${app.appId}/senders/mqtt`, mqtt('one'), mqtt('two')],
        [`/apps/${app.appId}/senders/mqtt`, mqtt('three'), mqtt('four')],
        ['/system/backup-plan', { kept: 7 }, { kept: 8 }],
        [`/apps/${app.appId}`, { name: 'One' }, { policy: { push: 'manager' } }],
        [`/apps/${app.appId}/webhooks/${made.body.result.objectId}`, { description: 'One' }, { enabled: false }],
      ] as const;
      for (const [url, first, second] of cases) {
        const read = tagOf(await owner.send({ method: 'GET', url }));
        const put = await owner.send({ method: 'PUT', url, body: first, headers: { 'if-match': read } });
        assert.equal(put.status, 200, JSON.stringify(put.body));
        assert.equal(tagOf(await owner.send({ method: 'GET', url })), tagOf(put));
        const late = await owner.send({ method: 'PUT', url, body: second, headers: { 'if-match': read } });
        assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed']);
        const same = tagOf(await owner.send({ method: 'GET', url }));
        assert.equal(same, tagOf(put), `${url} is as it was`);
        const both = await Promise.all(
          [second, second].map((body) => owner.send({ method: 'PUT', url, body, headers: { 'if-match': same } })),
        );
        assert.deepEqual(both.filter(({ status }) => status === 412).length, 1, `${url}: one of two at once`);
      }
    });

    test('what the trash does not keep is deleted only as it was read, and a dry run replaced', async () => {
      const owner = await openConsole(app, 'owner');
      const of = `/apps/${app.appId}`;
      const make = async (url: string, body: object) => {
        const made = await owner.send({ method: 'POST', url, body });
        assert.equal(made.status, 201, JSON.stringify(made.body));
        const { objectId, providerId, reportId } = made.body.result;
        return `${url}/${objectId ?? providerId ?? reportId}`;
      };
      const report = { venueId: null, every: 'week', isOn: true, administrators: [owner.adminId], addresses: [] };
      const urls = [
        [
          await make('/sso-providers', { name: 'Gone', issuer: 'https://93.184.216.35', clientId: 'a' }),
          { scopes: 'openid' },
        ],
        [
          await make(`${of}/identity-providers`, { name: 'google', kind: 'google', audiences: ['a'] }),
          { audiences: ['b'] },
        ],
        [
          await make(`${of}/webhooks`, { url: 'https://93.184.216.34/a', events: ['visit.opened'] }),
          { enabled: false },
        ],
        [await make(`${of}/reports`, report), { every: 'month' }],
        [`${of}/rules/dry-run`, { preset: 'visitors' }],
      ] as const;
      for (const [url, change] of urls) {
        const read = tagOf(await owner.send({ method: 'GET', url }));
        const put = await owner.send({ method: 'PUT', url, body: change, headers: { 'if-match': read } });
        assert.equal(put.status, 200, `${url}: ${JSON.stringify(put.body)}`);
        const late = await owner.send({ method: 'DELETE', url, headers: { 'if-match': read } });
        assert.deepEqual([late.status, late.body.error?.name], [412, 'PreconditionFailed'], url);
        const now = await owner.send({ method: 'GET', url });
        assert.deepEqual([now.status, tagOf(now)], [200, tagOf(put)], `${url} is as it was`);
        const gone = await owner.send({ method: 'DELETE', url, headers: { 'if-match': tagOf(put) } });
        assert.equal(gone.status, 200, `${url}: ${JSON.stringify(gone.body)}`);
      }
    });

    testOn(database)('an account has tags for the person whose it is, by its id and as me', async () => {
      const { userId, headers: own } = await signInManager(app);
      const ask = (method: 'GET' | 'PUT' | 'PATCH', url: string, body?: object, tag?: string) =>
        app.send({ method, url, body, headers: { ...own, ...(tag === undefined ? {} : { 'if-match': tag }) } });
      for (const url of [`${api}/users/${userId}`, `${api}/users/me`])
        for (const method of ['PUT', 'PATCH'] as const) {
          app.clock.now += 1_000;
          const read = tagOf(await ask('GET', url));
          assert.equal(tagOf(await ask('GET', url)), read);
          const first = await ask(method, url, { country: 'AT' }, read);
          assert.equal(first.status, 200, JSON.stringify(first.body));
          assert.equal(tagOf(await ask('GET', url)), tagOf(first));
          const late = await ask(method, url, { country: 'DE' }, read);
          assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed']);
          assert.equal((await ask('GET', url)).body.result.country, 'AT');
          assert.equal((await ask(method, url, { country: 'FR' })).status, 200, 'without a condition');
        }
    });

    testOn(database)('a record is handed over only as it was read', async () => {
      const [{ userId: anna }, { userId: ben }] = [await signInManager(app), await signInManager(app)];
      const places = kinds.filter(({ name }) => !['record', 'schema', 'installation'].includes(name));
      const file = await app.send({
        method: 'POST',
        url: `${api}/files/hall.png`,
        headers: { ...headers, 'content-type': 'image/png' },
        body: 'hall',
      });
      const urls = [`${api}/files/${file.body.objectId}`];
      for (const { url, body } of places) urls.push(`${url}/${await create(app, url, body, headers)}`);
      for (const one of urls) {
        app.clock.now += 1_000;
        const read = tagOf(await send('GET', one));
        const given = await send('PUT', `${one}/owner`, { userId: anna }, read);
        assert.equal(given.status, 200, `${one}: ${JSON.stringify(given.body)}`);
        assert.equal(tagOf(await send('GET', one)), tagOf(given), one);
        const late = await send('PUT', `${one}/owner`, { userId: ben }, read);
        assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed'], one);
        assert.equal((await send('GET', one)).body.result.createdBy.objectId, anna, one);
        assert.equal((await send('PUT', `${one}/owner`, { userId: ben }, tagOf(given))).status, 200, one);
      }
    });

    test('a file is deleted only as it was read, by an app and in the console', async () => {
      const [{ userId: anna }, owner] = [await signInManager(app), await openConsole(app, 'owner')];
      const upload = async () => {
        const sent = { ...headers, 'content-type': 'image/png' };
        const made = await app.send({ method: 'POST', url: `${api}/files/hall.png`, headers: sent, body: 'hall' });
        return `/files/${made.body.objectId}`;
      };
      const byApp = (file: string, tag: string) => send('DELETE', api + file, undefined, tag);
      const inConsole = (file: string, tag: string) =>
        owner.send({ method: 'DELETE', url: `/apps/${app.appId}/v2${file}`, headers: { 'if-match': tag } });
      for (const remove of [byApp, inConsole]) {
        const file = await upload();
        const read = tagOf(await send('GET', api + file));
        app.clock.now += 1_000;
        const given = await send('PUT', `${api}${file}/owner`, { userId: anna }, read);
        const late = await remove(file, read);
        assert.deepEqual([late.status, late.body.error?.name], [412, 'PreconditionFailed']);
        assert.equal((await send('GET', api + file)).status, 200, 'it is still there');
        // Of two who delete what they have both read, one finds nothing.
        const both = await Promise.all([remove(file, tagOf(given)), remove(file, tagOf(given))]);
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
        assert.equal((await send('GET', api + file)).status, 404);
      }
    });
  });
}
