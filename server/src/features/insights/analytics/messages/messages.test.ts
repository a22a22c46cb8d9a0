import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { groupOf } from '@pharos/engine';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../../test/support/build-app.ts';
import { testOn } from '../../../../../test/support/depth.ts';
import { openNode, openSite, pointer, type Site } from '../../../../../test/support/site.ts';
import { service } from '../../../../access/audit.ts';
import { sql } from '../../../../base/sql.ts';
import { Blur, blurDeviation } from '../../../blur.ts';
import { MessageCounts } from './counts.ts';
import { compared, conclusion, differenceInterval, shareInterval } from './statistics.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const people = 24;

for (const database of bothDatabases) {
  describe(`what messages lead to on ${database}`, () => {
    let site: Site;
    let shop = '';
    let message = '';
    let phones: { readonly name: string; readonly id: string; readonly group: string }[] = [];
    beforeAll(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      // All that follows is on one day, whenever this runs.
      site.app.clock.now += day - (site.app.clock.now % day) + hour;
      shop = await site.beacon({ minor: 2 });
      message = await site.notification({
        holdout: 40,
        variants: [{ name: 'A' }, { name: 'B', weight: 2, message: { alertTitle: 'Come in' } }],
        goal: { kind: 'visit', beaconId: shop, withinHours: 3 },
      });
      const trigger = {
        id: message,
        holdout: 40,
        variants: [
          { name: 'A', weight: 1 },
          { name: 'B', weight: 2 },
        ],
      };
      phones = [];
      // Groups follow from ids, which are random.
      const isEnough = () => ['A', 'B', 'holdout'].every((group) => namesOf(group).length >= 3);
      for (let place = 0; place < people || !isEnough(); place++) {
        const name = `phone ${place}`;
        const id = await site.installation({ installationId: name });
        phones.push({ name, id, group: groupOf(trigger, id) ?? '' });
      }
    });
    afterAll(() => site.close());

    const enter = (name: string, beacon: string, at = site.now) =>
      site.send([{ beacon, event: 'ENTER', occurredAt: at }], { installationId: name });
    const leave = (name: string, beacon: string, at = site.now) =>
      site.send([{ beacon, event: 'EXIT', occurredAt: at }], { installationId: name });
    const settle = () => site.app.app.rollups.settle(site.app.appId);
    const today = () => new Date(site.now).toISOString().slice(0, 10);
    async function ask(query: object = {}) {
      const until = new Date(site.now + day).toISOString().slice(0, 10);
      const search = new URLSearchParams({ from: today(), until, ...query });
      const answer = await site.ask({ method: 'GET', url: `/api/v2/analytics/messages?${search}` });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    }
    const groupsOf = async () => {
      const { messages } = await ask();
      const groups = messages.find(({ triggerId }: { triggerId: string }) => triggerId === message)?.groups ?? [];
      return new Map<string, Record<string, number>>(groups.map((one: { group: string }) => [one.group, one]));
    };
    const namesOf = (group: string) => phones.filter((phone) => phone.group === group).map(({ name }) => name);

    test('each visitor gets one variant or nothing, always the same, and the verdict says so', async () => {
      const shown = new Map<string, string>();
      for (const { name } of phones) {
        const { messages } = await enter(name, site.hall);
        const [first] = messages;
        shown.set(name, first ? `${first.notification.variant} ${first.notification.message.alertTitle}` : 'nothing');
      }
      for (const { name, group } of phones) {
        const expected = { A: 'A Welcome', B: 'B Come in', holdout: 'nothing' }[group];
        assert.equal(shown.get(name), expected, name);
      }
      assert.ok(
        ['A', 'B', 'holdout'].every((group) => namesOf(group).length > 1),
        'all groups have people',
      );
      const [held] = await site.list('verdicts', { where: JSON.stringify({ reason: 'holdout' }) });
      assert.equal(
        held.text,
        'Not shown: this visitor is one of the 40 % who get nothing, so that its effect can be told.',
      );
    });

    test('reached, shown, opened and acted are counted by group, also when what counts comes late', async () => {
      const began = site.now;
      for (const { name } of phones) await leave(name, site.hall, began + minute);
      site.app.clock.now = began + 20 * minute;
      await settle();
      // Two of each group come to the shop in time, one of A too late.
      const [early, later] = [namesOf('A')[0] ?? '', namesOf('A')[1] ?? ''];
      for (const name of [early, ...namesOf('B').slice(0, 2), ...namesOf('holdout').slice(0, 2)])
        await enter(name, shop, began + 10 * minute);
      site.app.clock.now = began + 4 * hour;
      await enter(later, shop);
      const [delivery] = await site.list('deliveries', {
        where: JSON.stringify({
          installationId: pointer('_Installation', phones.find(({ name }) => name === early)?.id ?? ''),
        }),
      });
      const receipt = { deliveryId: delivery.objectId, event: 'opened' };
      for (let time = 0; time < 2; time++)
        await site.app.send({
          method: 'POST',
          url: '/api/v2/receipts',
          body: { installationId: early, receipts: [receipt] },
        });
      await settle();
      let groups = await groupsOf();
      const of = (group: string) => {
        const { reached, shown, openedBy, acted } = groups.get(group) ?? {};
        return [reached, shown, openedBy, acted];
      };
      const size = (group: string) => namesOf(group).length;
      assert.deepEqual(of('A'), [size('A'), size('A'), 1, 1]);
      assert.deepEqual(of('B'), [size('B'), size('B'), 0, 2]);
      assert.deepEqual(of('holdout'), [size('holdout'), 0, 0, 2]);
      // A phone was offline: that it was in the shop in time is told hours later.
      await enter(namesOf('B')[2] ?? '', shop, began + 2 * hour);
      await settle();
      groups = await groupsOf();
      assert.deepEqual(of('B'), [size('B'), size('B'), 0, 3]);
      const { messages, load } = await ask();
      assert.equal(load, null, 'a day has no distribution');
      const [told] = messages;
      assert.deepEqual([told.name, told.kind, told.goal.withinHours], ['Welcome', 'notification', 3]);
      assert.match(told.comparisons[0].text, /^Too few visitors to compare/);
    });

    test('after a recount, or with another goal, the numbers are those of the stored records', async () => {
      const before = await groupsOf();
      await site.app.storage.db.run(sql`update message_rollups set reached = reached + 7, acted = 0`);
      await Promise.all([site.app.app.rollups.rebuild(site.app.appId), settle()]);
      assert.deepEqual(await groupsOf(), before);
      const goal = { kind: 'visit', beaconId: shop, withinHours: 5 };
      await site.ask({ method: 'PUT', url: `/api/v2/notifications/${message}`, body: { goal } });
      await settle();
      assert.equal((await groupsOf()).get('A')?.['acted'], 2, 'four hours are within five');
    });

    testOn(database)('while many records are looked at for a goal, others write', async (context) => {
      context.onTestFinished(() => mock.reset());
      // The service knows another goal of the message, by which it would count in between.
      mock.method(site.app.app.rollups, 'settleDue', async () => undefined);
      await site.app.app.idle();
      const { db } = site.app.storage;
      const [{ installation_id: who = '', shown_at: shownAt = 0 } = {}] = await db.all<Record<string, never>>(
        sql`select installation_id, shown_at from message_showings where trigger_id = ${message} and is_first = 1 and acted_at is null limit 1`,
      );
      const asked: number[] = [];
      const counts = new MessageCounts({
        db,
        now: () => site.now,
        withdrawals: async () => [],
        findApp: async () => ({ timeZone: 'UTC', eventDays: 90, isForgetful: false }),
        listMessageGoals: async () => [
          { triggerId: message, goal: { kind: 'record', bucket: 'any', withinHours: 24 } },
        ],
        beaconsIn: async () => [],
        firstVisitIn: async () => undefined,
        firstEventIn: async () => undefined,
        installationsNamed: async (_db, _appId, made) => made.map(() => [who]),
        async *recordsMade(_db, { from }) {
          asked.push(from);
          yield [
            { installationId: who, userId: undefined, at: shownAt - 1 },
            { installationId: who, userId: undefined, at: shownAt + 2 },
          ];
          // Waits for ever if the counting holds what it has read.
          await db.run(sql`update message_states set records_until = records_until where app_id = ${site.app.appId}`);
          yield [{ installationId: who, userId: undefined, at: shownAt + 1 }];
        },
      });
      await counts.settle(site.app.appId);
      const [row] = await db.all<{ acted_at: number }>(
        sql`select acted_at from message_showings where trigger_id = ${message} and installation_id = ${who} and is_first = 1`,
      );
      assert.equal(Number(row?.acted_at), Number(shownAt) + 1, 'the earliest in time');
      assert.ok(asked.length > 0);
    });

    test('without a goal nobody is said not to have reached it', async () => {
      const beaconId = pointer('Beacon', shop);
      const farewell = await site.notification({ description: 'Farewell', beaconId, event: 'EXIT' });
      await site.installation({ installationId: 'guest' });
      await enter('guest', shop);
      site.app.clock.now += minute;
      await leave('guest', shop, site.now);
      await settle();
      const { messages, rows } = await ask({ interval: 'day' });
      const told = messages.find(({ triggerId }: { triggerId: string }) => triggerId === farewell);
      const [group] = told.groups;
      assert.deepEqual(
        [told.goal, group.reached, group.acted, group.share, group.shareHigh],
        [null, 1, null, null, null],
      );
      assert.equal(rows.find(({ triggerId }: { triggerId: string }) => triggerId === farewell).acted, null);
      await site.ask({ method: 'DELETE', url: `/api/v2/notifications/${farewell}` });
    });

    test('a record that somebody makes is a goal, and a consent that is taken back is told', async () => {
      const { headers } = site.user;
      await site.app.app.buckets.createBucket(site.app.appId, 'orders');
      const body = { goal: { kind: 'record', bucket: 'orders', withinHours: 24 } };
      const answer = await site.ask({ method: 'PUT', url: `/api/v2/notifications/${message}`, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await settle();
      const [buyer] = phones.filter(({ group }) => group === 'A');
      const order = { metadata: { what: 'a poster', installationId: buyer?.name } };
      await site.app.send({ method: 'POST', url: '/api/v2/data/bucket/orders', headers, body: order });
      await site.ask({
        method: 'PUT',
        url: `/api/v2/installations/${buyer?.id}`,
        body: { consents: { messages: { granted: false } } },
      });
      site.app.clock.now += 2 * hour;
      await settle();
      const { acted, withdrawn } = (await groupsOf()).get('A') ?? {};
      assert.deepEqual([acted, withdrawn], [1, 1]);
    });

    testOn(database)('a record counts for a message that the phone reports only after it', async () => {
      const beacon = await site.beacon({ minor: 3 });
      const goal = { kind: 'record', bucket: 'orders', withinHours: 24 };
      const late = await site.notification({ beaconId: pointer('Beacon', beacon), goal });
      await site.app.app.apps.change(site.app.appId, { policy: { pushTimeToLive: 4 * 3_600 } }, service);
      const name = 'offline phone';
      await site.installation({ installationId: name });
      await settle();
      const shownAt = site.now;
      site.app.clock.now += hour;
      const url = '/api/v2/data/bucket/orders';
      const order = { metadata: { what: 'a print', installationId: name } };
      const made = await site.app.send({ method: 'POST', url, headers: site.user.headers, body: order });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      site.app.clock.now += hour;
      await settle();
      // It was offline, and has shown the message two hours ago.
      await enter(name, beacon, shownAt);
      await settle();
      const { messages } = await ask();
      const [{ reached, acted }] = messages.find(({ triggerId }: { triggerId: string }) => triggerId === late).groups;
      assert.deepEqual([reached, acted], [1, 1]);
    });

    test('what makes no sense is refused with a sentence', async () => {
      for (const [members, problem] of [
        [{ goal: { kind: 'record', withinHours: 1 } }, 'goal.bucket is required for a record'],
        [{ goal: { kind: 'event', beaconId: shop, withinHours: 1 } }, 'goal.event is required for an event'],
        [{ goal: { kind: 'visit', beaconId: 'none', withinHours: 1 } }, 'goal.beaconId: there is no beacon none.'],
        [{ goal: { kind: 'record', bucket: 'none', withinHours: 1 } }, 'goal.bucket: there is no bucket none.'],
        [{ variants: [{ name: 'A' }, { name: 'a' }] }, 'variants.1.name must be unlike the others'],
        [{ variants: [{ name: 'A' }, { name: 'holdout' }] }, 'variants.1.name is the name of those who get nothing'],
        [{ holdout: 100 }, 'holdout'],
      ] as const) {
        const answer = await site.ask({ method: 'PUT', url: `/api/v2/notifications/${message}`, body: members });
        assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(members));
        assert.ok(JSON.stringify(answer.body).includes(problem), JSON.stringify(answer.body));
      }
    });

    testOn(database)('small groups are protected, and numbers outlive what they were counted from', async () => {
      const counted = () =>
        site.app.storage.db.all(sql`select * from message_rollups order by started_at, trigger_id, message_group`);
      const exact = await counted();
      assert.ok(exact.length > 2);
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } }, service);
      const { messages, isProtected } = await ask();
      assert.equal(isProtected, true);
      for (const { groups } of messages)
        for (const one of groups) {
          for (const name of ['reached', 'openedBy', 'acted', 'shown', 'received', 'opened', 'withdrawn'])
            assert.ok(one[name] === null || one[name] === '1-4' || one[name] % 5 === 0, `${name} is ${one[name]}`);
          if (one.acted === '1-4') assert.equal(one.share, null);
        }
      const month = new Date(`${today().slice(0, 7)}-01T00:00:00Z`);
      month.setUTCMonth(month.getUTCMonth() + 1);
      const whole = { from: `${today().slice(0, 7)}-01`, until: month.toISOString().slice(0, 10) };
      // Counting rests for some times as long as it took; on a node that has just started nothing was counted yet.
      await ask(whole);
      const node = await openNode(site);
      await node.app.rollups.settle(site.app.appId).finally(() => node.close());
      const { load } = await ask(whole);
      assert.ok(load.length > 0);
      for (const { visitors } of load) assert.ok(visitors === '1-4' || visitors % 5 === 0, `load ${visitors}`);
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'shown' } }, service);
      await site.ask({ method: 'DELETE', url: `/api/v2/installations/${phones[0]?.id}` });
      await site.app.app.idle();
      const left = await site.rows('message_showings');
      assert.ok(
        left.every((row) => row['installation_id'] !== phones[0]?.id),
        'nothing names an erased phone',
      );
      site.app.clock.now += 500 * day;
      await site.app.app.retention.sweep();
      await site.app.app.rollups.rebuild(site.app.appId);
      assert.deepEqual(await counted(), exact);
    });
  });
}

