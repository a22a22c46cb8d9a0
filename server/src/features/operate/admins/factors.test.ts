import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SentRequest, type TestApp } from '../../../../test/support/build-app.ts';
import {
  browserOf,
  codeAt,
  enrolPasskey,
  enrolTotp,
  openConsole,
  password,
  sendFromConsole,
  signInToConsole,
} from '../../../../test/support/console.ts';
import { createSecretBox } from '../../../base/secrets.ts';
import { sql } from '../../../base/sql.ts';
import { setOnlyWay } from './sso/store.ts';

const me: SentRequest = { method: 'GET', url: '/session' };
const halfMinute = 30_000;

for (const database of databases)
  describe(`second factors of administrators on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      // So that a request can come from any address.
      app = await buildApp({ database, settings: { PHAROS_TRUST_PROXY: '1' } });
    });
    afterAll(() => app.close());

    const signIn = (body: object) => sendFromConsole(app, { method: 'POST', url: '/session', body });
    const auditOf = async (subject: string) => {
      const entries = await app.storage.db.all<{ action: string; subject: string; after_state: string | null }>({
        strings: ['select action, subject, after_state from audit order by audit_id'],
        values: [],
      });
      return entries.filter((entry) => entry.subject === subject).map(({ action }) => action);
    };

    test('with an authenticator app the password alone no longer signs in, and a code of the app does', async () => {
      const ada = await openConsole(app, 'editor');
      assert.equal((await signInToConsole(app, ada.email)).status, 201, 'without a second factor nothing has changed');
      const { secret } = await enrolTotp(app, ada);
      const refused = await signInToConsole(app, ada.email);
      assert.deepEqual([refused.status, refused.body.code, refused.body.error.name], [403, 121, 'SecondFactorNeeded']);
      assert.deepEqual(
        refused.body.error.details.map(({ field }: { field: string }) => field),
        ['code', 'recoveryCode'],
      );
      assert.equal(refused.headers['set-cookie'], undefined);
      app.clock.now += halfMinute;
      const code = codeAt(secret, app.clock.now);
      const wrongPassword = await signIn({ email: ada.email, password: 'wrong', code });
      assert.deepEqual(
        [wrongPassword.status, wrongPassword.body.error.error],
        [404, 'The e-mail address or the password is wrong.'],
      );
      const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
      const done = await signIn({ email: ada.email, password, code: spaced });
      assert.equal((await browserOf(app, done).send(me)).status, 200);
    });

    test('a code works once, and neither do older ones after it', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret, code } = await enrolTotp(app, ada);
      const enrolled = await signIn({ email: ada.email, password, code });
      assert.deepEqual(
        [enrolled.status, enrolled.body.error.error],
        [404, 'This code was used already. Wait for the next one.'],
      );
      app.clock.now += 2 * halfMinute;
      const [older, next] = [codeAt(secret, app.clock.now - halfMinute), codeAt(secret, app.clock.now)];
      const both = await Promise.all([1, 2].map(() => signIn({ email: ada.email, password, code: next })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 404], 'of two at the same moment one is refused');
      assert.equal((await signIn({ email: ada.email, password, code: older })).status, 404);
    });

    test('a clock that is half a minute off does no harm, and one that is further off does', async () => {
      for (const [steps, status] of [
        [-2, 404],
        [-1, 201],
        [1, 201],
        [2, 404],
      ] as const) {
        const ada = await openConsole(app, 'editor');
        const { secret } = await enrolTotp(app, ada);
        app.clock.now += 5 * halfMinute;
        const code = codeAt(secret, app.clock.now + steps * halfMinute);
        assert.equal((await signIn({ email: ada.email, password, code })).status, status, `${steps}`);
      }
    });

    test('an app counts only when it has shown a right code, and until then the former one does', async () => {
      const ada = await openConsole(app, 'editor');
      const start = async () => (await ada.send({ method: 'POST', url: '/session/totp' })).body.result;
      const { secret, address } = await start();
      assert.match(address, /^otpauth:\/\/totp\/Pharos%20pharos\.test:editor\d+%40museum\.example\?/);
      assert.equal(new URL(address).searchParams.get('secret'), secret);
      assert.equal((await signInToConsole(app, ada.email)).status, 201);
      const finish = (code: unknown) => ada.send({ method: 'PUT', url: '/session/totp', body: { code } });
      for (const code of ['12345', 'abcdef', '', 7, '1234567']) {
        const { status, body } = await finish(code);
        assert.deepEqual([status, body.code, body.error.details[0].field], [400, 142, 'code'], String(code));
      }
      const wrong = codeAt(secret, app.clock.now + 3_600_000);
      const { status, body } = await finish(wrong);
      assert.deepEqual([status, body.code, body.error.details[0].field], [400, 142, 'code']);
      assert.equal((await finish(codeAt(secret, app.clock.now))).status, 200);
      assert.equal((await finish(codeAt(secret, app.clock.now))).body.error.name, 'ObjectNotFound');
      const other = await start();
      app.clock.now += halfMinute;
      const former = await signIn({ email: ada.email, password, code: codeAt(secret, app.clock.now) });
      assert.equal(former.status, 201);
      assert.equal((await finish(codeAt(other.secret, app.clock.now))).status, 200);
      app.clock.now += halfMinute;
      const replaced = await signIn({ email: ada.email, password, code: codeAt(secret, app.clock.now) });
      assert.equal(replaced.status, 404);
    });

    test('a code signs in once, however many send it at the same moment', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret, recoveryCodes } = await enrolTotp(app, ada);
      app.clock.now += halfMinute;
      for (const proof of [{ code: codeAt(secret, app.clock.now) }, { recoveryCode: recoveryCodes[0] }]) {
        const all = Array.from({ length: 4 }, () => signIn({ email: ada.email, password, ...proof }));
        const statuses = (await Promise.all(all)).map(({ status }) => status);
        assert.deepEqual(statuses.sort(), [201, 404, 404, 404]);
      }
    });

    test('a code is not used up by a sign-in that is refused for another reason', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret, recoveryCodes } = await enrolTotp(app, ada);
      app.clock.now += halfMinute;
      for (const proof of [{ code: codeAt(secret, app.clock.now) }, { recoveryCode: recoveryCodes[0] }]) {
        await setOnlyWay(app.storage.db, true);
        const refused = await signIn({ email: ada.email, password, ...proof });
        await setOnlyWay(app.storage.db, false);
        assert.deepEqual([refused.status, refused.body.error.name], [403, 'OperationForbidden']);
        assert.equal((await signIn({ email: ada.email, password, ...proof })).status, 201);
      }
    });

    test('recovery codes come with the first factor, work once each however they are typed, and can be renewed', async () => {
      const ada = await openConsole(app, 'editor');
      const { recoveryCodes } = await enrolTotp(app, ada);
      assert.equal(recoveryCodes.length, 10);
      const [first = '', second = '', third = ''] = recoveryCodes;
      assert.match(first, /^(?:[0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
      const left = async () =>
        (await ada.send({ method: 'GET', url: '/session/factors' })).body.result.recoveryCodesLeft;
      const use = (recoveryCode: string) => signIn({ email: ada.email, password, recoveryCode });
      assert.equal((await use(first)).status, 201);
      assert.equal((await use(first)).status, 404);
      assert.equal((await use(` ${second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')}`)).status, 201);
      assert.equal(await left(), 8);
      const renewed = await ada.send({ method: 'POST', url: '/session/recovery-codes' });
      assert.equal(renewed.status, 201);
      assert.equal((await use(third)).status, 404);
      assert.equal((await use(renewed.body.result.recoveryCodes[0])).status, 201);
      assert.equal(await left(), 9);
      const stored = JSON.stringify([
        await app.storage.db.all({ strings: ['select * from admin_recovery_codes'], values: [] }),
        await app.storage.db.all({ strings: ['select * from audit'], values: [] }),
      ]);
      for (const code of [...recoveryCodes, ...renewed.body.result.recoveryCodes])
        for (const text of [code, code.replaceAll('-', '')]) assert.ok(!stored.includes(text));
    });

    test('the secret is stored sealed, and appears in no answer after it was shown', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret } = await enrolTotp(app, ada);
      const rows = await app.storage.db.all<{ secret: string | null }>({
        strings: ['select * from admin_totp'],
        values: [],
      });
      assert.ok(rows.some((row) => row.secret?.startsWith('v1.')));
      const factors = await ada.send({ method: 'GET', url: '/session/factors' });
      for (const text of [JSON.stringify(rows), JSON.stringify(factors.body), app.log.join('\n')])
        assert.ok(!text.includes(secret));
    });

    test('if the key of the stored secrets is lost, codes say so, and recovery codes still work', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret, recoveryCodes } = await enrolTotp(app, ada);
      const other = createSecretBox({ keys: [Buffer.alloc(32, 7)], folder: undefined });
      const sealed = other.seal(secret, `admin ${ada.adminId} totp`);
      await app.storage.db.run(sql`update admin_totp set secret = ${sealed} where admin_id = ${ada.adminId}`);
      app.clock.now += halfMinute;
      const { status, body } = await signIn({ email: ada.email, password, code: codeAt(secret, app.clock.now) });
      assert.deepEqual([status, body.error.name], [403, 'OperationForbidden']);
      assert.match(body.error.error, /PHAROS_SECRET_KEY.*Use a recovery code or a passkey/);
      assert.equal((await signIn({ email: ada.email, password, recoveryCode: recoveryCodes[0] })).status, 201);
    });

    test('codes of one account are limited, wherever they are tried, and a recovery code still works', async () => {
      const ada = await openConsole(app, 'editor');
      const { secret, recoveryCodes } = await enrolTotp(app, ada);
      app.clock.now += 60 * halfMinute;
      const right = () => codeAt(secret, app.clock.now);
      const wrong = String((Number(right()) + 1) % 1_000_000).padStart(6, '0');
      const guess = (code: string, network: number) =>
        app.send({
          method: 'POST',
          url: '/console/api/session',
          headers: { origin: 'http://pharos.test', 'x-forwarded-for': `198.51.${network}.7` },
          body: { email: ada.email, password, code },
        });
      for (let tries = 0; tries < 9; tries++) assert.equal((await guess(wrong, tries)).status, 404);
      assert.equal((await guess(right(), 10)).status, 201, 'a right one does not count');
      assert.equal((await guess(wrong, 11)).status, 404);
      app.clock.now += halfMinute;
      const limited = await guess(right(), 12);
      assert.deepEqual([limited.status, limited.body.error.name], [429, 'APICallLimit']);
      assert.ok(Number(limited.headers['retry-after']) > 0);
      app.clock.now += 60 * halfMinute;
      assert.equal((await guess(right(), 13)).status, 201);
      for (let tries = 0; tries < 12; tries++) await guess(wrong, tries);
      assert.equal((await signIn({ email: ada.email, password, recoveryCode: recoveryCodes[0] })).status, 201);
      assert.ok((await auditOf(ada.email)).includes('session.refuse'));
    });

    test('changing a factor needs a confirmation, ends the other sessions, and is in the audit', async () => {
      const ada = await openConsole(app, 'editor');
      const elsewhere = async (more: object = {}) =>
        browserOf(app, await signIn({ email: ada.email, password, ...more }));
      let other = await elsewhere();
      const { recoveryCodes } = await enrolTotp(app, ada);
      assert.equal((await other.send(me)).status, 403);
      assert.equal((await ada.send(me)).status, 200);
      other = await elsewhere({ recoveryCode: recoveryCodes[0] });
      const { passkey, recoveryCodes: more } = await enrolPasskey(ada);
      assert.deepEqual(more, [], 'there are some already');
      assert.equal((await other.send(me)).status, 403);
      other = await elsewhere({ recoveryCode: recoveryCodes[1] });
      app.clock.now += 5 * 60_000;
      const writes = [
        { method: 'POST', url: '/session/totp' },
        { method: 'PUT', url: '/session/totp', body: { code: '123456' } },
        { method: 'DELETE', url: '/session/totp' },
        { method: 'POST', url: '/session/recovery-codes' },
        { method: 'POST', url: '/session/passkeys/challenge' },
        { method: 'DELETE', url: `/session/passkeys/${passkey.passkeyId}` },
      ] as const;
      for (const write of writes) {
        const { status, body } = await ada.send(write);
        assert.deepEqual([write.url, status, body.error.name], [write.url, 403, 'ConfirmationNeeded']);
      }
      await ada.send({ method: 'POST', url: '/session/confirm', body: { password } });
      assert.equal((await ada.send({ method: 'DELETE', url: '/session/totp' })).status, 200);
      assert.equal((await other.send(me)).status, 403);
      assert.equal((await ada.send({ method: 'DELETE', url: '/session/totp' })).status, 404);
      const removed = await ada.send({ method: 'DELETE', url: `/session/passkeys/${passkey.passkeyId}` });
      assert.equal(removed.status, 200);
      assert.equal((await signInToConsole(app, ada.email)).status, 201, 'as before');
      const state = (await ada.send({ method: 'GET', url: '/session/factors' })).body.result;
      const nothing = { hasPassword: true, totp: null, passkeys: [], recoveryCodesLeft: 0, required: false };
      assert.deepEqual(state, nothing);
      const recorded = (await auditOf(ada.email)).filter((action) => action.startsWith('factor.'));
      assert.deepEqual(recorded, ['factor.enable', 'factor.disable']);
      assert.deepEqual(await auditOf('Blue key'), ['passkey.create', 'passkey.delete']);
    });

    test('an owner takes away the factors of somebody who has lost them', async () => {
      const [owner, ada] = [await openConsole(app, 'owner'), await openConsole(app, 'editor')];
      await enrolTotp(app, ada);
      await enrolPasskey(ada);
      const listed = async () =>
        (await owner.send({ method: 'GET', url: '/administrators' })).body.results.find(
          ({ adminId }: { adminId: string }) => adminId === ada.adminId,
        );
      assert.equal((await listed()).secondFactor, true);
      const reset = { method: 'DELETE', url: `/administrators/${ada.adminId}/factors` } as const;
      assert.equal((await owner.send(reset)).status, 200);
      assert.equal((await listed()).secondFactor, false);
      assert.equal((await ada.send(me)).status, 403);
      assert.equal((await signInToConsole(app, ada.email)).status, 201);
      assert.ok((await auditOf(ada.email)).includes('factor.reset'));
      const unknown = await owner.send({ method: 'DELETE', url: '/administrators/nobody/factors' });
      assert.equal(unknown.status, 404);
    });

    test('sessions are listed with where they are, and ended one by one or all others', async () => {
      const ada = await openConsole(app, 'editor');
      const from = async (agent: string) =>
        browserOf(
          app,
          await app.send({
            method: 'POST',
            url: '/console/api/session',
            headers: { origin: 'http://pharos.test', 'user-agent': agent },
            body: { email: ada.email, password },
          }),
        );
      const list = async () => (await ada.send({ method: 'GET', url: '/sessions' })).body.results;
      app.clock.now += 60_000;
      const [phone, tablet] = [await from('A phone'), await from(`A tablet ${'x'.repeat(400)}`)];
      const listed = await list();
      assert.deepEqual(
        listed.map(({ current, method, address }: Record<string, unknown>) => [current, method, address]),
        [
          [false, 'password', '127.0.0.1'],
          [false, 'password', '127.0.0.1'],
          [true, 'password', '127.0.0.1'],
        ],
      );
      const onPhone = listed.find(({ userAgent }: { userAgent: string }) => userAgent === 'A phone');
      assert.ok(listed.every(({ userAgent }: { userAgent: string | null }) => (userAgent?.length ?? 0) <= 300));
      const secrets = [ada, phone, tablet].map(({ cookie }) => cookie.split('=')[1] ?? '');
      for (const secret of secrets) assert.ok(!JSON.stringify(listed).includes(secret));
      const end = { method: 'DELETE', url: `/sessions/${onPhone.sessionId}` } as const;
      const stranger = await openConsole(app, 'owner');
      assert.equal((await stranger.send(end)).status, 404, 'of somebody else');
      assert.equal((await ada.send(end)).status, 200);
      assert.equal((await ada.send(end)).status, 404);
      assert.deepEqual([(await phone.send(me)).status, (await tablet.send(me)).status], [403, 200]);
      const others = await ada.send({ method: 'DELETE', url: '/sessions' });
      assert.deepEqual(others.body.result, { ended: 1 });
      assert.deepEqual([(await tablet.send(me)).status, (await ada.send(me)).status], [403, 200]);
      assert.equal((await list()).length, 1);
      assert.equal((await stranger.send(me)).status, 200);
      const recorded = (await auditOf(ada.email)).filter((action) => action.startsWith('session.revoke'));
      assert.deepEqual(recorded, ['session.revoke', 'session.revokeOthers']);
    });
  });

