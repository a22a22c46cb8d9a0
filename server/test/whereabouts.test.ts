import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Answer, databases, type SentRequest, type SignedIn, signIn } from './support/build-app.ts';
import { create } from './support/cases.ts';
import { openStream } from './support/event-stream.ts';
import { openSite, pointer, type Site } from './support/site.ts';
import { listen } from './support/socket.ts';

/**
 * Where people are and what is sent to them is private: an ordinary user can find and get nothing of anybody else's.
 */

const installations = '/api/v2/installations';
const phoneId = 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90';

for (const database of databases) {
  describe(`whereabouts and pushes of other people on ${database}`, () => {
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let phone: string;
    beforeEach(async () => {
      site = await openSite(database);
      vera = await signIn(site.app);
      mallory = await signIn(site.app);
      const body = { installationId: phoneId, deviceType: 'android', deviceToken: 'of vera', metadata: { tour: 3 } };
      phone = await create(site.app, installations, body, vera.headers);
      site.app.clock.now += 1000;
    });
    afterEach(() => site.close());

    const as = ({ headers }: { headers: SignedIn['headers'] }) => ({
      send: (request: SentRequest) => site.app.send({ ...request, headers: { ...headers, ...request.headers } }),
      async list(path: string, query: object = {}): Promise<Answer['body']> {
        const texts = Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : `${value}`,
        ]);
        const url = `/api/v2/${path}?${new URLSearchParams(texts as [string, string][])}`;
        const { status, body } = await site.app.send({ method: 'GET', url, headers });
        assert.equal(status, 200, JSON.stringify(body));
        return body;
      },
      register: (body: object) =>
        site.app.send({ method: 'POST', url: installations, headers, body: { deviceType: 'android', ...body } }),
    });
    const anybody = { headers: {} };
    const sense = (event: 'ENTER' | 'EXIT', by: { headers: SignedIn['headers'] } = vera) =>
      as(by).send({
        method: 'POST',
        url: '/api/v2/sightings',
        body: { installationId: phoneId, sightings: [site.decided(event)] },
      });
    const enter = async () => {
      const { body } = await sense('ENTER');
      assert.equal(body.result.events.length, 1, 'her own phone is told');
      await site.app.app.idle();
      site.app.clock.now += 1000;
      return body.result.events[0].objectId as string;
    };
    const push = async (where: object) => {
      const body = { data: { alert: 'For Vera' }, where };
      assert.equal((await site.ask({ method: 'POST', url: '/api/v2/push/notification', body })).status, 200);
      site.app.clock.now += 1;
      await site.app.app.idle();
    };
    const reached = () => site.provider.calls.map(({ target }) => target.token);
    const idsOf = ({ results }: Answer['body']) => results.map(({ objectId }: { objectId: string }) => objectId);
    const toVera = () => ({ userId: pointer('_User', vera.userId) });

    test('a self-registered user cannot find the phone of a visitor', async () => {
      const { list, send } = as(mallory);
      const own = await create(site.app, installations, { installationId: 'mine', deviceType: 'ios' }, mallory.headers);
      assert.deepEqual(idsOf(await list('installations')), [own]);
      for (const where of [
        toVera(),
        { installationId: phoneId },
        { $or: [toVera(), { installationId: { $regex: '^c' } }] },
        { userId: { $ne: null }, installationId: { $ne: 'mine' } },
      ])
        assert.deepEqual(await list('installations', { where, count: 1 }), { results: [], count: 0 });
      assert.deepEqual(idsOf(await list('installations', { order: 'userId', skip: 1 })), []);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { channels: ['x'], deviceToken: 'mine' };
        const answer = await send({ method, url: `${installations}/${phone}`, body });
        assert.deepEqual([method, answer.status, answer.body.code], [method, 404, 101]);
      }
      assert.deepEqual(idsOf(await as(vera).list('installations')), [phone]);
      assert.ok(idsOf(await as(site.user).list('installations')).includes(phone), 'a manager finds it');
    });

    test('a self-registered user cannot follow a visitor by visits, events, verdicts, deliveries and logs', async () => {
      await site.notification();
      const event = await enter();
      const where = { installationId: pointer('_Installation', phone) };
      for (const path of ['visits', 'events', 'verdicts', 'deliveries']) {
        for (const query of [
          {},
          { where },
          { where: { $or: [where, { objectId: { $ne: 'x' } }] } },
          { order: 'installationId' },
        ])
          assert.deepEqual(await as(mallory).list(path, { ...query, count: 1 }), { results: [], count: 0 }, path);
        for (const caller of [vera, site.user]) {
          const { results, count } = await as(caller).list(path, { where, count: 1 });
          assert.deepEqual([results.length, count], [1, 1], path);
          if (path !== 'verdicts')
            assert.equal(
              (await as(caller).send({ method: 'GET', url: `/api/v2/${path}/${results[0].objectId}` })).status,
              200,
            );
        }
      }
      const answer = await as(mallory).send({ method: 'GET', url: `/api/v2/events/${event}` });
      assert.deepEqual([answer.status, answer.body.code], [404, 101]);
      const shown = async (caller: SignedIn, query: object = {}) =>
        (await as(caller).list('logs', query)).results.map(
          (log: Answer['body']) => log.installationId?.objectId ?? null,
        );
      assert.deepEqual(await shown(mallory), [null], 'logs are listed as specified, without whose they are');
      assert.deepEqual(await shown(vera), [phone]);
      assert.deepEqual(await shown(site.user), [phone]);
      for (const asked of [where, { installationId: { $ne: null } }, { $or: [where, { installationId: null }] }])
        assert.deepEqual(await as(mallory).list('logs', { where: asked, count: 1 }), { results: [], count: 0 });
      assert.deepEqual(await shown(mallory, { order: 'installationId' }), []);
      assert.deepEqual(await shown(vera, { where, order: 'installationId' }), [phone]);
    });

    test('a user with several phones lists their traces by any filter and order', async () => {
      await site.notification();
      const others = ['second', 'third'];
      for (const installationId of others) await as(vera).register({ installationId, deviceToken: installationId });
      site.app.clock.now += 1000;
      for (const installationId of [phoneId, ...others])
        await as(vera).send({
          method: 'POST',
          url: '/api/v2/sightings',
          body: { installationId, sightings: [site.decided('ENTER')] },
        });
      await site.app.app.idle();
      const where = { installationId: pointer('_Installation', phone) };
      for (const path of ['visits', 'events', 'verdicts', 'deliveries']) {
        for (const order of ['objectId', '-objectId', 'installationId', '-createdAt'])
          assert.equal((await as(vera).list(path, { order })).results.length, 3, `${path} by ${order}`);
        for (const [condition, count] of [
          [where, 1],
          [{ installationId: { $in: [] } }, 0],
          [{ installationId: 5 }, 0],
          [{ objectId: { $in: [] } }, 0],
          [{ $or: [where, { objectId: { $exists: true } }] }, 3],
          [{ installationId: { $ne: where.installationId } }, 2],
        ] as const)
          assert.equal((await as(vera).list(path, { where: condition, limit: 0, count: 1 })).count, count, path);
      }
    });

    test('the stream tells a user of her own installations only, also when it is resumed', async () => {
      const port = await listen(site.app);
      const open = (caller: SignedIn, more = {}) =>
        openStream(port, '/api/v2/stream', { ...site.app.credentials, ...caller.headers, ...more });
      const [hers, his, all] = [await open(vera), await open(mallory), await open(site.user)];
      const [, from] = await Promise.all([hers.ready, his.ready, all.ready]);
      await enter();
      await Promise.all([hers.received(2), all.received(2)]);
      const resumed = await open(mallory, { 'last-event-id': String(from) });
      await resumed.ready;
      const own = await create(site.app, installations, { installationId: 'his', deviceType: 'ios' }, mallory.headers);
      site.app.clock.now += 1000;
      const body = { installationId: 'his', sightings: [site.decided('ENTER')] };
      await as(mallory).send({ method: 'POST', url: '/api/v2/sightings', body });
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
      assert.equal((await as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
      await create(site.app, installations, { installationId: 'second', deviceType: 'ios' }, vera.headers);
      site.app.clock.now += 1000;
      await sense('ENTER', mallory);
      const body = { installationId: 'second', sightings: [site.decided('ENTER')] };
      await as(vera).send({ method: 'POST', url: '/api/v2/sightings', body });
      await hers.received(2);
      assert.ok(hers.events.every(({ data }) => data.data.installationId.objectId !== phone));
      hers.close();
    });

    for (const [who, caller] of [
      ['nobody signed in', () => anybody],
      ['another user', () => mallory],
    ] as const)
      test(`whoever knows an installationId does not get the pushes addressed to it: ${who}`, async () => {
        await site.notification();
        const answer = await as(caller()).register({
          installationId: phoneId,
          deviceToken: 'of mallory',
          channels: ['all'],
        });
        assert.deepEqual([answer.status, answer.body.result.objectId], [200, phone]);
        const now = await site.get(`installations/${phone}`);
        assert.notEqual(now.userId?.objectId, vera.userId, 'it is not linked to her any more');
        assert.deepEqual([now.metadata, now.channels], [{}, ['all']], 'and what it said of her is gone');
        // Twice, so that the token that is stored by now proves nothing either.
        await as(caller()).register({ installationId: phoneId, deviceToken: 'of mallory' });
        await push(toVera());
        await push({ installationId: phoneId });
        await push({ objectId: phone });
        await push({ $or: [{ installationId: { $in: [phoneId] } }, { channels: 'nothing' }] });
        assert.deepEqual(reached(), []);
        const sensed = await sense('ENTER', vera);
        const probe = await sense('EXIT', caller());
        for (const { status, body } of [sensed, probe])
          assert.deepEqual([status, body.result.events, body.result.messages], [200, [], []]);
        await site.app.app.idle();
        assert.deepEqual(reached(), [], 'no message of proximity either');
        for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
          assert.deepEqual((await as(mallory).list(path)).results, [], path);
        // What is meant for everybody still comes.
        await push({ channels: 'all' });
        assert.deepEqual(reached(), ['of mallory']);
        // She signs in and registers: the phone is hers again, and everything comes.
        site.app.clock.now += 1000;
        assert.equal((await as(vera).register({ installationId: phoneId, deviceToken: 'new of vera' })).status, 200);
        site.app.clock.now += 1000;
        await push(toVera());
        await push({ installationId: phoneId });
        assert.deepEqual(reached().slice(1), ['new of vera', 'new of vera']);
      });

    for (const [how, steps] of [
      ['unlinking it', [['PUT', { userId: null }]]],
      [
        'giving it to herself',
        [
          ['PATCH', { userId: null }],
          ['PUT', { userId: 'own' }],
        ],
      ],
      ['deleting it', [['DELETE', undefined]]],
    ] as const)
      test(`whoever took an installation by its id does not make it her own by ${how}`, async () => {
        await site.notification();
        const taken = { installationId: phoneId, deviceToken: 'of mallory' };
        assert.equal((await as(mallory).register(taken)).body.result.objectId, phone);
        for (const [method, body] of steps) {
          const own = body?.userId === 'own' ? { userId: pointer('_User', mallory.userId) } : body;
          await as(mallory).send({ method, url: `${installations}/${phone}`, body: own });
        }
        await as(mallory).register(taken);
        site.app.clock.now += 1000;
        await sense('ENTER', vera);
        await site.app.app.idle();
        for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
          assert.deepEqual((await as(mallory).list(path)).results, [], path);
        assert.deepEqual(reached(), []);
        site.app.clock.now += 1000;
        // Her phone registers at its next start, and everything is hers as before.
        assert.equal((await as(vera).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
        const { body } = await sense('EXIT', vera);
        assert.equal(body.result.events.length, 1, 'her phone is told again');
        await push(toVera());
        assert.deepEqual(reached(), ['of vera']);
      });

    test('erasing a user erases where she was, also where somebody has taken her phone by its id since', async () => {
      await enter();
      assert.equal((await as(mallory).register({ installationId: phoneId, deviceToken: 'of mallory' })).status, 200);
      const traces = async () => (await site.list('visits')).length;
      // The user who has taken it over erases nothing of hers by erasing their own account.
      assert.equal((await as(mallory).send({ method: 'DELETE', url: '/api/v2/users/me' })).status, 200);
      await site.app.app.idle();
      assert.equal(await traces(), 1);
      assert.equal((await as(vera).send({ method: 'DELETE', url: '/api/v2/users/me' })).status, 200);
      await site.app.app.idle();
      assert.equal(await traces(), 0);
    });

    test('what waited for a user does not reach the next holder of the phone', async () => {
      const later = new Date(site.now + 60_000).toISOString();
      site.provider.script = () => ({ outcome: 'retry', scope: 'message', reason: 'Busy', afterMs: 5_000 });
      await push({ ...toVera(), createdAt: { $lt: later } });
      assert.equal(reached().length, 1);
      await as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' });
      site.app.clock.now += 30_000;
      await site.app.app.idle();
      assert.equal(reached().length, 1);
      const { results } = await as(site.user).list('deliveries');
      assert.deepEqual(
        [results[0].state, results[0].reason],
        ['noTarget', 'The installation has gone to somebody else since.'],
      );
    });

    test('nobody links an installation to somebody else', async () => {
      const mine = { installationId: 'of mallory', deviceToken: 'of mallory', ...toVera() };
      for (const caller of [mallory, anybody]) {
        const answer = await as(caller).register(mine);
        assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      }
      const own = await create(site.app, installations, { installationId: 'x', deviceType: 'ios' }, mallory.headers);
      const answer = await as(mallory).send({ method: 'PUT', url: `${installations}/${own}`, body: toVera() });
      assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      await push(toVera());
      assert.deepEqual(reached(), ['of vera']);
      const byManager = await site.ask({ method: 'PUT', url: `${installations}/${own}`, body: toVera() });
      assert.equal(byManager.status, 200);
    });

    test('an audience tells an ordinary sender nothing about other people', async () => {
      const { send, list } = as(mallory);
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
      const accepted = await sendTo({ ...toVera(), 'metadata.tour': 3 });
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
      assert.deepEqual((await as(vera).list('push/notifications')).results, [], 'what others send is theirs');
      for (const [method, path] of [
        ['GET', url],
        ['POST', `${url}/cancel`],
      ] as const)
        assert.equal((await as(vera).send({ method, url: path })).status, 404);
    });

    test('what would happen is not asked about the phones of others', async () => {
      await enter();
      const ask = async (caller: SignedIn) => {
        const body = { installationId: phoneId, continues: true, sightings: [site.decided('EXIT')] };
        return (await as(caller).send({ method: 'POST', url: '/api/v2/simulations', body })).body.result.events.length;
      };
      assert.deepEqual([await ask(mallory), await ask(vera), await ask(site.user)], [0, 1, 1]);
    });

    test('the tag of a visitor stays hers, also for the older installation of somebody else', async () => {
      const older = { installationId: 'older', deviceType: 'android' };
      await create(site.app, installations, older, mallory.headers);
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const metadata = { advertisedId: 'AA:BB:CC:00:11:22' };
      // Newer than the other one.
      const tagged = { installationId: 'tagged', metadata };
      const own = (await as(vera).register(tagged)).body.result.objectId;
      assert.equal((await as(mallory).register({ ...older, metadata })).status, 200);
      await as(vera).register(tagged);
      site.app.clock.now += 1000;
      const sightings = [4, 3, 2, 1].map((n) => ({ id: 'aabbcc001122', rssi: -50, occurredAt: site.now - n * 1000 }));
      site.app.clock.now += 1000;
      await as(anybody).send({ method: 'POST', url: '/api/v2/sightings', body: { gateway: 'room-1', sightings } });
      const visits = await site.list('visits');
      assert.deepEqual(
        visits.map((visit: Answer['body']) => visit.installationId.objectId),
        [own],
      );
    });

    test('what would happen is not asked about the tags of others, which gateways hear', async () => {
      const tag = 'AA:BB:CC:00:11:22';
      await as(vera).send({
        method: 'PATCH',
        url: `${installations}/${phone}`,
        body: { metadata: { advertisedId: tag } },
      });
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const heard = (rssi: number, occurredAt: number) => ({ id: 'aabbcc001122', rssi, occurredAt });
      const sightings = [0, 1, 2, 3].map((n) => heard(-50, site.now - 5000 + n * 1000));
      await as(vera).send({ method: 'POST', url: '/api/v2/sightings', body: { gateway: 'room-1', sightings } });
      const ask = async (caller: SignedIn) => {
        const last = { sightings: [heard(-99, site.now)], until: site.now + 600_000 };
        const body = { gateway: 'room-1', continues: true, ...last };
        const answer = await as(caller).send({ method: 'POST', url: '/api/v2/simulations', body });
        assert.deepEqual([answer.status, answer.body.result.problems], [200, []]);
        return answer.body.result.events.length;
      };
      assert.deepEqual([await ask(mallory), await ask(vera), await ask(site.user)], [0, 1, 1]);
    });

    test('the answer to sightings of a linked phone is for its user; they count without her bearer too', async () => {
      await enter();
      const { status, body } = await sense('EXIT', mallory);
      assert.deepEqual(
        [status, body.result],
        [200, { received: 1, duplicates: 0, events: [], messages: [], problems: [] }],
      );
      assert.equal((await as(vera).list('visits')).results[0].isOpen, false);
      assert.equal(
        (
          await as({ headers: { authorization: 'Bearer of a token that has expired' } }).send({
            method: 'POST',
            url: '/api/v2/sightings',
            body: { installationId: phoneId, sightings: [site.decided('ENTER', site.now + 5)] },
          })
        ).status,
        200,
      );
    });

    test('a phone that changes hands shows each person what was hers', async () => {
      await enter();
      site.app.clock.now += 1000;
      // The same phone, the same token, another person.
      assert.equal((await as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
      const record = await as(mallory).send({ method: 'GET', url: `${installations}/${phone}` });
      assert.deepEqual([record.body.result.userId.objectId, record.body.result.metadata], [mallory.userId, {}]);
      assert.equal((await as(vera).send({ method: 'GET', url: `${installations}/${phone}` })).status, 404);
      for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
        assert.deepEqual(await as(mallory).list(path, { count: 1 }), { results: [], count: 0 }, path);
      site.app.clock.now += 1000;
      await sense('EXIT', mallory);
      assert.deepEqual((await as(mallory).list('events')).results, [], 'this EXIT tells since when she had been there');
      site.app.clock.now += 1000;
      await sense('ENTER', mallory);
      assert.equal((await as(mallory).list('visits')).results.length, 1);
      assert.equal((await as(mallory).list('events')).results.length, 1);
      await push(toVera());
      assert.deepEqual(reached(), []);
      await push({ userId: pointer('_User', mallory.userId) });
      assert.deepEqual(reached(), ['of vera']);
    });

    test('an anonymous phone and one whose token is renewed go on', async () => {
      const body = { installationId: 'anonymous', deviceToken: 'one' };
      const id = (await as(anybody).register(body)).body.result.objectId;
      await as(anybody).register({ ...body, deviceToken: 'two' });
      await site.notification();
      const sense = async (at = site.now) =>
        (await site.send([site.decided('ENTER', at)], { installationId: 'anonymous' })).messages.length;
      assert.equal(await sense(), 1);
      await site.app.app.idle();
      assert.deepEqual(reached(), ['two'], 'the message of proximity too');
      // Signed in, its token is renewed as well.
      site.app.clock.now += 1000;
      for (const deviceToken of ['three', 'four'])
        await as(vera).register({ installationId: 'anonymous', deviceToken });
      await push({ objectId: id });
      assert.deepEqual(reached(), ['two', 'four']);
      // Signed out, it shows the token that it had before and stays hers.
      await as(anybody).register({ ...body, deviceToken: 'five', previousDeviceToken: 'four' });
      await push({ objectId: id, ...toVera() });
      assert.deepEqual(reached(), ['two', 'four', 'five']);
      // The token alone shows it too.
      await as(anybody).register({ ...body, deviceToken: 'five', appVersion: '2' });
      assert.equal((await as(vera).send({ method: 'GET', url: `${installations}/${id}` })).body.result.appVersion, '2');
      // Signed out and without either, it has no user, and gets what is for everybody.
      await as(anybody).register({ ...body, deviceToken: 'six', channels: ['news'] });
      await push({ channels: 'news' });
      assert.deepEqual(reached(), ['two', 'four', 'five', 'six']);
      // Signing in again brings it back with what it had recorded since it was first hers.
      await as(vera).register({ installationId: 'anonymous', deviceToken: 'six' });
      await push({ objectId: id, ...toVera() });
      assert.deepEqual(reached(), ['two', 'four', 'five', 'six', 'six']);
    });

    test('files and devices are changed and deleted by whoever made them and by managers', async () => {
      const upload = (headers: Readonly<Record<string, string>>) =>
        create(site.app, '/api/v2/files/hall.txt', 'text', { ...headers, 'content-type': 'text/plain' });
      const device = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'museum/1' };
      const made = async (headers: Readonly<Record<string, string>>) => [
        `/api/v2/files/${await upload(headers)}`,
        `/api/v2/device/${await create(site.app, '/api/v2/device', device, headers)}`,
      ];
      const remove = async (by: SignedIn, url: string) => (await as(by).send({ method: 'DELETE', url })).status;
      // Every signed-in user sees the devices; somebody else's file is not there.
      const refusalOf = (url: string) => (url.includes('/files/') ? 404 : 403);
      for (const url of await made(vera.headers)) {
        assert.equal(await remove(mallory, url), refusalOf(url), url);
        assert.equal(await remove(vera, url), 200, url);
      }
      for (const url of await made(vera.headers)) assert.equal(await remove(site.user, url), 200, url);
      const [, hers = ''] = await made(vera.headers);
      for (const method of ['PUT', 'PATCH'] as const) {
        const body = { topic: 'museum/2' };
        assert.equal((await as(mallory).send({ method, url: hers, body })).status, 403);
        assert.equal((await as(vera).send({ method, url: hers, body })).status, 200);
      }
      for (const url of await made({})) assert.equal(await remove(mallory, url), 200, 'as specified');
      const ofNobody = await made({});
      await site.app.app.apps.change(site.app.appId, { policy: { writeContent: 'manager' } });
      for (const url of ofNobody) {
        assert.equal(await remove(mallory, url), refusalOf(url), url);
        assert.equal(await remove(site.user, url), 200);
      }
      const [file = ''] = await made(vera.headers);
      assert.deepEqual((await as(mallory).list('files')).results, []);
      assert.equal((await as(mallory).send({ method: 'GET', url: file })).status, 404);
      assert.ok(idsOf(await as(vera).list('files')).includes(file.split('/').at(-1)));
    });
  });
}
