import assert from 'node:assert/strict';
import { test } from 'vitest';
import { buildApp, type DatabaseKind, type SentRequest, signInManager } from '../support/build-app.ts';

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

/**
 * One session with everything that the databases could treat differently: number forms, key orders, odd text, ordering,
 * missing members, errors. `{n}` stands for the n-th id in the answers.
 */
const session: readonly SentRequest[] = [
  {
    method: 'POST',
    url: '/api/v2/beacons',
    body: {
      name: 'Ünïcode 😀',
      uuid: 'Aa-bB',
      major: 0,
      minor: 65535,
      location: { y: 1e21, x: -0.5, z: { b: 1, a: [] } },
      metadata: { z: 1, a: 1e-7, '10': 1, '9': 2 },
    },
  },
  { method: 'POST', url: '/api/v2/beacons', body: { name: 'b', uuid: 'u', major: 1, minor: 1 } },
  { method: 'GET', url: '/api/v2/beacons?order=-name&count=1' },
  { method: 'GET', url: '/api/v2/beacons?where={"metadata.a":{"$lt":1}}' },
  { method: 'PATCH', url: '/api/v2/beacons/{0}', body: { metadata: { z: null, deep: { x: [1, { y: null }] } } } },
  { method: 'GET', url: '/api/v2/beacons/{0}' },
  {
    method: 'POST',
    url: '/api/v2/notifications',
    body: {
      description: 'd',
      beaconId: pointer('Beacon', '{0}'),
      event: 'NEAR',
      type: 'VIDEO',
      message: { url: 'https://example.org/v', b: 1, a: 2 },
      isEnabled: false,
    },
  },
  { method: 'GET', url: '/api/v2/notifications' },
  { method: 'POST', url: '/api/v2/storylines', body: { title: 't', isEnabled: true } },
  {
    method: 'POST',
    url: '/api/v2/storylines/{3}/detail',
    body: { beacons: ['{1}', '{0}'], campaign: 'TEXT', event: 'EXIT', showOn: [{ checked: true, dayName: 'Sun' }] },
  },
  { method: 'GET', url: '/api/v2/storylines/details?where={"beacons":"{1}"}' },
  {
    method: 'POST',
    url: '/api/v2/logs',
    body: { event: 'ENTER', beaconId: pointer('Beacon', '{0}'), moduleType: 'PRESENCE', eventId: 'e1' },
  },
  {
    method: 'POST',
    url: '/api/v2/logs',
    body: { event: 'ENTER', beaconId: pointer('Beacon', '{0}'), moduleType: 'PRESENCE', eventId: 'e1' },
  },
  { method: 'GET', url: '/api/v2/logs?where={"moduleType":"PRESENCE"}&count=1' },
  {
    method: 'POST',
    url: '/api/v2/data/schema/things',
    body: { column: { n: { type: 'Number' }, s: { type: 'String' }, d: { type: 'Date' } } },
  },
  {
    method: 'POST',
    url: '/api/v2/data/bucket/things',
    body: { metadata: { s: 'ß', n: 0.1, big: 123456789012345680000, tiny: 5e-324, neg: -0, '': 'empty key' } },
  },
  {
    method: 'POST',
    url: '/api/v2/data/bucket/things',
    body: { metadata: { s: '\u007f\u2028 "\\/', d: '2026-01-01', list: [3, 'a', null, { b: 1, a: 2 }] } },
  },
  { method: 'POST', url: '/api/v2/data/bucket/things', body: { metadata: { n: 'wrong' } } },
  { method: 'GET', url: '/api/v2/data/bucket/things?order=metadata.n,-metadata.s' },
  { method: 'GET', url: '/api/v2/data/bucket/things?where={"metadata.list":{"$in":[3]}}&count=1' },
  { method: 'GET', url: '/api/v2/data/bucket/things?where={"metadata.list.3":{"b":1}}' },
  { method: 'GET', url: '/api/v2/data/bucket/things?where={"metadata.s":{"$regex":"(?i)SS|ß"}}' },
  { method: 'GET', url: '/api/v2/data/bucket/things?where={"metadata.s":{"$regex":"("}}' },
  { method: 'PUT', url: '/api/v2/data/bucket/things/{7}', body: { n: 2, added: true, s: null } },
  { method: 'GET', url: '/api/v2/data/bucket/things/{7}' },
  { method: 'GET', url: '/api/v2/data/bucket/things?limit=0&count=1' },
  { method: 'GET', url: '/api/v2/data/bucket/things?skip=-1&limit=x' },
  { method: 'POST', url: '/api/v2/device', body: { deviceName: 'x' } },
  { method: 'POST', url: '/api/v2/device', body: { deviceName: 'Gate', manufacture: 'Acme', topic: 'a/b' } },
  { method: 'GET', url: '/api/v2/device?order=-updatedAt' },
  {
    method: 'POST',
    url: '/api/v2/installations',
    body: {
      installationId: 'phone-1',
      deviceType: 'ios',
      deviceToken: 'abc',
      channels: ['b', 'a'],
      metadata: { k: 1 },
    },
  },
  { method: 'GET', url: '/api/v2/installations?where={"channels":"a"}' },
  { method: 'POST', url: '/api/v2/push/notification', body: { data: { alert: 'hi' }, where: { deviceType: 'ios' } } },
  { method: 'POST', url: '/api/v2/push/notification', body: { data: { alert: 'hi' }, where: { nosuch: 1 } } },
  { method: 'POST', url: '/api/v2/files/a%20b.txt', body: 'text', headers: { 'content-type': 'text/plain' } },
  { method: 'GET', url: '/api/v2/files' },
  { method: 'GET', url: '/api/v2/users?order=-validemail' },
  { method: 'GET', url: '/api/v2/users/me' },
  { method: 'DELETE', url: '/api/v2/beacons/{0}' },
  { method: 'DELETE', url: '/api/v2/beacons/{0}' },
];

