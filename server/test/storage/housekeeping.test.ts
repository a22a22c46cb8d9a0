import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { describe, test } from 'vitest';
import { firstIdAt } from '../../src/base/id.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { bothDatabases, type TestApp } from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { openSite, pointer } from '../support/site.ts';

const dayMs = 86_400_000;
const tables = ['limit_buckets', 'jobs', 'live_events', 'webhook_deliveries', 'tokens', 'logs'];

/** What a service leaves behind: a row of each kind that is of no more use after some days. */
async function leaveRows({ storage: { db }, appId, clock }: TestApp): Promise<void> {
  const [now, id] = [clock.now, firstIdAt(clock.now)];
  await db.run(
    sql`insert into limit_buckets (key_hash, tokens, at, full_at) values ('hash', 0, ${now}, ${now + 60_000})`,
  );
  await db.run(sql`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
    values (${appId}, ${id}, 'lost', '{}', 'dead', ${now}, 9, ${now})`);
  await db.run(sql`insert into live_apps (app_id, wanted_until, seq, floor_seq) values (${appId}, ${now}, 1, 0)`);
  await db.run(sql`insert into live_events (app_id, object_id, seq, event, data, created_at)
    values (${appId}, ${id}, 1, 'visit.opened', '{}', ${now})`);
  await db.run(sql`insert into webhooks (app_id, object_id, url, events, description, is_enabled, secret, created_at, updated_at)
    values (${appId}, 'hook', 'https://example.org/', '[]', '', 0, '', ${now}, ${now})`);
  await db.run(sql`insert into webhook_deliveries
    (app_id, object_id, webhook_id, event, payload, state, attempts, expires_at, created_at, updated_at)
    values (${appId}, ${id}, 'hook', 'visit.opened', '{}', 'delivered', 1, ${now}, ${now}, ${now})`);
}

for (const database of bothDatabases) {
  describe(`what a service does every hour on ${database}`, () => {
    test('it deletes expired rows of every kind, and recounts what apps store', async (context) => {
      context.onTestFinished(() => mock.reset());
      const hourly: (() => void)[] = [];
      const { setInterval } = globalThis;
      mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
        if (ms === 3_600_000) hourly.push(work);
        return setInterval(work, ms);
      });
      const site = await openSite(database);
      mock.restoreAll();
      const { app } = site;
      try {
        await leaveRows(app);
        const beaconId = pointer('Beacon', site.hall);
        const log = { event: 'ENTER', moduleType: 'PRESENCE', beaconId };
        assert.equal((await app.send({ method: 'POST', url: '/api/v2/logs', body: log })).status, 201);
        const headers = { 'content-type': 'text/plain' };
        await app.send({ method: 'POST', url: '/api/v2/files/a.txt', headers, body: 'some bytes' });
        const hour = async () => {
          for (const work of hourly) work();
          await app.app.idle();
        };
        // The service notes limits of its own while it is used.
        const which = (table: string) => (table === 'limit_buckets' ? " where key_hash = 'hash'" : '');
        const rows = async () => {
          const counts = tables.map(async (table) => [
            table,
            (await app.storage.db.all(raw(`select 1 as found from ${table}${which(table)}`))).length,
          ]);
          return Object.fromEntries(await Promise.all(counts));
        };
        const files = async () => {
          const owner = await openConsole(app, 'owner');
          return (await owner.send({ method: 'GET', url: `/apps/${app.appId}/usage` })).body.result.files.used;
        };

        await hour();
        assert.deepEqual(await rows(), Object.fromEntries(tables.map((table) => [table, 1])), 'nothing is over yet');
        await app.storage.db.run(raw('delete from files'));
        await hour();
        assert.equal(await files(), 1);
        app.clock.now += 400 * dayMs;
        await hour();
        assert.deepEqual(await rows(), Object.fromEntries(tables.map((table) => [table, 0])));
        assert.equal(await files(), 0);
      } finally {
        await site.close();
      }
    });
  });
}
