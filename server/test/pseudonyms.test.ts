import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commandLine } from '../src/access/audit.ts';
import { type ScopeResource, scopeVerbs } from '../src/access/keys/scopes.ts';
import type { AdminRole } from '../src/access/roles.ts';
import { type ResourceName, ruledResources } from '../src/access/rules/presets.ts';
import type { StoredRules, Verb } from '../src/access/rules/rule-types.ts';
import { visitIdOf } from '../src/proximity/index.ts';
import { type Answer, databases, type SentRequest, type SignedIn, signIn } from './support/build-app.ts';
import { openConsole } from './support/console.ts';
import { type EventStream, openStream } from './support/event-stream.ts';
import { absent, isList, pathWith } from './support/everything.ts';
import { openSite, pointer, type Site, stay, walk } from './support/site.ts';
import { listen } from './support/socket.ts';
import { startReceiver, type WebhookReceiver } from './support/webhook-receiver.ts';

/**
 * Two days of three phones in an app whose pseudonyms change daily: whatever anybody can get, by every endpoint that there is,
 * names no phone and no user of others beside the resources that are about them, and joins nothing of the one day with the other.
 */

const hour = 3_600_000;
const day = 24 * hour;

interface Phone {
  readonly client: string;
  readonly objectId: string;
}

interface Trace {
  readonly objectId: string;
  readonly installationId: { readonly objectId: string };
}

interface Caller {
  readonly who: string;
  readonly own: readonly string[];
  send(request: SentRequest): Promise<Answer>;
  /** Below `/api/v2`. */
  at(path: string): string;
}

/** What is about phones and people themselves, and managers may read it; the second half of these tests is about others. */
const aboutPhones = new Set(['Installations', 'Users', 'Privacy', 'Account', 'Identities']);

