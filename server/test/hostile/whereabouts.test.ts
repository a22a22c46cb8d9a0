import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { type Answer, databases, type SignedIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openStream } from '../support/event-stream.ts';
import { pointer, type Site } from '../support/site.ts';
import { idsOf, installations, openTwoVisitors, phoneId, type TwoVisitors } from '../support/sites/two-visitors.ts';
import { listen } from '../support/socket.ts';

/** Where people are and what is sent to them is private: an ordinary user can find nothing of anybody else. */

for (const database of databases) {
  describe(`whereabouts of other people on ${database}`, () => {
    let them: TwoVisitors;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let phone: string;
    beforeEach(async () => {
      them = await openTwoVisitors(database);
      ({ site, vera, mallory, phone } = them);
    });
    afterEach(() => them.close());

    test('a self-registered user cannot find the phone of a visitor', async () => {
      const { list, send } = them.as(mallory);
      const own = await create(site.app, installations, { installationId: 'mine', deviceType: 'ios' }, mallory.headers);
      assert.deepEqual(idsOf(await list('installations')), [own]);
      for (const where of [
        them.toVera(),
        { installationId: phoneId },
        { $or: [them.toVera(), { installationId: { $regex: '^c' } }] },
        { userId: { $ne: null }, installationId: { $ne: 'mine' } },
      ])
        assert.deepEqual(await list('installations', { where, count: 1 }), { results: [], count: 0 });
      assert.deepEqual(idsOf(await list('installations', { order: 'userId', skip: 1 })), []);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { channels: ['x'], deviceToken: 'mine' };
        const answer = await send({ method, url: `${installations}/${phone}`, body });
        assert.deepEqual([method, answer.status, answer.body.code], [method, 404, 101]);
      }
      assert.deepEqual(idsOf(await them.as(vera).list('installations')), [phone]);
      assert.ok(idsOf(await them.as(site.user).list('installations')).includes(phone), 'a manager finds it');
    });

    test('a self-registered user cannot follow a visitor by visits, events, verdicts, deliveries and logs', async () => {
      await site.notification();
      const event = await them.enter();
      const where = { installationId: pointer('_Installation', phone) };
      for (const path of ['visits', 'events', 'verdicts', 'deliveries']) {
        for (const query of [
          {},
          { where },
          { where: { $or: [where, { objectId: { $ne: 'x' } }] } },
          { order: 'installationId' },
        ])
          assert.deepEqual(await them.as(mallory).list(path, { ...query, count: 1 }), { results: [], count: 0 }, path);
        for (const caller of [vera, site.user]) {
          const { results, count } = await them.as(caller).list(path, { where, count: 1 });
          assert.deepEqual([results.length, count], [1, 1], path);
          if (path !== 'verdicts')
            assert.equal(
              (await them.as(caller).send({ method: 'GET', url: `/api/v2/${path}/${results[0].objectId}` })).status,
              200,
            );
        }
      }
      const answer = await them.as(mallory).send({ method: 'GET', url: `/api/v2/events/${event}` });
      assert.deepEqual([answer.status, answer.body.code], [404, 101]);
      const shown = async (caller: SignedIn, query: object = {}) =>
        (await them.as(caller).list('logs', query)).results.map(
          (log: Answer['body']) => log.installationId?.objectId ?? null,
        );
      assert.deepEqual(await shown(mallory), [null], 'logs are listed as specified, without whose they are');
      assert.deepEqual(await shown(vera), [phone]);
      assert.deepEqual(await shown(site.user), [phone]);
      for (const asked of [where, { installationId: { $ne: null } }, { $or: [where, { installationId: null }] }])
        assert.deepEqual(await them.as(mallory).list('logs', { where: asked, count: 1 }), { results: [], count: 0 });
      assert.deepEqual(await shown(mallory, { order: 'installationId' }), []);
      assert.deepEqual(await shown(vera, { where, order: 'installationId' }), [phone]);
    });

    test('a user with several phones lists their traces by any filter and order', async () => {
      await site.notification();
      const others = ['second', 'third'];
      for (const installationId of others)
        await them.as(vera).register({ installationId, deviceToken: installationId });
      site.app.clock.now += 1000;
      for (const installationId of [phoneId, ...others])
        await them.as(vera).send({
          method: 'POST',
          url: '/api/v2/sightings',
          body: { installationId, sightings: [site.decided('ENTER')] },
        });
      await site.app.app.idle();
      const where = { installationId: pointer('_Installation', phone) };
      for (const path of ['visits', 'events', 'verdicts', 'deliveries']) {
        for (const order of ['objectId', '-objectId', 'installationId', '-createdAt'])
          assert.equal((await them.as(vera).list(path, { order })).results.length, 3, `${path} by ${order}`);
        for (const [condition, count] of [
          [where, 1],
          [{ installationId: { $in: [] } }, 0],
          [{ installationId: 5 }, 0],
          [{ objectId: { $in: [] } }, 0],
          [{ $or: [where, { objectId: { $exists: true } }] }, 3],
          [{ installationId: { $ne: where.installationId } }, 2],
        ] as const)
          assert.equal((await them.as(vera).list(path, { where: condition, limit: 0, count: 1 })).count, count, path);
      }
    });

    test('the stream sends a user only events of her own installations, also when it is resumed', async () => {
      const port = await listen(site.app);
      const open = (caller: SignedIn, more = {}) =>
        openStream(port, '/api/v2/stream', { ...site.app.credentials, ...caller.headers, ...more });
      const [hers, his, all] = [await open(vera), await open(mallory), await open(site.user)];
      const [, from] = await Promise.all([hers.ready, his.ready, all.ready]);
      await them.enter();
      await Promise.all([hers.received(2), all.received(2)]);
      const resumed = await open(mallory, { 'last-event-id': String(from) });
      await resumed.ready;
      const own = await create(site.app, installations, { installationId: 'his', deviceType: 'ios' }, mallory.headers);
      site.app.clock.now += 1000;
      const body = { installationId: 'his', sightings: [site.decided('ENTER')] };
      await them.as(mallory).send({ method: 'POST', url: '/api/v2/sightings', body });
      for (const stream of [his, resumed]) {
        await stream.received(2);
        assert.deepEqual(
          stream.events.map(({ data }) => data.data.installationId.objectId),
          [own, own],
        );
      }
      for (const stream of [hers, his, all, resumed]) stream.close();
    });

    test('the stream of a manager ends with the role, and of an installation with whom it belongs to', async () => {
      const port = await listen(site.app);
      const open = (caller: SignedIn) =>
        openStream(port, '/api/v2/stream', { ...site.app.credentials, ...caller.headers });
      const [all, hers] = [await open(site.user), await open(vera)];
      await Promise.all([all.ready, hers.ready]);
      await site.app.app.users.setUserRole({ appId: site.app.appId, userId: site.user.userId }, 'user');
      await all.ended;
      // Another person signs in on the same phone.
      assert.equal((await them.as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
      await create(site.app, installations, { installationId: 'second', deviceType: 'ios' }, vera.headers);
      site.app.clock.now += 1000;
      await them.sense('ENTER', mallory);
      const body = { installationId: 'second', sightings: [site.decided('ENTER')] };
      await them.as(vera).send({ method: 'POST', url: '/api/v2/sightings', body });
      await hers.received(2);
      assert.ok(hers.events.every(({ data }) => data.data.installationId.objectId !== phone));
      hers.close();
    });

    test('an audience reveals nothing about other people to an ordinary sender', async () => {
      const { send, list } = them.as(mallory);
      const sendTo = (where: object | undefined) =>
        send({
          method: 'POST',
          url: '/api/v2/push/notification',
          body: { data: { alert: 'Hello' }, ...(where ? { where } : {}) },
        });
      for (const where of [
        { installationId: { $regex: '^c' } },
        { $or: [{ objectId: { $gt: '0' } }, { channels: 'x' }] },
        { $nor: [{ installationId: { $ne: 'x' } }] },
      ])
        assert.deepEqual([(await sendTo(where)).status, (await sendTo(where)).body.code], [400, 102]);
      const accepted = await sendTo({ ...them.toVera(), 'metadata.tour': 3 });
      await site.app.app.idle();
      const url = `/api/v2/push/${accepted.headers['location']}`;
      const { result } = (await send({ method: 'GET', url })).body;
      for (const member of ['audience', 'sent', 'noTarget', 'queued', 'reasons'])
        assert.ok(!(member in result), member);
      assert.ok(!('audience' in (await list('push/notifications')).results[0]));
      const asked = await send({
        method: 'GET',
        url: `/api/v2/push/notifications?where=${encodeURIComponent('{"audience":1}')}`,
      });
      assert.deepEqual([asked.status, asked.body.code], [400, 102]);
      assert.equal((await site.get(`push/${accepted.headers['location']}`)).audience, 1, 'a manager sees it');
      const toAll = await sendTo(undefined);
      await site.app.app.idle();
      assert.equal(
        (await send({ method: 'GET', url: `/api/v2/push/${toAll.headers['location']}` })).body.result.audience,
        2,
      );
      assert.deepEqual((await them.as(vera).list('push/notifications')).results, [], 'what others send is theirs');
      for (const [method, path] of [
        ['GET', url],
        ['POST', `${url}/cancel`],
      ] as const)
        assert.equal((await them.as(vera).send({ method, url: path })).status, 404);
    });

    test('what would happen is not asked about the phones of others', async () => {
      await them.enter();
      const ask = async (caller: SignedIn) => {
        const body = { installationId: phoneId, continues: true, sightings: [site.decided('EXIT')] };
        return (await them.as(caller).send({ method: 'POST', url: '/api/v2/simulations', body })).body.result.events
          .length;
      };
      assert.deepEqual([await ask(mallory), await ask(vera), await ask(site.user)], [0, 1, 1]);
    });

    test('what would happen is not asked about the tags of others, which gateways hear', async () => {
      const tag = 'AA:BB:CC:00:11:22';
      await them.as(vera).send({
        method: 'PATCH',
        url: `${installations}/${phone}`,
        body: { metadata: { advertisedId: tag } },
      });
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const heard = (rssi: number, occurredAt: number) => ({ id: 'aabbcc001122', rssi, occurredAt });
      const sightings = [0, 1, 2, 3].map((n) => heard(-50, site.now - 5000 + n * 1000));
      await them.as(vera).send({ method: 'POST', url: '/api/v2/sightings', body: { gateway: 'room-1', sightings } });
      const ask = async (caller: SignedIn) => {
        const last = { sightings: [heard(-99, site.now)], until: site.now + 600_000 };
        const body = { gateway: 'room-1', continues: true, ...last };
        const answer = await them.as(caller).send({ method: 'POST', url: '/api/v2/simulations', body });
        assert.deepEqual([answer.status, answer.body.result.problems], [200, []]);
        return answer.body.result.events.length;
      };
      assert.deepEqual([await ask(mallory), await ask(vera), await ask(site.user)], [0, 1, 1]);
    });

    test('the answer to sightings of a linked phone is for its user; they count without her bearer too', async () => {
      await them.enter();
      const { status, body } = await them.sense('EXIT', mallory);
      assert.deepEqual(
        [status, body.result],
        [200, { received: 1, duplicates: 0, events: [], messages: [], problems: [] }],
      );
      assert.equal((await them.as(vera).list('visits')).results[0].isOpen, false);
      assert.equal(
        (
          await them.as({ headers: { authorization: 'Bearer of a token that has expired' } }).send({
            method: 'POST',
            url: '/api/v2/sightings',
            body: { installationId: phoneId, sightings: [site.decided('ENTER', site.now + 5)] },
          })
        ).status,
        200,
      );
    });
  });
}
