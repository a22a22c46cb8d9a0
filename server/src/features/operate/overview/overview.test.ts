import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { atOneDay, databases } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { found } from '../../../../test/support/sites/found.ts';
import { sql } from '../../../base/sql.ts';

const hourMs = 3_600_000;

for (const database of databases) {
  describe(`the first page of an app on ${database}`, () => {
    let site: Site;
    let browser: Browser;
    let start: number;
    let cafe: string;
    beforeAll(async () => {
      site = await openSite(database, {}, atOneDay(1_800_000));
      start = site.now;
    });
    afterAll(() => site.close());

    const ask = async (path: string) => {
      // A session ends when time passes, so each question comes from a new sign-in.
      browser = await openConsole(site.app, 'analyst');
      return browser.send({ method: 'GET', url: `/apps/${site.app.appId}/${path}` });
    };
    const read = async (path: string) => {
      const { status, body } = await ask(path);
      assert.equal(status, 200, JSON.stringify(body));
      return body.result;
    };
    const since = (time: number) => `funnel?since=${new Date(time).toISOString()}`;

    test('an app in which nothing has happened', async () => {
      assert.deepEqual(await read('live'), { visitors: 0, occupied: 0, beacons: [] });
      assert.deepEqual(await read('attention'), {
        findings: [],
        lastVisitAt: null,
        tokens: { installations: 1, dead: [] },
        failures: [],
        webhooks: { failing: 0, behind: 0, switchedOff: 0, withoutRight: 0 },
        reach: {
          senders: 1,
          installations: 1,
          reachable: 0,
          unreachable: [{ reason: 'The installation has no device token.', count: 1 }],
        },
      });
      const { events, eligible, shown, deliveries } = await read(since(start));
      assert.deepEqual([events, eligible, shown, deliveries.sent], [0, 0, 0, 0]);
    });

    test('visitors by beacon now, the fullest first', async () => {
      cafe = await site.beacon({ name: 'Cafe' });
      for (const installationId of ['a', 'b']) {
        await site.installation({ installationId });
        await site.send([{ beacon: cafe, event: 'ENTER' }], { installationId });
      }
      await site.send([site.decided('ENTER')]);
      await site.send([{ beacon: cafe, event: 'ENTER' }]);
      await site.send([{ beacon: cafe, event: 'EXIT' }], { installationId: 'a' });
      const live = await read('live');
      assert.deepEqual([live.visitors, live.occupied], [2, 2]);
      assert.deepEqual(
        live.beacons.map(({ name, visitors }: { name: string; visitors: number }) => [name, visitors]),
        [
          ['Cafe', 2],
          ['Hall', 1],
        ],
      );
    });

    test('when some beacons last had a visitor', async () => {
      const entered = new Date(site.now).toISOString();
      const never = await site.beacon({ name: 'Cellar', minor: 40 });
      const asked = await read(`beacon-visits?ids=${[site.hall, cafe, never].join()}`);
      assert.deepEqual(
        asked.toSorted((a: { visitors: number }, b: { visitors: number }) => a.visitors - b.visitors),
        [
          { beaconId: site.hall, visitors: 1, lastVisitAt: entered },
          { beaconId: cafe, visitors: 2, lastVisitAt: entered },
        ],
      );
      assert.deepEqual(await read('beacon-visits?ids='), []);
      const { status } = await ask(`beacon-visits?ids=${Array.from({ length: 101 }, (_, id) => id)}`);
      assert.equal(status, 400);
    });

    test('what became of the events of today', async () => {
      site.app.clock.now += 60_000;
      const from = site.now;
      await site.notification({ description: 'Twice at most', event: 'EXIT' });
      await site.notification({ description: 'Not now', isEnabled: false });
      await site.scenario({ showOn: [], event: 'EXIT' });
      await site.makeReachable();
      site.provider.script = () => ({ outcome: 'failed', reason: 'FCM 400 INVALID_ARGUMENT The message is invalid.' });
      await site.send([site.decided('EXIT')]);
      await site.app.app.idle();
      const funnel = await read(since(from));
      assert.deepEqual(
        [funnel.events, funnel.eligible, funnel.shown, funnel.stopped],
        [1, 2, 1, [{ reason: 'schedule', count: 1 }]],
      );
      assert.deepEqual([funnel.deliveries.failed, funnel.deliveries.sent], [1, 0]);
      const { failures, findings } = await read('attention');
      assert.deepEqual(
        failures.map(({ sender, reason, count }: Record<string, unknown>) => [sender, reason, count]),
        [['fcm', 'FCM 400 INVALID_ARGUMENT The message is invalid.', 1]],
      );
      const failed = findings.find(({ kind }: { kind: string }) => kind === 'failures');
      assert.equal(failed.text, 'The message is invalid.');
    });

    test('what is wrong with beacons is told together, and that nobody came, if it was not for a few closed days', async () => {
      site.app.clock.now += 49 * hourMs;
      const titles = async () => {
        const { findings } = await read('attention');
        return findings.map(({ title }: { title: string }) => title);
      };
      const all = ['a', 'b', 'c'].map((name, index) => site.beacon({ name, minor: 20 + index }));
      const [a = '', b = '', c = ''] = await Promise.all(all);
      await found(site.app, [
        ...([
          [a, 'silent'],
          [b, 'battery'],
          [b, 'moved'],
          [c, 'moved'],
          ['gone', 'silent'],
        ] as const),
      ]);
      const { failures, findings } = await read('attention');
      assert.deepEqual(
        findings.map(({ kind, title }: Record<string, string>) => [kind, title]),
        [
          ['silent', '1 beacon fell silent'],
          ['battery', '1 battery will soon be empty'],
          ['misplaced', '2 beacons are not as they should be'],
        ],
      );
      assert.deepEqual(failures, [], 'failures of the day before yesterday are no news');
      await found(site.app, []);
      assert.deepEqual(await titles(), []);
      site.app.clock.now += 7 * 24 * hourMs;
      assert.deepEqual(await titles(), ['No visitors for eight days']);
      await site.send([site.decided('ENTER')]);
      assert.deepEqual(await titles(), []);
      await site.signInAgain();
      const openingHours = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].map((dayName) => ({
        dayName,
        from: '10:00',
        until: '18:00',
      }));
      const body = { name: 'Museum', openingHours };
      assert.equal((await site.ask({ method: 'POST', url: '/api/v2/venues', body })).status, 201);
      site.app.clock.now += 73 * hourMs;
      assert.deepEqual(await titles(), ['No visitors on two open days']);
      await site.send([site.decided('ENTER')]);
    });

    test('tokens that the push service no longer takes are counted by its reason', async () => {
      await site.app.storage.db.run(
        sql`update installations set token_dead_at = 1, token_dead_reason = 'UNREGISTERED' where object_id = ${site.phone}`,
      );
      const { tokens, findings } = await read('attention');
      assert.deepEqual(findings[0], {
        kind: 'tokens',
        key: 'tokens',
        isGrave: false,
        title: '1 phone of 3 can no longer be reached',
        text: 'The push services no longer accept their addresses, often because the app was removed. An address is renewed when the app is opened again.',
      });
      assert.deepEqual(tokens, { installations: 3, dead: [{ reason: 'UNREGISTERED', count: 1 }] });
    });

    test('a count over more than eight days, or since no time, is refused', async () => {
      for (const query of ['funnel', 'funnel?since=yesterday', since(site.now - 9 * 24 * hourMs)]) {
        const { status, body } = await ask(query);
        assert.deepEqual([status, body.code], [400, 102], query);
      }
    });
  });
}
