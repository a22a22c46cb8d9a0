import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { buildApp, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';

/** Where something still stands in the files of the embedded database: `file: how often`. */
function placesOf(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files.flatMap((file) => {
    if (!statSync(file).isFile()) return [];
    const bytes = readFileSync(file);
    let times = 0;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) times++;
    return times === 0 ? [] : [`${file.slice(folder.length + 1)}: ${times}`];
  });
}

/** Somebody with `mark` in all that she says, and her phone. */
async function visitorWith(app: TestApp, mark: string) {
  // Within the limit of requests.
  app.clock.now += 1_000;
  const email = `${mark}@example.org`;
  const account = { firstname: mark, lastname: mark, email, password: 'correct horse' };
  await create(app, '/api/v2/users', account);
  const signedIn = await app.send({
    method: 'POST',
    url: '/api/v2/users/signin',
    body: { email, password: 'correct horse' },
  });
  const headers = { authorization: `Bearer ${signedIn.body.accessToken}` };
  const phone = `phone of ${mark}`;
  const registration = { installationId: phone, deviceType: 'android', metadata: { note: mark } };
  await create(app, '/api/v2/installations', registration, headers);
  for (let n = 0; n < 10; n++) {
    await create(
      app,
      '/api/v2/data/bucket/birds',
      { metadata: { species: mark, story: `${mark} `.repeat(n * n * 10), n } },
      headers,
    );
    const log = { installationId: phone, event: 'ENTER', moduleType: 'PRESENCE', eventId: `${mark}-${n}` };
    await app.send({ method: 'POST', url: '/api/v2/logs', headers, body: log });
  }
  const data = { title: mark, alert: `It is ${mark}` };
  await app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body: { data } });
  const file = { ...headers, 'content-type': 'text/plain' };
  const stored = await app.send({ method: 'POST', url: `/api/v2/files/${mark}.txt`, headers: file, body: mark });
  assert.equal(stored.status, 201, stored.raw.toString());
  await app.send({ method: 'GET', url: stored.body.url.slice('http://pharos.test'.length) });
  return headers;
}

test('nothing of whoever is erased is left in the files of the embedded database, nor in the log', async () => {
  const app = await buildApp();
  try {
    await app.app.buckets.createBucket(app.appId, 'birds');
    const marks = ['Aurelia', 'Berengaria', 'Cunigunde'].map((name) => `${name}Findable`);
    const people = [];
    for (let n = 0; n < 20; n++) await visitorWith(app, `neighbour${n}`);
    for (const mark of marks) people.push(await visitorWith(app, mark));
    for (let n = 20; n < 40; n++) await visitorWith(app, `neighbour${n}`);
    for (const mark of marks) assert.notDeepEqual(placesOf(app.storage.folder, mark), [], mark);
    for (const headers of people) {
      const answer = await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers });
      assert.equal(answer.status, 200, answer.raw.toString());
    }
    await app.app.idle();
    const requests = app.log.filter((line) => line.includes('"path":"/api/v2/files/:file'));
    assert.equal(requests.length, 43, 'with the pattern of their path');
    for (const mark of marks) {
      assert.deepEqual(
        app.log.filter((line) => line.includes(mark)),
        [],
        'in the log',
      );
      assert.deepEqual(placesOf(app.storage.folder, mark), [], mark);
      assert.deepEqual(placesOf(app.storage.folder, mark.toLowerCase()), [], mark);
    }
  } finally {
    await app.close();
  }
});
