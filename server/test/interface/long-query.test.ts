import assert from 'node:assert/strict';
import { test } from 'vitest';
import { joinSql, sql } from '../../src/base/sql.ts';
import { bothDatabases, buildApp, signIn, type TestApp } from '../support/build-app.ts';

/** Enough documents that reading them all takes longer than the deadline of this test. */
const total = 40_000;
const deadline = '1500';

async function fill(app: TestApp): Promise<void> {
  const { objectId } = await app.app.buckets.createBucket(app.appId, 'large');
  for (let done = 0; done < total; done += 1000) {
    const rows = Array.from({ length: 1000 }, (_, n) => {
      const document = JSON.stringify({ n: done + n, text: 'a'.repeat(300) });
      return sql`(${app.appId}, ${objectId}, ${`id${String(done + n).padStart(18, '0')}`}, ${document}, 1, 1)`;
    });
    await app.storage.db.run(
      sql`insert into records (app_id, bucket_id, object_id, doc, created_at, updated_at) values ${joinSql(rows, ', ')}`,
    );
  }
}

for (const database of bothDatabases) {
  test(`on ${database} a query past its deadline ends as a Timeout, and others are answered meanwhile`, async () => {
    const app = await buildApp({ database, settings: { PHAROS_QUERY_DEADLINE_MS: deadline } });
    try {
      const { headers } = await signIn(app);
      await fill(app);
      const ended: string[] = [];
      const alternatives = Array.from({ length: 30 }, (_, n) => ({ 'metadata.text': { $regex: `(a|b${n})*[bc]$` } }));
      const where = encodeURIComponent(JSON.stringify({ $or: alternatives }));
      const hostile = Array.from({ length: 3 }, () =>
        app.send({ method: 'GET', url: `/api/v2/data/bucket/large?where=${where}`, headers }).then((answer) => {
          ended.push('hostile');
          return answer;
        }),
      );
      for (let n = 0; n < 5; n++) {
        const quick = await app.send({ method: 'GET', url: '/api/v2/data/bucket/large?limit=1', headers });
        assert.equal(quick.status, 200);
      }
      ended.push('quick');
      for (const answer of await Promise.all(hostile)) {
        assert.deepEqual([answer.status, answer.body.code], [503, 124], JSON.stringify(answer.body));
      }
      assert.equal(ended[0], 'quick', 'five quick requests are answered before the first long one');
      const after = await app.send({ method: 'GET', url: '/api/v2/data/bucket/large?limit=1&count=1', headers });
      assert.equal(after.status, 200, 'and the next long query has its own time');
      assert.equal(after.body.count, total);
    } finally {
      await app.close();
    }
  });
}
