import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createServices } from '../../src/app/services.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { maxListBytes } from '../../src/resources/lists/list.ts';
import { type Service, startService } from '../e2e/service.ts';
import { buildApp, databases, openStorage, type SignedIn, signIn, type TestApp } from '../support/build-app.ts';
import { isFull, testInFull } from '../support/depth.ts';
import { listen } from '../support/socket.ts';

const birds = '/api/v2/data/bucket/birds';
const large = 240_000;

for (const database of databases) {
  describe(`lists of large records on ${database}`, () => {
    const records = 140;
    /** The first ones. PostgreSQL is asked for 128 rows at a time. */
    const largeOnes = 50;
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.buckets.createBucket(app.appId, 'birds');
      user = await signIn(app);
      for (let n = 0; n < records; n++) {
        // Different times give the records ids in the order of their creation.
        app.clock.now++;
        const note = n === 0 ? 'é'.repeat(large / 2) : n < largeOnes ? 'x'.repeat(large) : 'small';
        const metadata = { n, note };
        const { status } = await app.send({ method: 'POST', url: birds, headers: user.headers, body: { metadata } });
        assert.equal(status, 201);
      }
    });
    afterAll(() => app.close());

    const list = async (query: Readonly<Record<string, string | number>>) => {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) search.set(name, String(value));
      const answer = await app.send({ method: 'GET', url: `${birds}?${search}`, headers: user.headers });
      assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 200));
      return answer;
    };

    const queries: readonly (readonly [what: string, query: Readonly<Record<string, string>>])[] = [
      ['in the order of their ids', {}],
      ['newest first', { order: '-objectId' }],
      ['by a member that no index has', { where: '{"metadata.n":{"$gte":0}}', order: 'metadata.n' }],
    ];
    for (const [what, query] of queries)
      for (const limit of isFull ? [1000, 100] : [100])
        test(`an answer is bounded, says so, and can be continued: ${limit} records ${what}`, async () => {
          const seen: number[] = [];
          for (let isOver = false; !isOver; ) {
            const page = await list({ ...query, limit, skip: seen.length, count: 1 });
            assert.ok(page.raw.length < maxListBytes + 1_000, `${page.raw.length} bytes`);
            assert.equal(page.body.count, records);
            const rest = records - seen.length;
            isOver = page.body.results.length === rest;
            if (page.body.truncated)
              assert.ok(page.raw.length > maxListBytes - 2 * large, 'no shorter than it has to be');
            const isCut = page.body.results.length < Math.min(limit, rest);
            assert.equal(page.body.truncated === true, isCut, 'told exactly when records are left out');
            seen.push(...page.body.results.map(({ metadata }: { metadata: { n: number } }) => metadata.n));
          }
          const all = Array.from({ length: records }, (_, n) => n);
          assert.deepEqual(query['order'] === '-objectId' ? seen.sort((a, b) => a - b) : seen, all);
        });

    test('one that breaks off in the middle is none for its reader, and the service goes on', async (context) => {
      context.onTestFinished(() => mock.reset());
      const port = await listen(app);
      const address = `http://127.0.0.1:${port}${birds}?limit=40`;
      const headers = { ...app.credentials, ...user.headers };
      const real = Buffer.from.bind(Buffer) as (...given: unknown[]) => Buffer;
      let pieces = 0;
      const broken = mock.method(Buffer, 'from', ((...given: unknown[]) => {
        const [text] = given;
        if (typeof text === 'string' && text.length > large && ++pieces === 5) throw new Error('the fifth piece');
        return real(...given);
      }) as typeof Buffer.from);
      const answer = await fetch(address, { headers });
      assert.equal(answer.status, 200, 'it has begun');
      await assert.rejects(answer.text());
      assert.equal(pieces, 5);
      broken.mock.restore();
      const whole = (await (await fetch(address, { headers })).json()) as { readonly results: readonly unknown[] };
      assert.ok(whole.results.length >= 30);
    });

    test('a page that fits says nothing', async () => {
      const { body } = await list({ limit: 20 });
      assert.deepEqual([body.results.length, 'truncated' in body], [20, false]);
    });
  });
}

testInFull('lists of a thousand large records leave the memory of the service small', async (context) => {
  if (process.platform !== 'linux') return context.skip('reads /proc');
  const storage = await openStorage('sqlite');
  let service: Service | undefined;
  try {
    const now = () => Date.now();
    const { apps, buckets } = createServices({ db: storage.db, now });
    const { appId, appKey } = await apps.create('Large');
    await buckets.createBucket(appId, 'birds');
    await storage.db.run(sql`insert into records (app_id, bucket_id, object_id, doc, created_at, updated_at)
      with recursive numbers(n) as (select 100000 union all select n + 1 from numbers where n < 100999)
      select app_id, object_id, 'record' || n, '{"n":' || n || ',"note":"' || hex(zeroblob(${large / 2})) || '"}', n, n
      from buckets, numbers`);
    assert.equal((await storage.db.one<{ n: number }>(raw('select count(*) as n from records')))?.n, 1000);
    const started = await startService(storage.settings);
    service = started;
    const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const answer = await fetch(started.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as { accessToken: string };
    };
    const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
    await post('/api/v2/users', account);
    const authorization = `Bearer ${(await post('/api/v2/users/signin', account)).accessToken}`;
    const unindexed = encodeURIComponent('{"metadata.n":{"$gte":0}}');
    const asked = Array.from({ length: 16 }, async (_, n) => {
      const query = `limit=1000${n % 2 ? `&where=${unindexed}` : ''}`;
      const ask = () => fetch(`${started.baseUrl}${birds}?${query}`, { headers: { ...headers, authorization } });
      let answer = await ask();
      // On a busy machine sixteen slow lists wait for longer than a list may: the caller is asked to come again.
      while (answer.status === 503) {
        await answer.arrayBuffer();
        await delay(Number(answer.headers.get('retry-after')) * 1000);
        answer = await ask();
      }
      let bytes = 0;
      for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length;
      return [answer.status, bytes > maxListBytes - 2 * large && bytes < maxListBytes + 1_000];
    });
    for (const answer of await Promise.all(asked)) assert.deepEqual(answer, [200, true]);
    const peak = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${started.process.pid}/status`, 'utf8'))?.[1]);
    assert.ok(peak < 512 * 1024, `${Math.round(peak / 1024)} MB at the most`);
    assert.equal(await started.stop('SIGTERM'), 0);
  } finally {
    // Otherwise it would outlive a test that fails.
    service?.process.kill('SIGKILL');
    await storage.close();
  }
});
