import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { startReceiver, type WebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { openSite, type Site } from '../support/site.ts';
import { listen } from '../support/socket.ts';

const internal = 'For Ana: ask the director first';

/** The description of a notification is a name for the people behind the app; what goes out has other words or none. */
for (const database of databases) {
  describe(`what a notification is called in the house stays there, on ${database}`, () => {
    let site: Site;
    let receiver: WebhookReceiver;
    let stream: EventStream;
    let notificationId: string;
    beforeAll(async () => {
      site = await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
      receiver = await startReceiver();
      await site.makeReachable();
      const owner = await openConsole(site.app, 'owner');
      const events = ['message.fired', 'message.verdict', 'presence.enter', 'visit.opened'];
      const url = `/apps/${site.app.appId}/webhooks`;
      const made = await owner.send({ method: 'POST', url, body: { url: receiver.url, events } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      stream = await openStream(await listen(site.app), '/api/v2/stream', {
        ...site.app.credentials,
        ...site.user.headers,
      });
      await stream.ready;
      notificationId = await site.notification({
        description: internal,
        type: 'IMAGE',
        message: { url: 'https://museum.example/whale.jpg' },
        language: 'en',
        translations: { de: { alertTitle: 'Der Wal' } },
        variants: [{ name: 'A' }, { name: 'B' }],
      });
    });
    afterAll(async () => {
      stream?.close();
      await site?.close();
      await receiver?.close();
    });

    test('in the answer to a phone, its push, the live stream and webhooks', async () => {
      const answer = await site.send([site.decided('ENTER')]);
      assert.equal(answer.messages[0]?.triggerId, notificationId);
      const [push] = await site.pushes();
      await stream.received(3);
      assert.ok(push, 'a push went out');
      const fired = stream.events.find(({ event }) => event === 'message.fired');
      assert.equal(fired?.data.data.content.objectId, notificationId);
      assert.ok(receiver.calls.some(({ body }) => String(body).includes('message.fired')));
      const outside = { answer, push: push.message, streamed: stream.events, called: receiver.calls };
      for (const [way, said] of Object.entries(outside))
        assert.ok(!JSON.stringify(said).includes('the director'), `${way}: ${JSON.stringify(said)}`);
      assert.equal((await site.get(`notifications/${notificationId}`)).description, internal);
    });

    test('an app whose visitors list notifications hides it from them', async () => {
      const hidden = { members: { description: { hidden: ['app', 'user'] } } } as const;
      // Not by `send`, which wants what the specification has.
      const list = async (more = {}) => {
        const headers = { ...site.app.credentials, ...more };
        const answer = await site.app.app.server.inject({ method: 'GET', url: '/api/v2/notifications', headers });
        return answer.json().results;
      };
      await site.app.app.apps.changeRules(site.app.appId, {
        resources: { notifications: { list: 'app', get: 'app', ...hidden } },
      });
      const [listed] = await list();
      assert.deepEqual([listed.objectId, listed.description, listed.type], [notificationId, undefined, 'IMAGE']);
      assert.equal((await list(site.user.headers))[0].description, internal, 'managers read it');
    });
  });
}
