import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { databases, signIn } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { type Node, openNode, openSite, pointer, type Site, stay, walk } from '../../../../test/support/site.ts';
import { listen } from '../../../../test/support/socket.ts';
import { startReceiver } from '../../../../test/support/webhook-receiver.ts';
import { service } from '../../../access/audit.ts';
import { tables } from '../../../app/tables.ts';
import { raw, sql } from '../../../base/sql.ts';

const second = 1000;
const minute = 60 * second;
const hourStart = (at: number) => Math.floor(at / (60 * minute)) * 60 * minute;
const url = '/api/v2/installations';
const yes = { granted: true, textVersion: '2026-10' };
const no = { granted: false };

for (const database of databases) {
  describe(`consent of visitors on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
    });
    afterEach(() => site.close());

    const require = (consent: 'required' | 'assumed' = 'required') =>
      site.app.app.apps.change(site.app.appId, { policy: { consent } }, service);
    const register = (consents: object | undefined, more: object = {}, headers = {}) =>
      site.app.send({
        method: 'POST',
        url,
        body: { installationId: 'phone-1', deviceType: 'android', ...(consents ? { consents } : {}), ...more },
        headers,
      });
    const agree = async (consents: object, more: object = {}) => {
      site.app.clock.now += 1;
      const answer = await register(consents, more);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    /** Ten seconds in the hall. */
    const visit = () => {
      const start = site.now;
      site.app.clock.now += 10 * second;
      return site.send(walk(stay(0.8, 10), start));
    };
    /** The same, told another node. */
    const sendTo = async ({ app }: Node) => {
      const payload = { installationId: 'phone-1', sightings: walk(stay(0.8, 10), hourStart(site.now)) };
      const { credentials: headers } = site.app;
      const answer = await app.server.inject({ method: 'POST', url: '/api/v2/sightings', headers, payload });
      assert.equal(answer.statusCode, 200);
    };
    const silence = async () => {
      site.app.clock.now += 5 * minute;
      await site.app.app.idle();
      await site.app.app.ticker.tick();
    };
    /** Rows that name the phone, by table; the installation itself and what it decided aside. */
    const rowsOfPhone = async () => {
      const found: Record<string, number> = {};
      for (const { name, trail } of tables) {
        if (trail === undefined || name === 'consents') continue;
        const row = await site.app.storage.db.one<{ n: number }>(
          sql`select count(*) as n from ${raw(name)} where ${raw(trail.installation)} = ${site.phone}`,
        );
        if (Number(row?.n) > 0) found[name] = Number(row?.n);
      }
      return found;
    };
    /** How many rows of each table name it in any cell. */
    const rowsNaming = async (ids: readonly string[]) => {
      const found: Record<string, number> = {};
      for (const { name } of tables) {
        const rows = await site.app.storage.db.all(raw(`select * from ${name}`));
        const naming = rows.filter((row) => ids.some((id) => JSON.stringify(row).includes(id)));
        if (naming.length > 0) found[name] = naming.length;
      }
      return found;
    };
    /** Without the counting of visits, which is done in the background, whenever it comes to it. */
    const recorded = async () => {
      const { visit_changes: _waiting, first_visits: _counted, ...rest } = await rowsOfPhone();
      return rest;
    };

    test('where it is required, nothing names a phone that has said nothing; its sightings are counted', async () => {
      await require();
      await site.notification();
      await site.makeReachable();
      const answer = await visit();
      assert.deepEqual([answer.events, answer.messages, answer.received], [[], [], 10]);
      await silence();
      assert.deepEqual(await rowsOfPhone(), {});
      assert.deepEqual(await site.pushes(), []);
      const console = await openConsole(site.app, 'analyst');
      const counts = async () =>
        (await console.send({ method: 'GET', url: `/apps/${site.app.appId}/sighting-counts` })).body.result;
      assert.deepEqual(await counts(), [], 'not stored yet');
      const node = await openNode(site);
      await sendTo(node);
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
        await require();
        await site.notification();
        await site.makeReachable();
        site.app.log.length = 0;
        const before = await rowsNaming([site.phone, 'phone-1']);
        await visit();
        await site.send([site.decided('ENTER'), site.decided('EXIT')]);
        const log = { moduleType: 'PRESENCE', event: 'ENTER', beaconId: pointer('Beacon', site.hall) };
        await create(site.app, '/api/v2/logs', { ...log, installationId: pointer('_Installation', site.phone) });
        const receipts = [{ deliveryId: 'nothing', event: 'opened' }];
        await site.app.send({ method: 'POST', url: '/api/v2/receipts', body: { installationId: 'phone-1', receipts } });
        await silence();
        // Counts are stored at the end of the hour, and what is swept leaves no copy either.
        site.app.clock.now += 2 * 60 * minute;
        site.app.app.sweep();
        await site.app.app.idle();
        assert.deepEqual(await rowsNaming([site.phone, 'phone-1']), before);
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
      assert.equal((await visit()).messages.length, 1);
      assert.equal((await site.list('visits')).length, 1);
      await agree({ analytics: no, messages: no });
      await silence();
      assert.deepEqual([(await visit()).events, (await site.list('visits')).length], [[], 1]);
    });

    test('messages without analytics are shown, and nothing is kept but what they need', async () => {
      await require();
      await agree({ messages: yes });
      await site.makeReachable();
      await site.notification();
      const { events, messages } = await visit();
      assert.deepEqual([events.length > 0, messages.length], [true, 1]);
      assert.equal((await site.pushes()).length, 1);
      assert.equal((await visit()).messages.length, 0, 'once a visit');
      assert.deepEqual(Object.keys(await rowsOfPhone()).sort(), ['deliveries', 'firings', 'tracks']);
      await silence();
      assert.deepEqual(Object.keys(await rowsOfPhone()).sort(), ['deliveries', 'firings', 'tracks']);
      assert.equal((await visit()).messages.length, 1, 'and again in the next one');
    });

    test('analytics without messages: the visit is recorded, and the verdict says why nothing was shown', async () => {
      await require();
      await agree({ analytics: yes });
      await site.makeReachable();
      await site.notification();
      assert.deepEqual((await visit()).messages, []);
      const [verdict] = await site.list('verdicts', { where: JSON.stringify({ event: 'ENTER' }) });
      assert.deepEqual(
        [verdict.outcome, verdict.reason, verdict.text],
        ['stopped', 'no_consent', 'Not shown: the visitor has not agreed to messages.'],
      );
      assert.deepEqual([(await site.list('visits')).length, await site.pushes()], [1, []]);
    });

    test('a push to everyone leaves out who has not agreed', async () => {
      await require();
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
      await agree({ messages: yes });
      await send();
      assert.equal((await site.pushes()).length, 1);
    });

    test('a refusal in the middle of a visit ends it then, and what comes late is not recorded', async () => {
      await require();
      await agree({ analytics: yes, messages: yes });
      const early = walk(stay(0.8, 5), site.now - minute);
      await visit();
      assert.equal((await site.list('visits'))[0].isOpen, true);
      await agree({ analytics: no, messages: no });
      const [visitThen] = await site.list('visits');
      assert.deepEqual([visitThen.isOpen, visitThen.leftAt], [false, new Date(site.now).toISOString()]);
      const before = await recorded();
      await site.send(early);
      await visit();
      await silence();
      assert.deepEqual(await recorded(), before);
      assert.deepEqual(await site.list('visits'), [visitThen]);
    });

    test('a grant in the middle of a visit begins a visit of its own', async () => {
      await require();
      await agree({ messages: yes });
      await visit();
      await agree({ analytics: yes });
      const at = site.now;
      await visit();
      await silence();
      const visits = await site.list('visits');
      assert.deepEqual([visits.length, visits[0].isOpen], [1, false]);
      assert.ok(Date.parse(visits[0].enteredAt) >= at);
    });

    test('an app that begins to ask stops recording those who have not answered', async () => {
      await visit();
      await require();
      await silence();
      assert.equal((await site.list('visits'))[0].isOpen, false);
      const before = await recorded();
      assert.equal(before['tracks'], undefined);
      await visit();
      assert.deepEqual(await recorded(), before);
    });

    test('a refusal can have what was recorded erased', async () => {
      await require();
      await agree({ analytics: yes, messages: yes });
      await visit();
      await silence();
      await agree({ analytics: { granted: false, erase: true } });
      await site.app.app.idle();
      assert.deepEqual(await rowsOfPhone(), {});
      assert.equal((await site.get(`installations/${site.phone}`)).consents.analytics.granted, false);
    });

    test('who has taken a phone by its id alone erases nothing of its user', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const { app } = site;
      await register(undefined, { deviceToken: 'of vera' }, vera.headers);
      await visit();
      await silence();
      await register(undefined, { deviceToken: 'of mallory' }, mallory.headers);
      const erasing = { analytics: { granted: false, erase: true } };
      const put = { method: 'PUT', url: `${url}/${site.phone}`, headers: mallory.headers } as const;
      for (const answer of [
        await app.send({ ...put, body: { consents: erasing } }),
        await register(erasing, { deviceToken: 'of mallory' }, mallory.headers),
      ])
        assert.deepEqual([answer.status, answer.body.code], [403, 119]);
      await app.app.idle();
      assert.equal((await site.list('visits')).length, 1);
    });

    test('who has taken a phone by its id alone agrees to nothing in its name, and ends no refusal', async () => {
      const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
      const { app } = site;
      const agreed = { analytics: yes, messages: yes };
      const decided = async () => {
        const { consents } = await site.get(`installations/${site.phone}`);
        return [consents?.analytics?.granted, consents?.messages?.granted];
      };
      const take = [
        () => register(undefined),
        () => register(agreed),
        () => register(agreed, {}, mallory.headers),
        () =>
          app.send({
            method: 'PUT',
            url: `${url}/${site.phone}`,
            headers: mallory.headers,
            body: { consents: agreed },
          }),
        () =>
          app.send({ method: 'PUT', url: `${url}/${site.phone}`, headers: mallory.headers, body: { consents: null } }),
      ];
      await register({ analytics: no, messages: no }, {}, vera.headers);
      for (const taking of take) {
        assert.equal((await taking()).status, 200);
        assert.deepEqual(await decided(), [false, false]);
        assert.deepEqual((await visit()).events, []);
      }
      await register(undefined, {}, vera.headers);
      assert.deepEqual(await decided(), [false, false], 'she is back, and has said nothing else');
      await register(agreed, {}, vera.headers);
      assert.deepEqual(await decided(), [true, true]);

      await require();
      await register(agreed);
      assert.deepEqual([await decided(), await rowsOfPhone()], [[undefined, undefined], {}]);
    });

    test('another node knows of a refusal at once', async () => {
      await require();
      await agree({ analytics: yes });
      const node = await openNode(site);
      try {
        await agree({ analytics: no });
        await sendTo(node);
        assert.deepEqual(await rowsOfPhone(), {});
      } finally {
        await node.close();
      }
    });

    test('a log record of somebody who has not agreed names no phone and makes no visit', async () => {
      await require();
      const log = { moduleType: 'PRESENCE', event: 'ENTER', beaconId: pointer('Beacon', site.hall) };
      const body = { ...log, installationId: pointer('_Installation', site.phone), eventId: 'one' };
      await create(site.app, '/api/v2/logs', body);
      const [record] = await site.list('logs');
      assert.deepEqual([record.event, record.installationId], ['ENTER', null]);
      assert.deepEqual(await rowsOfPhone(), {});
      await agree({ analytics: yes });
      await create(site.app, '/api/v2/logs', { ...body, eventId: 'two' });
      assert.equal((await site.list('visits')).length, 1);
    });

    test('without identity no account is linked, and withdrawing it ends the link', async () => {
      await require();
      const user = await signIn(site.app);
      const own = async () => (await site.get(`installations/${site.phone}`)).userId?.objectId;
      assert.equal((await register(undefined, {}, user.headers)).status, 200);
      assert.equal(await own(), undefined);
      const named = await register(undefined, { userId: pointer('_User', user.userId) }, user.headers);
      assert.deepEqual([named.status, named.body.code], [403, 119]);
      await register({ identity: yes }, {}, user.headers);
      assert.equal(await own(), user.userId);
      const refusal = { consents: { identity: no } };
      const put = { method: 'PUT', url: `${url}/${site.phone}`, headers: user.headers, body: refusal } as const;
      assert.equal((await site.app.send(put)).status, 200);
      assert.equal(await own(), undefined);
    });

    test('what one person has agreed to does not bind the next', async () => {
      await require();
      const [first, second] = [await signIn(site.app), await signIn(site.app)];
      await register({ identity: yes, analytics: yes }, {}, first.headers);
      await register(undefined, {}, second.headers);
      const { consents, userId } = await site.get(`installations/${site.phone}`);
      assert.deepEqual([consents, userId], [undefined, undefined]);
      assert.deepEqual((await visit()).events, []);
      await register({ identity: yes }, {}, second.headers);
      const now = await site.get(`installations/${site.phone}`);
      assert.deepEqual([Object.keys(now.consents), now.userId.objectId], [['identity'], second.userId]);
    });

    test('every decision is kept, and the same one sent again is none', async () => {
      await agree({ messages: yes, analytics: no });
      const since = site.now;
      await agree({ messages: yes, analytics: no });
      await agree({ messages: { granted: true, textVersion: '2026-11' } });
      await agree({ messages: no });
      const { consents } = await site.get(`installations/${site.phone}`);
      assert.deepEqual(consents.analytics, { granted: false, at: new Date(since).toISOString() });
      assert.equal(consents.messages.granted, false);
      const console = await openConsole(site.app, 'manager');
      const list = `/apps/${site.app.appId}/installations/${site.phone}/consents`;
      const { body } = await console.send({ method: 'GET', url: list });
      const told = body.result.map((one: Record<string, unknown>) => [
        one['purpose'],
        one['granted'],
        one['textVersion'] ?? '',
        one['decidedBy'],
      ]);
      assert.deepEqual(told.slice(0, 2), [
        ['messages', false, '', 'phone'],
        ['messages', true, '2026-11', 'phone'],
      ]);
      assert.deepEqual(told.slice(2).sort(), [
        ['analytics', false, '', 'phone'],
        ['messages', true, '2026-10', 'phone'],
      ]);
    });

    test('a grant needs the version of its text, and nonsense is refused', async () => {
      const refused = async (consents: unknown, fields: readonly string[]) => {
        const { status, body } = await register(consents as object);
        assert.equal(status, 400, JSON.stringify(body));
        assert.deepEqual(
          body.error.details.map(({ field }: { field: string }) => field),
          fields,
        );
      };
      await refused({ messages: { granted: true } }, ['consents.messages.textVersion']);
      await refused({ messages: true }, ['consents.messages']);
      await refused({ analytics: { granted: true, textVersion: '1', erase: true } }, ['consents.analytics.erase']);
    });
  });
}