for (const database of databases)
  describe(`a second factor that every administrator needs, on ${database}`, () => {
    test('allows administrators without one only to set one up', async () => {
      const app = await buildApp({ database });
      try {
        const [owner, ada, manager] = [
          await openConsole(app, 'owner'),
          await openConsole(app, 'editor'),
          await openConsole(app, 'manager'),
        ];
        const require = (secondFactorRequired: unknown) =>
          owner.send({ method: 'PUT', url: '/security', body: { secondFactorRequired } });
        const early = await require(true);
        assert.deepEqual([early.status, early.body.error.error], [403, 'Set up a second factor for yourself first.']);
        await enrolTotp(app, owner);
        assert.equal((await require('yes')).body.error.details[0].field, 'secondFactorRequired');
        assert.equal((await require(true)).status, 200);
        const security = await owner.send({ method: 'GET', url: '/security' });
        assert.deepEqual(security.body.result, { secondFactorRequired: true });
        const tag = String(security.headers['etag']);
        const put = (secondFactorRequired: boolean) =>
          owner.send({
            method: 'PUT',
            url: '/security',
            body: { secondFactorRequired },
            headers: { 'if-match': tag },
          });
        assert.equal((await require(false)).status, 200);
        assert.equal((await put(false)).body.error.name, 'PreconditionFailed', 'read before');
        assert.equal((await require(true)).status, 200);
        const same = await put(true);
        assert.deepEqual([same.status, same.headers['etag']], [200, tag]);

        const apps: SentRequest = { method: 'GET', url: '/apps' };
        const beacons: SentRequest = { method: 'GET', url: `/apps/${app.appId}/v2/beacons` };
        const alerts: SentRequest = { method: 'GET', url: `/alerts?app=${app.appId}` };
        assert.equal((await owner.send(apps)).status, 200);
        for (const request of [apps, beacons, alerts]) {
          const { status, body } = await ada.send(request);
          assert.deepEqual([status, body.code, body.error.name], [403, 123, 'EnrolmentNeeded']);
        }
        assert.equal((await ada.send(me)).body.result.mustEnrol, true);
        const signedIn = await signInToConsole(app, manager.email);
        assert.deepEqual([signedIn.status, signedIn.body.result.mustEnrol], [201, true]);

        await enrolTotp(app, ada);
        assert.equal((await ada.send(me)).body.result.mustEnrol, false);
        assert.equal((await ada.send(beacons)).status, 200);
        const kept = await ada.send({ method: 'DELETE', url: '/session/totp' });
        assert.deepEqual([kept.status, kept.body.error.name], [403, 'OperationForbidden']);
        assert.equal((await ada.send(apps)).status, 200);
        await enrolPasskey(ada);
        assert.equal((await ada.send({ method: 'DELETE', url: '/session/totp' })).status, 200, 'another one is left');

        assert.equal((await require(false)).status, 200);
        assert.equal((await manager.send(apps)).status, 200);
        const entries = await owner.send({ method: 'GET', url: '/audit?kind=security' });
        assert.deepEqual(entries.body.results[1].after, { secondFactorRequired: true });
      } finally {
        await app.close();
      }
    });
  });
