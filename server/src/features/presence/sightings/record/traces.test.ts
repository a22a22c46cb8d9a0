import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../../test/support/cases.ts';
import { kindsOf, openSite, pointer, type Site, stay, walk } from '../../../../../test/support/site.ts';

const traceTables = [
  'presence',
  'tracks',
  'track_samples',
  'visits',
  'events',
  'verdicts',
  'firings',
  'logs',
  'sighting_keys',
] as const;
const day = 86_400_000;

for (const database of databases) {
  describe(`simulation, calibration and the end of traces on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    const counts = async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries(await Promise.all(traceTables.map(async (table) => [table, (await site.rows(table)).length])));
    const simulate = (body: object) => site.ask({ method: 'POST', url: '/api/v2/simulations', body });

    test('a simulation answers events, verdicts and messages, stores nothing and sends nothing', async () => {
      await site.makeReachable();
      const welcome = await site.notification();
      const goodbye = await site.notification({ event: 'EXIT', delivery: { dwellSeconds: 3600 } });
      const before = await counts();
      const start = Date.UTC(2030, 0, 7, 12);
      // The last is as long as ids may be: with what marks it as pretend, it is answered in the documented shape.
      for (const installationId of ['phone-1', 'nobody', '😀'.repeat(64)]) {
        const answer = await simulate({
          installationId,
          sightings: walk(stay(1.5, 10), start),
          until: new Date(start + 120_000).toISOString(),
        });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const { events, verdicts, messages } = answer.body.result;
        assert.deepEqual(kindsOf(events), ['ENTER', 'NEAR', 'EXIT']);
        assert.equal(events[2].leftAt, new Date(start + 9000).toISOString());
        assert.deepEqual(
          messages.map(({ triggerId }: { triggerId: string }) => triggerId),
          [welcome],
        );
        // Two triggers that were made in the same millisecond come in either order.
        assert.deepEqual(
          verdicts
            .map(({ triggerId, event, reason }: Record<string, string>) => `${event} ${triggerId} ${reason}`)
            .sort(),
          ['ENTER', 'NEAR', 'EXIT']
            .flatMap((event) => [
              `${event} ${welcome} ${event === 'ENTER' ? 'fired' : 'event'}`,
              `${event} ${goodbye} ${event === 'EXIT' ? 'dwell' : 'event'}`,
            ])
            .sort(),
        );
      }
      assert.deepEqual(await counts(), before);
      assert.deepEqual(await site.pushes(), []);
    });

    test('a simulation decides like the real thing', async () => {
      await site.notification();
      const sightings = [...walk(stay(2, 6), site.now - 40_000), ...walk(stay(20, 20), site.now - 34_000)];
      const rehearsed = (await simulate({ installationId: 'phone-1', sightings })).body.result;
      const real = await site.send(sightings);
      const names = ({ event, occurredAt }: Record<string, string>) => `${event} ${occurredAt}`;
      assert.ok(real.events.length >= 3);
      assert.deepEqual(rehearsed.events.map(names), real.events.map(names));
      assert.equal(rehearsed.messages.length, real.messages.length);
    });

    test('a simulation may begin with what is stored, and is told at a pretend time', async () => {
      const trigger = await site.notification({ delivery: { coolDown: { seconds: 3600, per: 'trigger' } } });
      await site.send([site.decided('ENTER', site.now - 1000)]);
      await site.send([site.decided('EXIT')]);
      const ask = async (rest: object) => {
        const body = { installationId: 'phone-1', sightings: [{ beacon: site.hall, event: 'ENTER' }], ...rest };
        return (await simulate(body)).body.result.verdicts[0];
      };
      const at = new Date(site.now + 60_000).toISOString();
      assert.deepEqual((await ask({ at, continues: true })).reason, 'cool_down');
      assert.deepEqual((await ask({ at })).reason, 'fired');
      const later = await ask({ at: site.now + 3_700_000, continues: true, hasTarget: false });
      assert.deepEqual([later.reason, later.triggerId], ['no_target', trigger]);
    });

    test('a simulation needs a user and a body in order', async () => {
      const url = '/api/v2/simulations';
      assert.equal((await site.app.send({ method: 'POST', url, body: { sightings: [] } })).body.code, 209);
      const broken = (body: object, fields: string[]) => ({
        rule: JSON.stringify(body),
        request: { method: 'POST', url, body } as const,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(site.app, site.user.headers, [
        broken({}, ['sightings']),
        broken({ sightings: [], at: 'then' }, ['at']),
        broken({ sightings: [], until: '?' }, ['until']),
        broken({ sightings: [{ beacon: site.hall, event: 'ENTER' }], at: 8.64e15 + 1 }, ['at']),
        broken({ sightings: [], at: 253_402_300_800_000, until: 1e300 }, ['at', 'until']),
        broken({ sightings: stay(1, 1001) }, ['sightings']),
      ]);
    });

    test('a simulation takes place at any time of a calendar, the last one too', async () => {
      for (const at of [0, 1, 1e11, 253_402_300_799_999]) {
        const { status, body } = await simulate({ at, until: at, sightings: [{ beacon: site.hall, event: 'ENTER' }] });
        assert.deepEqual([status, body.result.events.length], [200, 1], JSON.stringify(body));
      }
    });

    test('calibration sets the measured power from readings at one metre and refuses what is no measurement', async () => {
      const url = `/api/v2/beacons/${site.hall}/calibration`;
      assert.ok(!('measuredPower' in (await site.get(`beacons/${site.hall}`))));
      const samples = [-71, -70, -72, -71, -69, -71, -73, -70, -71, -72, 127];
      const answer = await site.ask({ method: 'POST', url, body: { samples } });
      const updatedAt = new Date(site.now).toISOString();
      assert.deepEqual(answer.body.result, { measuredPower: -71, spread: 1, samples: 10, updatedAt });
      assert.equal((await site.get(`beacons/${site.hall}`)).measuredPower, -71);
      const post = (body: object) => ({ method: 'POST', url, body }) as const;
      const apart = Array.from({ length: 20 }, (_, index) => -40 - 3 * index);
      await assertRefusals(site.app, site.user.headers, [
        {
          rule: 'too few',
          request: post({ samples: samples.slice(0, 9) }),
          status: 400,
          code: 142,
          fields: ['samples'],
        },
        { rule: 'too spread', request: post({ samples: apart }), status: 400, code: 142, fields: ['samples'] },
        { rule: 'numbers', request: post({ samples: ['-60'] }), status: 400, code: 142, fields: ['samples.0'] },
        {
          rule: 'unknown beacon',
          request: { ...post({ samples }), url: '/api/v2/beacons/nothing/calibration' },
          status: 404,
          code: 101,
        },
      ]);
      assert.match((await site.ask(post({ samples: apart }))).body.error.error, /stand still at one metre/);
      assert.equal((await site.app.send(post({ samples }))).body.code, 209);
      // −71 dBm is one metre here, so −74 is near.
      const near = Array.from({ length: 4 }, (_, index) => ({
        beacon: site.hall,
        rssi: -74,
        occurredAt: site.now - 5000 + index * 1000,
      }));
      assert.deepEqual(kindsOf((await site.send(near)).events), ['ENTER', 'NEAR']);
    });

    /** A visit with a message, by a phone that decides, and one by its log. */
    async function leaveTraces(installationId: string, objectId: string): Promise<void> {
      await site.send([{ ...site.decided('ENTER', site.now - 60_000), eventId: '1' }], { installationId });
      await site.send([{ ...site.decided('EXIT', site.now - 30_000), eventId: '2' }], { installationId });
      const log = {
        event: 'ENTER',
        moduleType: 'PRESENCE',
        beaconId: pointer('Beacon', site.hall),
        installationId: pointer('_Installation', objectId),
      };
      assert.equal((await site.app.send({ method: 'POST', url: '/api/v2/logs', body: log })).status, 201);
    }

    test('deleting an installation erases where it was, and nobody else', async () => {
      await site.notification();
      await leaveTraces('phone-1', site.phone);
      const before = await counts();
      assert.ok(
        Object.values(before).every((count) => count > 0),
        JSON.stringify(before),
      );
      const other = await site.installation({ installationId: 'phone-2' });
      await leaveTraces('phone-2', other);
      const both = await counts();
      assert.notDeepEqual(both, before);
      await site.ask({ method: 'DELETE', url: `/api/v2/installations/${other}` });
      await site.app.app.idle();
      assert.deepEqual(await counts(), before);
      const answer = await site.post([site.decided('ENTER')], { installationId: 'phone-2' });
      assert.deepEqual([answer.status, answer.body.code], [404, 101]);
    });

    test('deleting a user erases where its installations were; they register and begin anew', async () => {
      const body = { userId: pointer('_User', site.user.userId) };
      await site.ask({ method: 'PUT', url: `/api/v2/installations/${site.phone}`, body });
      await site.notification();
      await leaveTraces('phone-1', site.phone);
      await site.ask({ method: 'DELETE', url: '/api/v2/users/me' });
      await site.app.app.idle();
      assert.deepEqual(await counts(), Object.fromEntries(traceTables.map((table) => [table, 0])));
      site.app.clock.now += 1000;
      assert.equal((await site.post([site.decided('ENTER')])).status, 404);
      assert.notEqual(await site.installation({ installationId: 'phone-1' }), site.phone);
      assert.deepEqual(kindsOf((await site.send([site.decided('ENTER')])).events), ['ENTER']);
    });

    test('traces are kept as long as the app wants, and an open visit as long as it is open', async () => {
      // It would close the open visit as soon as the clock has moved.
      site.app.app.ticker.stop();
      await site.app.app.apps.change(site.app.appId, {
        policy: { retentionDays: { logs: 10, visits: 20, events: 5 } },
      });
      await site.notification();
      await leaveTraces('phone-1', site.phone);
      const all = await counts();
      const after = async (days: number) => {
        site.app.clock.now += days * day;
        await site.app.app.retention.sweep();
        return counts();
      };
      assert.deepEqual(await after(4), all);
      assert.deepEqual(await after(2), { ...all, events: 0, verdicts: 0 });
      // Keys of sightings stay a week.
      assert.deepEqual(await after(5), { ...all, events: 0, verdicts: 0, logs: 0, sighting_keys: 0 });
      const open = (await site.rows('visits')).filter((visit) => visit['is_open'] === 1).length;
      assert.equal(open, 1);
      assert.deepEqual(await after(10), { ...all, events: 0, verdicts: 0, logs: 0, sighting_keys: 0, visits: open });
      await site.app.app.ticker.tick();
      const end = await after(500);
      assert.deepEqual(end, Object.fromEntries(traceTables.map((table) => [table, 0])));
    });

    test('the answer to a delivery is forgotten when its messages are too old to be shown, and the delivery is still known', async () => {
      site.app.app.ticker.stop();
      await site.app.app.apps.change(site.app.appId, { policy: { pushTimeToLive: 120 } });
      await site.notification();
      const sightings = walk(stay(1.5, 10), site.now - 10_000);
      const answers = async () => (await site.rows('sighting_keys')).filter(({ answer }) => answer !== null).length;
      const first = await site.send(sightings);
      assert.equal(first.messages.length, 1);
      const keys = (await site.rows('sighting_keys')).length;
      assert.ok((await answers()) > 0);
      await site.app.app.retention.sweep();
      assert.ok((await answers()) > 0, 'sent again at once, it is answered as before');
      assert.deepEqual((await site.send(sightings)).messages, first.messages);
      site.app.clock.now += 3_600_000;
      await site.app.app.retention.sweep();
      assert.equal(await answers(), 0);
      assert.equal((await site.rows('sighting_keys')).length, keys);
    });

    test('of visits that are kept for no day the answer goes too, however long its messages may be shown', async () => {
      site.app.app.ticker.stop();
      await site.app.app.apps.change(site.app.appId, {
        policy: { pushTimeToLive: 86_400, retentionDays: { logs: 0, visits: 0, events: 0 } },
      });
      await site.notification();
      await site.send(walk(stay(1.5, 10), site.now - 10_000));
      const answers = async () => (await site.rows('sighting_keys')).filter(({ answer }) => answer !== null).length;
      assert.ok((await answers()) > 0);
      site.app.clock.now += 2 * 3_600_000;
      await site.app.app.retention.sweep();
      assert.equal(await answers(), 0);
    });

    test('log records that are kept for no day go with the next hour', async () => {
      site.app.app.ticker.stop();
      await site.app.app.apps.change(site.app.appId, {
        policy: { retentionDays: { logs: 0, visits: 20, events: 5 } },
      });
      await leaveTraces('phone-1', site.phone);
      const all = await counts();
      assert.ok((all['logs'] ?? 0) > 0);
      site.app.clock.now += day / 24;
      await site.app.app.retention.sweep();
      const left = await counts();
      assert.deepEqual(left, { ...all, logs: 0 });
    });

    test('the traces of an app go with it', async () => {
      await site.notification();
      await site.scenario();
      await leaveTraces('phone-1', site.phone);
      await site.app.app.apps.remove(site.app.appId);
      assert.deepEqual(await counts(), Object.fromEntries(traceTables.map((table) => [table, 0])));
      assert.deepEqual(await site.rows('scenario_beacons'), []);
    });
  });
}
