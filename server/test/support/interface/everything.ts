import assert from 'node:assert/strict';
import { apiPrefix } from '../../../src/http/api.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import type { Answer, SentRequest, SignedIn } from '../build-app.ts';
import { create } from '../cases.ts';
import { pointer, type Site, week } from '../site.ts';

/** One record of every kind that an app has, and every way to ask for them, from the endpoints that are routed. */

export const absent = '0000000000000000NONE';
export const herPhone = 'her-phone';

export type Shown = Readonly<Record<string, unknown>> & { readonly objectId?: string };

export interface Found {
  readonly endpoint: Endpoint;
  /** Below `/api/v2`. */
  readonly path: string;
  readonly records: readonly Shown[];
}

export interface Made {
  readonly venue: string;
  readonly beacon: string;
  readonly storyline: string;
}

/** Makes one record of every kind as Anna, or about her phone; the site has a bucket `birds`. */
export async function makeEverything(site: Site, anna: SignedIn): Promise<Made> {
  const { app } = site;
  const make = (path: string, body: unknown, headers = {}) =>
    create(app, `/api/v2${path}`, body, { ...anna.headers, ...headers });
  const polygon = [
    { x: 0, y: 0 },
    { x: 9, y: 0 },
    { x: 9, y: 9 },
  ];
  const venue = await make('/venues', { name: 'Her house' });
  const of = pointer('Venue', venue);
  const floor = await make('/floors', { name: 'Her floor', level: 0, venueId: of });
  await make('/zones', { name: 'Her room', kind: 'room', floorId: pointer('Floor', floor), polygon });
  const beacon = await make('/beacons', { name: 'Her door', uuid: 'her-uuid', major: 7, minor: 7, venueId: of });
  const message = { alertTitle: 'Hers', alertMessage: 'Her words' };
  const about = { description: 'Hers', beaconId: pointer('Beacon', beacon), event: 'ENTER', type: 'TEXT' };
  await make('/notifications', { ...about, message, isEnabled: true });
  const storyline = await make('/storylines', { title: 'Her tour', isEnabled: true });
  const showOn = week.map((dayName) => ({ dayName, checked: true }));
  const scenario = { beacons: [beacon], campaign: 'TEXT', event: 'ENTER', showOn, alertTitle: 'Hers' };
  await make(`/storylines/${storyline}/detail`, scenario);
  await make('/device', { deviceName: 'Her gateway', manufacture: 'Acme', topic: 'her/gateway' });
  await make('/data/bucket/birds', { metadata: { species: 'owl', secret: 'hers' } });
  await make('/files/hers.txt', 'her words', { 'content-type': 'text/plain' });
  const installationId = herPhone;
  const phone = { installationId, deviceType: 'android', deviceToken: 'her token', channels: ['hers'] };
  await make('/installations', { ...phone, userId: pointer('_User', anna.userId) });
  await make('/logs', { installationId, level: 'info', message: 'hers', metadata: { hers: true } }).catch(() => '');
  const push = { where: { installationId }, data: { title: 'To her' } };
  await app.send({ method: 'POST', url: '/api/v2/push/notification', headers: anna.headers, body: push });
  // The manager's message makes a delivery of her visit.
  await site.notification();
  await site.send([site.decided('ENTER')], { installationId });
  await site.send([{ beacon, event: 'ENTER' }], { installationId });
  await app.app.idle();
  return { venue, beacon, storyline };
}

export const isList = ({ method, query = [], answer }: Endpoint) =>
  method === 'GET' && query.some(({ name }) => name === 'limit') && answer.type === undefined;

/** The path of an endpoint with an id in it. */
export const pathWith = ({ path }: Pick<Endpoint, 'path'>, { storyline }: Pick<Made, 'storyline'>, id = absent) =>
  path
    .replace(':bucketName', 'birds')
    .replace('/storylines/:objectId/detail', `/storylines/${storyline}/detail`)
    .replace(/:\w+/g, id);

/** Every list as the site's manager sees it, without what is the manager's own. */
export async function findEverything(site: Site, made: Made): Promise<readonly Found[]> {
  const lists = site.app.app.endpoints.filter(isList).map(async (endpoint) => {
    const path = pathWith(endpoint, made);
    const request = { method: 'GET', url: `${apiPrefix}${path}?limit=1000` } as const;
    const { status, body, raw } = await site.ask(request);
    assert.equal(status, 200, `${path} ${raw}`);
    const own = JSON.stringify(site.user.userId);
    const all = body.results as readonly Shown[];
    return { endpoint, path, records: all.filter((record) => !JSON.stringify(record).includes(own)) };
  });
  return Promise.all(lists);
}

/** Every endpoint about one record, with the records of `found` that it could be about. */
export function* aboutOne(endpoints: readonly Endpoint[], found: readonly Found[], made: Made) {
  for (const endpoint of endpoints) {
    // An upload names a file that there is not yet.
    if (!/:(objectId|detailId|file)/.test(endpoint.path) || endpoint.takesStream) continue;
    const home = found.filter(({ path }) => `${pathWith(endpoint, made)}/`.startsWith(`${path}/`));
    const records = endpoint.path.startsWith('/push/notification/')
      ? found.find(({ path }) => path === '/push/notifications')?.records
      : home.at(-1)?.records;
    yield { endpoint, ids: (records ?? []).flatMap(({ objectId }) => objectId ?? []) };
  }
}

/** A request of an endpoint about a record. */
export function requestAbout(endpoint: Endpoint, made: Made, id: string): SentRequest {
  const body = endpoint.body?.example;
  const url = apiPrefix + pathWith(endpoint, made, id);
  return { method: endpoint.method, url, ...(body === undefined ? {} : { body }) };
}

/** An answer without what is another one in each, and without the id that was asked for. */
export const said = ({ status, body }: Answer, id: string) =>
  `${status} ${JSON.stringify(body)}`.replace(/"requestId":"[^"]*"/, '').replaceAll(id, absent);

/** What can be asked for in a record: its members, and those of its documents. */
export function members(record: Shown): [name: string, value: unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const isDocument = typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);
    return isDocument
      ? Object.entries(value).map(([part, inner]): [string, unknown] => [`${name}.${part}`, inner])
      : [[name, value]];
  });
}

/** Ways to ask a list for a member that has a value. */
export const questionsAbout = (name: string, value: unknown): readonly Readonly<Record<string, string>>[] => [
  { where: JSON.stringify({ [name]: value }) },
  { where: JSON.stringify({ $or: [{ [name]: value }, { [name]: { $exists: true } }] }), order: name },
  { where: JSON.stringify({ $nor: [{ [name]: value }] }), order: `-${name}` },
];
