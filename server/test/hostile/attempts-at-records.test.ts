import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, pointerTo, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { absent, birds, json, malloryOf, openScene, phones, refused, type Scene } from '../support/hostile/attempts.ts';
import type { Site } from '../support/site.ts';

/**
 * What is tried at what somebody else has made, one attempt a test. None may succeed.
 * `npm run test:hostile` counts these with all others.
 */

for (const database of databases) {
  describe(`attempts of somebody who is signed in, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let strangers: Readonly<Record<string, string>>;
    let note: string;
    let file: string;
    let beacon: string;
    let venue: string;
    const { send, get, none } = malloryOf(() => scene);

    beforeAll(async () => {
      scene = await openScene(database);
      ({ site, vera, mallory, strangers, note, file, beacon, venue } = scene);
    });
    afterAll(() => site.close());

    describe('at records of others', () => {
      for (const [what, where] of [
        ['a pointer to its maker', { createdBy: { __type: 'Pointer', className: '_User', objectId: 'VERA' } }],
        ['a disjunction with everything', { $or: [{ objectId: { $exists: true } }, { 'metadata.species': 'owl' }] }],
        ['what it is not', { $nor: [{ 'metadata.species': 'eagle' }] }],
        ['a negation', { 'metadata.pin': { $ne: '0000' } }],
        ['a prefix', { 'metadata.pin': { $regex: '^4' } }],
        ['a range', { 'metadata.pin': { $gt: '4' } }],
        ['an absent member', { 'metadata.none': { $exists: false } }],
        ['a list of ids', { objectId: { $in: ['NOTE', absent] } }],
      ] as const)
        test(`a where cannot find it by ${what}`, () =>
          none(`${birds}?where=${json(where).replace('VERA', vera.userId).replace('NOTE', note)}`));
      for (const operator of [
        '$inQuery',
        '$notInQuery',
        '$select',
        '$dontSelect',
        '$relatedTo',
        '$where',
        '$text',
        '$expr',
        '$lookup',
      ])
        test(`there is no join by ${operator}`, async () => {
          const inner = { where: { email: { $exists: true } }, className: '_User', key: 'email' };
          for (const path of [birds, '/api/v2/visits', '/api/v2/beacons', phones]) {
            refused(await get(`${path}?where=${json({ objectId: { [operator]: inner } })}&count=1`), 400);
            refused(await get(`${path}?where=${json({ [operator]: inner })}&count=1`), 400);
          }
        });
      for (const parameter of ['include', 'keys', 'fields', 'aggregate', 'distinct', 'expand', 'group'])
        test(`the parameter ${parameter} of other services brings nothing`, async () => {
          const answer = await get(`${birds}?${parameter}=createdBy&count=1`);
          if (answer.status === 200) assert.equal(answer.body.count, 0);
          else refused(answer, 400);
        });
      test('a path through a pointer leads to no record of another table', async () => {
        for (const path of ['/api/v2/visits', '/api/v2/events'])
          for (const name of ['installationId.userId', 'installationId.deviceToken', 'beaconId.createdBy'])
            refused(await get(`${path}?where=${json({ [name]: { $exists: true } })}`), 400);
      });
      test('an order by a member reveals nothing about the hidden records', async () => {
        const mine = await create(site.app, birds, { metadata: { pin: '4710' } }, mallory.headers);
        for (const order of ['metadata.pin', '-metadata.pin', 'createdBy', '-createdAt']) {
          const { body } = await get(`${birds}?order=${order}&limit=1&count=1`);
          assert.deepEqual([body.count, body.results[0].objectId], [1, mine], order);
          const skipped = await get(`${birds}?order=${order}&skip=1`);
          assert.deepEqual(skipped.body.results, []);
        }
        await send('DELETE', `${birds}/${mine}`);
      });
      test('a cursor made of its id or of its time finds nothing behind it', async () => {
        for (const where of [
          { objectId: { $gte: note, $lte: note } },
          { createdAt: { $lte: new Date(site.now).toISOString() } },
          { objectId: { $gt: '0' } },
        ])
          await none(`${birds}?where=${json(where)}&order=objectId`);
      });
      test('If-Match with any tag says 404, as for what is not there', async () => {
        const { headers } = await site.app.send({ method: 'GET', url: `${birds}/${note}`, headers: vera.headers });
        for (const tag of ['*', '"x"', String(headers['etag'])])
          for (const id of [note, absent])
            refused(await send('PUT', `${birds}/${id}`, { metadata: {} }, { 'if-match': tag }), 404);
      });
      test('If-None-Match with the right tag is 404, and not 304', async () => {
        const { headers } = await site.app.send({ method: 'GET', url: `${birds}/${note}`, headers: vera.headers });
        refused(await get(`${birds}/${note}`, { 'if-none-match': String(headers['etag']) }), 404);
        refused(await get(`${birds}/${note}`, { 'if-none-match': '*' }), 404);
      });
      test('nobody creates a record in the name of somebody else, or under her id', async () => {
        const forged = { metadata: { a: 1 }, createdBy: pointerTo(vera), objectId: note };
        const made = await send('POST', birds, forged);
        if (made.status === 201) {
          assert.notEqual(made.body.result.objectId, note);
          const { body } = await get(`${birds}/${made.body.result.objectId}`);
          assert.deepEqual(body.result.createdBy, pointerTo(mallory));
          await send('DELETE', `${birds}/${made.body.result.objectId}`);
        }
      });
      test('nobody takes a record by naming herself the owner', async () => {
        for (const method of ['PUT', 'PATCH'] as const)
          refused(await send(method, `${birds}/${note}`, { metadata: {}, createdBy: pointerTo(mallory) }), 404);
      });
      test('a forged __proto__ of a body owns nothing', async () => {
        const body =
          '{"metadata":{},"__proto__":{"createdBy":{"__type":"Pointer","className":"_User","objectId":"x"}}}';
        const made = await send('POST', birds, body, { 'content-type': 'application/json' });
        if (made.status === 201) {
          const { body: read } = await get(`${birds}/${made.body.result.objectId}`);
          assert.deepEqual(read.result.createdBy, pointerTo(mallory));
          await send('DELETE', `${birds}/${made.body.result.objectId}`);
        }
      });
    });

    describe('at idempotency keys', () => {
      test('the key of somebody else replays nothing of hers', async () => {
        const key = { 'idempotency-key': 'shopping-1' };
        const body = { metadata: { secret: 'of vera' } };
        const hers = await site.app.send({ method: 'POST', url: birds, headers: { ...vera.headers, ...key }, body });
        const mine = await send('POST', birds, body, key);
        assert.equal(mine.headers['idempotency-replayed'], undefined);
        assert.notEqual(mine.body.result.objectId, hers.body.result.objectId);
        await send('DELETE', `${birds}/${mine.body.result.objectId}`);
      });
      test('without a bearer, or with the app key alone, it is nobody', async () => {
        const key = { 'idempotency-key': 'shopping-1' };
        const answer = await site.app.send({ method: 'POST', url: birds, headers: key, body: { metadata: {} } });
        refused(answer, 401, 403);
      });
      test('in another app it is another key', async () => {
        const body = { installationId: 'same', deviceType: 'ios' };
        const key = { 'idempotency-key': 'phone-1' };
        const here = await send('POST', phones, body, key);
        const there = await site.app.send({ method: 'POST', url: phones, headers: { ...strangers, ...key }, body });
        assert.notEqual(here.body.result?.objectId, there.body.result?.objectId);
      });
      test('the same key with another body is refused, and not answered with the first', async () => {
        const key = { 'idempotency-key': 'twice' };
        const first = await send('POST', birds, { metadata: { n: 1 } }, key);
        const second = await send('POST', birds, { metadata: { n: 2 } }, key);
        refused(second, 409, 422, 400);
        await send('DELETE', `${birds}/${first.body.result.objectId}`);
      });
    });

    describe('at files', () => {
      test('her file is not listed, deleted or handed over', async () => {
        await none(`/api/v2/files?where=${json({ name: { $regex: 'diary' } })}`);
        refused(await send('DELETE', `/api/v2/files/${file}`), 404);
        refused(await send('PUT', `/api/v2/files/${file}/owner`, { userId: mallory.userId }), 404);
      });
      for (const name of [
        '../../pharos.db',
        '..%2f..%2fpharos.db',
        '%00.txt',
        '.htaccess',
        'a/../../b',
        'CON',
        'x'.repeat(400),
      ])
        test(`a file named ${name.slice(0, 20)} leads nowhere`, async () => {
          const answer = await send('POST', `/api/v2/files/${name}`, 'x', { 'content-type': 'text/plain' });
          assert.ok(answer.status < 500, answer.raw.toString());
          if (answer.status === 201) assert.ok(!/\.\.\//.test(decodeURIComponent(answer.body.url)), answer.body.url);
        });
      test('a page is not served as one that runs under the address of the service', async () => {
        const made = await send('POST', '/api/v2/files/a.html', '<script>alert(1)</script>', {
          'content-type': 'text/html',
        });
        if (made.status !== 201) return;
        const { headers } = await site.app.send({ method: 'GET', url: new URL(made.body.url).pathname });
        assert.equal(headers['x-content-type-options'], 'nosniff');
        const isHarmless =
          /attachment/.test(String(headers['content-disposition'])) ||
          /sandbox|default-src 'none'/.test(String(headers['content-security-policy']));
        assert.ok(isHarmless, JSON.stringify(headers));
      });
    });

    describe('at what she hands over', () => {
      test('what is not hers is not hers to give', async () => {
        for (const [path, id] of [
          ['beacons', beacon],
          ['venues', venue],
        ] as const)
          refused(await send('PUT', `/api/v2/${path}/${id}/owner`, { userId: mallory.userId }), 403, 404);
      });
      test('what she has given away she cannot take back or change', async () => {
        const mine = await create(site.app, birds, { metadata: { a: 1 } }, mallory.headers);
        const given = await send('PUT', `${birds}/${mine}`, { metadata: { a: 1 }, createdBy: pointerTo(vera) });
        assert.equal(given.status, 200);
        refused(await send('PUT', `${birds}/${mine}`, { metadata: { a: 2 }, createdBy: pointerTo(mallory) }), 404);
        refused(await send('DELETE', `${birds}/${mine}`), 404);
      });
      test('an owner of another app is nobody here', async () => {
        const foreign = await signIn(site.app, strangers);
        const mine = await create(site.app, birds, { metadata: { a: 1 } }, mallory.headers);
        refused(await send('PUT', `${birds}/${mine}`, { metadata: {}, createdBy: pointerTo(foreign) }), 404, 403, 400);
        await send('DELETE', `${birds}/${mine}`);
      });
    });
  });
}