describe('what may be concluded', () => {
  /** Worked examples of the papers, as statisticians give them. */
  test('intervals are those of the literature', () => {
    const near = (one: number, other: number) => assert.ok(Math.abs(one - other) < 5e-5, `${one} is not ${other}`);
    // Newcombe (1998), table II, method 10: 56/70 and 48/80.
    const { low, high } = differenceInterval({ acted: 56, of: 70 }, { acted: 48, of: 80 });
    near(low, 0.0524);
    near(high, 0.3339);
    // 9/10 and 3/10; 10/10 and 0/10.
    near(differenceInterval({ acted: 9, of: 10 }, { acted: 3, of: 10 }).low, 0.1705);
    near(differenceInterval({ acted: 9, of: 10 }, { acted: 3, of: 10 }).high, 0.809);
    near(differenceInterval({ acted: 10, of: 10 }, { acted: 0, of: 10 }).low, 0.6075);
    // Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I: 81/263 and 0/20.
    near(shareInterval({ acted: 81, of: 263 }).low, 0.2553);
    near(shareInterval({ acted: 81, of: 263 }).high, 0.3662);
    near(shareInterval({ acted: 0, of: 20 }).high, 0.1611);
  });

  test('the noise of protected numbers makes no difference clear', () => {
    // A third of each group, as it is told with any noise.
    const [one, other] = [
      [27, 80],
      [10, 30],
    ] as const;
    const clear = (deviation: number) =>
      Array.from({ length: 2_000 }, (_, n) => {
        const blur = new Blur(`salt ${n}`);
        const told = ([acted, of]: readonly [number, number], group: string) => ({
          acted: Number(String(blur.blurred(acted, 'acted', group)).replace('1-4', '0')),
          of: Number(String(blur.blurred(of, 'reached', group)).replace('1-4', '0')),
          deviation,
        });
        return compared(told(one, 'a'), told(other, 'b'))?.isClear === true;
      }).filter(Boolean).length / 2_000;
    assert.ok(clear(0) > 0.05, `without regard to it ${clear(0)}`);
    assert.ok(clear(blurDeviation) < 0.025, `${clear(blurDeviation)}`);
    const exact = shareInterval({ acted: 120, of: 1_000 });
    const told = shareInterval({ acted: 120, of: 1_000, deviation: blurDeviation });
    assert.ok(told.low < exact.low && exact.low - told.low < 0.002, 'of many it is next to nothing');
  });

  test('sentences say what is chance, what is not, and what is too little', () => {
    const say = (a: number, ofA: number, b: number, ofB: number) => {
      const [one, other] = [
        { acted: a, of: ofA, who: 'who got it' },
        { acted: b, of: ofB, who: 'who did not get it' },
      ];
      return conclusion(one, other, compared(one, other));
    };
    assert.equal(
      say(120, 1000, 18, 200),
      'Of 1,000 who got it 12 % reached the goal, of 200 who did not get it 9 %; the difference may be chance.',
    );
    assert.match(say(300, 1000, 18, 200), /more than chance alone explains\. The difference is \+21 points/);
    assert.match(say(18, 200, 300, 1000), /fewer than chance alone explains\. The difference is −21 points/);
    assert.match(say(1, 10, 0, 300), /^Too few visitors to compare: 10/);
  });
});
