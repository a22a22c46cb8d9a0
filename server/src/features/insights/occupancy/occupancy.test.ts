import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, buildApp, signIn, signInManager, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { browserOf, openConsole, password, signInToConsole } from '../../../../test/support/console.ts';
import { testOn } from '../../../../test/support/depth.ts';
import { type EventStream, openStream } from '../../../../test/support/event-stream.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { startReceiver, type WebhookReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { pointer, stay, uuid, walk } from '../../../../test/support/site.ts';
import { listen } from '../../../../test/support/socket.ts';
import { service } from '../../../access/audit.ts';
import type { AppGrant } from '../../../access/reach.ts';
import { type App, createApp } from '../../../app/app.ts';
import { sql } from '../../../base/sql.ts';
import { Blur } from '../../blur.ts';

for (const database of bothDatabases) {
  describe(`limits of people at once on ${database}`, () => {
    let smtp: SmtpSink;
    let receiver: WebhookReceiver;
    let app: TestApp;
    let other: App;
    let headers: Readonly<Record<string, string>>;
    let venue: string;
    let zone: string;
    let beacon: string;
    const streams: EventStream[] = [];

    beforeAll(async () => {
      smtp = await startSmtpSink();
      receiver = await startReceiver();
      app = await buildApp({ database, settings: { PHAROS_SMTP_URL: smtp.url, PHAROS_PRIVATE_TARGETS: '127.0.0.1' } });
      await app.app.apps.change(app.appId, { policy: { oneZone: false } });
      headers = (await signInManager(app)).headers;
      venue = await make('/venues', { name: 'Lighthouse' });
      const floorId = pointer(
        'Floor',
        await make('/floors', { venueId: pointer('Venue', venue), name: 'G', level: 0 }),
      );
      const polygon = [
        { x: 0, y: 0 },
        { x: 9, y: 0 },
        { x: 9, y: 9 },
      ];
      zone = await make('/zones', { floorId, name: 'Tower room', kind: 'room', polygon, capacity: 5 });
      const place = { venueId: pointer('Venue', venue), location: { x: 6, y: 2, floor: 0 } };
      beacon = await make('/beacons', { name: 'Tower', uuid, major: 1, minor: 1, ...place });
      for (let n = 1; n <= 8; n++) await make('/installations', { installationId: `p${n}`, deviceType: 'ios' });
      const elsewhere = await make('/venues', { name: 'Elsewhere' });
      await limited('here', [{ appId: app.appId, venues: [venue] }]);
      await limited('there', [{ appId: app.appId, venues: [elsewhere] }]);
      await app.app.admins.create({ email: 'owner@x.example', name: 'o', password, role: 'owner' }, service);
      other = await createApp({
        repeats: false,
        config: app.config,
        db: app.storage.db,
        now: () => app.clock.now,
        logStream: { write: () => undefined },
      });
    });
    afterAll(async () => {
      for (const stream of streams) stream.close();
      await other?.close();
      await app?.close();
      await smtp?.close();
      await receiver?.close();
    });

    const make = (path: string, body: object) => create(app, `/api/v2${path}`, body, headers);
    const limited = (name: string, apps: readonly AppGrant[]) =>
      app.app.admins.create({ email: `${name}@x.example`, name, password, role: 'manager', apps }, service);
    async function report(phone: string, sightings: readonly object[]) {
      const body = { installationId: phone, sightings };
      const answer = await app.send({ method: 'POST', url: '/api/v2/sightings', body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const go = (event: 'ENTER' | 'EXIT', ...phones: readonly string[]) =>
      Promise.all(phones.map((phone) => report(phone, [{ beacon, event, occurredAt: app.clock.now }])));
    /** Time passes, and both nodes look. Answers what was mailed to whom meanwhile. */
    async function pass(seconds: number): Promise<readonly string[]> {
      app.clock.now += seconds * 1000;
      // While nodes divide the work, and on a machine that is too busy to say that they are alive, nobody holds the app for a moment.
      const isHeld = () => [app.app, other].some(({ shares }) => shares.owns(app.appId));
      for (let before = false, now = false; !(before && now); ) {
        before = isHeld();
        await Promise.all([app.app.checkOccupancy(), other.checkOccupancy()]);
        now = isHeld();
        if (!(before && now))
          await Promise.all([app.app, other].map(({ poller, shares }) => poller.poll().then(() => shares.settle())));
      }
      await Promise.all([app.app.idle(), other.idle()]);
      const mails = smtp.mails.splice(0).map(({ to, data }) => `${to} ${/^Subject: (.*)$/m.exec(data)?.[1]?.trim()}`);
      return mails.filter((line) => line.includes('@x.example')).sort();
    }
    const told = async () => {
      const rows = await app.storage.db.all<{ event: string }>(
        sql`select event from webhook_deliveries where app_id = ${app.appId} order by object_id`,
      );
      return rows.map(({ event }) => event);
    };
    async function place() {
      const answer = await app.send({ method: 'GET', url: '/api/v2/occupancy', headers });
      assert.equal(answer.body.results.length, 1);
      const [{ visitors, isOver }] = answer.body.results;
      return [visitors, isOver];
    }

    test('notifies administrators who may see the venue once, whichever node checks, when there are too many and when that is over', async () => {
      const owner = await openConsole(app, 'owner');
      const events = ['occupancy.exceeded', 'occupancy.cleared', 'alert.begun', 'alert.ended'];
      const hook = { url: receiver.url, events };
      const made = await owner.send({ method: 'POST', url: `/apps/${app.appId}/webhooks`, body: hook });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const port = await listen(app);
      const hear = async (who: Readonly<Record<string, string>>) => {
        const stream = await openStream(port, '/api/v2/stream', { ...app.credentials, ...who });
        streams.push(stream);
        await stream.ready;
        return stream;
      };
      const manager = await hear(headers);
      const visitor = await hear((await signIn(app)).headers);

      await go('ENTER', 'p1', 'p2', 'p3', 'p4', 'p5');
      assert.deepEqual([await pass(0), await pass(30), await place()], [[], [], [5, false]]);
      await go('ENTER', 'p6');
      assert.deepEqual([await pass(0), await pass(10), await told()], [[], [], []]);
      const begun = '[Test app] More than 5 visitors in Tower room';
      assert.deepEqual(await pass(10), [`here@x.example ${begun}`, `owner@x.example ${begun}`]);
      assert.deepEqual(await place(), [6, true]);
      const exceeded = () => manager.events.filter(({ event }) => event.startsWith('occupancy.'));
      while (exceeded().length === 0) await manager.received(manager.events.length + 1);
      const { data } = exceeded()[0]?.data ?? {};
      assert.deepEqual([data.zoneId.objectId, data.venueId.objectId, data.capacity], [zone, venue, 5]);
      const home = await owner.send({ method: 'GET', url: `/apps/${app.appId}/attention` });
      assert.equal(home.body.result.findings[0].title, 'More than 5 visitors in Tower room');

      const listed = async (name: string) => {
        const browser = browserOf(app, await signInToConsole(app, `${name}@x.example`));
        const { results } = (await browser.send({ method: 'GET', url: `/alerts?app=${app.appId}` })).body;
        return results.map(({ title }: { readonly title: string }) => title);
      };
      assert.deepEqual([await listed('here'), await listed('there')], [['More than 5 visitors in Tower room'], []]);

      // One who goes in and out neither ends it nor begins it again.
      await go('EXIT', 'p6');
      assert.deepEqual([await pass(0), await pass(90), await pass(90)], [[], [], []]);
      await go('EXIT', 'p5');
      assert.deepEqual([await pass(0), await pass(30)], [[], []]);
      await go('ENTER', 'p5');
      assert.deepEqual([await pass(0), await pass(60)], [[], []]);
      await go('EXIT', 'p5');
      assert.deepEqual([await pass(0), await pass(59)], [[], []]);
      const over = '[Test app] Over: More than 5 visitors in Tower room';
      assert.deepEqual(await pass(1), [`here@x.example ${over}`, `owner@x.example ${over}`]);
      assert.deepEqual(await place(), [4, false]);
      assert.deepEqual(await told(), ['occupancy.exceeded', 'alert.begun', 'occupancy.cleared', 'alert.ended']);
      await receiver.arrived(4);
      const called = receiver.calls.map(({ body }) => JSON.parse(body));
      assert.deepEqual(
        called.map(({ type }) => type).sort(),
        [...events].sort(),
        'the receiver has been called once for each',
      );
      const of = (event: string) => called.find(({ type }) => type === event).data;
      assert.equal(of('occupancy.exceeded').capacity, 5);
      assert.equal(of('occupancy.cleared').zoneId.objectId, zone);
      // By now it would have come.
      assert.deepEqual(
        visitor.events.filter(({ event }) => event.startsWith('occupancy.')),
        [],
      );
    });

    testOn(database)('is over when the limit is taken away', async () => {
      await go('ENTER', 'p5', 'p6');
      await pass(0);
      assert.equal((await pass(20)).length, 2);
      const url = `/api/v2/zones/${zone}`;
      const change = (capacity: number | null, name = 'Tower room') =>
        app.send({ method: 'PUT', url, headers, body: { capacity, name } });
      // Whoever is told reads what the place is called and how many may be there now.
      assert.equal((await change(3, 'Lantern room')).status, 200);
      await pass(1);
      const owner = await openConsole(app, 'owner');
      const home = await owner.send({ method: 'GET', url: `/apps/${app.appId}/attention` });
      assert.equal(home.body.result.findings[0].title, 'More than 3 visitors in Lantern room');
      assert.equal((await change(null)).status, 200);
      assert.equal((await pass(1)).length, 2);
      assert.deepEqual((await told()).slice(-2), ['occupancy.cleared', 'alert.ended']);
      assert.equal((await change(0)).status, 400);
      assert.equal((await change(5)).status, 200);
      await go('EXIT', 'p5', 'p6');
    });

    testOn(database)(
      'is over when the zone is deleted or the app is switched off, and begins again when these come back',
      async () => {
        await pass(31);
        await go('ENTER', 'p5', 'p6');
        await pass(0);
        assert.equal((await pass(20)).length, 2);
        const before = (await told()).length;
        const since = async () => (await told()).slice(before);
        const owner = await openConsole(app, 'owner');
        const url = `/api/v2/zones/${zone}`;
        assert.equal((await app.send({ method: 'DELETE', url, headers })).status, 200);
        assert.equal((await pass(1)).length, 2);
        assert.deepEqual(await since(), ['occupancy.cleared', 'alert.ended']);
        const trash = await owner.send({ method: 'GET', url: `/apps/${app.appId}/trash?kind=zones` });
        const [{ objectId: trashId }] = trash.body.results;
        const back = await owner.send({ method: 'POST', url: `/apps/${app.appId}/trash/${trashId}/restore` });
        assert.equal(back.status, 200, JSON.stringify(back.body));
        assert.deepEqual(
          [await pass(1), await pass(20)].map(({ length }) => length),
          [0, 2],
          'the same zone',
        );
        await app.app.apps.change(app.appId, { disabled: true }, service);
        assert.equal((await pass(1)).length, 2);
        assert.deepEqual((await since()).slice(2), [
          'occupancy.exceeded',
          'alert.begun',
          'occupancy.cleared',
          'alert.ended',
        ]);
        await app.app.apps.change(app.appId, { disabled: false }, service);
        assert.deepEqual(
          [await pass(1), await pass(20)].map(({ length }) => length),
          [0, 2],
          'they are still there',
        );
        await go('EXIT', 'p5', 'p6');
        await pass(0);
        assert.equal((await pass(60)).length, 2);
      },
    );

    test('goes on after the service stood still: nobody is told that it is over because nobody was heard meanwhile', async () => {
      await go('ENTER', 'p5', 'p6');
      await pass(0);
      assert.equal((await pass(20)).length, 2);
      const before = (await told()).length;
      // Two leave for a moment, and then no node looks for five minutes.
      await go('EXIT', 'p5', 'p6');
      await pass(10);
      assert.deepEqual(await pass(300), []);
      await go('ENTER', 'p5', 'p6');
      assert.deepEqual([await pass(10), await pass(60)], [[], []]);
      assert.equal((await told()).length, before);
      assert.deepEqual(await place(), [6, true]);
      await go('EXIT', 'p5', 'p6');
      await pass(0);
      assert.equal((await pass(60)).length, 2);
    });

    test('sends one push to the phones of administrators who have chosen it, and one when it is over', async () => {
      const names = new Map<string, string>();
      const browsers = new Map(
        await Promise.all(
          ['here', 'there', 'owner'].map(
            async (name) => [name, browserOf(app, await signInToConsole(app, `${name}@x.example`))] as const,
          ),
        ),
      );
      const send = async (who: string, method: 'POST' | 'PUT', url: string, body?: object) => {
        const answer = await browsers.get(who)?.send({ method, url, ...(body ? { body } : {}) });
        assert.ok(answer && answer.status < 300, JSON.stringify(answer?.body));
        return answer.body.result;
      };
      for (const [name, owners] of Object.entries({ mine: ['here'], desk: ['here', 'owner'], far: ['there'] })) {
        const own = { 'installation-secret': name.padEnd(43, 'x') };
        const phone = { installationId: name, deviceType: 'android', deviceToken: `${name}-token`.padEnd(140, 'y') };
        const sent = { method: 'POST', headers: own } as const;
        const { objectId } = (await app.send({ ...sent, url: '/api/v2/installations', body: phone })).body.result;
        names.set(objectId, name);
        for (const who of owners) {
          const { code } = await send(who, 'POST', `/apps/${app.appId}/own-phones/code`);
          const paired = await app.send({
            ...sent,
            url: `/api/v2/installations/${objectId}/pairing`,
            body: { code },
          });
          assert.equal(paired.status, 200, JSON.stringify(paired.body));
        }
      }
      // Nobody waits for a second person to approve an alarm.
      await app.app.apps.change(app.appId, { policy: { approval: { enabled: true, above: 1 } } });
      const pushed = async () => {
        const rows = await app.storage.db.all<{ data: string; installation_id: string }>(
          sql`select p.data, d.installation_id from pushes p join deliveries d on d.app_id = p.app_id and d.push_id = p.object_id
            where p.app_id = ${app.appId} and d.state <> 'queued' order by p.object_id`,
        );
        const lines = rows.map(({ data, installation_id }) => {
          const { title, alert } = JSON.parse(data);
          return `${names.get(installation_id)}: ${title}, ${alert}`;
        });
        return lines.sort();
      };
      /** Those who are told by mail are told in any case. */
      const tells = async (seconds: number) => {
        const mails = [...(await pass(0)), ...(await pass(seconds)), ...(await pass(10))];
        assert.equal(mails.length, 2, mails.join());
      };
      const rise = () => go('ENTER', 'p5', 'p6').then(() => tells(20));
      const fall = () => go('EXIT', 'p5', 'p6').then(() => tells(60));
      // Those who have just left come back later; and both nodes know of the limit that was set a moment ago.
      app.clock.now += 60_000;
      await Promise.all([app.app, other].map(({ poller }) => poller.poll()));
      await rise();
      await fall();
      assert.deepEqual(await pushed(), [], 'nobody has chosen it');

      const choose = (who: string, isOn: boolean) =>
        send(who, 'PUT', '/session/alerts', { onPhone: { crowded: isOn } });
      for (const who of browsers.keys()) await choose(who, true);
      await rise();
      const begun = 'Test app, More than 5 visitors in Tower room';
      assert.deepEqual(await pushed(), [`desk: ${begun}`, `mine: ${begun}`]);
      await fall();
      const over = 'Test app, Over: More than 5 visitors in Tower room';
      const both = [`desk: ${begun}`, `desk: ${over}`, `mine: ${begun}`, `mine: ${over}`];
      assert.deepEqual(await pushed(), both);
      const list = await browsers
        .get('owner')
        ?.send({ method: 'GET', url: `/apps/${app.appId}/v2/push/notifications` });
      assert.deepEqual(
        list?.body.results.map(({ state, audience }: Record<string, unknown>) => [state, audience]),
        [
          ['done', 2],
          ['done', 2],
        ],
      );

      await choose('here', false);
      await choose('owner', false);
      await rise();
      await fall();
      assert.deepEqual(await pushed(), both, 'nobody wants it any more');

      // Each in the language of their console, and one on the phone that two have paired.
      for (const [who, language] of Object.entries({ here: 'de', owner: 'fr' })) {
        await app.storage.db.run(sql`insert into admin_languages (admin_id, language)
          select admin_id, ${language} from admins where email = ${`${who}@x.example`}`);
        await choose(who, true);
      }
      await rise();
      const fresh = (await pushed()).filter((line) => !both.includes(line));
      const texts = ['Mehr als 5 Besucher: Tower room', 'Plus de 5 visiteurs'];
      assert.deepEqual(
        fresh.map((line) => [line.split(':')[0], texts.some((text) => line.includes(text))]),
        [
          ['desk', true],
          ['mine', true],
        ],
      );
      assert.match(fresh[1] ?? '', /Mehr als 5 Besucher: Tower room$/);
      await fall();
      await app.storage.db.run(sql`delete from admin_languages`);
    });

    testOn(database)('tells nothing certain about small groups where these are protected', async () => {
      await app.app.apps.change(app.appId, { policy: { smallGroups: 'protected' } });
      await app.send({ method: 'PUT', url: `/api/v2/zones/${zone}`, headers, body: { capacity: 1 } });
      assert.deepEqual([await pass(0), await pass(60), await place()], [[], [], ['1-4', false]]);
      // Noise that makes five look like four, and no alarm of more.
      const surelyOf = (salt: string) => [5, 6, 7, 8].map((count) => new Blur(salt).lowerBound(count, `z${zone}`) > 4);
      const salt = Array.from({ length: 500 }, (_, n) => `salt ${n}`).find(
        (one) => surelyOf(one).join() === 'false,true,true,true',
      );
      assert.ok(salt);
      await app.storage.db.run(sql`update rollup_states set salt = ${salt} where app_id = ${app.appId}`);
      for (const visitors of [5, 6, 7, 8]) {
        await go('ENTER', `p${visitors}`);
        assert.deepEqual(await pass(0), []);
        assert.equal((await pass(20)).length, visitors === 6 ? 2 : 0, `${visitors}`);
        const told = new Blur(salt).peak(visitors, `z${zone}`);
        assert.deepEqual(await place(), [told, visitors > 5], 'with the same noise as in analytics');
      }
      await go('EXIT', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8');
      await pass(0);
      await pass(60);
      assert.deepEqual(await place(), [0, false]);
      await app.app.apps.change(app.appId, { policy: { smallGroups: 'shown' } });
    });

    test('counts who is there now, and not who was there when late reports come', async () => {
      await app.send({ method: 'PUT', url: `/api/v2/zones/${zone}`, headers, body: { capacity: 1 } });
      await app.app.apps.change(app.appId, { policy: { oneZone: true } });
      const phones = ['p1', 'p2', 'p3'];
      const stand = (before: number) =>
        Promise.all(phones.map((phone) => report(phone, walk(stay(1, 15), app.clock.now - before))));
      await stand(600_000);
      assert.deepEqual([await pass(0), await pass(30), await place()], [[], [], [0, false]]);
      await stand(15_000);
      assert.deepEqual(await place(), [3, false]);
      await pass(0);
      await stand(15_000);
      assert.equal((await pass(20)).length, 2);
      assert.deepEqual(await place(), [3, true]);
      // Nothing was heard of them for a minute.
      await pass(61);
      assert.deepEqual(await place(), [0, true]);
      assert.equal((await pass(60)).length, 2);
    });
  });
}
