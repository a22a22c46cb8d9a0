import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { kindsOf, openNode, openSite, pointer, type Site, stay, walk } from '../../../../test/support/site.ts';

const url = '/api/v2/sightings';
const iso = (at: number) => new Date(at).toISOString();

for (const database of databases) {
  describe(`presence on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    /** Somebody has come and was heard for the last time now. */
    const come = () => site.send(walk(stay(1.5, 10), site.now - 9000));

    test('silence ends a visit, at the time at which it was last heard', async () => {
      await site.notification({ event: 'EXIT' });
      await come();
      const heardAt = site.now;
      site.app.clock.now += 29_000;
      await site.app.app.ticker.tick();
      assert.equal((await site.list('visits'))[0].isOpen, true, 'not before 30 seconds');
      site.app.clock.now += 2_000;
      await site.app.app.ticker.tick();
      const [visit] = await site.list('visits');
      assert.deepEqual(
        [visit.isOpen, visit.leftAt, visit.dwell, visit.endedBy, visit.inferred],
        [false, iso(heardAt), 9, 'silence', false],
      );
      const [exit] = await site.list('events', { where: '{"event":"EXIT"}' });
      assert.equal(exit.occurredAt, iso(heardAt + 30_000));
      const { verdicts } = await site.get(`events/${exit.objectId}`);
      assert.deepEqual([verdicts[0].outcome, verdicts[0].reason], ['stopped', 'no_target']);
      assert.deepEqual(kindsOf(await site.list('logs')), ['EXIT', 'ENTER']);
      assert.equal(await site.app.app.ticker.tick(), 0, 'nothing is left to do');
    });

    test('samples that are sent again after the silence are known still, the last one too', async () => {
      const samples = walk(stay(1.5, 10), site.now - 9000);
      await site.send(samples);
      site.app.clock.now += 31_000;
      await site.app.app.ticker.tick();
      const before = await site.rows('tracks');
      const again = await site.send(samples.slice(5));
      assert.deepEqual([again.events, again.duplicates, again.problems], [[], 5, []]);
      assert.deepEqual(await site.rows('tracks'), before, 'nothing has changed');
      const next = await site.send(walk(stay(1.5, 3), site.now));
      assert.deepEqual(kindsOf(next.events), ['ENTER', 'NEAR'], 'and new samples count as before');
    });

    test('an EXIT by silence is pushed to whom a push can reach', async () => {
      const trigger = await site.notification({ event: 'EXIT' });
      await site.makeReachable();
      await come();
      site.app.clock.now += 30_500;
      await site.app.app.ticker.tick();
      const [push, ...others] = await site.pushes();
      assert.deepEqual(others, []);
      const { content, expiresAt, urgency } = push?.message ?? {};
      assert.deepEqual(
        [content?.data['triggerId'], content?.data['event'], content?.title, urgency, push?.target.token],
        [trigger, 'EXIT', 'Welcome', 'high', 'a token'],
      );
      assert.equal(expiresAt, site.now + 120_000);
    });

    test('a visit that nobody ends is closed after twelve hours, as a guess', async () => {
      await site.notification({ event: 'EXIT' });
      await site.send([site.decided('ENTER')]);
      const enteredAt = site.now;
      site.app.clock.now += 12 * 3_600_000 + 1000;
      await site.app.app.ticker.tick();
      const [visit] = await site.list('visits');
      assert.deepEqual([visit.endedBy, visit.inferred, visit.leftAt], ['timeout', true, iso(enteredAt)]);
      assert.deepEqual(await site.pushes(), []);
    });

    test('a service that restarts on the same data ends visits that became due in between, at the right times', async () => {
      await site.notification({ event: 'EXIT' });
      await site.makeReachable();
      await come();
      const heardAt = site.now;
      await site.app.app.close();
      site.app.clock.now += 3_600_000;
      const node = await openNode(site);
      try {
        await node.app.ticker.tick();
        const [visit] = await site.rows('visits');
        assert.deepEqual(
          [visit?.['is_open'], visit?.['left_at'], visit?.['dwell']],
          [0, heardAt, 9],
          'not when it was noticed',
        );
        const [verdict] = (await site.rows('verdicts')).filter(({ event }) => event === 'EXIT');
        assert.deepEqual([verdict?.['outcome'], verdict?.['reason']], ['stopped', 'stale']);
        assert.deepEqual(await site.pushes(), []);
      } finally {
        await node.close();
      }
    });

    test('the filter goes on where it was after a restart', async () => {
      const whole = walk(stay(1.5, 4), site.now - 4000);
      assert.deepEqual(kindsOf((await site.send(whole.slice(0, 2))).events), []);
      const node = await openNode(site);
      try {
        const body = { installationId: 'phone-1', sightings: whole.slice(2) };
        const answer = await node.app.server.inject({
          method: 'POST',
          url,
          headers: { ...site.app.credentials, 'content-type': 'application/json' },
          payload: JSON.stringify(body),
        });
        assert.deepEqual(kindsOf(answer.json().result.events), ['ENTER', 'NEAR']);
      } finally {
        await node.close();
      }
    });

    test('two nodes that hear of the same visits at the same time make each event, log and push once', async () => {
      const trigger = await site.notification();
      await site.notification({ event: 'EXIT' });
      await site.makeReachable();
      const node = await openNode(site);
      try {
        const post = (app: typeof node.app, sightings: readonly object[]) =>
          app.server.inject({
            method: 'POST',
            url,
            headers: { ...site.app.credentials, 'content-type': 'application/json' },
            payload: JSON.stringify({ installationId: 'phone-1', sightings }),
          });
        for (let visit = 0; visit < 5; visit++) {
          site.app.clock.now += 60_000;
          const start = site.now - 15_000;
          const decision = (event: string, at: number) => ({ beacon: site.hall, event, occurredAt: at });
          // Each in several batches, so that only the state and the keys in the database can tell them apart.
          const batches = [
            [decision('ENTER', start)],
            [decision('ENTER', start), decision('EXIT', start + 10_000)],
            [decision('EXIT', start + 10_000)],
          ];
          const answers = await Promise.all(
            [...batches, ...batches].map((batch, index) => post(index % 2 ? node.app : site.app.app, batch)),
          );
          assert.ok(answers.every(({ statusCode }) => statusCode === 200));
          // Before the time moves on, and a lease ends while its job is being done.
          await Promise.all([site.app.app.idle(), node.app.idle()]);
        }
        const count = async (table: string) => (await site.rows(table)).length;
        assert.deepEqual(
          [await count('visits'), await count('events'), await count('logs'), (await site.pushes()).length],
          [5, 10, 10, 10],
        );
        const fired = (await site.rows('firings')).filter((row) => row['trigger_id'] === trigger);
        assert.equal(new Set(fired.map((row) => row['visit_id'])).size, 5);
      } finally {
        await node.close();
      }
    });

    test('two nodes whose tickers find the same silence end the visits once', async () => {
      const phones = Array.from({ length: 12 }, (_, index) => `visitor-${index}`);
      for (const installationId of phones) {
        await site.installation({ installationId });
        await site.send(walk(stay(1.5, 5), site.now - 5000), { installationId });
      }
      const node = await openNode(site);
      try {
        site.app.clock.now += 60_000;
        await Promise.all([site.app.app.ticker.tick(), node.app.ticker.tick()]);
        // Whom the other node held at that moment it has dealt with.
        await Promise.all([site.app.app.ticker.tick(), node.app.ticker.tick()]);
        const exits = (await site.rows('events')).filter(({ event }) => event === 'EXIT');
        assert.equal(exits.length, phones.length);
        assert.equal((await site.rows('logs')).length, 2 * phones.length);
        assert.ok((await site.rows('visits')).every((visit) => visit['is_open'] === 0));
      } finally {
        await node.close();
      }
    });

    test('what clients log themselves becomes visits and events, is written once and never shown', async () => {
      await site.notification();
      await site.makeReachable();
      const start = site.now - 60_000;
      const log = (event: string, at: number, moduleType = 'PRESENCE') =>
        site.app.send({
          method: 'POST',
          url: '/api/v2/logs',
          body: {
            event,
            moduleType,
            beaconId: pointer('Beacon', site.hall),
            installationId: pointer('_Installation', site.phone),
            occurredAt: iso(at),
            eventId: `${event} ${moduleType}`,
          },
        });
      for (const moduleType of ['PRESENCE', 'STORYLINE']) {
        assert.equal((await log('ENTER', start, moduleType)).status, 201);
        assert.equal((await log('ENTER', start, moduleType)).status, 201);
      }
      await log('EXIT', start + 45_000);
      assert.equal((await site.list('logs')).length, 3);
      const [visit, ...others] = await site.list('visits');
      assert.deepEqual([visit.dwell, visit.source, visit.isOpen, others.length], [45, 'device', false, 0]);
      assert.deepEqual(kindsOf(await site.list('events')), ['EXIT', 'ENTER']);
      assert.deepEqual([await site.list('verdicts'), await site.pushes()], [[], []]);
    });

    test('a visit that is under way ends also when its beacon is gone', async () => {
      await come();
      await site.ask({ method: 'DELETE', url: `/api/v2/beacons/${site.hall}` });
      site.app.clock.now += 60_000;
      await site.app.app.ticker.tick();
      assert.equal((await site.list('visits'))[0].isOpen, false);
    });

    test('lists of visits, events and verdicts take the query language and need a user', async () => {
      await site.notification();
      await site.send([site.decided('ENTER', site.now - 20_000)]);
      await site.send([site.decided('EXIT', site.now - 10_000)]);
      const where = (condition: object) => ({ where: JSON.stringify(condition) });
      const beacon = pointer('Beacon', site.hall);
      assert.equal((await site.list('visits', where({ beaconId: beacon, dwell: { $gte: 10 } }))).length, 1);
      assert.equal((await site.list('visits', where({ dwell: { $gt: 10 } }))).length, 0);
      assert.equal((await site.list('visits', where({ isOpen: true }))).length, 0);
      assert.deepEqual(kindsOf(await site.list('events', { order: 'occurredAt' })), ['ENTER', 'EXIT']);
      const between = { $gt: iso(site.now - 20_000), $lte: iso(site.now - 10_000) };
      assert.deepEqual(kindsOf(await site.list('events', where({ occurredAt: between }))), ['EXIT']);
      assert.deepEqual(
        kindsOf(
          await site.list('events', { ...where({ installationId: pointer('_Installation', site.phone) }), limit: '1' }),
        ),
        ['EXIT'],
      );
      assert.deepEqual(
        (await site.list('verdicts', where({ reason: { $ne: 'fired' } }))).map(
          ({ reason }: { reason: string }) => reason,
        ),
        ['event'],
      );
      const [visit] = await site.list('visits');
      assert.deepEqual(await site.get(`visits/${visit.objectId}`), visit);
      for (const path of ['visits', 'events', 'verdicts', `visits/${visit.objectId}`])
        assert.equal((await site.app.send({ method: 'GET', url: `/api/v2/${path}` })).body.code, 209);
      for (const path of ['visits/nothing', 'events/nothing'])
        assert.equal((await site.ask({ method: 'GET', url: `/api/v2/${path}` })).body.code, 101);
    });
  });
}
