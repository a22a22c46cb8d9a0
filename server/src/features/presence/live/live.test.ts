import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { bothDatabases, otherApp, signIn } from '../../../../test/support/build-app.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { testOn } from '../../../../test/support/depth.ts';
import { type EventStream, openStream } from '../../../../test/support/event-stream.ts';
import { openNode, openSite, type Site } from '../../../../test/support/site.ts';
import { head, listen, openConnection } from '../../../../test/support/socket.ts';
import type { Announce, DomainEvent } from '../../domain-event.ts';
import { keptMs, streamLimits } from './feed.ts';
import { createLivePublisher } from './publish.ts';

const path = '/api/v2/stream';

for (const database of bothDatabases) {
  describe(`the live stream on ${database}`, () => {
    let site: Site;
    let port: number;
    let streams: EventStream[];
    beforeEach(async () => {
      site = await openSite(database);
      port = await listen(site.app);
      streams = [];
    });
    afterEach(async () => {
      for (const stream of streams) stream.close();
      await site.close();
    });

    async function open(more: Readonly<Record<string, string>> = {}, where = path, at = port): Promise<EventStream> {
      const stream = await openStream(at, where, { ...site.app.credentials, ...site.user.headers, ...more });
      streams.push(stream);
      return stream;
    }
    async function ready(more: Readonly<Record<string, string>> = {}, where = path, at = port): Promise<EventStream> {
      const stream = await open(more, where, at);
      await stream.ready;
      return stream;
    }
    let visits = 0;
    async function visit() {
      const at = site.now - 3_600_000 + ++visits * 60_000;
      await site.send([site.decided('ENTER', at)]);
      await site.send([site.decided('EXIT', at + 5)]);
    }
    const idsOf = ({ events }: EventStream) => events.map(({ id }) => id);

    test('sends events as they happen, in order and without gaps', async () => {
      const stream = await ready();
      assert.deepEqual(
        [stream.status, stream.headers['content-type'], stream.headers['cache-control']],
        [200, 'text/event-stream; charset=utf-8', 'no-store'],
      );
      assert.equal(stream.headers['x-accel-buffering'], 'no');
      await site.notification();
      await site.send([site.decided('ENTER')]);
      await stream.received(3);
      assert.deepEqual(
        stream.events.map(({ event }) => event),
        ['presence.enter', 'visit.opened', 'message.fired'],
      );
      const [first] = idsOf(stream);
      assert.deepEqual(idsOf(stream), [first, (first ?? 0) + 1, (first ?? 0) + 2]);
      assert.equal(stream.events[0]?.data.data.beaconId.objectId, site.hall);
      assert.equal(stream.events[2]?.data.data.content.message.alertTitle, 'Welcome');
    });

    test('a client that resumes with its last number gets the missed events, once', async () => {
      const first = await ready();
      await visit();
      await first.received(4);
      const last = first.events[1]?.id ?? 0;
      first.close();
      await visit();
      const again = await ready({ 'last-event-id': String(last) });
      await again.received(6);
      assert.deepEqual(
        idsOf(again),
        [1, 2, 3, 4, 5, 6].map((n) => last + n),
      );
      const byQuery = await ready({}, `${path}?after=${last}`);
      await byQuery.received(6);
      assert.deepEqual(byQuery.events, again.events);
    });

    test('many writers at once: every listener sees every event once, in the same order', async () => {
      const listeners = [await ready(), await ready(), await ready()];
      const phones = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          await site.installation({ installationId: `many-${n}` });
          return `many-${n}`;
        }),
      );
      await Promise.all(phones.map((installationId) => site.send([site.decided('ENTER')], { installationId })));
      for (const stream of listeners) await stream.received(40);
      const [first] = listeners;
      for (const stream of listeners) assert.deepEqual(stream.events, first?.events);
      const ids = idsOf(first as EventStream);
      assert.deepEqual(
        ids,
        ids.map((_, index) => (ids[0] ?? 0) + index),
      );
      const visits = first?.events.filter(({ event }) => event === 'visit.opened') ?? [];
      assert.equal(new Set(visits.map(({ data }) => data.data.objectId)).size, 20);
    });

    testOn(database)('events that are no longer kept are reported as lost', async () => {
      const first = await ready();
      await visit();
      await first.received(4);
      const last = first.events[0]?.id ?? 0;
      first.close();
      await first.ended;
      site.app.clock.now += keptMs + 1;
      await visit();
      const again = await ready({ ...(await signIn(site.app)).headers, 'last-event-id': String(last) });
      await again.received(1);
      assert.equal(again.events[0]?.event, 'lost');
      const beyond = await ready({ 'last-event-id': '999999' });
      await beyond.received(1);
      assert.equal(beyond.events[0]?.event, 'lost');
    });

    test('positions are sent, and kept, only for listeners that request them', async () => {
      const positionsKept = async () => {
        const { db } = site.app.storage;
        const announce = createLivePublisher({
          cacheVersion: { onChange: () => undefined },
          now: () => site.now,
          wake: () => undefined,
        });
        const tell = (): DomainEvent[] => [{ type: 'position.changed', at: site.now, data: {} }];
        await db.transaction((db) => announce(db, site.app.appId, tell));
        return (await site.rows('live_events')).filter(({ event }) => event === 'position.changed').length;
      };
      const usual = await ready();
      assert.equal(await positionsKept(), 0);
      const watching = await ready({}, `${path}?kinds=position.changed,visit.opened`);
      assert.equal(await positionsKept(), 1);
      await visit();
      await usual.received(4);
      await watching.received(2);
      assert.deepEqual(
        usual.events.map(({ event }) => event),
        ['presence.enter', 'visit.opened', 'presence.exit', 'visit.closed'],
      );
      assert.deepEqual(
        watching.events.map(({ event }) => event),
        ['position.changed', 'visit.opened'],
      );
      const refused = await open({}, `${path}?kinds=visit.opened,everything`);
      assert.equal(refused.status, 400);
    });

    testOn(database)('another app hears nothing of it, and nothing is kept where nobody listens', async () => {
      await visit();
      assert.deepEqual(await site.rows('live_events'), []);
      const strangers = await otherApp(site.app);
      const stranger = await signIn(site.app, strangers);
      const theirs = await ready({ ...strangers, ...stranger.headers });
      const mine = await ready();
      await visit();
      await mine.received(4);
      assert.deepEqual(theirs.events, []);
    });

    testOn(database)(
      'sends what the rules let a listener listen to and read, without hidden members, until the rules change',
      async () => {
        const ben = (await signIn(site.app)).headers;
        const visitRules = { get: 'user', listen: 'user', members: { enteredAt: { hidden: ['user'] } } };
        await site.app.app.apps.changeRules(site.app.appId, { resources: { visits: visitRules } });
        const stream = await ready(ben);
        const all = await ready();
        await visit();
        await all.received(4);
        await stream.received(2);
        assert.deepEqual(
          stream.events.map(({ event, data }) => [event, data.data.enteredAt]),
          [
            ['visit.opened', undefined],
            ['visit.closed', undefined],
          ],
        );
        assert.ok(all.events[1]?.data.data.enteredAt, 'a manager sees it');
        await site.app.app.apps.changeRules(site.app.appId, { resources: { visits: { ...visitRules, get: 'owner' } } });
        await stream.ended;
        const deaf = await ready(ben);
        const again = await ready();
        await visit();
        await again.received(4);
        assert.deepEqual(deaf.events, []);
      },
    );

    testOn(database)(
      "a rule with a where sends the matching events, about the listener's own installation or another",
      async () => {
        const anna = await signIn(site.app);
        const phone = { installationId: 'annas', deviceType: 'ios' };
        await site.app.send({ method: 'POST', url: '/api/v2/installations', headers: anna.headers, body: phone });
        const own = { installationId: '$auth.installationId', leftAt: null };
        const rules = { visits: { get: own, list: own, listen: 'user' } };
        await site.app.app.apps.changeRules(site.app.appId, { resources: rules });
        const stream = await ready(anna.headers);
        await visit();
        await site.send([site.decided('ENTER')], { installationId: 'annas' });
        await stream.received(1);
        const [opened] = stream.events.filter(({ event }) => event === 'visit.opened');
        assert.ok(opened);
        const { body } = await site.app.send({ method: 'GET', url: '/api/v2/visits?count=1', headers: anna.headers });
        assert.deepEqual([body.count, body.results[0].objectId], [1, opened.data.data.objectId]);
      },
    );

    testOn(database)(
      'a stream under a rule about own installations ends when one of them has gone to somebody else',
      async () => {
        const [anna, ben] = [await signIn(site.app), await signIn(site.app)];
        const phone = { installationId: 'handed-on', deviceType: 'ios' };
        const headers = { 'installation-secret': 'h'.repeat(43) };
        const register = async (who: typeof anna) => {
          const request = { method: 'POST', url: '/api/v2/installations', body: phone } as const;
          const answer = await site.app.send({ ...request, headers: { ...who.headers, ...headers } });
          assert.ok(answer.status < 300, answer.raw.toString());
        };
        await register(anna);
        const own = { installationId: '$auth.installationId' };
        await site.app.app.apps.changeRules(site.app.appId, { resources: { visits: { get: own, listen: own } } });
        const stream = await ready(anna.headers);
        await register(ben);
        await stream.ended;
        const again = await ready(anna.headers);
        const his = await ready(ben.headers);
        const body = { installationId: 'handed-on', sightings: [site.decided('ENTER')] };
        await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers: ben.headers, body });
        await his.received(1);
        assert.deepEqual([stream.events, again.events], [[], []]);
      },
    );

    testOn(database)(
      'a token that is revoked or no longer enough ends the stream within seconds, a bad one opens none',
      async () => {
        const stream = await ready();
        const out = { method: 'POST', url: '/api/v2/users/signout', headers: site.user.headers } as const;
        assert.equal((await site.app.send(out)).status, 200);
        await stream.ended;
        assert.equal((await open()).status, 403);
        const user = await signIn(site.app);
        const half = await ready(user.headers);
        await site.app.app.apps.change(site.app.appId, { policy: { totp: 'required' } });
        await half.ended;
        assert.equal((await open(user.headers)).status, 403, 'it was begun without a second factor');
        await site.app.app.apps.change(site.app.appId, { policy: { totp: 'off' } });
        const other = await ready(user.headers);
        await site.app.app.apps.change(site.app.appId, { disabled: true });
        await other.ended;
      },
    );

    testOn(database)('administrators listen with their session and role, until they sign out', async () => {
      const browser = await openConsole(site.app, 'editor');
      const where = `/console/api/apps/${site.app.appId}/v2/stream`;
      const stream = await openStream(port, where, { cookie: browser.cookie });
      streams.push(stream);
      await stream.ready;
      await visit();
      await stream.received(4);
      const [row] = await site.rows('live_apps');
      assert.equal(Number(row?.['positions_until']), 0, 'where visitors are is kept for those who ask for it');
      assert.equal((await openStream(port, where, {})).status, 403);
      assert.equal((await browser.send({ method: 'DELETE', url: '/session' })).status, 200);
      await stream.ended;
    });

    testOn(database)('a client that reads nothing is dropped, and the others hear on', async () => {
      const listener = await ready();
      const accepted = once(site.app.app.server.server, 'connection') as Promise<[Socket]>;
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      const headers = Object.entries({ ...site.app.credentials, ...site.user.headers });
      socket.write(head(`GET ${path}`, headers));
      await once(socket, 'readable');
      socket.pause();
      const tell: Announce = createLivePublisher({
        cacheVersion: { onChange: () => undefined },
        now: () => site.now,
        wake: () => undefined,
      });
      const text = 'x'.repeat(100_000);
      const domainEvent: DomainEvent = { type: 'presence.zone', at: site.now, data: { text } };
      for (let n = 0; n < 200; n++)
        await site.app.storage.db.transaction((db) => tell(db, site.app.appId, () => [domainEvent]));
      await listener.received(200);
      const [served] = await accepted;
      if (!served.destroyed) await once(served, 'close');
      socket.destroy();
      await visit();
      await listener.received(204);
    });

    testOn(database)('too many streams of one address are refused with APICallLimit', async () => {
      for (let n = 0; n < streamLimits.perAddress; n++) await ready();
      const refused = await open();
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '10']);
      streams[0]?.close();
      await site.app.app.idle();
      let status = 429;
      while (status === 429) {
        const next = await open();
        status = next.status;
      }
      assert.equal(status, 200);
    });

    testOn(database)('a number that is none is refused, and HEAD answers at once', async () => {
      for (const after of ['x', '-1', '1.5', '1e3']) {
        const answer = await site.ask({ method: 'GET', url: `${path}?after=${after}` });
        assert.deepEqual([answer.status, answer.body.code], [400, 102]);
      }
      const connection = await openConnection(port);
      connection.send(head(`HEAD ${path}`, Object.entries({ ...site.app.credentials, ...site.user.headers })));
      assert.equal((await connection.answer()).status, 200);
      connection.socket.destroy();
    });

    test('a stop ends the streams', async () => {
      const stream = await ready();
      const closing = site.app.app.close();
      await stream.ended;
      await closing;
    });

    test('events of another node arrive, and a stream can be resumed there', async () => {
      const stream = await ready();
      const node = await openNode(site);
      try {
        const address = await node.app.server.listen({ host: '127.0.0.1', port: 0 });
        const there = await ready({}, path, Number(new URL(address).port));
        const sightings = [site.decided('ENTER', site.now + 900)];
        const body = { installationId: 'phone-1', sightings };
        const headers = { ...site.app.credentials, 'content-type': 'application/json' };
        const url = '/api/v2/sightings';
        const answer = await node.app.server.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) });
        assert.equal(answer.statusCode, 200, answer.payload);
        await visit();
        await stream.received(2);
        await there.received(2);
        const count = Math.min(stream.events.length, there.events.length);
        assert.deepEqual(stream.events.slice(0, count), there.events.slice(0, count));
        const last = String((stream.events[0]?.id ?? 0) - 1);
        const resumed = await ready({ 'last-event-id': last }, path, Number(new URL(address).port));
        await resumed.received(2);
        assert.deepEqual(resumed.events.slice(0, 2), stream.events.slice(0, 2));
      } finally {
        for (const one of streams) one.close();
        await node.close();
      }
    });
  });
}
