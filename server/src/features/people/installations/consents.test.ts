import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { bothDatabases, signIn } from '../../../../test/support/build-app.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { pointer, type Site } from '../../../../test/support/site.ts';
import { type ConsentSite, no, openConsentSite, yes } from '../../../../test/support/sites/consent-site.ts';

/** What a phone has agreed to, who may say so in its name, and what becomes of it. */

const url = '/api/v2/installations';

for (const database of bothDatabases) {
  describe(`consent of visitors on ${database}`, () => {
    let phone: ConsentSite;
    let site: Site;
    beforeEach(async () => {
      phone = await openConsentSite(database);
      site = phone.site;
    });
    afterEach(() => phone.close());

    test('a refusal can have what was recorded erased', async () => {
      await phone.ask();
      await phone.agree({ analytics: yes, messages: yes });
      await phone.visit();
      await phone.silence();
      await phone.agree({ analytics: { granted: false, erase: true } });
      await site.app.app.idle();
      assert.deepEqual(await phone.rowsOfPhone(), {});
      assert.equal((await site.get(`installations/${site.phone}`)).consents.analytics.granted, false);
    });

    test('somebody who has taken a phone by its id alone erases nothing of its user', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const { app } = site;
      await phone.register(undefined, { deviceToken: 'of vera' }, vera.headers);
      await phone.visit();
      await phone.silence();
      await phone.register(undefined, { deviceToken: 'of mallory' }, mallory.headers);
      const erasing = { analytics: { granted: false, erase: true } };
      const put = { method: 'PUT', url: `${url}/${site.phone}`, headers: mallory.headers } as const;
      for (const answer of [
        await app.send({ ...put, body: { consents: erasing } }),
        await phone.register(erasing, { deviceToken: 'of mallory' }, mallory.headers),
      ])
        assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      await app.app.idle();
      assert.equal((await site.list('visits')).length, 1);
    });

    test('somebody who has taken a phone by its id alone cannot agree in its name, or end a refusal', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const { app } = site;
      const agreed = { analytics: yes, messages: yes };
      const decided = async () => {
        const { consents } = await site.get(`installations/${site.phone}`);
        return [consents?.analytics?.granted, consents?.messages?.granted];
      };
      const take = [
        () => phone.register(undefined),
        () => phone.register(agreed),
        () => phone.register(agreed, {}, mallory.headers),
        () =>
          app.send({
            method: 'PUT',
            url: `${url}/${site.phone}`,
            headers: mallory.headers,
            body: { consents: agreed },
          }),
        () =>
          app.send({ method: 'PUT', url: `${url}/${site.phone}`, headers: mallory.headers, body: { consents: null } }),
      ];
      await phone.register({ analytics: no, messages: no }, {}, vera.headers);
      for (const taking of take) {
        assert.equal((await taking()).status, 200);
        assert.deepEqual(await decided(), [false, false]);
        assert.deepEqual((await phone.visit()).events, []);
      }
      await phone.register(undefined, {}, vera.headers);
      assert.deepEqual(await decided(), [false, false], 'she is back, and has said nothing else');
      await phone.register(agreed, {}, vera.headers);
      assert.deepEqual(await decided(), [true, true]);

      await phone.ask();
      await phone.register(agreed);
      assert.deepEqual([await decided(), await phone.rowsOfPhone()], [[undefined, undefined], {}]);
    });

    test('without identity no account is linked, and withdrawing it ends the link', async () => {
      await phone.ask();
      const user = await signIn(site.app);
      const own = async () => (await site.get(`installations/${site.phone}`)).userId?.objectId;
      assert.equal((await phone.register(undefined, {}, user.headers)).status, 200);
      assert.equal(await own(), undefined);
      const named = await phone.register(undefined, { userId: pointer('_User', user.userId) }, user.headers);
      assert.deepEqual([named.status, named.body.code], [403, 119]);
      await phone.register({ identity: yes }, {}, user.headers);
      assert.equal(await own(), user.userId);
      const refusal = { consents: { identity: no } };
      const put = { method: 'PUT', url: `${url}/${site.phone}`, headers: user.headers, body: refusal } as const;
      assert.equal((await site.app.send(put)).status, 200);
      assert.equal(await own(), undefined);
    });

    test('what one person has agreed to does not bind the next', async () => {
      await phone.ask();
      const [first, second] = [await signIn(site.app), await signIn(site.app)];
      await phone.register({ identity: yes, analytics: yes }, {}, first.headers);
      await phone.register(undefined, {}, second.headers);
      const { consents, userId } = await site.get(`installations/${site.phone}`);
      assert.deepEqual([consents, userId], [undefined, undefined]);
      assert.deepEqual((await phone.visit()).events, []);
      await phone.register({ identity: yes }, {}, second.headers);
      const now = await site.get(`installations/${site.phone}`);
      assert.deepEqual([Object.keys(now.consents), now.userId.objectId], [['identity'], second.userId]);
    });

    test('every decision is kept, and the same one sent again is none', async () => {
      await phone.agree({ messages: yes, analytics: no });
      const since = site.now;
      await phone.agree({ messages: yes, analytics: no });
      await phone.agree({ messages: { granted: true, textVersion: '2026-11' } });
      await phone.agree({ messages: no });
      const { consents } = await site.get(`installations/${site.phone}`);
      assert.deepEqual(consents.analytics, { granted: false, at: new Date(since).toISOString() });
      assert.equal(consents.messages.granted, false);
      const console = await openConsole(site.app, 'manager');
      const list = `/apps/${site.app.appId}/installations/${site.phone}/consents`;
      const { body } = await console.send({ method: 'GET', url: list });
      const told = body.result.map((one: Record<string, unknown>) => [
        one['purpose'],
        one['granted'],
        one['textVersion'] ?? '',
        one['decidedBy'],
      ]);
      assert.deepEqual(told.slice(0, 2), [
        ['messages', false, '', 'phone'],
        ['messages', true, '2026-11', 'phone'],
      ]);
      assert.deepEqual(told.slice(2).sort(), [
        ['analytics', false, '', 'phone'],
        ['messages', true, '2026-10', 'phone'],
      ]);
    });

    test('a grant needs the version of its text, and nonsense is refused', async () => {
      const refused = async (consents: unknown, fields: readonly string[]) => {
        const { status, body } = await phone.register(consents as object);
        assert.equal(status, 400, JSON.stringify(body));
        assert.deepEqual(
          body.error.details.map(({ field }: { field: string }) => field),
          fields,
        );
      };
      await refused({ messages: { granted: true } }, ['consents.messages.textVersion']);
      await refused({ messages: true }, ['consents.messages']);
      await refused({ analytics: { granted: true, textVersion: '1', erase: true } }, ['consents.analytics.erase']);
    });
  });
}
