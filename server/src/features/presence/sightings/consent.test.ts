import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { startReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { openNode, pointer, type Site, stay, walk } from '../../../../test/support/site.ts';
import { type ConsentSite, no, openConsentSite, yes } from '../../../../test/support/sites/consent-site.ts';
import { listen } from '../../../../test/support/socket.ts';

/** What is recorded and shown of a phone, by what it has agreed to. */

const minute = 60_000;

for (const database of databases) {
  describe(`consent of visitors on ${database}`, () => {
    let phone: ConsentSite;
    let site: Site;
    beforeEach(async () => {
      phone = await openConsentSite(database);
      site = phone.site;
    });
    afterEach(() => phone.close());

    test('where it is required, nothing names a phone that has said nothing; its sightings are counted', async () => {
      await phone.ask();
      await site.notification();
      await site.makeReachable();
      const answer = await phone.visit();
      assert.deepEqual([answer.events, answer.messages, answer.received], [[], [], 10]);
      await phone.silence();
      assert.deepEqual(await phone.rowsOfPhone(), {});
      assert.deepEqual(await site.pushes(), []);
      const console = await openConsole(site.app, 'analyst');
      const counts = async () =>
        (await console.send({ method: 'GET', url: `/apps/${site.app.appId}/sighting-counts` })).body.result;
      assert.deepEqual(await counts(), [], 'not stored yet');
      const node = await openNode(site);
      await phone.sendTo(node);
      await node.close();
      const [{ beaconId, sightings }] = await counts();
      assert.deepEqual([beaconId, sightings], [site.hall, 10], 'of the other node, which has stored them at its end');
    });

    test('nor does any other row, webhook, stream or log line name it, whatever is reported of it', async () => {
      const receiver = await startReceiver();
      const port = await listen(site.app);
      const all = { ...site.app.credentials, ...site.user.headers };
      const stream = await openStream(port, '/api/v2/stream', all);
      try {
        await stream.ready;
        const owner = await openConsole(site.app, 'owner');
        const hook = { url: receiver.url, events: ['presence.enter', 'visit.opened', 'visit.closed', 'message.fired'] };
        assert.equal(
          (await owner.send({ method: 'POST', url: `/apps/${site.app.appId}/webhooks`, body: hook })).status,
          201,
        );
        await phone.ask();
        await site.notification();
        await site.makeReachable();
        site.app.log.length = 0;
        const before = await phone.rowsNaming([site.phone, 'phone-1']);
        await phone.visit();
        await site.send([site.decided('ENTER'), site.decided('EXIT')]);
        const log = { moduleType: 'PRESENCE', event: 'ENTER', beaconId: pointer('Beacon', site.hall) };
        await create(site.app, '/api/v2/logs', { ...log, installationId: pointer('_Installation', site.phone) });
        const receipts = [{ deliveryId: 'nothing', event: 'opened' }];
        await site.app.send({ method: 'POST', url: '/api/v2/receipts', body: { installationId: 'phone-1', receipts } });
        await phone.silence();
        // Counts are stored at the end of the hour, and what is swept leaves no copy either.
        site.app.clock.now += 2 * 60 * minute;
        site.app.app.sweep();
        await site.app.app.idle();
        assert.deepEqual(await phone.rowsNaming([site.phone, 'phone-1']), before);
        assert.deepEqual(Object.keys(before), ['installations']);
        assert.deepEqual([receiver.calls.length, stream.events.length], [0, 0]);
        for (const line of site.app.log) assert.ok(!line.includes(site.phone) && !line.includes('phone-1'), line);
      } finally {
        stream.close();
        await receiver.close();
      }
    });

    test('where it is assumed, one that has said nothing is served as ever, and a refusal counts', async () => {
      await site.notification();
      assert.equal((await phone.visit()).messages.length, 1);
      assert.equal((await site.list('visits')).length, 1);
      await phone.agree({ analytics: no, messages: no });
      await phone.silence();
      assert.deepEqual([(await phone.visit()).events, (await site.list('visits')).length], [[], 1]);
    });

    test('messages without analytics are shown, and nothing is kept but what they need', async () => {
      await phone.ask();
      await phone.agree({ messages: yes });
      await site.makeReachable();
      await site.notification();
      const { events, messages } = await phone.visit();
      assert.deepEqual([events.length > 0, messages.length], [true, 1]);
      assert.equal((await site.pushes()).length, 1);
      assert.equal((await phone.visit()).messages.length, 0, 'once a visit');
      assert.deepEqual(Object.keys(await phone.rowsOfPhone()).sort(), ['deliveries', 'firings', 'tracks']);
      await phone.silence();
      assert.deepEqual(Object.keys(await phone.rowsOfPhone()).sort(), ['deliveries', 'firings', 'tracks']);
      assert.equal((await phone.visit()).messages.length, 1, 'and again in the next one');
    });

    test('analytics without messages: the visit is recorded, and the verdict says why nothing was shown', async () => {
      await phone.ask();
      await phone.agree({ analytics: yes });
      await site.makeReachable();
      await site.notification();
      assert.deepEqual((await phone.visit()).messages, []);
      const [verdict] = await site.list('verdicts', { where: JSON.stringify({ event: 'ENTER' }) });
      assert.deepEqual(
        [verdict.outcome, verdict.reason, verdict.text],
        ['stopped', 'no_consent', 'Not shown: the visitor has not agreed to messages.'],
      );
      assert.deepEqual([(await site.list('visits')).length, await site.pushes()], [1, []]);
    });

    test('a push to everyone leaves out phones that have not agreed', async () => {
      await phone.ask();
      await site.makeReachable();
      const body = { data: { title: 'News' }, where: {} };
      const send = async () => {
        const answer = await site.ask({ method: 'POST', url: '/api/v2/push/notification', body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return String(answer.headers['location']).split('/').at(-1) ?? '';
      };
      const pushId = await send();
      assert.deepEqual(await site.pushes(), []);
      const [delivery] = await site.list('deliveries', { where: JSON.stringify({ pushId }) });
      assert.deepEqual([delivery.state, delivery.reason], ['noTarget', 'The visitor has not agreed to messages.']);
      await phone.agree({ messages: yes });
      await send();
      assert.equal((await site.pushes()).length, 1);
    });

    test('a refusal in the middle of a visit ends it then, and what comes late is not recorded', async () => {
      await phone.ask();
      await phone.agree({ analytics: yes, messages: yes });
      const early = walk(stay(0.8, 5), site.now - minute);
      await phone.visit();
      assert.equal((await site.list('visits'))[0].isOpen, true);
      await phone.agree({ analytics: no, messages: no });
      const [visitThen] = await site.list('visits');
      assert.deepEqual([visitThen.isOpen, visitThen.leftAt], [false, new Date(site.now).toISOString()]);
      const before = await phone.recorded();
      await site.send(early);
      await phone.visit();
      await phone.silence();
      assert.deepEqual(await phone.recorded(), before);
      assert.deepEqual(await site.list('visits'), [visitThen]);
    });

    test('a grant in the middle of a visit begins a visit of its own', async () => {
      await phone.ask();
      await phone.agree({ messages: yes });
      await phone.visit();
      await phone.agree({ analytics: yes });
      const at = site.now;
      await phone.visit();
      await phone.silence();
      const visits = await site.list('visits');
      assert.deepEqual([visits.length, visits[0].isOpen], [1, false]);
      assert.ok(Date.parse(visits[0].enteredAt) >= at);
    });

    test('an app that begins to ask stops recording those who have not answered', async () => {
      await phone.visit();
      await phone.ask();
      await phone.silence();
      assert.equal((await site.list('visits'))[0].isOpen, false);
      const before = await phone.recorded();
      assert.equal(before['tracks'], undefined);
      await phone.visit();
      assert.deepEqual(await phone.recorded(), before);
    });

    test('another node knows of a refusal at once', async () => {
      await phone.ask();
      await phone.agree({ analytics: yes });
      const node = await openNode(site);
      try {
        await phone.agree({ analytics: no });
        await phone.sendTo(node);
        assert.deepEqual(await phone.rowsOfPhone(), {});
      } finally {
        await node.close();
      }
    });

    test('a log record of somebody who has not agreed names no phone and makes no visit', async () => {
      await phone.ask();
      const log = { moduleType: 'PRESENCE', event: 'ENTER', beaconId: pointer('Beacon', site.hall) };
      const body = { ...log, installationId: pointer('_Installation', site.phone), eventId: 'one' };
      await create(site.app, '/api/v2/logs', body);
      const [record] = await site.list('logs');
      assert.deepEqual([record.event, record.installationId], ['ENTER', null]);
      assert.deepEqual(await phone.rowsOfPhone(), {});
      await phone.agree({ analytics: yes });
      await create(site.app, '/api/v2/logs', { ...body, eventId: 'two' });
      assert.equal((await site.list('visits')).length, 1);
    });
  });
}
