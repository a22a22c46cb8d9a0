import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { answerWith, startReceiver, type WebhookReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { asking } from '../apps/store.ts';
import { WebhookService } from './service.ts';
import { insertDelivery, queued } from './store.ts';

const hour = 3_600_000;
const allowed = { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' };

for (const database of databases) {
  describe(`what waits for a receiver that is down, on ${database}`, () => {
    let site: Site;
    let browser: Browser;
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      site = await openSite(database, { ...allowed, PHAROS_WEBHOOK_BACKLOG: '5' });
      browser = await openConsole(site.app, 'manager');
      receiver = await startReceiver();
      receiver.answer = answerWith(503);
    });
    afterEach(async () => {
      await site.close();
      await receiver.close();
    });

    const url = () => `/apps/${site.app.appId}/webhooks`;
    async function make(): Promise<string> {
      const body = { url: receiver.url, events: ['presence.enter', 'presence.exit'] };
      return (await browser.send({ method: 'POST', url: url(), body })).body.result.objectId;
    }
    const read = async (id: string) => (await browser.send({ method: 'GET', url: `${url()}/${id}` })).body.result;
    const waiting = async () => (await site.rows('webhook_deliveries')).filter(({ state }) => state === 'queued');
    const jobs = async () => (await site.rows('jobs')).filter(({ kind }) => kind === 'webhook.send');
    /** This many calls, one after the other. */
    let happened = 0;
    async function happen(times: number): Promise<readonly string[]> {
      const ids: string[] = [];
      for (let n = 0; n < times; n++) {
        site.app.clock.now += 1_000;
        const at = site.now - hour + ++happened * 60_000;
        const { events } = await site.send([site.decided(n % 2 === 0 ? 'ENTER' : 'EXIT', at)]);
        ids.push(events[0].objectId);
        await site.app.app.idle();
      }
      return ids;
    }
    const eventsIn = async () =>
      (await waiting())
        .map(({ payload }) => (JSON.parse(String(payload)) as { data: { objectId: string } }).data.objectId)
        .sort();

    test('of more calls than may wait the oldest are given up, with their jobs, and counted', async () => {
      const id = await make();
      const before = await happen(4);
      assert.deepEqual(
        [(await read(id)).waiting, (await read(id)).givenUp, (await read(id)).health],
        [4, 0, 'retrying'],
      );
      const since = new Date(site.now + 2_000).toISOString();
      const later = await happen(8);
      assert.deepEqual(await eventsIn(), [...before, ...later].slice(-5).sort());
      assert.equal((await jobs()).length, 5);
      const shown = await read(id);
      assert.deepEqual([shown.waiting, shown.givenUp, shown.givenUpSince, shown.health], [5, 7, since, 'behind']);
      const overview = await browser.send({ method: 'GET', url: `/apps/${site.app.appId}/attention` });
      assert.deepEqual(overview.body.result.webhooks, { failing: 0, behind: 1, switchedOff: 0, withoutRight: 0 });
      const metrics = await site.app.send({ method: 'GET', url: '/metrics' });
      assert.match(String(metrics.body), /^pharos_webhook_calls_given_up_total 7$/m);
    });

    test('the remaining calls arrive when the receiver is back, and the count stays for a week', async () => {
      const id = await make();
      await happen(8);
      receiver.calls.length = 0;
      receiver.answer = answerWith(204);
      // At most four at once; the fifth is told when to come back.
      for (const pause of [hour, 60_000]) {
        site.app.clock.now += pause;
        await site.app.app.idle();
      }
      assert.equal(receiver.calls.length, 5);
      const shown = await read(id);
      assert.deepEqual([shown.waiting, shown.givenUp, shown.health], [0, 3, 'ok']);
      const service = new WebhookService({ db: site.app.storage.db, now: () => site.now } as never);
      await service.sweep(asking(site.app.storage.db));
      assert.equal((await read(id)).givenUp, 3);
      site.app.clock.now += 8 * 24 * hour;
      browser = await openConsole(site.app, 'manager');
      await service.sweep(asking(site.app.storage.db));
      assert.deepEqual([(await read(id)).givenUp, (await read(id)).givenUpSince], [0, null]);
    });

    test('one webhook that is down takes nothing from another, and switching it on begins a new count', async () => {
      const id = await make();
      const well = await startReceiver();
      try {
        const body = { url: well.url, events: ['presence.enter', 'presence.exit'] };
        const other = (await browser.send({ method: 'POST', url: url(), body })).body.result.objectId;
        await happen(8);
        assert.equal(well.calls.length, 8);
        assert.deepEqual([(await read(other)).givenUp, (await read(other)).health], [0, 'ok']);
        assert.equal((await read(id)).givenUp, 3);
        const on = await browser.send({ method: 'PUT', url: `${url()}/${id}`, body: { enabled: true } });
        assert.deepEqual([on.body.result.givenUp, on.body.result.waiting], [0, 5]);
      } finally {
        await well.close();
      }
    });

    test('a backlog from before a start is bounded at the first call after it', async () => {
      const id = await make();
      await site.app.storage.db.transaction(async (db) => {
        for (let n = 0; n < 1_200; n++) {
          const rest = {
            webhookId: id,
            event: 'presence.enter',
            payload: '{}',
          };
          const made = { appId: site.app.appId, objectId: `0${String(n).padStart(19, '0')}`, ...rest };
          await insertDelivery(db, queued(made, site.now, site.now + hour));
        }
      });
      await happen(1);
      const left = await waiting();
      assert.equal(left.length, 5);
      assert.equal((await read(id)).givenUp, 1_196);
    });
  });
}