/**
 * Ids become their number of appearance; times, tokens, and the random parts of file names and request ids become a
 * word.
 */
async function play(database: DatabaseKind): Promise<string[]> {
  const app = await buildApp({ database });
  try {
    const user = await signInManager(app);
    const ids: string[] = [];
    const seen = new Map<string, string>([
      [app.appId, '<app>'],
      [user.userId, '<user>'],
      [user.token, '<token>'],
    ]);
    const transcript: string[] = [];
    for (const { headers, ...request } of session) {
      app.clock.now += 1000;
      const filled = JSON.parse(
        JSON.stringify(request).replace(/\{(\d+)\}/g, (_, n) => ids[Number(n)] ?? 'nosuch'),
      ) as SentRequest;
      const url = filled.url.replace(
        /where=(\{[^&]*)/,
        (_, where) => `where=${encodeURIComponent(where.replaceAll('\\"', '"'))}`,
      );
      const answer = await app.send({ ...filled, url, headers: { ...user.headers, ...headers } });
      const created =
        request.method === 'POST' && answer.status === 201 ? (answer.body.result ?? answer.body).objectId : undefined;
      if (created && !ids.includes(created)) {
        seen.set(created, `<id ${ids.length}>`);
        ids.push(created);
      }
      let text = answer.raw.toString();
      for (const [value, name] of seen) text = text.replaceAll(value, name);
      text = text
        .replace(/"requestId":"[^"]*"/g, '"requestId":"…"')
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)/g, '<time>')
        .replace(/[0-9a-f]{32}_/g, '<random>_')
        .replace(/visitor\d+@/g, 'visitor@');
      transcript.push(`${request.method} ${request.url} ${answer.status} ${text}`);
    }
    return transcript;
  } finally {
    await app.close();
  }
}

test('both databases give the same answers, byte for byte except ids and times', async () => {
  const [sqlite, postgres] = [await play('sqlite'), await play('postgres')];
  assert.deepEqual(postgres, sqlite);
  const statuses = sqlite.map((line) => line.split(' ')[2]);
  assert.ok(statuses.filter((status) => status === '200' || status === '201').length > 28, sqlite.join('\n'));
  assert.ok(
    statuses.every((status) => Number(status) < 500),
    sqlite.join('\n'),
  );
});