for (const database of databases) {
  describe(`pseudonyms that change daily on ${database}`, () => {
    let site: Site;
    let receiver: WebhookReceiver;
    let anna: SignedIn;
    let ben: SignedIn;
    let phones: readonly Phone[];
    let callers: readonly Caller[];
    let streams: readonly { readonly who: string; readonly own: readonly string[]; readonly stream: EventStream }[];
    /** By caller, what she was told on each day: list by list, without what was there before. */
    const told: Map<string, string>[] = [new Map(), new Map()];
    const heard: number[] = [];
    const calls: number[] = [];

    before(async () => {
      site = await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
      const { app } = site;
      receiver = await startReceiver();
      // Ten in the morning, whenever this runs.
      app.clock.now = Math.ceil(app.clock.now / day) * day + 10 * hour;
      const policy = {
        pseudonyms: 'daily',
        oneZone: true,
        rateLimit: { enabled: false, perSecond: 1, burst: 1 },
      };
      await app.app.apps.change(app.appId, { policy });
      await app.app.apps.changeRules(app.appId, { resources: openToUsers() });
      app.clock.now += 60_000;
      anna = await signIn(app);
      ben = await signIn(app);
      await site.notification();
      await site.notification({ delivery: { coolDownSeconds: 2 * 86_400 } });
      await site.notification({ delivery: { nthVisit: { n: 2, mode: 'from' } } });
      phones = await Promise.all(['anna', 'ben', 'nobody'].map(register));
      const hook = { url: receiver.url, events: webhookEvents };
      const owner = await openConsole(app, 'owner');
      const made = await owner.send({ method: 'POST', url: `/apps/${app.appId}/webhooks`, body: hook });
      assert.equal(made.status, 201, made.raw.toString());
      callers = await everybody();
      streams = await listeners();
      for (const place of [0, 1]) {
        const since = site.now;
        await drive(place);
        for (const caller of callers) told[place]?.set(caller.who, await everythingFor(caller, since));
        heard.push(...[streams[0]?.stream.events.length ?? 0]);
        calls.push(receiver.calls.length);
        app.clock.now += day;
      }
    });
    after(async () => {
      for (const { stream } of streams ?? []) stream.close();
      await site.close();
      await receiver.close();
    });

    const openToUsers = () =>
      Object.fromEntries(
        (Object.entries(ruledResources) as [ResourceName, (typeof ruledResources)[ResourceName]][])
          .filter(([name]) => name !== 'installations' && name !== 'users')
          .map(([name, { verbs }]) => [
            name,
            Object.fromEntries(
              Object.entries(verbs)
                .filter(([verb, words]) => (words as readonly string[]).includes('user') && verb !== 'create')
                .map(([verb]) => [verb, 'user']),
            ),
          ]),
      ) as Record<string, StoredRules>;

    const webhookEvents = [
      'presence.enter',
      'presence.exit',
      'presence.zone',
      'visit.opened',
      'visit.closed',
      'visit.updated',
      'message.fired',
      'message.verdict',
      'push.finished',
    ];

    async function register(name: string): Promise<Phone> {
      const client = `client-of-${name}`;
      const headers = { anna: anna.headers, ben: ben.headers }[name] ?? {};
      const body = {
        installationId: client,
        deviceType: 'android',
        deviceToken: `token of ${name}`,
        channels: ['all'],
      };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/installations', headers, body });
      assert.equal(answer.status, 201, answer.raw.toString());
      return { client, objectId: answer.body.result.objectId };
    }

    async function everybody(): Promise<readonly Caller[]> {
      const { app } = site;
      const scopes = (Object.entries(scopeVerbs) as [ScopeResource, readonly Verb[]][]).map(([resource, verbs]) => ({
        resource,
        verbs: [...verbs],
      }));
      const key = await app.app.secretKeys.create(app.appId, { name: 'Everything', scopes }, commandLine);
      const by = (who: string, headers: Readonly<Record<string, string>>, own: readonly string[] = []): Caller => ({
        who,
        own,
        send: (request) => app.send({ ...request, headers: { ...headers, ...request.headers } }),
        at: (path) => `/api/v2${path}`,
      });
      const administrators = (['owner', 'manager', 'editor', 'analyst', 'installer'] as AdminRole[]).map(
        async (role): Promise<Caller> => {
          const browser = await openConsole(app, role);
          return {
            who: `${role} in the console`,
            own: [],
            send: browser.send,
            at: (path) => `/apps/${app.appId}/v2${path}`,
          };
        },
      );
      return [
        by('the app key', {}),
        by('Ben', ben.headers, [ben.userId, phones[1]?.objectId ?? '', phones[1]?.client ?? '']),
        by('a manager', site.user.headers, [site.user.userId]),
        by('a secret key', { 'x-service-appkey': key.secretKey }),
        ...(await Promise.all(administrators)),
      ];
    }

    async function listeners() {
      const port = await listen(site.app);
      const kinds = 'presence.enter,presence.exit,visit.opened,visit.closed,message.fired,position.changed';
      const open = async (who: string, headers: Readonly<Record<string, string>>, own: readonly string[]) => {
        const all = { ...site.app.credentials, ...headers };
        const stream = await openStream(port, `/api/v2/stream?kinds=${kinds}`, all);
        await stream.ready;
        return { who, own, stream };
      };
      const key = callers.find(({ who }) => who === 'a secret key');
      assert.ok(key);
      return Promise.all([
        open('a manager', site.user.headers, []),
        open('Ben', ben.headers, [ben.userId, phones[1]?.objectId ?? '']),
      ]);
    }

    /** Every phone walks in, stays, is shown messages, says so, leaves, and writes a log record of its own. */
    async function drive(place: number): Promise<void> {
      for (const [index, { client, objectId }] of phones.entries()) {
        // Each at another time of day, and at another one on the second day.
        site.app.clock.now += (7 * index + 11 * place + 3) * 61_000;
        const answer = await site.send(walk(stay(1, 40), site.now), { installationId: client });
        site.app.clock.now += 41_000;
        const { deliveryId } = answer.messages[0] ?? {};
        if (deliveryId) {
          const body = { installationId: client, receipts: [{ deliveryId, event: 'opened' }] };
          await site.app.send({ method: 'POST', url: '/api/v2/receipts', body });
        }
        await site.app.app.idle();
        site.app.clock.now += 600_000;
        await site.app.app.ticker.tick();
        for (const event of ['ENTER', 'EXIT']) {
          const log = {
            event,
            moduleType: 'PRESENCE',
            beaconId: pointer('Beacon', site.hall),
            installationId: pointer('_Installation', objectId),
          };
          assert.equal((await site.app.send({ method: 'POST', url: '/api/v2/logs', body: log })).status, 201);
          site.app.clock.now += 60_000;
        }
        site.app.clock.now += 60_000;
      }
      const push = { where: { channels: 'all' }, data: { title: 'Hello' } };
      assert.ok((await site.ask({ method: 'POST', url: '/api/v2/push/notification', body: push })).status < 300);
      // What is not posted by now would expire with the day.
      for (let tries = 0; tries < 60; tries++) {
        await site.app.app.idle();
        if (!(await site.rows('webhook_deliveries')).some(({ state }) => state === 'queued')) break;
        site.app.clock.now += 1_000;
      }
    }

    /** Every list, every record of them by its id, and what is told without an id, as one text. */
    async function everythingFor(caller: Caller, since: number): Promise<string> {
      const texts: string[] = [];
      for (const endpoint of site.app.app.endpoints) {
        if (endpoint.method !== 'GET' || endpoint.answer.type !== undefined || aboutPhones.has(endpoint.tag.name))
          continue;
        const path = pathWith(endpoint, { storyline: absent });
        if (path.includes(absent)) continue;
        const url = caller.at(path) + (isList(endpoint) ? '?limit=1000' : '');
        const answer = await caller.send({ method: 'GET', url });
        if (answer.status !== 200) continue;
        const results: { objectId?: string; createdAt?: string; updatedAt?: string }[] = answer.body.results ?? [];
        const fresh = results.filter(({ createdAt, updatedAt }) => Date.parse(createdAt ?? updatedAt ?? '') >= since);
        texts.push(`${path} ${isList(endpoint) ? JSON.stringify(fresh) : answer.raw}`);
        for (const { objectId } of isTrace(path) ? fresh.slice(0, 4) : []) {
          const one = await caller.send({ method: 'GET', url: `${caller.at(path)}/${objectId}` });
          if (one.status === 200) assert.equal(one.headers['etag'] !== undefined, isOwn(one.body.result, caller), path);
          texts.push(`${path}/${objectId} ${one.raw}`);
        }
      }
      return texts.join('\n');
    }

    const isTrace = (path: string) =>
      ['/visits', '/events', '/verdicts', '/positions', '/deliveries', '/logs'].includes(path);
    const isOwn = (record: { installationId?: { objectId: string } }, { own }: Caller) =>
      own.includes(record.installationId?.objectId ?? '?');

    const secrets = (own: readonly string[] = []) =>
      [...phones.flatMap(({ client, objectId }) => [client, objectId]), anna.userId, ben.userId].filter(
        (id) => !own.includes(id),
      );
    const namesNobody = (text: string, own: readonly string[], what: string) => {
      const ids = secrets(own);
      const telling = text.split('\n').filter((line) => ids.some((id) => line.includes(id)));
      assert.deepEqual(telling, [], what);
    };

    /** Texts that could name something: what is made of letters and digits alone, and no word. */
    function namesIn(text: string): Set<string> {
      const all = text.match(/"[0-9A-Za-z_-]{12,}"/g) ?? [];
      return new Set(all.filter((one) => /\d/.test(one)).map((one) => one.slice(1, -1)));
    }

    /** What is there on both days, because the app has it: beacons, messages, who wrote them. */
    async function constants(): Promise<ReadonlySet<string>> {
      const made = [site.hall, site.user.userId, site.app.appId, ...(await site.list('notifications')).map(idOf)];
      return new Set(made);
    }
    const idOf = ({ objectId }: { objectId: string }) => objectId;

    test('no list and no record names a phone or a user of others, to nobody', () => {
      for (const texts of told) for (const { who, own } of callers) namesNobody(texts.get(who) ?? '', own, who);
    });

    test('whoever sees traces sees who is the same on one day, and nothing that is the same on both', async () => {
      const known = await constants();
      for (const { who, own } of callers) {
        const [first, second] = told.map((texts) => namesIn(texts.get(who) ?? ''));
        assert.ok(first && second);
        const both = [...first].filter((name) => second.has(name) && !known.has(name) && !own.includes(name));
        const lines = (text = '') => text.split('\n').filter((line) => both.some((name) => line.includes(name)));
        assert.deepEqual(lines(told[1]?.get(who)), [], who);
      }
      for (const { objectId: place } of [{ objectId: 0 }, { objectId: 1 }]) {
        const text = told[place]?.get('a manager') ?? '';
        const names = [...text.matchAll(/"_Installation","objectId":"([^"]*)"/g)].map(([, name]) => name);
        assert.equal(new Set(names).size, phones.length, `day ${place}: one name for each phone`);
        assert.ok(names.length > 2 * phones.length);
      }
    });

    test('streams and webhooks tell the same names as lists, and so do calls that are listed', async () => {
      const names = (text: string) =>
        new Set([...text.matchAll(/"_Installation","objectId":"([^"]*)"/g)].map(([, name]) => name));
      for (const { who, own, stream } of streams) namesNobody(JSON.stringify(stream.events), own, `stream of ${who}`);
      const streamed = JSON.stringify(streams[0]?.stream.events);
      assert.ok(streamed.includes('position.changed') && streamed.includes('message.fired'), streamed);
      const posted = receiver.calls.map(({ body }) => body).join('\n');
      namesNobody(posted, [], 'webhooks');
      const listed = names(told.map((texts) => texts.get('a manager')).join('\n'));
      for (const name of [...names(streamed), ...names(posted)]) assert.ok(listed.has(name), name);
      assert.equal(names(posted).size, 2 * phones.length, posted);
    });

    test('who looks at her own sees the ids, and others under pseudonyms beside them', async () => {
      const { body } = await site.app.send({ method: 'GET', url: '/api/v2/visits?limit=1000', headers: ben.headers });
      const ids: string[] = body.results.map(
        (one: { installationId: { objectId: string } }) => one.installationId.objectId,
      );
      assert.ok(ids.includes(phones[1]?.objectId ?? ''));
      assert.ok(new Set(ids).size > 3);
      const where = JSON.stringify({ installationId: pointer('_Installation', phones[1]?.objectId ?? '') });
      const own = await site.app.send({
        method: 'GET',
        url: `/api/v2/visits?count=1&where=${encodeURIComponent(where)}`,
        headers: ben.headers,
      });
      assert.equal(own.body.count, ids.filter((id) => id === phones[1]?.objectId).length);
    });

    test('a question by a pseudonym finds its day, and every other question about the phone is refused', async () => {
      const ask = (path: string, query: Record<string, string>) =>
        site.ask({ method: 'GET', url: `/api/v2/${path}?${new URLSearchParams(query)}` });
      const visits = await site.list('visits', { limit: '1000' });
      const all = Map.groupBy(visits, (one: Trace) => one.installationId.objectId);
      for (const [name, of] of all) {
        const phone = pointer('_Installation', String(name));
        for (const where of [{ installationId: phone }, { $or: [{ installationId: { $in: [phone] } }] }]) {
          const { body } = await ask('visits', { where: JSON.stringify(where), count: '1' });
          assert.deepEqual(body.results.map(idOf).sort(), of.map(idOf).sort());
          assert.equal(body.count, of.length);
        }
        const not = await ask('visits', { where: JSON.stringify({ $nor: [{ installationId: phone }] }), count: '1' });
        assert.equal(not.body.count, visits.length - of.length);
      }
      const [{ objectId }] = phones as [Phone];
      const id = pointer('_Installation', objectId);
      for (const path of ['visits', 'events', 'verdicts', 'positions', 'logs', 'deliveries']) {
        const { body } = await ask(path, { where: JSON.stringify({ installationId: id }), count: '1' });
        assert.equal(body.count, 0, `${path}: the id itself finds nothing`);
        for (const operator of [{ $ne: id }, { $nin: [id] }, { $exists: true }, { $in: [null] }]) {
          const refused = await ask(path, { where: JSON.stringify({ installationId: operator }) });
          assert.deepEqual([refused.status, refused.body.code], [400, 102], `${path} ${JSON.stringify(operator)}`);
        }
        const ordered = await ask(path, { order: 'installationId' });
        assert.deepEqual([ordered.status, ordered.body.code], [400, 102], path);
      }
      const said = await ask('verdicts', { where: JSON.stringify({ text: { $regex: 'visit 2' } }) });
      assert.deepEqual([said.status, said.body.code], [400, 102]);
      assert.equal((await ask('positions', { order: 'objectId' })).body.code, 102);
      assert.equal((await ask(`positions/${objectId}`, {})).status, 404);
    });

    test('ids of visits and messages cannot be found by trying the ids of phones', async () => {
      for (const { objectId, enteredAt, beaconId } of await site.list('visits', { limit: '1000' })) {
        const start = Date.parse(enteredAt);
        for (const phone of phones)
          for (let at = start; at <= start + 60_000; at += 1000)
            assert.notEqual(visitIdOf(phone.objectId, beaconId.objectId, at), objectId);
      }
    });

    test('rules cannot single out a phone, and what a phone senses and hears is asked by its pseudonym alone', async () => {
      const { app } = site;
      const [{ objectId }] = phones as [Phone];
      const where = { $or: [{ installationId: pointer('_Installation', objectId) }] };
      const refused = await app.app.apps.changeRules(app.appId, { resources: { visits: { list: where } } }).then(
        () => '',
        (error: Error) => error.message,
      );
      assert.match(refused, /resources\.visits cannot name a phone/);
      const manager = await openConsole(app, 'manager');
      const editor = await openConsole(app, 'editor');
      const heardBy = (installation: string) => {
        const query = new URLSearchParams({ installation, since: new Date(site.now - 60_000).toISOString() });
        return manager.send({ method: 'GET', url: `/apps/${app.appId}/beacons/${site.hall}/heard?${query}` });
      };
      assert.deepEqual([(await heardBy(objectId)).status, (await heardBy(objectId)).body.code], [404, 101]);
      const hearing = `/apps/${app.appId}/hearing?installationId=${objectId}`;
      assert.equal((await manager.send({ method: 'GET', url: hearing })).status, 403);
      const list = `/apps/${app.appId}/v2/installations`;
      assert.equal((await manager.send({ method: 'GET', url: list })).body.results.length, phones.length + 1);
      assert.equal((await editor.send({ method: 'GET', url: list })).status, 403);
      assert.equal(
        (await editor.send({ method: 'GET', url: `${list}?count=1&limit=0` })).body.count,
        phones.length + 1,
      );
      const since = JSON.stringify({ updatedAt: { $gte: new Date(site.now).toISOString() } });
      const asked = await editor.send({
        method: 'GET',
        url: `${list}?count=1&limit=0&where=${encodeURIComponent(since)}`,
      });
      assert.equal(asked.body.code, 102);
    });

    test('log lines name no phone', () => {
      // The line of a request to the console that asked for one is the administrator's.
      namesNobody(site.app.log.filter((line) => !line.includes('/hearing')).join('\n'), [], 'the log of the service');
    });

    test('what was recorded stays so when the switch is turned off, and what comes is named by ids again', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { pseudonyms: 'none' } });
      site.app.clock.now += 60_000;
      const { client, objectId } = phones[2] as Phone;
      await site.send(walk(stay(1, 40), site.now), { installationId: client });
      const visits: readonly { readonly installationId: { readonly objectId: string } }[] = await site.list('visits', {
        limit: '1000',
      });
      const plain = visits.filter(({ installationId }) => installationId.objectId === objectId);
      assert.equal(plain.length, 1);
      const where = JSON.stringify({ installationId: pointer('_Installation', objectId) });
      assert.equal((await site.list('visits', { where })).length, 1);
      assert.equal(new Set(visits.map(({ installationId }) => installationId.objectId)).size, 2 * phones.length + 1);
    });
  });
}
