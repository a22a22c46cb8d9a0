import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../../test/support/build-app.ts';
import { openSite, pointer, type Site, stay, walk } from '../../../../../test/support/site.ts';
import { service } from '../../../../access/audit.ts';

/** A phone reports hours later that it entered and left: one visit, however that is sent. */

const minute = 60_000;
const hour = 60 * minute;
const none = { logs: 0, visits: 0, events: 0, deliveries: 0, positions: 0 };

/** In which requests. */
const ways = ['one', 'one for each', 'EXIT first', 'at once'] as const;

for (const database of bothDatabases) {
  for (const retention of ['as usual', 'for no day'] as const) {
    describe(`late decisions of a phone on ${database}, kept ${retention}`, () => {
      let site: Site;
      let phones = 0;
      beforeAll(async () => {
        site = await openSite(database);
        if (retention === 'for no day')
          await site.app.app.apps.change(site.app.appId, { policy: { retentionDays: none } }, service);
      });
      afterAll(() => site.close());

      async function log(phone: string, at: number | undefined): Promise<void> {
        const body = {
          moduleType: 'PRESENCE',
          event: 'ENTER',
          beaconId: pointer('Beacon', site.hall),
          installationId: pointer('_Installation', phone),
          ...(at === undefined ? {} : { occurredAt: new Date(at).toISOString() }),
        };
        const answer = await site.ask({ method: 'POST', url: '/api/v2/logs', body });
        assert.equal(answer.status, 201, answer.raw.toString());
      }

      async function send(way: (typeof ways)[number], decisions: readonly object[], installationId: string) {
        const each = (one: object) => site.send([one], { installationId });
        if (way === 'one') await site.send(decisions, { installationId });
        else if (way === 'at once') await Promise.all(decisions.map(each));
        else
          for (const one of way === 'EXIT first' ? decisions.toReversed() : decisions) {
            await each(one);
            site.app.clock.now += 1_000;
            await site.app.app.ticker.tick();
          }
      }

      for (const way of ways)
        for (const known of [false, true])
          for (const logs of [false, true]) {
            const sender = `${known ? 'a phone that was heard since' : 'a new phone'}${logs ? ' that logs it too' : ''}`;
            test(`requests: ${way}, from ${sender}`, async () => {
              const installationId = `late-${++phones}`;
              const phone = await site.installation({ installationId });
              if (known) await site.send(walk(stay(15, 5), site.now - 5_000), { installationId });
              const at = site.now - 3 * hour;
              const decisions = [site.decided('ENTER', at), site.decided('EXIT', at + 10 * minute)];
              if (logs) await log(phone, at);
              await send(way, decisions, installationId);
              await site.app.app.ticker.tick();
              await site.app.app.idle();
              const where = JSON.stringify({ installationId: pointer('_Installation', phone) });
              const visits = await site.list('visits', { where });
              assert.deepEqual(
                visits.map((visit: Record<string, unknown>) => [visit['dwell'], visit['inferred'], visit['endedBy']]),
                [[600, false, 'device']],
              );
              const events = await site.list('events', { where });
              assert.equal(events.length, 2, 'one ENTER and one EXIT');
            });
          }

      for (const way of ways)
        for (const known of [false, true])
          for (const late of [3 * hour, 30 * minute, 0]) {
            const sender = known ? 'a phone that was heard before' : 'a new phone';
            test(`ended as it began, ${late / minute} minutes ago, requests: ${way}, from ${sender}`, async () => {
              const installationId = `moment-${++phones}`;
              const phone = await site.installation({ installationId });
              if (known) await site.send(walk(stay(15, 5), site.now - 4 * hour), { installationId });
              const at = site.now - late;
              await send(way, [site.decided('ENTER', at), site.decided('EXIT', at)], installationId);
              await site.app.app.ticker.tick();
              await site.app.app.idle();
              const where = JSON.stringify({ installationId: pointer('_Installation', phone), dwell: { $lt: 5 } });
              const visits = await site.list('visits', { where });
              assert.deepEqual(
                visits.map((visit: Record<string, unknown>) => [visit['dwell'], visit['inferred'], visit['endedBy']]),
                [[0, false, 'device']],
              );
            });
          }

      test('a log record of the same moment or a little later belongs to the visit; one without a time is of now', async () => {
        const installationId = 'logging';
        const phone = await site.installation({ installationId });
        const at = site.now - 3 * hour;
        await send('one', [site.decided('ENTER', at), site.decided('EXIT', at + 10 * minute)], installationId);
        const where = JSON.stringify({ installationId: pointer('_Installation', phone) });
        const dwells = async () =>
          (await site.list('visits', { where, order: 'enteredAt' })).map(
            ({ dwell }: { dwell: number | null }) => dwell,
          );
        await log(phone, at);
        await log(phone, at + 5_000);
        assert.deepEqual(await dwells(), [600]);
        await log(phone, undefined);
        assert.deepEqual(await dwells(), [600, null]);
      });

      test('an end that is only guessed does not lie in the future', async () => {
        const installationId = 'forgetful';
        const phone = await site.installation({ installationId });
        await site.send(walk(stay(15, 5), site.now - 5_000), { installationId });
        await site.send([site.decided('ENTER', site.now - 3 * hour)], { installationId });
        const where = JSON.stringify({ installationId: pointer('_Installation', phone) });
        const future = new Date(site.now + minute).toISOString();
        const kinds = [];
        for (const { event, occurredAt } of await site.list('events', { where })) {
          kinds.push(event);
          assert.ok((occurredAt.iso ?? occurredAt) <= future, `${event} at ${JSON.stringify(occurredAt)}`);
        }
        assert.ok(kinds.includes('ENTER'));
      });

      test('an EXIT without an ENTER makes no visit, and ends none that begins after it', async () => {
        const installationId = 'stray';
        const phone = await site.installation({ installationId });
        await site.send([site.decided('EXIT', site.now - 3 * hour)], { installationId });
        const where = JSON.stringify({ installationId: pointer('_Installation', phone) });
        assert.deepEqual(await site.list('visits', { where }), []);
        await site.send([site.decided('ENTER')], { installationId });
        const [{ leftAt }] = await site.list('visits', { where });
        assert.equal(leftAt, null);
      });
    });
  }
}
