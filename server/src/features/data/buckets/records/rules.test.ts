import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  pointerTo,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';

/** Whose records of a bucket are whose. */

const url = '/api/v2/data/bucket/notes';

for (const database of databases) {
  describe(`rules of buckets on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    let manager: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      await app.app.buckets.createBucket(app.appId, 'notes');
    });
    afterAll(() => app.close());

    const rule = (notes: object, more: object = {}) =>
      app.app.apps.changeRules(app.appId, { ...more, buckets: { notes } });
    const send = (
      by: SignedIn | undefined,
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path = '',
      body?: unknown,
    ) => app.send({ method, url: url + path, headers: by?.headers ?? {}, body });
    const add = async (by: SignedIn | undefined, metadata: object): Promise<string> => {
      const { status, body } = await send(by, 'POST', '', { metadata });
      assert.equal(status, 201, JSON.stringify(body));
      return body.result.objectId;
    };
    const ids = async (by: SignedIn | undefined, query: Record<string, string> = {}): Promise<string[]> => {
      const { status, body } = await send(by, 'GET', `?${new URLSearchParams(query)}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.results.map(({ objectId }: { objectId: string }) => objectId);
    };
    const codeOf = async (answer: ReturnType<typeof send>) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    const notThere = [404, 101];
    const forbidden = [403, 119];

    test('a record knows who made it', async () => {
      await rule({ list: 'user' });
      const id = await add(anna, { text: 'a' });
      assert.deepEqual((await send(ben, 'GET', `/${id}`)).body.result.createdBy, pointerTo(anna));
      const listed = async () => (await send(ben, 'GET', `?where={"objectId":"${id}"}`)).body.results[0].createdBy;
      assert.deepEqual(await listed(), pointerTo(anna));
      await app.app.apps.changeRules(app.appId, {});
      assert.equal(await listed(), undefined, 'as it was before there were rules');
      await rule({ create: 'app', get: 'app' });
      const nobodys = await add(undefined, { text: 'b' });
      assert.equal((await send(undefined, 'GET', `/${nobodys}`)).body.result.createdBy, null);
    });

    test("what is the owner's is not there for others, whatever they ask", async () => {
      await rule({ list: 'owner', get: 'owner', update: 'owner', delete: 'owner' });
      const mine = await add(anna, { text: 'mine', n: 1 });
      const theirs = await add(ben, { text: 'theirs', n: 2 });
      const queries: Record<string, string>[] = [
        {},
        { order: '-metadata.n' },
        { where: '{"metadata.text":"theirs"}' },
        { where: `{"$or":[{"objectId":"${theirs}"},{"metadata.text":{"$exists":true}}]}` },
        { where: `{"$nor":[{"objectId":"x"}]}` },
        { where: JSON.stringify({ createdBy: pointerTo(ben) }) },
        { order: 'createdBy', limit: '1000' },
      ];
      for (const query of queries) assert.ok(!(await ids(anna, query)).includes(theirs), JSON.stringify(query));
      assert.ok((await ids(anna)).includes(mine));
      const count = async (by: SignedIn) =>
        (await send(by, 'GET', `?count=1&limit=0&where=${encodeURIComponent('{"metadata.text":"theirs"}')}`)).body
          .count;
      assert.deepEqual([await count(anna), await count(ben), await count(manager)], [0, 1, 1]);
      for (const path of [`/${theirs}`, '/0000000000000000NONE']) {
        assert.deepEqual(await codeOf(send(anna, 'GET', path)), notThere);
        assert.deepEqual(await codeOf(send(anna, 'PUT', path, { text: 'x' })), notThere);
        assert.deepEqual(await codeOf(send(anna, 'PATCH', path, { text: 'x' })), notThere);
        assert.deepEqual(await codeOf(send(anna, 'DELETE', path)), notThere);
      }
      const [hidden, absent] = [
        await send(anna, 'GET', `/${theirs}`),
        await send(anna, 'GET', '/0000000000000000NONE'),
      ];
      const said = ({ body }: typeof hidden) => ({ ...body, error: { ...body.error, requestId: '' } });
      assert.deepEqual(said(hidden), said(absent));
      assert.equal((await send(manager, 'PUT', `/${theirs}`, { text: 'seen' })).status, 200);
      assert.equal((await send(ben, 'DELETE', `/${theirs}`)).status, 200);
    });

    test('what may be seen and not changed is refused as such', async () => {
      await rule({ update: 'owner', delete: 'nobody' });
      const id = await add(ben, { text: 'public' });
      assert.equal((await send(anna, 'GET', `/${id}`)).status, 200);
      assert.deepEqual(await codeOf(send(anna, 'PUT', `/${id}`, { text: 'x' })), forbidden);
      assert.equal((await send(ben, 'PUT', `/${id}`, { text: 'x' })).status, 200);
      assert.deepEqual(await codeOf(send(manager, 'DELETE', `/${id}`)), forbidden);
    });

    test('a where shares a record with several, and lets nobody in who has not signed in', async () => {
      const shared = {
        $or: [{ createdBy: '$auth.userId' }, { 'metadata.sharedWith': { $in: ['$auth.userId', 'all'] } }],
      };
      await rule({
        list: shared,
        get: shared,
        update: { createdBy: '$auth.userId', 'metadata.locked': { $ne: true } },
      });
      const id = await add(anna, { text: 'ours', sharedWith: [ben.userId] });
      const own = await add(anna, { text: 'own' });
      const open = await add(anna, { text: 'open', sharedWith: ['all'] });
      assert.deepEqual(
        [id, own, open].map((each) => [each, true]),
        await Promise.all([id, own, open].map(async (each) => [each, (await ids(anna)).includes(each)])),
      );
      const seenByBen = await ids(ben);
      assert.deepEqual(
        [id, own, open].map((each) => seenByBen.includes(each)),
        [true, false, true],
      );
      const seenByAll = await ids(undefined);
      assert.deepEqual(
        [id, own, open].map((each) => seenByAll.includes(each)),
        [false, false, true],
      );
      assert.deepEqual(await codeOf(send(ben, 'PUT', `/${id}`, { text: 'x' })), forbidden);
      // What the owner makes of it has to be hers to change as well.
      assert.deepEqual(await codeOf(send(anna, 'PUT', `/${id}`, { locked: true })), forbidden);
      assert.equal((await send(anna, 'GET', `/${id}`)).body.result.metadata.locked, undefined);
    });

    test('a where that asks for a missing member finds the records without it', async () => {
      const column = { state: { type: 'String' } };
      const schema = await app.send({
        method: 'POST',
        url: '/api/v2/data/schema/notes',
        headers: manager.headers,
        body: { column },
      });
      assert.equal(schema.status, 201, JSON.stringify(schema.body));
      await app.app.idle();
      const records = [
        await add(anna, { text: 'a' }),
        await add(anna, { state: 'open' }),
        await add(anna, { state: 'closed' }),
      ];
      const rules: readonly (readonly [unknown, readonly number[]])[] = [
        [{ 'metadata.state': null }, [200, 404, 404]],
        [{ 'metadata.state': { $in: [null, 'open'] } }, [200, 200, 404]],
        [{ 'metadata.state': { $in: ['open', 'closed'] } }, [404, 200, 200]],
        [{ objectId: { $in: [records[1], records[2]] } }, [404, 200, 200]],
      ];
      for (const [where, found] of rules) {
        await rule({ get: where });
        const answers = await Promise.all(records.map((id) => send(ben, 'GET', `/${id}`)));
        assert.deepEqual(
          answers.map(({ status }) => status),
          found,
          JSON.stringify(where),
        );
      }
    });

    test('a record is handed over by its owner, and by nobody else', async () => {
      await rule({ update: 'user' });
      const id = await add(anna, { text: 'a' });
      const to = (by: SignedIn, objectId: string) =>
        send(by, 'PATCH', `/${id}`, { metadata: {}, createdBy: { ...pointerTo(ben), objectId } });
      assert.deepEqual(await codeOf(to(ben, ben.userId)), forbidden);
      assert.deepEqual(await codeOf(to(anna, '0000000000000000NONE')), notThere);
      assert.equal((await to(anna, ben.userId)).status, 200);
      const { result } = (await send(ben, 'GET', `/${id}`)).body;
      assert.deepEqual([result.createdBy, result.metadata], [pointerTo(ben), { text: 'a' }]);
      assert.deepEqual(await codeOf(to(anna, anna.userId)), forbidden);
      // A record sent back as it was read changes nothing of its owner.
      assert.equal((await send(anna, 'PUT', `/${id}`, result)).status, 200);
      // Beside other members it is a member of the document.
      assert.equal((await send(anna, 'PUT', `/${id}`, { createdBy: 'the editors', text: 'b' })).status, 200);
      assert.equal((await send(ben, 'GET', `/${id}`)).body.result.metadata.createdBy, 'the editors');
    });

    test('a member can name the owners, and only they may name others', async () => {
      await rule({ owner: 'metadata.editors', list: 'owner', get: 'user', update: 'user', create: 'owner' });
      assert.deepEqual(await codeOf(send(anna, 'POST', '', { metadata: { editors: [ben.userId] } })), forbidden);
      const id = await add(anna, { editors: [anna.userId], text: 'a' });
      assert.equal((await send(ben, 'PUT', `/${id}`, { text: 'b' })).status, 200);
      assert.deepEqual(await codeOf(send(ben, 'PUT', `/${id}`, { editors: [ben.userId] })), forbidden);
      assert.ok(!(await ids(ben)).includes(id));
      assert.equal((await send(anna, 'PUT', `/${id}`, { editors: [anna.userId, ben.userId] })).status, 200);
      assert.ok((await ids(ben)).includes(id));
    });

    test('hidden and read-only members', async () => {
      await rule({ members: { 'metadata.email': { hidden: ['user'] }, 'metadata.state': { readOnly: ['user'] } } });
      const { body } = await send(manager, 'POST', '', { metadata: { email: 'a@b.c', state: 'new', text: 't' } });
      const id = body.result.objectId;
      const seen = async (by: SignedIn) => (await send(by, 'GET', `/${id}`)).body.result.metadata;
      assert.deepEqual(await seen(anna), { state: 'new', text: 't' });
      assert.equal((await send(anna, 'GET', `/${id}`)).headers['etag'], undefined);
      const asked = async (query: Record<string, string>) => send(anna, 'GET', `?${new URLSearchParams(query)}`);
      const [hidden, absent] = [
        await asked({ where: '{"metadata.email":"a@b.c"}' }),
        await asked({ where: '{"nosuch":"a"}' }),
      ];
      assert.deepEqual([hidden.status, hidden.body.code], [absent.status, absent.body.code]);
      assert.equal(hidden.body.error.error.replace('metadata.email', 'nosuch'), absent.body.error.error);
      assert.equal((await asked({ order: '-metadata.email' })).status, 400);
      assert.equal(
        (await asked({ where: '{"$or":[{"metadata.text":"t"},{"metadata.email":{"$exists":true}}]}' })).status,
        400,
      );
      assert.equal((await asked({ where: '{"metadata.text":"t"}' })).body.results[0].metadata.email, undefined);
      const put = (by: SignedIn, sent: object) => send(by, 'PUT', `/${id}`, sent);
      assert.deepEqual(await codeOf(put(anna, { email: 'a@b.c' })), [400, 142]);
      assert.deepEqual(await codeOf(put(anna, { state: 'done' })), [400, 142]);
      assert.equal((await put(anna, { metadata: { text: 'u', state: 'new' } })).status, 200);
      assert.deepEqual(await seen(manager), { text: 'u', state: 'new', email: 'a@b.c' });
      assert.deepEqual(await codeOf(send(anna, 'POST', '', { metadata: { state: 'x' } })), [400, 142]);
      assert.equal((await put(manager, { state: 'done', email: null })).status, 200);
      assert.deepEqual(await seen(manager), { text: 'u', state: 'done' });
    });

    test('an owner that is hidden or read-only is not changed by handing the record over', async () => {
      const ownerIs = (who: SignedIn) => ({ createdBy: pointerTo(who) });
      for (const [member, isSameRefused] of [
        [{ readOnly: ['user'] }, false],
        [{ hidden: ['user'] }, true],
      ] as const) {
        await rule({ update: 'owner', members: { createdBy: member } });
        const id = (await send(anna, 'POST', '', { metadata: { text: 't' } })).body.result.objectId;
        for (const [method, document] of [
          ['PATCH', {}],
          ['PUT', { text: 'u' }],
        ] as const) {
          const give = (by: SignedIn, to: SignedIn) =>
            send(by, method, `/${id}`, { metadata: document, ...ownerIs(to) });
          assert.deepEqual(await codeOf(give(anna, ben)), [400, 142]);
          assert.deepEqual(await codeOf(give(anna, anna)), isSameRefused ? [400, 142] : [200, undefined]);
        }
        assert.equal((await send(anna, 'PATCH', `/${id}`, { metadata: { text: 'v' } })).status, 200);
        const { createdBy } = (await send(manager, 'GET', `/${id}`)).body.result;
        assert.equal(createdBy.objectId, anna.userId);
        assert.equal((await send(manager, 'PATCH', `/${id}`, { metadata: {}, ...ownerIs(ben) })).status, 200);
      }
    });
  });
}
