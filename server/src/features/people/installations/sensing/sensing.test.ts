import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, signIn } from '../../../../../test/support/build-app.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { openSite, type Site, uuid } from '../../../../../test/support/site.ts';
import { commandLine } from '../../../../access/audit.ts';

/** What phones report of how they can sense, and what is made of it. */

const dayMs = 86_400_000;
const url = '/api/v2/installations';
const able = { location: 'always', precise: true, bluetoothOn: true, notifications: 'granted' } as const;

for (const database of bothDatabases) {
  describe(`how phones can sense on ${database}`, () => {
    let site: Site;
    beforeAll(async () => {
      site = await openSite(database);
    });
    afterAll(() => site.close());

    const register = (installationId: string, sensing: unknown, more: object = {}) => {
      site.app.clock.now += 1_000;
      const body = { installationId, deviceType: 'android', appVersion: '1', sensing, ...more };
      return site.app.send({ method: 'POST', url, body });
    };
    const fleet = async () => {
      const console = await openConsole(site.app, 'manager');
      const path = `/apps/${site.app.appId}/sensing`;
      return (await console.send({ method: 'GET', url: path })).body.result;
    };

    test('is kept as it was reported last, and nonsense is refused', async () => {
      const first = { ...able, os: 'Android', lastWakeAt: '2026-11-29T09:30:00Z', lastWakeBecause: 'region' };
      const { status, body } = await register('one', first);
      assert.equal(status, 201, JSON.stringify(body));
      const read = () => site.get(`installations/${body.result.objectId}`);
      assert.deepEqual((await read()).sensing, first);
      await register('one', undefined);
      assert.deepEqual((await read()).sensing, first, 'a registration that says nothing of it changes nothing');
      await register('one', { bluetoothOn: false });
      const { sensing, sensingAt } = await read();
      assert.deepEqual([sensing, sensingAt], [{ bluetoothOn: false }, new Date(site.now).toISOString()]);
      for (const [nonsense, field] of [
        [{ location: 'sometimes' }, 'sensing.location'],
        [{ bluetoothOn: 'yes' }, 'sensing.bluetoothOn'],
        [{ lastWakeAt: 'noon' }, 'sensing.lastWakeAt'],
        [{ library: 'x'.repeat(65) }, 'sensing.library'],
        ['fine', 'sensing'],
      ] as const) {
        const refused = await register('one', nonsense);
        assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, field]);
      }
    });

    test('is not what somebody else learns who takes the phone over, and goes with it', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const sent = { installationId: 'hers', deviceType: 'ios', sensing: able };
      const { body } = await site.app.send({ method: 'POST', url, body: sent, headers: vera.headers });
      const take = { installationId: 'hers', deviceType: 'ios' };
      await site.app.send({ method: 'POST', url, body: take, headers: mallory.headers });
      const { objectId } = body.result;
      assert.equal((await site.get(`installations/${objectId}`)).sensing, undefined);
      const hidden = await openConsole(site.app, 'analyst');
      const list = await hidden.send({ method: 'GET', url: `/apps/${site.app.appId}/v2/installations` });
      assert.ok(!JSON.stringify(list.body).includes('sensing'), 'when the app was woken is personal');
      await site.ask({ method: 'DELETE', url: `${url}/${objectId}` });
      assert.ok(!(await site.rows('installations')).some(({ object_id }) => object_id === objectId));
    });

    test('how it moves is kept as it was last told of what it heard, as long as it may be recorded', async () => {
      const { body } = await register('mover', able);
      const { objectId } = body.result;
      const moving = async () => {
        const { motion, motionAt } = await site.get(`installations/${objectId}`);
        return motion && [motion, Date.parse(motionAt) - at];
      };
      const at = site.now;
      const sense = async (...told: [seconds: number, motion: unknown][]) => {
        site.app.clock.now += 60_000;
        const sightings = told.map(([seconds, motion]) => ({
          ...{ uuid, major: 1, minor: 1, rssi: -60, motion },
          occurredAt: at + seconds * 1_000,
        }));
        return site.send(sightings, { installationId: 'mover', sentAt: site.now });
      };
      await sense([1, 'still'], [3, 'walking'], [2, 'still']);
      assert.deepEqual(await moving(), ['walking', 3_000]);
      await sense([9, 'walking'], [10, undefined]);
      assert.deepEqual(await moving(), ['walking', 3_000], 'nothing else since');
      await sense([0, 'still']);
      assert.deepEqual(await moving(), ['walking', 3_000], 'what comes late is not how it moves now');
      const { problems, received } = await sense([20, 'flying'], [21, 7], [22, 'vehicle']);
      assert.deepEqual(
        [received, problems.map(({ index, code, field }: Record<string, unknown>) => [index, code, field])],
        [
          3,
          [
            [0, 'bad_motion', 'motion'],
            [1, 'bad_motion', 'motion'],
          ],
        ],
      );
      assert.deepEqual(await moving(), ['vehicle', 22_000]);
      const analyst = await openConsole(site.app, 'analyst');
      const list = await analyst.send({ method: 'GET', url: `/apps/${site.app.appId}/v2/installations` });
      assert.ok(!JSON.stringify(list.body).includes('vehicle'), 'when the phone moved is personal');
      await register('mover', able, { consents: { analytics: { granted: false } } });
      assert.equal(await moving(), undefined);
      await sense([30, 'walking']);
      assert.equal(await moving(), undefined);
    });

    test('how the phone of another moved is no news for whoever takes it over', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const sent = { installationId: 'moved', deviceType: 'ios', sensing: able };
      const { body } = await site.app.send({ method: 'POST', url, body: sent, headers: vera.headers });
      const heard = [{ uuid, major: 1, minor: 1, rssi: -60, motion: 'walking', occurredAt: site.now }];
      const batch = { installationId: 'moved', sightings: heard };
      await site.app.send({ method: 'POST', url: '/api/v2/sightings', body: batch, headers: vera.headers });
      const read = () => site.get(`installations/${body.result.objectId}`);
      assert.equal((await read()).motion, 'walking');
      await site.app.send({ method: 'POST', url, body: sent, headers: mallory.headers });
      const { motion, motionAt } = await read();
      assert.deepEqual([motion, motionAt], [undefined, undefined]);
    });

    test('is counted by cause and by version of the app, and a jump is an alert', async () => {
      const made = await site.app.app.apps.create('Fleet', commandLine);
      assert.ok(made.appId);
      for (let n = 0; n < 24; n++) await register(`phone ${n}`, able);
      site.app.app.sweep();
      await site.app.app.idle();
      site.app.clock.now += dayMs;
      await site.signInAgain();
      for (let n = 0; n < 24; n++)
        await register(`phone ${n}`, n < 8 ? { ...able, location: 'whenInUse' } : able, {
          appVersion: n < 12 ? '2' : '1',
        });
      const counted = await fleet();
      const own = (version: string) =>
        counted.versions.find(({ appVersion }: { appVersion: string }) => appVersion === version);
      assert.deepEqual(own('2'), { appVersion: '2', phones: 12, causes: [{ cause: 'foregroundOnly', phones: 8 }] });
      assert.deepEqual(
        counted.causes.map(({ cause }: { cause: string }) => cause),
        ['foregroundOnly', 'bluetoothOff'],
      );
      const findings = async () => {
        const console = await openConsole(site.app, 'manager');
        const { body } = await console.send({ method: 'GET', url: `/apps/${site.app.appId}/attention` });
        return body.result.findings.filter(({ kind }: { kind: string }) => kind === 'sensing');
      };
      assert.deepEqual(await findings(), []);
      site.app.app.sweep();
      await site.app.app.idle();
      const [found, ...others] = await findings();
      assert.deepEqual([found.key, others], ['sensing foregroundOnly', []]);
      assert.match(found.text, /^33 % of the phones .*, and 0 % in the week before: The app may use the location only/);
      assert.notDeepEqual(await site.rows('sensing_days'), []);
      site.app.clock.now += 91 * dayMs;
      await site.app.app.retention.sweep();
      assert.deepEqual(await site.rows('sensing_days'), [], 'counts are kept for 90 days');
    });
  });
}
