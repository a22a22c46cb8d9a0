import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { databases, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { malloryOf, nothingOf, openScene, refused, type Scene } from '../support/hostile/attempts.ts';
import { png } from '../support/png.ts';
import { type Site, stay, uuid, walk } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/** What is hidden must not follow from what is told beside the data: tags, numbers of events, refusals, other people's audiences. */

const pushes = '/api/v2/push/notification';
const data = { title: 'Hello' };

/** The tag of a text, as everybody can compute it. */
const tagOf = (text: string) => `"${createHash('sha256').update(text).digest('base64url').slice(0, 24)}"`;

for (const database of databases) {
  describe(`what is told beside the data, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let port: number;
    const { send, get } = malloryOf(() => scene);

    beforeAll(async () => {
      scene = await openScene(database);
      ({ site, vera, mallory } = scene);
      port = await listen(site.app);
    });
    afterAll(() => site.close());

    describe('in tags', () => {
      /** Every count that a push to few phones can have, in a record without them. */
      function* guesses(record: Readonly<Record<string, unknown>>) {
        const { createdAt, updatedAt, ...rest } = record;
        const few = [0, 1, 2, 3];
        for (const audience of few)
          for (const sent of few)
            for (const failed of few)
              for (const noTarget of few) {
                const counts = { audience, sent, failed, expired: 0, noTarget, cancelled: 0 };
                yield JSON.stringify({ ...rest, ...counts, createdAt, updatedAt });
              }
      }
      test('the tag of a push of her own fits no guess at how many phones it has found', async () => {
        const sent = await send('POST', pushes, { data, where: { channels: 'v' } });
        assert.equal(sent.status, 200, sent.raw.toString());
        await site.app.app.idle();
        const url = `${pushes}/${String(sent.headers['location']).split('/').at(-1)}`;
        const hers = await get(url);
        assert.ok(!('audience' in hers.body.result), hers.raw.toString());
        const tag = String(hers.headers['etag']);
        for (const guess of guesses(hers.body.result)) assert.notEqual(tagOf(guess), tag, guess);
        const his = await site.ask({ method: 'GET', url });
        assert.equal(his.body.result.audience, 1, 'a manager is told');
        assert.notEqual(his.headers['etag'], tag);
      });

      test('a push that waits is changed with the tag that she was given, and not with another', async () => {
        const sendAt = new Date(site.now + 3_600_000).toISOString();
        const body = { data, where: { channels: 'v' }, sendAt };
        const sent = await send('POST', pushes, body);
        const url = `${pushes}/${String(sent.headers['location']).split('/').at(-1)}`;
        const tag = String((await get(url)).headers['etag']);
        const changed = await send('PUT', url, body, { 'if-match': tag });
        assert.equal(changed.status, 200, changed.raw.toString());
        assert.equal(changed.headers['etag'], (await get(url)).headers['etag']);
        for (const guess of guesses(changed.body.result))
          refused(await send('PUT', url, body, { 'if-match': tagOf(guess) }), 412);
        assert.equal((await send('POST', `${url}/cancel`)).status, 200);
      });

      test('of a report whose addresses are masked there is none', async () => {
        const [manager, analyst] = [await openConsole(site.app, 'manager'), await openConsole(site.app, 'analyst')];
        const body = { venueId: null, every: 'week', isOn: true, administrators: [manager.adminId], addresses: [] };
        const at = `/apps/${site.app.appId}/reports`;
        const made = await manager.send({ method: 'POST', url: at, body });
        assert.equal(made.status, 201, made.raw.toString());
        const url = `${at}/${made.body.result.reportId}`;
        const [shown, masked] = [
          await manager.send({ method: 'GET', url }),
          await analyst.send({ method: 'GET', url }),
        ];
        assert.deepEqual([shown.status, masked.status], [200, 200]);
        assert.deepEqual([typeof shown.headers['etag'], masked.headers['etag']], ['string', undefined]);
      });
    });

    describe('in the numbers of a stream', () => {
      const open = async (who: SignedIn, more: Readonly<Record<string, string>> = {}): Promise<EventStream> => {
        const headers = { ...site.app.credentials, ...who.headers, ...more };
        const stream = await openStream(port, '/api/v2/stream', headers);
        await stream.ready;
        return stream;
      };
      const number = async (who: SignedIn) => {
        const stream = await open(who);
        const id = await stream.ready;
        stream.close();
        return id;
      };
      const enters = async (who: SignedIn, installationId: string, secret?: string) => {
        site.app.clock.now += 60_000;
        const answer = await site.app.send({
          method: 'POST',
          url: '/api/v2/sightings',
          headers: { ...who.headers, ...(secret ? { 'installation-secret': secret } : {}) },
          body: { installationId, sightings: [site.decided('ENTER'), site.decided('EXIT', site.now + 5)] },
        });
        assert.equal(answer.status, 200, answer.raw.toString());
      };

      test('nobody learns how often others were somewhere, nor whether', async () => {
        const keeping = await open(site.user);
        const before = await keeping.ready;
        const quiet = [await number(mallory), await number(mallory), await number(mallory)];
        assert.equal(new Set(quiet).size, 3, 'while nothing happens');
        await enters(vera, 'veras', 'v'.repeat(43));
        await keeping.received(2);
        const after = await number(site.user);
        assert.ok(after - before >= 2 && after - before < 10, 'a manager counts them');
        const busy = await number(mallory);
        for (const id of quiet) assert.ok(Math.abs(busy - id) > 1_000, `${busy} ${id}`);
        for (const id of [...quiet, busy]) assert.ok(Number.isSafeInteger(id) && Math.abs(id - after) > 1_000, `${id}`);
        keeping.close();
      });

      test('with them she resumes what is hers, and nobody else does', async () => {
        const stream = await open(mallory);
        await enters(mallory, 'mallorys');
        await stream.received(2);
        const [first] = stream.events;
        stream.close();
        await enters(vera, 'veras', 'v'.repeat(43));
        await enters(mallory, 'mallorys');
        const resumed = await open(mallory, { 'last-event-id': String(first?.id) });
        await resumed.received(stream.events.length);
        const told = ({ events }: EventStream) => events.map(({ event, data }) => `${event} ${data.timestamp}`);
        assert.equal(told(resumed)[0], told(stream)[1]);
        for (const { data } of resumed.events) assert.equal(data.data.installationId.objectId, scene.own);
        const others = await open(vera, { 'last-event-id': String(first?.id) });
        await others.received(1);
        assert.equal(others.events[0]?.event, 'lost');
        for (const open of [resumed, others]) open.close();
      });

      test('a key that hears of pushes alone does not count visits', async () => {
        const scopes = [{ resource: 'pushes', verbs: ['listen'] }] as const;
        const key = await site.app.app.secretKeys.create(site.app.appId, { name: 'Deaf', scopes }, commandLine);
        const headers = { 'x-service-appkey': key.secretKey };
        const of = async () => {
          const stream = await openStream(port, '/api/v2/stream', { ...site.app.credentials, ...headers });
          const id = await stream.ready;
          stream.close();
          return id;
        };
        const ids = [await of(), await of()];
        assert.ok(Math.abs((ids[0] ?? 0) - (ids[1] ?? 0)) > 1_000, String(ids));
      });
    });

    describe('by audiences', () => {
      let editor: Browser;
      let manager: Browser;
      beforeAll(async () => {
        editor = await openConsole(site.app, 'editor');
        manager = await openConsole(site.app, 'manager');
      });
      const at = () => `/apps/${site.app.appId}/v2/push/notification`;
      const push = (who: Browser, where: object, more = {}) =>
        who.send({ method: 'POST', url: at(), body: { data, where, ...more } });

      test('an editor finds nobody by what the role does not see, whether she counts or sends', async () => {
        const pointer = { __type: 'Pointer', className: '_User', objectId: vera.userId };
        for (const where of [
          { userId: pointer },
          { installationId: 'veras' },
          { installationId: { $regex: '^v' } },
          { 'metadata.tour': { $exists: false } },
          { metadata: {} },
          { $or: [{ channels: 'v' }, { $nor: [{ userId: pointer }] }] },
        ]) {
          const asked = `/apps/${site.app.appId}/reach?where=${encodeURIComponent(JSON.stringify(where))}`;
          refused(await editor.send({ method: 'GET', url: asked }), 400);
          const answer = await push(editor, where);
          refused(answer, 400);
          nothingOf(answer, vera.userId, scene.phone);
        }
        assert.equal((await push(editor, { channels: 'nobody' })).status, 200);
        assert.equal((await push(manager, { userId: { ...pointer, objectId: 'nobody' } })).status, 200);
      });

      test('nor by changing a push that waits, but one of a manager keeps its audience when she corrects it', async () => {
        const sendAt = new Date(site.now + 3_600_000).toISOString();
        const where = { 'metadata.tour': 3 };
        const made = await push(manager, where, { sendAt });
        const url = `${at()}/${String(made.headers['location']).split('/').at(-1)}`;
        const change = (of: object) => editor.send({ method: 'PUT', url, body: { data, where: of, sendAt } });
        refused(await change({ 'metadata.tour': 4 }), 400);
        const same = await change(where);
        assert.equal(same.status, 200, same.raw.toString());
        await editor.send({ method: 'POST', url: `${url}/cancel` });
      });
    });

    describe('by reporting and asking', () => {
      const secret = 'v'.repeat(43);
      let keys = 0;
      const keyWith = async (...scopes: readonly { resource: string; verbs: readonly string[] }[]) => {
        const made = await site.app.app.secretKeys.create(
          site.app.appId,
          { name: `Key ${++keys}`, scopes },
          commandLine,
        );
        return { 'x-service-appkey': made.secretKey };
      };
      const ask = async (path: string, body: object, headers: Readonly<Record<string, string>>) => {
        const answer = await site.app.send({ method: 'POST', url: `/api/v2/${path}`, headers, body });
        assert.equal(answer.status, 200, answer.raw.toString());
        return answer.body.result;
      };
      const reporting = { resource: 'sightings', verbs: ['create'] };
      const rehearsing = { resource: 'simulations', verbs: ['create'] };
      const reading = { resource: 'events', verbs: ['list'] };
      const hers = () => ({ ...vera.headers, 'installation-secret': secret });
      beforeAll(async () => {
        site.app.clock.now += 3_600_000;
        await site.app.app.ticker.tick();
        const body = { installationId: 'veras', sightings: [site.decided('ENTER')] };
        assert.equal((await ask('sightings', body, hers())).events.length, 1, 'she is there');
      });

      test('a key that only reports sightings is not told where somebody is', async () => {
        const near = () => {
          site.app.clock.now += 60_000;
          return { installationId: 'veras', sightings: walk(stay(1, 20), site.now) };
        };
        const blind = await keyWith(reporting);
        const nothing = { installationId: 'veras', sightings: [] };
        for (const body of [nothing, near()]) {
          const { events, messages, nearest } = await ask('sightings', body, blind);
          assert.deepEqual([events, messages, nearest], [[], [], undefined]);
        }
        const seeing = await ask('sightings', near(), await keyWith(reporting, reading));
        assert.equal(seeing.nearest.length, 1, 'with the right to read events it is');
      });

      test('nor does it learn it by an EXIT that it makes up, or by an ENTER that does not come', async () => {
        const ofVenue = { resource: 'events', verbs: ['list'], venues: [scene.venue] };
        for (const blind of [await keyWith(reporting), await keyWith(reporting, ofVenue)]) {
          for (const event of ['EXIT', 'ENTER', 'EXIT'] as const) {
            site.app.clock.now += 60_000;
            const body = { installationId: 'veras', sightings: [site.decided(event)] };
            const told = { received: 1, duplicates: 0, events: [], messages: [], problems: [] };
            assert.deepEqual(await ask('sightings', body, blind), told, event);
            assert.deepEqual(await ask('sightings', body, blind), told, `${event} again`);
          }
          site.app.clock.now += 60_000;
          const back = await ask('sightings', { installationId: 'veras', sightings: [site.decided('ENTER')] }, hers());
          assert.equal(back.events.length, 1, 'what it reports counts, and her phone is told what follows');
        }
      });

      test('nor where a phone is that belongs to nobody and has a secret, unless it shows that', async () => {
        const phone = { installationId: 'nobodys', deviceType: 'ios' };
        const shown = { 'installation-secret': 'n'.repeat(43) };
        const made = await site.app.send({ method: 'POST', url: '/api/v2/installations', headers: shown, body: phone });
        assert.equal(made.status, 201);
        const blind = await keyWith(reporting);
        const body = () => {
          site.app.clock.now += 60_000;
          return { installationId: 'nobodys', sightings: [site.decided('ENTER')] };
        };
        assert.deepEqual((await ask('sightings', body(), blind)).events, []);
        site.app.clock.now += 600_000;
        const exit = { ...body(), sightings: [site.decided('EXIT')] };
        assert.equal((await ask('sightings', exit, { ...blind, ...shown })).events.length, 1);
      });

      test('nor whoever has seen the objectId of a phone from before an app required secrets', async () => {
        const objectId = await site.installation({ installationId: 'from-before' });
        const told = async (installationId: string) => {
          site.app.clock.now += 600_000;
          await ask('sightings', { installationId, sightings: [site.decided('ENTER')] }, {});
          site.app.clock.now += 60_000;
          return (await ask('sightings', { installationId, sightings: [site.decided('EXIT')] }, {})).events.length;
        };
        assert.deepEqual([await told(objectId), await told('from-before')], [1, 1], 'either names it');
        const require = (installationProof: 'required' | 'offered') =>
          site.app.app.apps.change(site.app.appId, { policy: { installationProof } });
        await require('required');
        try {
          assert.deepEqual([await told(objectId), await told('from-before')], [0, 1]);
          const gate = { deviceType: 'embedded', pushType: 'mqtt', deviceToken: 'gates/new' };
          for (const body of [gate, { ...gate, installationId: 'new-gate' }])
            refused(await site.app.send({ method: 'POST', url: '/api/v2/installations', body }), 400);
        } finally {
          await require('offered');
        }
      });

      test('nor does somebody who has heard a tag, and reports it as a gateway with the app key', async () => {
        const metadata = { advertisedId: 'AA:BB:CC:00:11:44' };
        const tagged = await site.installation({ installationId: 'tagged', metadata });
        const room = await site.beacon({ minor: 44, metadata: { gatewayId: 'room-44' } });
        const heard = () => {
          site.app.clock.now += 60_000;
          const times = [4, 3, 2, 1].map((n) => site.now - n * 1000);
          return {
            gateway: 'room-44',
            sightings: times.map((occurredAt) => ({ id: 'aabbcc001144', rssi: -50, occurredAt })),
          };
        };
        const told = await ask('sightings', heard(), {});
        assert.deepEqual([told.events, told.messages, told.nearest, told.problems], [[], [], undefined, []]);
        const { results } = (await site.ask({ method: 'GET', url: '/api/v2/visits?order=-createdAt&limit=1' })).body;
        assert.deepEqual(
          [results[0].installationId.objectId, results[0].beaconId.objectId],
          [tagged, room],
          'it counts all the same',
        );
        const seeing = await ask('sightings', heard(), await keyWith(reporting, reading));
        assert.equal(seeing.nearest.length, 1);
      });

      test('nor is one that only asks what would happen, and continues with what is stored', async () => {
        const body = { installationId: 'veras', sightings: [site.decided('EXIT')], continues: true };
        const blind = await ask('simulations', body, await keyWith(rehearsing));
        assert.deepEqual([blind.events, blind.verdicts, blind.messages, blind.nearest], [[], [], [], []]);
        const seeing = await ask('simulations', body, await keyWith(rehearsing, reading));
        assert.equal(seeing.events.length, 1, 'with the right to read events it is told that she was there');
      });
    });

    test('who may upload no files uploads none as a photograph of a beacon', async () => {
      const own = { create: 'user', update: 'owner', get: 'user', list: 'user' } as const;
      const resources = { beacons: own, files: { create: 'nobody' } } as const;
      await site.app.app.apps.changeRules(site.app.appId, { resources });
      const hers = await create(
        site.app,
        '/api/v2/beacons',
        { name: 'Hers', uuid, major: 5, minor: 5 },
        mallory.headers,
      );
      const url = `/api/v2/beacons/${hers}/photo`;
      const body = png(8, 8, () => [1, 2, 3]);
      const type = { 'content-type': 'image/png' };
      refused(await send('POST', url, body, type), 403);
      const scopes = [{ resource: 'beacons', verbs: ['update'] }] as const;
      const key = await site.app.app.secretKeys.create(site.app.appId, { name: 'Round', scopes }, commandLine);
      const headers = { ...type, 'x-service-appkey': key.secretKey };
      refused(await site.app.send({ method: 'POST', url, headers, body }), 403);
      await site.app.app.apps.changeRules(site.app.appId, {
        resources: { ...resources, files: { create: 'manager' } },
      });
      refused(await send('POST', url, body, type), 403);
      assert.equal((await site.app.send({ method: 'POST', url, headers, body })).status, 201);
      const installer = await openConsole(site.app, 'installer');
      const inConsole = {
        method: 'POST',
        url: url.replace('/api', `/apps/${site.app.appId}`),
        headers: type,
        body,
      } as const;
      assert.equal((await installer.send(inConsole)).status, 201, 'in the console the role decides');
      await site.app.app.apps.changeRules(site.app.appId, {});
      const anna = await signIn(site.app);
      assert.equal(
        (await site.app.send({ method: 'POST', url, headers: { ...type, ...anna.headers }, body })).status,
        201,
      );
    });
  });
}
