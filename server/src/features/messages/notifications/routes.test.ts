import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  otherApp,
  pointerTo,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';

const beacon = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };

for (const database of databases) {
  describe(`notifications on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let body: Record<string, unknown>;
    const url = '/api/v2/notifications';
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      const beaconId = {
        __type: 'Pointer',
        className: 'Beacon',
        objectId: await create(app, '/api/v2/beacons', beacon, user.headers),
      };
      body = {
        description: 'Welcome',
        beaconId,
        event: 'ENTER',
        type: 'TEXT',
        message: { alertTitle: 'Hi', alertMessage: '' },
        isEnabled: true,
      };
    });
    afterAll(() => app.close());
    const get = async (id: string) =>
      (await app.send({ method: 'GET', url: `${url}/${id}`, headers: user.headers })).body.result;

    test('answers the record with the pointer as it was sent', async () => {
      const id = await create(app, url, body, user.headers);
      const now = new Date(app.clock.now).toISOString();
      assert.deepEqual(await get(id), {
        objectId: id,
        ...body,
        createdBy: pointerTo(user),
        createdAt: now,
        updatedAt: now,
      });
    });

    test('refuses each broken rule and names the member', async () => {
      const broken = (change: object, fields: string[]) => ({
        rule: JSON.stringify(change).slice(0, 80),
        request: { method: 'POST', url, body: { ...body, ...change } } as const,
        status: 400,
        code: 142,
        fields,
      });
      const required = ['description', 'beaconId', 'event', 'type', 'message', 'isEnabled'];
      await assertRefusals(app, user.headers, [
        { rule: 'required', request: { method: 'POST', url, body: {} }, status: 400, code: 142, fields: required },
        broken({ description: '' }, ['description']),
        broken({ description: 'd'.repeat(51) }, ['description']),
        broken({ event: 'enter' }, ['event']),
        broken({ type: 'URL' }, ['type']),
        broken({ isEnabled: 'true' }, ['isEnabled']),
        broken({ beaconId: 'text' }, ['beaconId']),
        broken({ beaconId: { __type: 'Pointer', className: '_User', objectId: 'x' } }, ['beaconId.className']),
        broken({ message: {} }, ['message.alertTitle', 'message.alertMessage']),
        broken({ message: { alertTitle: 1, alertMessage: 'x' } }, ['message.alertTitle']),
        broken({ type: 'IMAGE' }, ['message.url']),
        broken({ type: 'VIDEO', message: { url: 'ftp://example.org/a' } }, ['message.url']),
        broken({ type: 'IMAGE', message: { url: 'javascript:alert(1)' } }, ['message.url']),
      ]);
    });

    test('refuses a beacon that does not exist or belongs to another app, and says which', async () => {
      const strangers = await otherApp(app);
      const stranger = await signIn(app, strangers);
      const theirs = await create(app, '/api/v2/beacons', beacon, { ...strangers, ...stranger.headers });
      for (const objectId of ['0000000000000000NONE', theirs]) {
        const pointer = { __type: 'Pointer', className: 'Beacon', objectId };
        const answer = await app.send({
          method: 'POST',
          url,
          headers: user.headers,
          body: { ...body, beaconId: pointer },
        });
        assert.deepEqual([answer.status, answer.body.code], [404, 101]);
        assert.ok(answer.body.error.error.includes(objectId));
      }
    });

    test('a text without words is a draft: it is kept, and cannot be switched on', async () => {
      const empty = { ...body, message: { alertTitle: '', alertMessage: ' ' } };
      const refused = (request: { method: 'POST' | 'PUT' | 'PATCH'; url: string; body: object }) =>
        assertRefusals(app, user.headers, [
          { rule: request.method, request, status: 400, code: 142, fields: ['message.alertTitle'] },
        ]);
      await refused({ method: 'POST', url, body: empty });
      const id = await create(app, url, { ...empty, isEnabled: false }, user.headers);
      await refused({ method: 'PUT', url: `${url}/${id}`, body: { isEnabled: true } });
      await refused({ method: 'PATCH', url: `${url}/${id}`, body: { isEnabled: true } });
      const words = { message: { alertTitle: '', alertMessage: 'Welcome' }, isEnabled: true };
      const put = await app.send({ method: 'PUT', url: `${url}/${id}`, headers: user.headers, body: words });
      assert.equal(put.status, 200);
      await refused({ method: 'PUT', url: `${url}/${id}`, body: { message: { alertTitle: '', alertMessage: '' } } });
      assert.equal((await get(id)).message.alertMessage, 'Welcome');
    });

    test('holds type and message together when only one of them is updated', async () => {
      const id = await create(app, url, body, user.headers);
      await assertRefusals(app, user.headers, [
        {
          rule: 'IMAGE needs a url',
          request: { method: 'PUT', url: `${url}/${id}`, body: { type: 'IMAGE' } },
          status: 400,
          code: 142,
          fields: ['message.url'],
        },
        {
          rule: 'TEXT needs its texts',
          request: { method: 'PUT', url: `${url}/${id}`, body: { message: { url: 'https://example.org/a.png' } } },
          status: 400,
          code: 142,
          fields: ['message.alertTitle', 'message.alertMessage'],
        },
      ]);
      const both = { type: 'IMAGE', message: { url: 'https://example.org/a.png' } };
      assert.equal(
        (await app.send({ method: 'PUT', url: `${url}/${id}`, headers: user.headers, body: both })).status,
        200,
      );
      assert.deepEqual((await get(id)).message, both.message);
    });

    test('is found by its beacon and survives the deletion of it', async () => {
      const other = await create(app, '/api/v2/beacons', beacon, user.headers);
      const pointer = { __type: 'Pointer', className: 'Beacon', objectId: other };
      const id = await create(app, url, { ...body, beaconId: pointer, isEnabled: false }, user.headers);
      const where = encodeURIComponent(JSON.stringify({ beaconId: pointer, isEnabled: false }));
      const found = await app.send({ method: 'GET', url: `${url}?where=${where}`, headers: user.headers });
      assert.deepEqual(
        found.body.results.map(({ objectId }: { objectId: string }) => objectId),
        [id],
      );
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${other}`, headers: user.headers });
      assert.deepEqual((await get(id)).beaconId, pointer);
    });
  });
}
