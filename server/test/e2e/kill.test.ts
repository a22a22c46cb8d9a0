import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bothDatabases, createMigratedPostgres } from '../support/build-app.ts';
import { killsOf, testOn } from '../support/depth.ts';
import { call, firstCredentials, type Service, startService } from './service.ts';

/** PostgreSQL keeps what it has acknowledged whoever is killed; on SQLite that is our own doing. */
const killsOn = { sqlite: killsOf(8, 2), postgres: killsOf(3, 1) };
const writers = 16;

/** The document that a writer sent; a record is complete if its two halves agree. */
const documentOf = (writer: number, n: number) => ({
  key: `${writer}-${n}`,
  padding: 'x'.repeat(200),
  check: `${writer}-${n}`,
});

interface Writing {
  readonly acknowledged: Map<string, string>;
  count: number;
}

/** Writes until the connection breaks; remembers only what was acknowledged. */
async function writeUntilKilled(
  service: Service,
  headers: Readonly<Record<string, string>>,
  writer: number,
  state: Writing,
): Promise<void> {
  for (;;) {
    const document = documentOf(writer, state.count++);
    try {
      const answer = await call(service, 'POST', '/api/v2/data/bucket/kept', { headers, body: { metadata: document } });
      if (answer.status === 201) state.acknowledged.set(document.key, answer.body.result.objectId);
    } catch {
      return;
    }
  }
}

async function readAll(
  service: Service,
  headers: Readonly<Record<string, string>>,
): Promise<Map<string, { key: string; padding: string; check: string }>> {
  const records = new Map<string, { key: string; padding: string; check: string }>();
  for (let last = ''; ; ) {
    const where = encodeURIComponent(JSON.stringify({ objectId: { $gt: last } }));
    const page = await call(service, 'GET', `/api/v2/data/bucket/kept?limit=1000&where=${where}`, { headers });
    assert.equal(page.status, 200);
    for (const { objectId, metadata } of page.body.results) records.set(objectId, metadata);
    if (page.body.results.length < 1000) return records;
    last = page.body.results.at(-1).objectId;
  }
}

for (const database of bothDatabases) {
  const kills = killsOn[database];
  testOn(database)(
    `${kills} times kill -9 in the middle of writes on ${database}: every acknowledged write is there and whole`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-kill-'));
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      const settings = { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
      try {
        let service = await startService(settings);
        const credentials = firstCredentials(folder);
        const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
        assert.equal(
          (await call(service, 'POST', '/api/v2/users', { headers: credentials, body: account })).status,
          201,
        );
        const signIn = await call(service, 'POST', '/api/v2/users/signin', { headers: credentials, body: account });
        const headers = { ...credentials, authorization: `Bearer ${signIn.body.accessToken}` };
        const column = { key: { type: 'String' } };
        assert.equal(
          (await call(service, 'POST', '/api/v2/data/schema/kept', { headers, body: { column } })).status,
          201,
        );
        const state: Writing = { acknowledged: new Map(), count: 0 };
        for (let kill = 0; kill < kills; kill++) {
          const before = state.acknowledged.size;
          const writing = Array.from({ length: writers }, (_, writer) =>
            writeUntilKilled(service, headers, writer, state),
          );
          // Killed at a different point each time, counted in acknowledged writes and not in time.
          while (state.acknowledged.size < before + 10 + kill * 7) await delay(1);
          await service.stop('SIGKILL');
          await Promise.all(writing);
          service = await startService(settings);
        }
        const records = await readAll(service, headers);
        for (const [key, objectId] of state.acknowledged)
          assert.equal(records.get(objectId)?.key, key, `acknowledged ${key} is there`);
        for (const [objectId, record] of records) {
          assert.equal(record.key, record.check, `${objectId} is whole`);
          assert.equal(record.padding.length, 200);
        }
        assert.ok(records.size >= state.acknowledged.size && state.acknowledged.size > kills * 10);
        assert.equal(await service.stop('SIGTERM'), 0);
      } finally {
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}
