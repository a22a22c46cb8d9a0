import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { ScriptedSender } from '../../../../../test/fakes/scripted-sender.ts';
import {
  buildApp,
  databases,
  type SignedIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { service } from '../../../../access/audit.ts';
import { raw } from '../../../../base/sql.ts';
import { createOutbox } from '../../../../jobs/outbox.ts';
import { requestProximityPushes } from '../proximity.ts';

const hour = 3_600_000;
const wait = { outcome: 'retry', reason: 'Answered 429.', scope: 'provider', afterMs: hour } as const;
const devices = { fcm: 'android', apns: 'ios' } as const;
type Kind = keyof typeof devices;

for (const database of databases) {
  describe(`a pause that a provider asked for, and other credentials, on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let fcm: ScriptedSender;
    let apns: ScriptedSender;
    beforeAll(async () => {
      fcm = new ScriptedSender();
      apns = new ScriptedSender();
      app = await buildApp({ database, senders: [fcm.definition('fcm'), apns.definition('apns')] });
      manager = await signInManager(app);
    });
    afterAll(() => app.close());
    beforeEach(async () => {
      await app.app.idle();
      for (const table of ['pushes', 'jobs', 'deliveries', 'installations'])
        await app.storage.db.run(raw(`delete from ${table}`));
      for (const kind of ['fcm', 'apns'] as const) await enter(kind);
      for (const sender of [fcm, apns]) {
        sender.script = () => wait;
        sender.calls.length = 0;
      }
    });

    async function enter(kind: Kind): Promise<void> {
      app.clock.now += 1_000;
      await app.app.senders.save({ appId: app.appId, kind }, {}, service);
    }
    async function register(name: string, kind: Kind = 'fcm'): Promise<string> {
      const body = { installationId: name, deviceType: devices[kind], deviceToken: name, channels: [name] };
      return (await app.send({ method: 'POST', url: '/api/v2/installations', body })).body.result.objectId;
    }
    async function pushTo(name: string): Promise<void> {
      app.clock.now += 1_000;
      const body = { data: { title: 'Tonight', alert: 'Open until 22:00' }, where: { channels: name } };
      const url = '/api/v2/push/notification';
      const { status, body: said } = await app.send({ method: 'POST', url, body, headers: manager.headers });
      assert.deepEqual([status, said], [200, { result: { result: true } }]);
    }
    const sentTo = (sender: ScriptedSender) => sender.calls.map(({ target }) => target.token);
    /** What the provider takes from now on, with the answers before it forgotten. */
    function takes(sender: ScriptedSender): void {
      sender.script = () => ({ outcome: 'sent' });
      sender.calls.length = 0;
    }

    test('ends for what waits and for what comes, and the pause of another provider stays', async () => {
      await register('android');
      await register('ios', 'apns');
      await pushTo('android');
      await pushTo('ios');
      await app.app.idle();
      assert.deepEqual([sentTo(fcm), sentTo(apns)], [['android'], ['ios']]);
      await enter('fcm');
      takes(fcm);
      takes(apns);
      await app.app.idle();
      assert.deepEqual([sentTo(fcm), sentTo(apns)], [['android'], []]);
      await register('late');
      await pushTo('late');
      await app.app.idle();
      assert.deepEqual([sentTo(fcm), sentTo(apns)], [['android', 'late'], []]);
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual(sentTo(apns), ['ios']);
    });

    test('stays for the credentials that are there', async () => {
      await register('android');
      await pushTo('android');
      await app.app.idle();
      takes(fcm);
      await enter('apns');
      await app.app.idle();
      assert.deepEqual(sentTo(fcm), []);
    });

    test('ends when the former credentials are brought back', async () => {
      await register('android');
      await enter('fcm');
      await pushTo('android');
      await app.app.idle();
      takes(fcm);
      app.clock.now += 1_000;
      const { updatedAt } = await app.app.senders.get({ appId: app.appId, kind: 'fcm' });
      await app.app.senders.restore({ appId: app.appId, kind: 'fcm' }, updatedAt, service);
      await app.app.idle();
      assert.deepEqual(sentTo(fcm), ['android']);
    });

    test('ends when the answer to the former ones comes after the others were entered', async () => {
      await register('android');
      let isEntered = false;
      fcm.script = async () => {
        if (isEntered) return { outcome: 'sent' };
        isEntered = true;
        await enter('fcm');
        app.clock.now += 1_000;
        return wait;
      };
      await pushTo('android');
      await app.app.idle();
      app.clock.now += 1_000;
      await app.app.idle();
      assert.deepEqual(sentTo(fcm), ['android', 'android']);
    });

    test('ends for a message of a beacon, also while it is on its way', async () => {
      const installationId = await register('android');
      const send = (deliveryId: string) =>
        app.storage.db.transaction((db) =>
          requestProximityPushes(
            db,
            [
              {
                appId: app.appId,
                deliveryId,
                installationId,
                kind: 'notification',
                content: { type: 'TEXT', message: { alertMessage: 'Hello' } },
                origin: { eventId: 'event', triggerId: 'trigger', sensorId: 'sensor', type: 'ENTER' },
                now: app.clock.now,
                expiresAt: app.clock.now + 2 * hour,
                language: null,
                hasPushTarget: true,
              } as never,
            ],
            createOutbox(() => app.clock.now),
          ),
        );
      await send('waits');
      await app.app.idle();
      await enter('fcm');
      takes(fcm);
      await app.app.idle();
      assert.deepEqual(
        fcm.calls.map(({ message }) => message.deliveryId),
        ['waits'],
      );
      let isEntered = false;
      fcm.script = async () => {
        if (isEntered) return { outcome: 'sent' };
        isEntered = true;
        await enter('fcm');
        return wait;
      };
      fcm.calls.length = 0;
      await send('under way');
      await app.app.idle();
      app.clock.now += 1_000;
      await app.app.idle();
      assert.equal(fcm.calls.length, 2);
    });
  });
}
