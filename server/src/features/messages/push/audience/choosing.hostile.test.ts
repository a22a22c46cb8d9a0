import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  bothDatabases,
  buildApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { openStream } from '../../../../../test/support/event-stream.ts';
import { listen } from '../../../../../test/support/socket.ts';
import { commandLine } from '../../../../access/audit.ts';

/** Choosing an audience tells nobody what the list of installations would not. */

const path = '/api/v2/push/notification';
const data = { title: 'Hello' };

for (const database of bothDatabases) {
  describe(`what an audience reveals on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let phone: string;
    beforeAll(async () => {
      app = await buildApp({ database });
      const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
      await app.app.apps.change(app.appId, { policy: { rateLimit } });
      manager = await signInManager(app);
      const body = { installationId: 'hers', deviceType: 'ios', deviceModel: 'iPhone 15', metadata: { tour: 3 } };
      phone = await create(app, '/api/v2/installations', body);
      app.clock.now += 1000;
    });
    afterAll(() => app.close());

    type Headers = Readonly<Record<string, string>>;
    const send = (where: object, headers: Headers) =>
      app.send({ method: 'POST', url: path, headers, body: { where, data } });
    /** What the sender reads about a push that it has sent. */
    async function counted(where: object, headers: Headers) {
      const sent = await send(where, headers);
      assert.equal(sent.status, 200, sent.raw.toString());
      await app.app.idle();
      const url = `${path}/${String(sent.headers['location']).split('/').at(-1)}`;
      return (await app.send({ method: 'GET', url, headers })).body.result;
    }
    const assertRefused = async (where: object, headers: Headers) => {
      const { status, body } = await send(where, headers);
      assert.deepEqual([status, body.code], [400, 102], JSON.stringify(where));
    };
    async function keyWith(...scopes: readonly { resource: string; verbs: readonly string[] }[]): Promise<Headers> {
      const name = `Key ${++keys}`;
      return {
        'x-service-appkey': (await app.app.secretKeys.create(app.appId, { name, scopes }, commandLine)).secretKey,
      };
    }
    let keys = 0;

    test('an editor keeps the audience that somebody else has chosen by what editors do not see, and chooses no other by it', async () => {
      const [owner, editor] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
      const url = `/apps/${app.appId}/v2/push/notification`;
      const body = { data, sendAt: new Date(app.clock.now + 3_600_000).toISOString(), where: { 'metadata.tour': 3 } };
      const made = await owner.send({ method: 'POST', url, body });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const own = `${url}/${String(made.headers['location']).split('/').at(-1)}`;
      const change = (more: object) => editor.send({ method: 'PUT', url: own, body: { ...body, ...more } });
      assert.equal((await change({ data: { title: 'Hello again' } })).status, 200);
      const other = await change({ where: { 'metadata.tour': 4 } });
      assert.deepEqual([other.status, other.body.code], [400, 102]);
      await owner.send({ method: 'DELETE', url: own });
    });

    test('a member that is hidden cannot be chosen by, at any depth, at first or in a change', async () => {
      const anna = await signIn(app);
      const members = { metadata: { hidden: ['manager', 'user'] }, deviceModel: { hidden: ['user'] } } as const;
      await app.app.apps.changeRules(app.appId, { resources: { installations: { members } } });
      for (const where of [
        { 'metadata.tour': 3 },
        { $or: [{ channels: 'x' }, { $nor: [{ 'metadata.tour': { $lt: 3 } }] }] },
      ])
        for (const { headers } of [manager, anna]) await assertRefused(where, headers);
      await assertRefused({ deviceModel: 'iPhone 15' }, anna.headers);
      assert.equal((await counted({ deviceModel: 'iPhone 15' }, manager.headers)).audience, 1);

      const later = { data, sendAt: new Date(app.clock.now + 3_600_000).toISOString() };
      const made = await app.send({ method: 'POST', url: path, headers: manager.headers, body: later });
      const url = `${path}/${String(made.headers['location']).split('/').at(-1)}`;
      const body = { ...later, where: { 'metadata.tour': 3 } };
      const changed = await app.send({ method: 'PUT', url, headers: manager.headers, body });
      assert.deepEqual([changed.status, changed.body.code], [400, 102]);
      await app.app.apps.changeRules(app.appId, {});
      assert.equal((await counted({ 'metadata.tour': 3 }, manager.headers)).audience, 1);
    });

    test('where nobody lists installations, no manager counts them by their members, or finds their ids', async () => {
      await app.app.apps.changeRules(app.appId, { resources: { installations: { list: 'nobody' } } });
      const told = await counted({ 'metadata.tour': 3 }, manager.headers);
      for (const member of ['audience', 'sent', 'noTarget', 'reasons']) assert.ok(!(member in told), member);
      await assertRefused({ objectId: { $gt: '0' } }, manager.headers);
      await app.app.apps.changeRules(app.appId, {});
    });

    test('nor does the stream tell, to a user or a key that hears of pushes', async () => {
      const anna = await signIn(app);
      await app.app.apps.changeRules(app.appId, { resources: { pushes: { get: 'user', listen: 'user' } } });
      const port = await listen(app);
      const open = (headers: Headers) => openStream(port, '/api/v2/stream', { ...app.credentials, ...headers });
      const hearing = { resource: 'pushes', verbs: ['listen'] };
      const blind = [await open(anna.headers), await open(await keyWith(hearing))];
      const seeing = [
        await open(manager.headers),
        await open(await keyWith(hearing, { resource: 'installations', verbs: ['list'] })),
      ];
      for (const stream of [...blind, ...seeing]) await stream.ready;
      await send({ 'metadata.tour': 3 }, anna.headers);
      await app.app.idle();
      for (const stream of [...blind, ...seeing]) await stream.received(1);
      for (const { events } of blind)
        for (const { data: said } of events) assert.deepEqual(Object.keys(said.data), ['pushId', 'state']);
      for (const { events } of seeing) assert.equal(events.at(-1)?.data.data.audience, 1);
      for (const stream of [...blind, ...seeing]) stream.close();
      await app.app.apps.changeRules(app.appId, {});
    });

    test('a secret key counts only with the scope to list installations', async () => {
      const pushing = { resource: 'pushes', verbs: ['create', 'get', 'list'] };
      const blind = await keyWith(pushing);
      const told = await counted({ 'metadata.tour': 3 }, blind);
      for (const member of ['audience', 'sent', 'noTarget', 'reasons']) assert.ok(!(member in told), member);
      for (const where of [{ objectId: { $gt: '0' } }, { $or: [{ installationId: { $regex: '^h' } }] }])
        await assertRefused(where, blind);
      const asked = `${path}s?where=${encodeURIComponent('{"audience":1}')}`;
      assert.equal((await app.send({ method: 'GET', url: asked, headers: blind })).body.code, 102);
      assert.equal((await send({ objectId: phone }, blind)).status, 200, 'a phone that it knows is addressed');
      const seeing = await keyWith(pushing, { resource: 'installations', verbs: ['list'] });
      assert.equal((await counted({ 'metadata.tour': 3 }, seeing)).audience, 1);
    });
  });
}
