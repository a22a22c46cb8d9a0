import assert from 'node:assert/strict';
import { commandLine } from '../../../src/access/audit.ts';
import { type Answer, type databases, otherApp, type SentRequest, type SignedIn, signIn } from '../build-app.ts';
import { create } from '../cases.ts';
import { openSite, pointer, type Site, stay, uuid, walk } from '../site.ts';

/**
 * What attempts of somebody who is signed in and means harm have in common: Mallory is an ordinary user, Vera a visitor with a phone,
 * an account and records of her own.
 */

export const birds = '/api/v2/data/bucket/birds';
export const phones = '/api/v2/installations';
export const absent = '0000000000000000NONE';
export const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

export interface Scene {
  readonly site: Site;
  readonly vera: SignedIn;
  readonly mallory: SignedIn;
  /** The credentials of another app. */
  readonly strangers: Readonly<Record<string, string>>;
  /** The objectId of Vera's installation, whose installationId is `veras`. */
  readonly phone: string;
  /** The objectId of Mallory's, `mallorys`. */
  readonly own: string;
  /** A record of Vera's in the bucket birds. */
  readonly note: string;
  /** A file of Vera's. */
  readonly file: string;
  readonly beacon: string;
  readonly venue: string;
  /** A secret key that may list beacons. */
  readonly secret: string;
}

export async function openScene(database: (typeof databases)[number]): Promise<Scene> {
  const site = await openSite(database);
  const { app } = site;
  const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
  await app.app.apps.change(app.appId, { policy: { rateLimit } });
  await app.app.buckets.createBucket(app.appId, 'birds');
  const strangers = await otherApp(app);
  const [vera, mallory] = [await signIn(app), await signIn(app)];
  const rules = { list: 'owner', get: 'owner', create: 'user', update: 'owner', delete: 'owner' } as const;
  await app.app.apps.changeRules(app.appId, { buckets: { '*': rules } });
  const as = (who: SignedIn, path: string, body: object, headers = {}) =>
    create(app, path, body, { ...who.headers, ...headers });
  const hers = { installationId: 'veras', deviceType: 'android', deviceToken: 'token of vera', channels: ['v'] };
  const phone = await as(vera, phones, hers, { 'installation-secret': 'v'.repeat(43) });
  const own = await as(mallory, phones, { installationId: 'mallorys', deviceType: 'android', deviceToken: 'mine' });
  const note = await as(vera, birds, { metadata: { species: 'owl', pin: '4711' } });
  const venue = await as(site.user, '/api/v2/venues', { name: 'North' });
  const beacon = await as(site.user, '/api/v2/beacons', {
    ...{ name: 'Door', uuid, major: 1, minor: 9 },
    venueId: pointer('Venue', venue),
  });
  const headers = { ...vera.headers, 'content-type': 'text/plain' };
  const file = (await app.send({ method: 'POST', url: '/api/v2/files/diary.txt', headers, body: 'dear diary' })).body
    .objectId;
  await site.notification();
  await app.send({
    method: 'POST',
    url: '/api/v2/sightings',
    headers: vera.headers,
    body: { installationId: 'veras', sightings: walk(stay(1, 30), site.now) },
  });
  app.clock.now += 600_000;
  await app.app.ticker.tick();
  await app.app.idle();
  const secret = (
    await app.app.secretKeys.create(
      app.appId,
      { name: 'Till', scopes: [{ resource: 'beacons', verbs: ['list'] }] },
      commandLine,
    )
  ).secretKey;
  return { site, vera, mallory, strangers, phone, own, note, file, beacon, venue, secret };
}

/** Requests of Mallory's. */
export function malloryOf(scene: () => Scene) {
  const send = (method: SentRequest['method'], url: string, body?: unknown, headers: object = {}) => {
    const { site, mallory } = scene();
    return site.app.send({
      method,
      url,
      headers: { ...mallory.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };
  const get = (url: string, headers: object = {}) => send('GET', url, undefined, headers);
  const none = async (url: string) => {
    const answer = await get(`${url}${url.includes('?') ? '&' : '?'}count=1`);
    if (answer.status === 200)
      assert.deepEqual(answer.body, { results: [], count: 0 }, `${url}: ${answer.raw.toString()}`);
    else assert.ok([400, 403, 404].includes(answer.status), `${url}: ${answer.raw.toString()}`);
  };
  return { send, get, none };
}

export const nothingOf = (answer: Answer, ...ids: readonly string[]) => {
  for (const id of ids) assert.ok(!answer.raw.includes(id), answer.raw.toString());
};

export const refused = (answer: Answer, ...statuses: readonly number[]) =>
  assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.raw.toString()}`);
