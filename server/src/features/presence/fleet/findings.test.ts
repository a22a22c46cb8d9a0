import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { openSite, pointer, type Site, uuid } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { parseScope } from '../../../access/keys/scopes.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

for (const database of bothDatabases) {
  describe(`what is wrong with beacons on ${database}`, () => {
    let site: Site;
    let secretKey: string;
    beforeAll(async () => {
      // A Monday, before it opens.
      site = await openSite(database, {}, Date.parse('2026-05-04T06:00:00.000Z'));
      const venueId = await site.ask({ method: 'POST', url: '/api/v2/venues', body: { name: 'Museum' } });
      const venue = pointer('Venue', venueId.body.result.objectId);
      for (const minor of [2, 3]) await site.beacon({ name: `Room ${minor}`, minor, venueId: venue });
      const body = { venueId: venue, location: { x: 4, y: 7, floor: 0 } };
      await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${site.hall}`, body });
      const key = { name: 'Server', scopes: [parseScope('sightings:create')] };
      ({ secretKey } = await site.app.app.secretKeys.create(site.app.appId, key, commandLine));
    });
    afterAll(() => site.close());

    const check = async () => {
      site.app.app.sweep();
      await site.app.app.idle();
    };
    /** A phone goes past these beacons in each open hour of the day, which is over then. */
    const passDay = async (minors: readonly number[]) => {
      const sightings = Array.from({ length: 8 * 4 }, (_, pass) =>
        minors.map((minor) => ({
          ...{ uuid, major: 1, minor, rssi: -65 },
          occurredAt: site.now + 3 * hour + Math.floor(pass / 4) * hour + (pass % 4) * minute,
        })),
      ).flat();
      site.app.clock.now += day;
      await site.send(sightings, { sentAt: site.now });
    };
    const findings = async (role: 'installer' | 'analyst' = 'installer') => {
      const browser = await openConsole(site.app, role);
      return (await browser.send({ method: 'GET', url: `/apps/${site.app.appId}/findings` })).body.result;
    };
    const change = async (kind: string, state: string, role: 'installer' | 'analyst' = 'installer') => {
      const browser = await openConsole(site.app, role);
      const url = `/apps/${site.app.appId}/findings/${site.hall}/${kind}`;
      return { ...(await browser.send({ method: 'PUT', url, body: { state } })), email: browser.email };
    };
    const attention = async () => {
      const browser = await openConsole(site.app, 'installer');
      const { body } = await browser.send({ method: 'GET', url: `/apps/${site.app.appId}/attention` });
      return body.result.findings
        .map(({ kind, title }: { kind: string; title: string }) => [kind, title])
        .filter(([kind]: [string]) => kind === 'silent' || kind === 'battery');
    };

    test('a beacon that visitors pass in other hours than usual is not silent, one that they no longer hear is', async () => {
      for (let passed = 0; passed < 10; passed++) await passDay([1, 2, 3]);
      await check();
      assert.deepEqual(await findings(), []);
      // Closed for two days: nothing is expected of anybody.
      site.app.clock.now += 2 * day;
      await check();
      assert.deepEqual(await findings(), []);
      await passDay([2, 3]);
      await passDay([2, 3]);
      await check();
      const [found, ...more] = await findings();
      assert.deepEqual(more, []);
      const { since, text, venueId, ...rest } = found;
      assert.deepEqual(rest, {
        ...{ beaconId: site.hall, name: 'Hall', kind: 'silent', isFound: true, state: 'open' },
        location: { x: 4, y: 7, floor: 0 },
      });
      assert.match(text, /^It has not been heard for 1\d hours in which it usually is\./);
      assert.ok(Date.parse(since) < site.now - day, since);
      assert.deepEqual(await attention(), [['silent', '1 beacon fell silent']]);
    });

    test('what somebody knows, has mended or mutes is told no more; mended in vain, it is open again', async () => {
      assert.equal((await change('silent', 'seen', 'analyst')).status, 403);
      assert.equal((await change('moved', 'seen')).body.code, 101);
      assert.equal((await change('silent', 'gone')).status, 400);
      const { email } = await change('silent', 'seen');
      const [seen] = await findings('analyst');
      assert.deepEqual([seen.state, seen.by, await attention()], ['seen', email, []]);
      await change('silent', 'done');
      await passDay([2, 3]);
      await check();
      assert.deepEqual([(await findings())[0].state, await attention()], ['done', []]);
      // Three days, and a little more.
      await passDay([2, 3]);
      await passDay([2, 3]);
      site.app.clock.now += hour;
      await check();
      assert.deepEqual([(await findings())[0].state, (await attention()).length], ['open', 1]);
      await change('silent', 'muted');
      assert.deepEqual(await attention(), []);
      site.app.clock.now -= hour;
      await passDay([1, 2, 3]);
      await check();
      const [muted] = await findings();
      assert.deepEqual([muted.isFound, muted.state], [false, 'muted']);
      await change('silent', 'open');
      await check();
      assert.deepEqual(await findings(), [], 'it is heard again, and nobody has muted it');
    });

    test('a battery is forecast from what the beacon tells', async () => {
      const headers = { 'x-service-appid': site.app.appId, 'x-service-appkey': secretKey };
      const readings = Array.from({ length: 25 }, (_, ago) => ({
        ...{ beaconId: site.hall, occurredAt: site.now - ago * day, battery: 20 + ago + (ago % 2) },
      }));
      const { status } = await site.app.send({ method: 'POST', url: '/api/v2/telemetry', headers, body: { readings } });
      assert.equal(status, 200);
      await check();
      const [{ kind, text }] = await findings();
      const around = (days: number) => new Date(site.now + days * day).toISOString().slice(0, 10);
      assert.equal(kind, 'battery');
      assert.ok(
        [20, 21, 22].some((days) => text.includes(`It will be empty on ${around(days)}`)),
        text,
      );
      assert.deepEqual(await attention(), [['battery', '1 battery will soon be empty']]);
    });
  });
}
