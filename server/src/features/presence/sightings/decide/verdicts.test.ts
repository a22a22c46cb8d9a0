import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../../test/support/cases.ts';
import { openSite, pointer, type Site, week } from '../../../../../test/support/site.ts';
import type { AppPolicy } from '../../../../access/policy.ts';

/** Monday 2 March 2026, 12:00 in Vienna. */
const noon = Date.UTC(2026, 2, 2, 11);
const minute = 60_000;

for (const database of databases) {
  describe(`verdicts on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
      // What looks for deadlines at this moment would find those of March half a year late.
      await site.app.app.idle();
      site.app.clock.now = noon;
    });
    afterEach(() => site.close());

    const setPolicy = (policy: Partial<AppPolicy>) => site.app.app.apps.change(site.app.appId, { policy });

    /** A visit of half a minute that ends now; the ids of what was shown at its ENTER. */
    async function visit(): Promise<string[]> {
      site.app.clock.now += minute;
      const entered = await site.send([site.decided('ENTER', site.now)]);
      site.app.clock.now += 30_000;
      await site.send([site.decided('EXIT', site.now)]);
      return entered.messages.map(({ triggerId }: { triggerId: string }) => triggerId);
    }

    /** Reason and sentence of one trigger at the newest ENTER. */
    async function why(triggerId: string): Promise<[string, string]> {
      const [enter] = await site.list('events', { where: '{"event":"ENTER"}', limit: '1' });
      const { verdicts } = await site.get(`events/${enter.objectId}`);
      const verdict = verdicts.find((one: { triggerId: string }) => one.triggerId === triggerId);
      return [verdict.reason, verdict.text];
    }

    test('every trigger of the beacon has a verdict, with the gate that stopped it in words', async () => {
      await setPolicy({ timeZone: 'Europe/Vienna' });
      const tuesday = week.map((dayName) => ({ dayName, checked: dayName === 'Tue' }));
      const cases: [string, string, string][] = [
        [await site.notification(), 'fired', 'Shown.'],
        [await site.notification({ isEnabled: false }), 'disabled', 'Not shown: it is switched off.'],
        [await site.scenario({}, false), 'disabled', 'Not shown: its storyline is switched off.'],
        [
          await site.notification({ event: 'NEAR' }),
          'event',
          'Not shown: it waits until the visitor is one to three metres away, and this visitor comes to the beacon.',
        ],
        [
          await site.scenario({ showOn: tuesday }),
          'schedule',
          'Not shown: it runs on Tue, and it was Monday in Europe/Vienna.',
        ],
        [
          await site.notification({ delivery: { quietHours: { from: '11:30', until: '13:00' } } }),
          'quiet_hours',
          'Not shown: it is quiet from 11:30 to 13:00, and it was 12:01 in Europe/Vienna.',
        ],
        [
          await site.notification({ delivery: { validFrom: '2026-03-03T08:00:00.000Z' } }),
          'validity',
          'Not shown: it starts on 2026-03-03 09:00 in Europe/Vienna.',
        ],
        [
          await site.notification({ delivery: { nthVisit: { n: 2, mode: 'only' } } }),
          'nth_visit',
          'Not shown: it is shown only at visit 2, and this was visit 1.',
        ],
      ];
      // It belongs to another beacon and has nothing to do with the event.
      const cafe = await site.beacon({});
      await site.notification({ beaconId: pointer('Beacon', cafe) });
      await visit();
      for (const [trigger, reason, text] of cases) assert.deepEqual(await why(trigger), [reason, text]);
      const [enter] = await site.list('events', { where: '{"event":"ENTER"}' });
      assert.equal((await site.get(`events/${enter.objectId}`)).verdicts.length, cases.length);
      const quiet = await site.list('verdicts', { where: '{"reason":"quiet_hours"}' });
      assert.deepEqual(
        quiet.map(({ triggerId }: { triggerId: string }) => triggerId),
        [cases[5]?.[0]],
      );
      await visit();
      assert.equal((await why(cases[7]?.[0] ?? ''))[0], 'fired', 'the second visit');
    });

    test('writes a STORYLINE record only where an enabled storyline has a scenario', async () => {
      const kinds = async () => (await site.rows('logs')).map((row) => `${row['module_type']} ${row['event']}`).sort();
      await site.scenario({}, false);
      await visit();
      assert.deepEqual(await kinds(), ['PRESENCE ENTER', 'PRESENCE EXIT']);
      await site.scenario({ event: 'FAR' });
      await visit();
      const twice = ['PRESENCE ENTER', 'PRESENCE ENTER', 'PRESENCE EXIT', 'PRESENCE EXIT'];
      assert.deepEqual(await kinds(), [...twice, 'STORYLINE ENTER', 'STORYLINE EXIT']);
    });

    test('a scenario follows the beacons that it is given and is gone when it is deleted', async () => {
      const cafe = await site.beacon({});
      const detail = await site.scenario({ beacons: [cafe] });
      const [header] = await site.list('storylines');
      const path = `/api/v2/storylines/${header.objectId}/detail/${detail}`;
      assert.deepEqual(await visit(), []);
      for (const method of ['PUT', 'PATCH'] as const) {
        await site.ask({ method, url: path, body: { beacons: [site.hall, cafe] } });
        assert.deepEqual(await visit(), [detail], method);
        await site.ask({ method, url: path, body: { beacons: [cafe] } });
        assert.deepEqual(await visit(), [], method);
      }
      await site.ask({ method: 'PUT', url: path, body: { beacons: [site.hall] } });
      await site.ask({ method: 'DELETE', url: `/api/v2/storylines/${header.objectId}` });
      assert.deepEqual(await visit(), []);
      assert.deepEqual(await site.rows('scenario_beacons'), []);
    });

    test('pauses, caps and the polite preset hold over visits and messages, and null switches one off', async () => {
      const welcome = await site.notification();
      assert.deepEqual([await visit(), await visit()], [[welcome], [welcome]], 'every visit without a rule');
      await setPolicy({ delivery: { coolDown: { seconds: 600, per: 'trigger' } } });
      assert.deepEqual(await visit(), []);
      assert.equal((await why(welcome))[1], 'Not shown: it was shown 90 seconds before, and the pause is 10 minutes.');
      site.app.clock.now += 10 * minute;
      assert.deepEqual(await visit(), [welcome]);
      const free = await site.notification({ delivery: { coolDown: null } });
      assert.deepEqual([await visit(), await visit()], [[free], [free]]);
      await setPolicy({ delivery: {}, polite: true });
      site.app.clock.now += 20 * minute;
      assert.deepEqual(await visit(), [], 'three a day are reached');
      assert.deepEqual((await why(welcome))[0], 'cap');
      site.app.clock.now += 11 * 60 * minute;
      await visit();
      assert.equal((await why(welcome))[0], 'cap', 'before it is asked whether it is quiet');
    });

    test('a message that waits for the visitor to stay is shown by the ticker, or not at all', async () => {
      await site.makeReachable();
      const trigger = await site.notification({ delivery: { dwellSeconds: 60 } });
      const entered = await site.send([site.decided('ENTER')]);
      assert.deepEqual(entered.messages, []);
      const [reason, text] = await why(trigger);
      assert.deepEqual([reason, text], ['dwell', 'Not shown yet: the visitor has to stay 1 minute.']);
      assert.equal((await site.list('verdicts'))[0].dueAt, new Date(site.now + minute).toISOString());
      site.app.clock.now += minute;
      await site.app.app.ticker.tick();
      assert.deepEqual((await why(trigger))[0], 'fired');
      assert.equal((await site.list('verdicts')).length, 1, 'in place of the one that was pending');
      assert.equal((await site.pushes()).length, 1);
      await site.send([site.decided('EXIT')]);
      await visit();
      assert.deepEqual(await why(trigger), [
        'dwell',
        'Not shown: the visitor has to stay 1 minute first and left after 30 seconds.',
      ]);
    });

    test('a message is pushed once, to a live token, within its time to live', async () => {
      await setPolicy({ pushTimeToLive: 300 });
      const trigger = await site.notification();
      await visit();
      assert.deepEqual(await site.pushes(), [], 'nowhere to push to');
      await site.makeReachable();
      site.app.clock.now += minute;
      const batch = [site.decided('ENTER')];
      const { messages } = await site.send(batch);
      await site.send(batch);
      const [push, ...others] = await site.pushes();
      assert.equal(others.length, 0);
      assert.deepEqual(
        [push?.message.deliveryId, push?.message.expiresAt],
        [messages[0].deliveryId, site.now + 300_000],
      );
      assert.equal(messages[0].isPushed, true);
      const { eventId, visitId } = messages[0];
      assert.deepEqual(push?.message.content, {
        title: 'Welcome',
        body: 'The tour starts here.',
        data: { beaconId: site.hall, eventId, visitId, event: 'ENTER', triggerId: trigger, type: 'TEXT' },
      });
      const [delivery] = await site.list('deliveries', {
        where: JSON.stringify({ triggerId: trigger, state: 'sent' }),
      });
      assert.deepEqual(
        [delivery.objectId, delivery.eventId, delivery.sender, delivery.attempts],
        [messages[0].deliveryId, eventId, 'fcm', 1],
      );
    });

    test('a cap for the app counts over all beacons of a batch', async () => {
      await setPolicy({ delivery: { caps: [{ count: 1, per: 'app', window: 3600 }] } });
      const cafe = await site.beacon({});
      await site.notification();
      await site.notification({ beaconId: pointer('Beacon', cafe) });
      const { messages } = await site.send([site.decided('ENTER'), { beacon: cafe, event: 'ENTER' }]);
      assert.equal(messages.length, 1);
    });

    test('delivery rules are checked, absent from answers unless set, and cleared by null', async () => {
      const url = '/api/v2/notifications';
      const id = await site.notification();
      assert.ok(!('delivery' in (await site.get(`notifications/${id}`))));
      const broken = (delivery: unknown, fields: string[]) => ({
        rule: JSON.stringify(delivery),
        request: { method: 'PUT', url: `${url}/${id}`, body: { delivery } } as const,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(site.app, site.user.headers, [
        broken([], ['delivery']),
        broken({ validFrom: 'soon' }, ['delivery.validFrom']),
        broken({ validFrom: '2026-01-02T00:00:00Z', validUntil: '2026-01-01T00:00:00Z' }, ['delivery.validUntil']),
        broken({ timeZone: 'Mars/Base' }, ['delivery.timeZone']),
        broken({ timeZone: '+02:00' }, ['delivery.timeZone']),
      ]);
      for (const delivery of [{ dwellSeconds: -1 }, { quietHours: { from: '25:00', until: '8' } }, { caps: [{}] }]) {
        const answer = await site.ask({ method: 'PUT', url: `${url}/${id}`, body: { delivery } });
        assert.deepEqual([answer.status, answer.body.code], [400, 142], JSON.stringify(delivery));
      }
      const delivery = { dwellSeconds: 20, coolDown: null, timeZone: 'Asia/Kathmandu' };
      await site.ask({ method: 'PUT', url: `${url}/${id}`, body: { delivery } });
      assert.deepEqual((await site.get(`notifications/${id}`)).delivery, delivery);
      await site.ask({ method: 'PUT', url: `${url}/${id}`, body: { delivery: null } });
      assert.ok(!('delivery' in (await site.get(`notifications/${id}`))));
    });

    test('a message keeps to the hours of the venue in its zone, and waits for the opening if told to', async () => {
      await site.app.app.users.setUserRole({ appId: site.app.appId, userId: site.user.userId }, 'manager');
      const ask = async (method: 'POST' | 'PUT', url: string, body: object) =>
        (await site.ask({ method, url: `/api/v2/${url}`, body })).body.result.objectId as string;
      await setPolicy({ timeZone: 'Europe/Vienna' });
      const venue = await ask('POST', 'venues', {
        name: 'Museum',
        timeZone: 'Asia/Kathmandu',
        openingHours: [{ dayName: 'Mon', from: '17:05', until: '18:00' }],
        exceptions: [{ date: '2026-03-03', name: 'New year', hours: [] }],
      });
      const open = await site.notification({ delivery: { venueHours: { during: 'open' } } });
      const day = await site.notification({ delivery: { venueHours: { during: 'openDays' } } });
      const later = await site.notification({ delivery: { venueHours: { during: 'open', alreadyInside: true } } });
      const scenario = await site.scenario({
        showOn: week.map((dayName) => ({ dayName, checked: dayName === 'Mon' })),
      });
      assert.deepEqual((await visit()).sort(), [open, day, later, scenario].sort(), 'a beacon without a venue');
      await ask('PUT', `beacons/${site.hall}`, { venueId: pointer('Venue', venue) });
      assert.deepEqual((await visit()).sort(), [day, scenario].sort());
      const closed = 'Not shown: the venue was closed on 2026-03-02 at 16:47 in Asia/Kathmandu';
      assert.deepEqual(await why(open), ['closed', `${closed}.`]);
      assert.equal((await why(later))[0], 'closed', 'the visitor left before it opened');
      site.app.clock.now += minute;
      await site.send([site.decided('ENTER', site.now)]);
      const where = JSON.stringify({ triggerId: later, outcome: 'pending' });
      assert.equal((await site.list('verdicts', { where }))[0].dueAt, '2026-03-02T11:20:00.000Z', '17:05 there');
      site.app.clock.now = Date.parse('2026-03-02T11:21:00.000Z');
      await site.send([site.decided('EXIT', site.now)]);
      assert.deepEqual(await why(later), ['fired', 'Shown.']);
      // Monday evening in Vienna is Tuesday, a holiday, in Kathmandu.
      site.app.clock.now = Date.parse('2026-03-02T19:00:00.000Z');
      assert.deepEqual(await visit(), []);
      assert.deepEqual(await why(day), ['closed', 'Not shown: the venue does not open on 2026-03-03 (New year).']);
      assert.equal((await why(scenario))[1], 'Not shown: it runs on Mon, and it was Tuesday in Asia/Kathmandu.');
    });

    describe('who is inside when the venue opens', () => {
      let message: string;
      let venue: string;
      const hours = (from: string, until: string) => week.map((dayName) => ({ dayName, from, until }));

      /** Of the venue, in the zone of the app; somebody comes to its beacon at that time and stays. */
      async function comes(at: string, members: object): Promise<void> {
        await site.app.app.users.setUserRole({ appId: site.app.appId, userId: site.user.userId }, 'manager');
        await setPolicy({ timeZone: 'Europe/Vienna' });
        const body = { name: 'Museum', ...members };
        venue = (await site.ask({ method: 'POST', url: '/api/v2/venues', body })).body.result.objectId;
        await site.ask({
          method: 'PUT',
          url: `/api/v2/beacons/${site.hall}`,
          body: { venueId: pointer('Venue', venue) },
        });
        await site.makeReachable();
        message = await site.notification({ delivery: { venueHours: { during: 'open', alreadyInside: true } } });
        site.app.clock.now = Date.parse(at);
        await site.signInAgain();
        await site.send([site.decided('ENTER')]);
      }

      const change = async (members: object) => {
        const answer = await site.ask({ method: 'PUT', url: `/api/v2/venues/${venue}`, body: members });
        assert.equal(answer.status, 200);
      };

      /** What the message has come to at a time. */
      async function outcomeAt(at: string): Promise<string> {
        site.app.clock.now = Date.parse(at);
        await site.app.app.ticker.tick();
        await site.signInAgain();
        const where = JSON.stringify({ triggerId: message });
        const [newest] = await site.list('verdicts', { where, order: '-createdAt' });
        return newest.outcome;
      }

      test('gets it as the clocks are put forward, if the hour in which it opens is skipped', async () => {
        await comes('2026-03-29T00:50:00.000Z', { openingHours: hours('02:30', '06:00') });
        assert.equal(await outcomeAt('2026-03-29T00:59:59.000Z'), 'pending');
        assert.equal(await outcomeAt('2026-03-29T01:00:01.000Z'), 'fired', '03:00, the minute after 01:59');
      });

      test('gets it at the first of the two times at which the clocks show it', async () => {
        await comes('2026-10-24T23:50:00.000Z', { openingHours: hours('02:30', '06:00') });
        assert.equal(await outcomeAt('2026-10-25T00:29:59.000Z'), 'pending');
        assert.equal(await outcomeAt('2026-10-25T00:30:01.000Z'), 'fired');
      });

      test('gets it by the hours of a special day, and before midnight where a night begins', async () => {
        await comes('2026-12-31T20:59:00.000Z', {
          openingHours: hours('10:00', '18:00'),
          exceptions: [{ date: '2026-12-31', name: 'Gala', hours: [{ from: '22:00', until: '02:00' }] }],
        });
        assert.equal(await outcomeAt('2026-12-31T20:59:59.000Z'), 'pending');
        assert.equal(await outcomeAt('2026-12-31T21:00:01.000Z'), 'fired');
      });

      test('gets it by hours that were changed while it waited', async () => {
        await comes('2026-03-02T08:30:00.000Z', { openingHours: hours('10:00', '18:00') });
        await change({ openingHours: hours('11:00', '18:00') });
        assert.equal(await outcomeAt('2026-03-02T09:00:01.000Z'), 'pending');
        assert.equal(await outcomeAt('2026-03-02T10:00:01.000Z'), 'fired');
      });

      test('gets it when the venue was to open, if that was made earlier while it waited', async () => {
        await comes('2026-03-02T08:30:00.000Z', { openingHours: hours('11:00', '18:00') });
        await change({ openingHours: hours('10:00', '18:00') });
        assert.equal(await outcomeAt('2026-03-02T09:00:01.000Z'), 'pending');
        assert.equal(await outcomeAt('2026-03-02T10:00:01.000Z'), 'fired');
      });

      test('does not get it if the day was made a holiday while it waited', async () => {
        await comes('2026-03-02T08:30:00.000Z', { openingHours: hours('10:00', '18:00') });
        await change({ exceptions: [{ date: '2026-03-02', name: 'Storm', hours: [] }] });
        assert.notEqual(await outcomeAt('2026-03-02T09:00:01.000Z'), 'fired');
        assert.notEqual(await outcomeAt('2026-03-02T17:00:00.000Z'), 'fired');
      });
    });

    test("the site's time zone is that of the message, then of the beacon, then of the app", async () => {
      // 12:01 in UTC+1 on Monday is Tuesday on Kiritimati (UTC+14).
      await site.ask({
        method: 'PUT',
        url: `/api/v2/beacons/${site.hall}`,
        body: { metadata: { timeZone: 'Pacific/Kiritimati' } },
      });
      const monday = week.map((dayName) => ({ dayName, checked: dayName === 'Mon' }));
      const atBeacon = await site.scenario({ showOn: monday });
      const own = await site.scenario({ showOn: monday, delivery: { timeZone: 'Europe/Vienna' } });
      assert.deepEqual(await visit(), [own]);
      assert.equal((await why(atBeacon))[1], 'Not shown: it runs on Mon, and it was Tuesday in Pacific/Kiritimati.');
    });
  });
}
