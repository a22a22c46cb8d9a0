import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { Behaviour, FakeAnswer } from '../../../../../test/fakes/exchange.ts';
import { type PushProvider, startPushProvider } from '../../../../../test/fakes/push-provider.ts';
import {
  buildApp,
  databases,
  type SignedIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { service } from '../../../../access/audit.ts';
import { raw } from '../../../../base/sql.ts';

/** What becomes of a message for each thing that a provider may do, with the real senders and a real server. */

const kinds = ['fcm', 'apns', 'webpush'] as const;
type Kind = (typeof kinds)[number];
const devices = { fcm: 'android', apns: 'ios', webpush: 'web' } as const;
const url = '/api/v2/push/notification';
const data = { title: 'Tonight', alert: 'Open until 22:00' };

interface Case {
  readonly name: string;
  readonly does: readonly (Behaviour | FakeAnswer)[];
  /** The earliest and latest pause before each further request (ms). */
  readonly pauses: readonly (readonly [from: number, to: number])[];
  readonly state: 'sent' | 'failed';
  readonly isTokenDead?: true;
  readonly only?: readonly Kind[];
}

const cases: readonly Case[] = [
  { name: 'takes it', does: [], pauses: [], state: 'sent' },
  { name: 'answers 429 with Retry-After', does: ['tooMany'], pauses: [[3_000, 3_000]], state: 'sent' },
  {
    name: 'answers 503 three times',
    does: ['unavailable', 'unavailable', 'unavailable'],
    pauses: [
      [1, 1_000],
      [1, 2_000],
      [1, 4_000],
    ],
    state: 'sent',
  },
  {
    name: 'says that nobody has this token',
    does: ['gone'],
    pauses: [],
    state: 'failed',
    isTokenDead: true,
    only: ['fcm', 'webpush'],
  },
  {
    name: 'answers 410 with a time before the registration',
    does: ['gone'],
    pauses: [],
    state: 'failed',
    only: ['apns'],
  },
  {
    name: 'answers 410 with a time after the registration',
    does: [{ status: 410, body: JSON.stringify({ reason: 'Unregistered', timestamp: 4_000_000_000_000 }) }],
    pauses: [],
    state: 'failed',
    isTokenDead: true,
    only: ['apns'],
  },
  { name: 'answers garbage', does: ['garbage'], pauses: [[1, 1_000]], state: 'sent' },
  { name: 'says nothing', does: ['hang'], pauses: [[1, 1_000]], state: 'sent' },
  { name: 'breaks the connection after reading', does: ['break'], pauses: [[1, 1_000]], state: 'sent' },
];

for (const database of databases) {
  describe(`push providers on ${database}`, () => {
    let provider: PushProvider;
    let folder: string;
    let app: TestApp;
    let user: SignedIn;
    /** How far the providers' clocks are behind the service's. */
    let behind = 0;
    const clock = { now: () => app.clock.now - behind };
    beforeAll(async () => {
      provider = await startPushProvider({ now: () => clock.now() });
      folder = mkdtempSync(join(tmpdir(), 'pharos-test-'));
      writeFileSync(join(folder, 'ca.pem'), provider.ca);
      const settings = {
        PHAROS_PUSH_URL: provider.origin,
        PHAROS_PUSH_CA: join(folder, 'ca.pem'),
        PHAROS_PUSH_TIMEOUT_MS: '1500',
      };
      app = await buildApp({ database, settings });
      user = await signInManager(app);
      const entered = {
        fcm: { serviceAccount: provider.fcm.serviceAccount },
        apns: provider.apns.entered,
        webpush: { generate: true, subject: 'mailto:ops@example.org' },
      };
      for (const kind of kinds) await app.app.senders.save({ appId: app.appId, kind }, entered[kind], service);
    });
    afterAll(async () => {
      await app.close();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(async () => {
      await app.storage.db.run(raw('delete from installations'));
      // Pauses of the test before are over, and the pace is what it was.
      app.clock.now += 600_000;
    });

    async function register(kind: Kind, name: string): Promise<string> {
      const body = { installationId: name, deviceType: devices[kind], deviceToken: provider[kind].tokenFor(name) };
      const answer = await app.send({ method: 'POST', url: '/api/v2/installations', body });
      return answer.body.result.objectId;
    }
    async function push(more: object = {}): Promise<string> {
      app.clock.now += 1;
      const answer = await app.send({ method: 'POST', url, headers: user.headers, body: { data, ...more } });
      assert.equal(answer.status, 200);
      return new URL(String(answer.headers['location']), `http://pharos.test${url}`).pathname;
    }
    const get = async (path: string) =>
      (await app.send({ method: 'GET', url: path, headers: user.headers })).body.result;
    const requests = (name: string) => provider.received.filter(({ recipient }) => recipient === name);
    /** The time of the next try, as the database has it. */
    async function nextTry(): Promise<number> {
      const [row] = await app.storage.db.all<{ run_at: number }>(
        raw("select run_at from deliveries where state = 'queued'"),
      );
      return row?.run_at ?? 0;
    }

    for (const kind of kinds)
      for (const { name, does, pauses, state, isTokenDead, only = kinds } of cases.filter(({ only: some = kinds }) =>
        some.includes(kind),
      ))
        test(`${kind} ${name}`, async () => {
          assert.ok(only.includes(kind));
          const recipient = `${database}-${kind}-${name}`;
          const installation = await register(kind, recipient);
          provider.tell(recipient, ...does);
          const path = await push();
          await app.app.idle();
          for (const [index, [from, to]] of pauses.entries()) {
            assert.equal(requests(recipient).length, index + 1);
            const waiting = await get(path);
            assert.deepEqual([waiting.queued, waiting.reasons.length], [1, 1], 'it says why it waits');
            const at = await nextTry();
            assert.ok(at >= app.clock.now + from && at <= app.clock.now + to, `${at - app.clock.now} ms`);
            app.clock.now = at - 1;
            await app.app.idle();
            assert.equal(requests(recipient).length, index + 1, 'not before its time');
            app.clock.now = at;
            await app.app.idle();
          }
          const pushed = await get(path);
          assert.deepEqual(
            [pushed[state], pushed.audience, pushed.state],
            [1, 1, 'done'],
            JSON.stringify(pushed.reasons),
          );
          const seen = requests(recipient);
          assert.equal(seen.length, pauses.length + 1, 'requests on the wire');
          const ids = seen.map(({ headers, content }) =>
            JSON.stringify([headers['apns-id'], headers['apns-collapse-id'], headers['topic'], idIn(content)]),
          );
          assert.equal(new Set(ids).size, 1, 'the same ids each time');
          const { tokenDeadAt, tokenDeadReason } = await get(`/api/v2/installations/${installation}`);
          assert.equal(tokenDeadAt !== undefined, isTokenDead === true, tokenDeadReason);
        });

    for (const kind of kinds)
      test(`${kind} that stays down until the message has expired: failed, for the provider's reason`, async () => {
        const recipient = `${database}-${kind}-down`;
        await register(kind, recipient);
        provider.tell(recipient, ...Array.from({ length: 100 }, () => 'unavailable' as const));
        const start = app.clock.now;
        const path = await push({ expiresAt: new Date(start + 60_000).toISOString() });
        await app.app.idle();
        for (let at = await nextTry(); at > 0; at = await nextTry()) {
          app.clock.now = at;
          await app.app.idle();
        }
        const pushed = await get(path);
        assert.equal(pushed.failed, 1, JSON.stringify(pushed));
        assert.match(pushed.reasons[0].reason, /503.*no time was left/);
        assert.ok(app.clock.now <= start + 60_001, 'no try after the expiry');
        const tries = requests(recipient).length;
        assert.ok(tries >= 5 && tries < 40, `${tries} tries in a minute`);
      });

    test('a service that is 400 days ahead of its providers sends what it is asked to, and says that its clock differs', async () => {
      const warnings = async () => (await app.send({ method: 'GET', url: '/readyz' })).body.warnings ?? [];
      for (const days of [400, 0]) {
        behind = days * 86_400_000;
        app.clock.now += 3_600_000 + behind;
        user = await signInManager(app);
        provider.fcm.revoke();
        for (const kind of kinds) {
          await app.storage.db.run(raw('delete from installations'));
          await register(kind, `${database}-${kind}-clock-${days}`);
          const path = await push();
          await app.app.idle();
          const pushed = await get(path);
          assert.deepEqual(
            [pushed.state, pushed.sent],
            ['done', 1],
            `${kind} ${days} ${JSON.stringify(pushed.reasons)}`,
          );
        }
        const told = (await warnings()).filter((text: string) => /3456000[01] s ahead of the clock of/.test(text));
        assert.equal(told.length, days === 0 ? 0 : 1, String(told));
      }
    });

    test('while the provider of one app does not answer, the other apps and the interface go on', async () => {
      const hanging = await app.app.apps.create('Hanging');
      await app.app.senders.save(
        { appId: hanging.appId, kind: 'fcm' },
        { serviceAccount: provider.fcm.serviceAccount },
        service,
      );
      const credentials = { 'x-service-appid': hanging.appId, 'x-service-appkey': hanging.appKey };
      const stuck = await signInManager(app, credentials);
      for (let n = 0; n < 30; n++) {
        const recipient = `${database}-hang-${n}`;
        const body = {
          installationId: recipient,
          deviceType: 'android',
          deviceToken: provider.fcm.tokenFor(recipient),
        };
        await app.send({ method: 'POST', url: '/api/v2/installations', headers: credentials, body });
        provider.tell(recipient, 'hang', 'hang', 'hang');
      }
      const headers = { ...credentials, ...stuck.headers };
      await app.send({ method: 'POST', url, headers, body: { data } });
      await provider.reached(`${database}-hang-0`);
      await register('fcm', `${database}-other`);
      const path = await push();
      let other = await get(path);
      for (; other.state !== 'done'; other = await get(path)) await new Promise((resolve) => setImmediate(resolve));
      const { results } = (await app.send({ method: 'GET', url: `${url}s`, headers })).body;
      assert.deepEqual([other.sent, results[0].sent, results[0].state], [1, 0, 'sending'], 'the stuck one still waits');
      await app.app.idle();
    });
  });
}

function idIn(content: unknown): unknown {
  const { deliveryId, message } = content as { deliveryId?: string; message?: { data?: { deliveryId?: string } } };
  return deliveryId ?? message?.data?.deliveryId;
}
