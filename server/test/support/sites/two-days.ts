import assert from 'node:assert/strict';
import { commandLine } from '../../../src/access/audit.ts';
import { type ScopeResource, scopeVerbs } from '../../../src/access/keys/scopes.ts';
import type { AdminRole } from '../../../src/access/roles.ts';
import { type ResourceName, ruledResources } from '../../../src/access/rules/presets.ts';
import type { StoredRules, Verb } from '../../../src/access/rules/rule-types.ts';
import { type Answer, type DatabaseKind, type SentRequest, type SignedIn, signIn } from '../build-app.ts';
import { openConsole } from '../console.ts';
import { type EventStream, openStream } from '../event-stream.ts';
import { absent, isList, pathWith } from '../interface/everything.ts';
import { startReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { openSite, pointer, type Site, stay, walk } from '../site.ts';
import { listen } from '../socket.ts';

/** Two days of three phones in an app whose pseudonyms change daily, and what everybody was told on each. */

const hour = 3_600_000;
const day = 24 * hour;

export interface Phone {
  readonly client: string;
  readonly objectId: string;
}

interface Caller {
  readonly who: string;
  readonly own: readonly string[];
  send(request: SentRequest): Promise<Answer>;
  /** Below `/api/v2`. */
  at(path: string): string;
}

/** What is about phones and people themselves, and managers may read it. */
const aboutPhones = new Set(['Installations', 'Users', 'Privacy', 'Account', 'Identities']);

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

const isTrace = (path: string) =>
  ['/visits', '/events', '/verdicts', '/positions', '/deliveries', '/logs'].includes(path);
const isOwn = (record: { installationId?: { objectId: string } }, { own }: Caller) =>
  own.includes(record.installationId?.objectId ?? '?');

export class TwoDays {
  readonly site: Site;
  readonly receiver: WebhookReceiver;
  readonly ben: SignedIn;
  readonly #anna: SignedIn;
  /** Anna's, Ben's and one of nobody's. */
  phones: readonly Phone[] = [];
  callers: readonly Caller[] = [];
  streams: readonly { readonly who: string; readonly own: readonly string[]; readonly stream: EventStream }[] = [];
  /** By caller, what she was told on each day: list by list, without what was there before. */
  readonly told: readonly Map<string, string>[] = [new Map(), new Map()];

  constructor({ site, receiver }: Pick<TwoDays, 'site' | 'receiver'>, { anna, ben }: Record<'anna' | 'ben', SignedIn>) {
    this.site = site;
    this.receiver = receiver;
    this.#anna = anna;
    this.ben = ben;
  }

  async close(): Promise<void> {
    for (const { stream } of this.streams) stream.close();
    await this.site.close();
    await this.receiver.close();
  }

  /** Until the second day is over. */
  async pass(): Promise<void> {
    const { site, receiver } = this;
    const { app } = site;
    this.phones = await Promise.all(['anna', 'ben', 'nobody'].map((name) => this.#register(name)));
    const hook = { url: receiver.url, events: webhookEvents };
    const owner = await openConsole(app, 'owner');
    const made = await owner.send({ method: 'POST', url: `/apps/${app.appId}/webhooks`, body: hook });
    assert.equal(made.status, 201, made.raw.toString());
    this.callers = await this.#everybody();
    this.streams = await this.#listeners();
    for (const place of [0, 1]) {
      const since = site.now;
      await this.#drive(place);
      for (const caller of this.callers) this.told[place]?.set(caller.who, await this.#everythingFor(caller, since));
      app.clock.now += day;
    }
  }

  async #register(name: string): Promise<Phone> {
    const client = `client-of-${name}`;
    const headers = { anna: this.#anna.headers, ben: this.ben.headers }[name] ?? {};
    const body = {
      installationId: client,
      deviceType: 'android',
      deviceToken: `token of ${name}`,
      channels: ['all'],
    };
    const answer = await this.site.app.send({ method: 'POST', url: '/api/v2/installations', headers, body });
    assert.equal(answer.status, 201, answer.raw.toString());
    return { client, objectId: answer.body.result.objectId };
  }

  async #everybody(): Promise<readonly Caller[]> {
    const { app } = this.site;
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
      by('Ben', this.ben.headers, [this.ben.userId, this.phones[1]?.objectId ?? '', this.phones[1]?.client ?? '']),
      by('a manager', this.site.user.headers, [this.site.user.userId]),
      by('a secret key', { 'x-service-appkey': key.secretKey }),
      ...(await Promise.all(administrators)),
    ];
  }

  async #listeners() {
    const port = await listen(this.site.app);
    const kinds = 'presence.enter,presence.exit,visit.opened,visit.closed,message.fired,position.changed';
    const open = async (who: string, headers: Readonly<Record<string, string>>, own: readonly string[]) => {
      const all = { ...this.site.app.credentials, ...headers };
      const stream = await openStream(port, `/api/v2/stream?kinds=${kinds}`, all);
      await stream.ready;
      return { who, own, stream };
    };
    const key = this.callers.find(({ who }) => who === 'a secret key');
    assert.ok(key);
    return Promise.all([
      open('a manager', this.site.user.headers, []),
      open('Ben', this.ben.headers, [this.ben.userId, this.phones[1]?.objectId ?? '']),
    ]);
  }

  /** Every phone walks in, stays, is shown messages, says so, leaves, and writes a log record of its own. */
  async #drive(place: number): Promise<void> {
    for (const [index, { client, objectId }] of this.phones.entries()) {
      // Each at another time of day, and at another one on the second day.
      this.site.app.clock.now += (7 * index + 11 * place + 3) * 61_000;
      const answer = await this.site.send(walk(stay(1, 40), this.site.now), { installationId: client });
      this.site.app.clock.now += 41_000;
      const { deliveryId } = answer.messages[0] ?? {};
      if (deliveryId) {
        const body = { installationId: client, receipts: [{ deliveryId, event: 'opened' }] };
        await this.site.app.send({ method: 'POST', url: '/api/v2/receipts', body });
      }
      await this.site.app.app.idle();
      this.site.app.clock.now += 600_000;
      await this.site.app.app.ticker.tick();
      for (const event of ['ENTER', 'EXIT']) {
        const log = {
          event,
          moduleType: 'PRESENCE',
          beaconId: pointer('Beacon', this.site.hall),
          installationId: pointer('_Installation', objectId),
        };
        assert.equal((await this.site.app.send({ method: 'POST', url: '/api/v2/logs', body: log })).status, 201);
        this.site.app.clock.now += 60_000;
      }
      this.site.app.clock.now += 60_000;
    }
    const push = { where: { channels: 'all' }, data: { title: 'Hello' } };
    assert.ok((await this.site.ask({ method: 'POST', url: '/api/v2/push/notification', body: push })).status < 300);
    // What is not posted by now would expire with the day.
    for (;;) {
      await this.site.app.app.idle();
      if (!(await this.site.rows('webhook_deliveries')).some(({ state }) => state === 'queued')) break;
      this.site.app.clock.now += 1_000;
    }
  }

  /** Every list, every record of them by its id, and what is told without an id, as one text. */
  async #everythingFor(caller: Caller, since: number): Promise<string> {
    const texts: string[] = [];
    for (const endpoint of this.site.app.app.endpoints) {
      if (endpoint.method !== 'GET' || endpoint.answer.type !== undefined || aboutPhones.has(endpoint.tag.name))
        continue;
      // It describes the interface, with examples.
      if (endpoint.operationId === 'getDocument') continue;
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

  /** The ids of the phones and users, without somebody's own. */
  #secrets(own: readonly string[]): readonly string[] {
    const ids = this.phones.flatMap(({ client, objectId }) => [client, objectId]);
    return [...ids, this.#anna.userId, this.ben.userId].filter((id) => !own.includes(id));
  }

  assertNamesNobody(text: string, own: readonly string[], what: string): void {
    const ids = this.#secrets(own);
    const telling = text.split('\n').filter((line) => ids.some((id) => line.includes(id)));
    assert.deepEqual(telling, [], what);
  }
}

export async function openTwoDays(database: DatabaseKind): Promise<TwoDays> {
  const site = await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
  const { app } = site;
  const receiver = await startReceiver();
  // Ten in the morning, whenever this runs.
  app.clock.now = Math.ceil(app.clock.now / day) * day + 10 * hour;
  const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
  await app.app.apps.change(app.appId, { policy: { pseudonyms: 'daily', oneZone: true, rateLimit } });
  await app.app.apps.changeRules(app.appId, { resources: openToUsers() });
  app.clock.now += 60_000;
  const [anna, ben] = [await signIn(app), await signIn(app)];
  await site.notification();
  await site.notification({ delivery: { coolDownSeconds: 2 * 86_400 } });
  await site.notification({ delivery: { nthVisit: { n: 2, mode: 'from' } } });
  const days = new TwoDays({ site, receiver }, { anna, ben });
  await days.pass();
  return days;
}
