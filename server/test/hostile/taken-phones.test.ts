import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { type Answer, databases, type SignedIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { pointer, type Site } from '../support/site.ts';
import { anybody, installations, openTwoVisitors, phoneId, type TwoVisitors } from '../support/sites/two-visitors.ts';

/** Whoever knows the id of another's phone, or gets the phone itself, gets nothing that was meant for its user before. */

for (const database of databases) {
  describe(`phones that somebody else registers on ${database}`, () => {
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

    for (const [who, caller] of [
      ['nobody signed in', () => anybody],
      ['another user', () => mallory],
    ] as const)
      test(`knowing an installationId does not give access to the pushes addressed to it: ${who}`, async () => {
        await site.notification();
        const answer = await them.as(caller()).register({
          installationId: phoneId,
          deviceToken: 'of mallory',
          channels: ['all'],
        });
        assert.deepEqual([answer.status, answer.body.result.objectId], [200, phone]);
        const now = await site.get(`installations/${phone}`);
        assert.notEqual(now.userId?.objectId, vera.userId, 'it is not linked to her any more');
        assert.deepEqual([now.metadata, now.channels], [{}, ['all']], 'and what it said of her is gone');
        // Twice, so that the token that is stored by now proves nothing either.
        await them.as(caller()).register({ installationId: phoneId, deviceToken: 'of mallory' });
        await them.push(them.toVera());
        await them.push({ installationId: phoneId });
        await them.push({ objectId: phone });
        await them.push({ $or: [{ installationId: { $in: [phoneId] } }, { channels: 'nothing' }] });
        assert.deepEqual(them.reached(), []);
        const sensed = await them.sense('ENTER', vera);
        const probe = await them.sense('EXIT', caller());
        for (const { status, body } of [sensed, probe])
          assert.deepEqual([status, body.result.events, body.result.messages], [200, [], []]);
        await site.app.app.idle();
        assert.deepEqual(them.reached(), [], 'no message of proximity either');
        for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
          assert.deepEqual((await them.as(mallory).list(path)).results, [], path);
        // What is meant for everybody still comes.
        await them.push({ channels: 'all' });
        assert.deepEqual(them.reached(), ['of mallory']);
        // She signs in and registers: the phone is hers again, and everything comes.
        site.app.clock.now += 1000;
        assert.equal(
          (await them.as(vera).register({ installationId: phoneId, deviceToken: 'new of vera' })).status,
          200,
        );
        site.app.clock.now += 1000;
        await them.push(them.toVera());
        await them.push({ installationId: phoneId });
        assert.deepEqual(them.reached().slice(1), ['new of vera', 'new of vera']);
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
      test(`somebody who took an installation by its id does not make it her own by ${how}`, async () => {
        await site.notification();
        const taken = { installationId: phoneId, deviceToken: 'of mallory' };
        assert.equal((await them.as(mallory).register(taken)).body.result.objectId, phone);
        for (const [method, body] of steps) {
          const own = body?.userId === 'own' ? { userId: pointer('_User', mallory.userId) } : body;
          await them.as(mallory).send({ method, url: `${installations}/${phone}`, body: own });
        }
        await them.as(mallory).register(taken);
        site.app.clock.now += 1000;
        await them.sense('ENTER', vera);
        await site.app.app.idle();
        for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
          assert.deepEqual((await them.as(mallory).list(path)).results, [], path);
        assert.deepEqual(them.reached(), []);
        site.app.clock.now += 1000;
        // Her phone registers at its next start, and everything is hers as before.
        assert.equal((await them.as(vera).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
        const { body } = await them.sense('EXIT', vera);
        assert.equal(body.result.events.length, 1, 'her phone is told again');
        await them.push(them.toVera());
        assert.deepEqual(them.reached(), ['of vera']);
      });

    test('erasing a user erases where she was, also where somebody has taken her phone by its id since', async () => {
      await them.enter();
      assert.equal(
        (await them.as(mallory).register({ installationId: phoneId, deviceToken: 'of mallory' })).status,
        200,
      );
      const traces = async () => (await site.list('visits')).length;
      // The user who has taken it over erases nothing of hers by erasing their own account.
      assert.equal((await them.as(mallory).send({ method: 'DELETE', url: '/api/v2/users/me' })).status, 200);
      await site.app.app.idle();
      assert.equal(await traces(), 1);
      assert.equal((await them.as(vera).send({ method: 'DELETE', url: '/api/v2/users/me' })).status, 200);
      await site.app.app.idle();
      assert.equal(await traces(), 0);
    });

    test('what waited for a user does not reach the next holder of the phone', async () => {
      const later = new Date(site.now + 60_000).toISOString();
      site.provider.script = () => ({ outcome: 'retry', scope: 'message', reason: 'Busy', afterMs: 5_000 });
      await them.push({ ...them.toVera(), createdAt: { $lt: later } });
      assert.equal(them.reached().length, 1);
      await them.as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' });
      site.app.clock.now += 30_000;
      await site.app.app.idle();
      assert.equal(them.reached().length, 1);
      const { results } = await them.as(site.user).list('deliveries');
      assert.deepEqual(
        [results[0].state, results[0].reason],
        ['noTarget', 'The installation has gone to somebody else since.'],
      );
    });

    test('nobody links an installation to somebody else', async () => {
      const mine = { installationId: 'of mallory', deviceToken: 'of mallory', ...them.toVera() };
      for (const caller of [mallory, anybody]) {
        const answer = await them.as(caller).register(mine);
        assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      }
      const own = await create(site.app, installations, { installationId: 'x', deviceType: 'ios' }, mallory.headers);
      const answer = await them
        .as(mallory)
        .send({ method: 'PUT', url: `${installations}/${own}`, body: them.toVera() });
      assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      await them.push(them.toVera());
      assert.deepEqual(them.reached(), ['of vera']);
      const byManager = await site.ask({ method: 'PUT', url: `${installations}/${own}`, body: them.toVera() });
      assert.equal(byManager.status, 200);
    });

    test('the tag of a visitor stays hers, also for the older installation of somebody else', async () => {
      const older = { installationId: 'older', deviceType: 'android' };
      await create(site.app, installations, older, mallory.headers);
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const metadata = { advertisedId: 'AA:BB:CC:00:11:22' };
      // Newer than the other one.
      const tagged = { installationId: 'tagged', metadata };
      const own = (await them.as(vera).register(tagged)).body.result.objectId;
      assert.equal((await them.as(mallory).register({ ...older, metadata })).status, 200);
      await them.as(vera).register(tagged);
      site.app.clock.now += 1000;
      const sightings = [4, 3, 2, 1].map((n) => ({ id: 'aabbcc001122', rssi: -50, occurredAt: site.now - n * 1000 }));
      site.app.clock.now += 1000;
      await them.as(anybody).send({ method: 'POST', url: '/api/v2/sightings', body: { gateway: 'room-1', sightings } });
      const visits = await site.list('visits');
      assert.deepEqual(
        visits.map((visit: Answer['body']) => visit.installationId.objectId),
        [own],
      );
    });

    test('nor does the tag of somebody without an account go to an older installation, and a manager says whose it is', async () => {
      const [early, squatter] = [
        { installationId: 'early', deviceType: 'android' },
        { installationId: 'squatter', deviceType: 'android' },
      ];
      for (const body of [early, squatter]) await create(site.app, installations, body, mallory.headers);
      await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const tag = (advertisedId: string) => ({ metadata: { advertisedId } });
      const heardOf = async (id: string) => {
        site.app.clock.now += 60_000;
        const sightings = [4, 3, 2, 1].map((n) => ({ id, rssi: -50, occurredAt: site.now - n * 1000 }));
        const body = { gateway: 'room-1', sightings };
        await them.as(anybody).send({ method: 'POST', url: '/api/v2/sightings', body });
        const [visit] = await site.list('visits', { order: '-createdAt', limit: '1' });
        return visit?.installationId.objectId;
      };
      const badge = (await them.as(anybody).register({ installationId: 'badge', ...tag('AA:BB:CC:00:11:55') })).body
        .result.objectId;
      assert.equal((await them.as(mallory).register({ ...early, ...tag('AA:BB:CC:00:11:55') })).status, 200);
      assert.equal(await heardOf('aabbcc001155'), badge);
      assert.deepEqual((await them.as(mallory).list('visits')).results, []);
      // She knows the tag of a badge that the house has not registered yet.
      await them.as(mallory).register({ ...squatter, ...tag('AA:BB:CC:00:11:66') });
      const lent = (await them.as(site.user).register({ installationId: 'lent', ...tag('AA:BB:CC:00:11:66') })).body
        .result.objectId;
      assert.equal(await heardOf('aabbcc001166'), lent);
      assert.equal((await them.as(mallory).register({ ...squatter, ...tag('AA:BB:CC:00:11:66') })).status, 200);
      site.app.clock.now += 600_000;
      assert.equal(await heardOf('aabbcc001166'), lent);
      assert.deepEqual((await them.as(mallory).list('visits')).results, []);
    });

    test('a phone that changes hands shows each person what was hers', async () => {
      await them.enter();
      site.app.clock.now += 1000;
      // The same phone, the same token, another person.
      assert.equal((await them.as(mallory).register({ installationId: phoneId, deviceToken: 'of vera' })).status, 200);
      const record = await them.as(mallory).send({ method: 'GET', url: `${installations}/${phone}` });
      assert.deepEqual([record.body.result.userId.objectId, record.body.result.metadata], [mallory.userId, {}]);
      assert.equal((await them.as(vera).send({ method: 'GET', url: `${installations}/${phone}` })).status, 404);
      for (const path of ['visits', 'events', 'verdicts', 'deliveries'])
        assert.deepEqual(await them.as(mallory).list(path, { count: 1 }), { results: [], count: 0 }, path);
      site.app.clock.now += 1000;
      await them.sense('EXIT', mallory);
      assert.deepEqual(
        (await them.as(mallory).list('events')).results,
        [],
        'this EXIT tells since when she had been there',
      );
      site.app.clock.now += 1000;
      await them.sense('ENTER', mallory);
      assert.equal((await them.as(mallory).list('visits')).results.length, 1);
      assert.equal((await them.as(mallory).list('events')).results.length, 1);
      await them.push(them.toVera());
      assert.deepEqual(them.reached(), []);
      await them.push({ userId: pointer('_User', mallory.userId) });
      assert.deepEqual(them.reached(), ['of vera']);
    });

    test('an anonymous phone and one whose token is renewed go on', async () => {
      const body = { installationId: 'anonymous', deviceToken: 'one' };
      const id = (await them.as(anybody).register(body)).body.result.objectId;
      await them.as(anybody).register({ ...body, deviceToken: 'two' });
      await site.notification();
      const sense = async (at = site.now) =>
        (await site.send([site.decided('ENTER', at)], { installationId: 'anonymous' })).messages.length;
      assert.equal(await sense(), 1);
      await site.app.app.idle();
      assert.deepEqual(them.reached(), ['two'], 'the message of proximity too');
      // Signed in, its token is renewed as well.
      site.app.clock.now += 1000;
      for (const deviceToken of ['three', 'four'])
        await them.as(vera).register({ installationId: 'anonymous', deviceToken });
      await them.push({ objectId: id });
      assert.deepEqual(them.reached(), ['two', 'four']);
      // Signed out, it shows the token that it had before and stays hers.
      await them.as(anybody).register({ ...body, deviceToken: 'five', previousDeviceToken: 'four' });
      await them.push({ objectId: id, ...them.toVera() });
      assert.deepEqual(them.reached(), ['two', 'four', 'five']);
      // The token alone shows it too.
      await them.as(anybody).register({ ...body, deviceToken: 'five', appVersion: '2' });
      assert.equal(
        (await them.as(vera).send({ method: 'GET', url: `${installations}/${id}` })).body.result.appVersion,
        '2',
      );
      // Signed out and without either, it has no user, and gets what is for everybody.
      await them.as(anybody).register({ ...body, deviceToken: 'six', channels: ['news'] });
      await them.push({ channels: 'news' });
      assert.deepEqual(them.reached(), ['two', 'four', 'five', 'six']);
      // Signing in again brings it back with what it had recorded since it was first hers.
      await them.as(vera).register({ installationId: 'anonymous', deviceToken: 'six' });
      await them.push({ objectId: id, ...them.toVera() });
      assert.deepEqual(them.reached(), ['two', 'four', 'five', 'six', 'six']);
    });
  });
}
