import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { raw } from '../../../src/base/sql.ts';
import { openDatabase } from '../../../src/cli/commands/storage.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Db } from '../../../src/db/db.ts';
import { createMigratedPostgres } from '../../support/build-app.ts';
import { bothDatabases } from '../../support/depth.ts';
import { uuid } from '../../support/site.ts';
import { call, firstCredentials, signInManagerTo, startService } from '../service.ts';

const corners = [0, 8].flatMap((y) => [0, 8].map((x) => ({ x, y, z: 2 })));
/** To one corner and to another one, twenty seconds each, ten times a second. */
const walk = (start: number) =>
  Array.from({ length: 900 }, (_, tenth) => {
    const share = [0, 1, 0, -1, 0][Math.floor(tenth / 180)] ?? 0;
    const [px, py] = [4 + 3.5 * share, 4 + 3.5 * share];
    return corners.map(({ x, y }, index) => {
      const rssi = Math.round(-59 - 20 * Math.log10(Math.hypot(px - x, py - y, 0.7)) + ((tenth * 31 + index) % 7) - 3);
      return { uuid, major: 1, minor: 11 + index, rssi, occurredAt: start + tenth * 100 + index };
    });
  }).flat();

for (const database of bothDatabases)
  test(`on ${database} visits that are looked back on while the service is killed are timed and counted once`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-look-back-'));
    const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
    const settings = {
      PHAROS_DATA: folder,
      PHAROS_JOB_LEASE_MS: '1000',
      ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
    };
    const withDb = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
      const db = await openDatabase(readConfig(settings));
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    };
    let service = await startService(settings);
    try {
      const app = firstCredentials(folder);
      const headers = await signInManagerTo(service, settings, app);
      const create = async (path: string, body: object) =>
        assert.equal((await call(service, 'POST', `/api/v2/${path}`, { headers, body })).status, 201);
      for (const [index, location] of corners.entries())
        await create('beacons', { name: `Corner ${index}`, uuid, major: 1, minor: 11 + index, location });
      await create('installations', { installationId: 'phone-1', deviceType: 'android' });
      const start = Date.now() - 100_000;
      const sightings = walk(start);
      for (let from = 0; from < sightings.length; from += 1_000) {
        const body = { installationId: 'phone-1', sightings: sightings.slice(from, from + 1_000) };
        assert.equal((await call(service, 'POST', '/api/v2/sightings', { headers, body })).status, 200);
      }
      await service.stop('SIGKILL');
      const jobs = await withDb((db) =>
        db.all<{ payload: string }>(raw("select payload from jobs where kind = 'visits.look-back'")),
      );
      assert.ok(jobs.length > 0);

      /** As if nobody had looked back yet, and it was due. */
      const forget = () =>
        withDb(async (db) => {
          await db.run(
            raw('update visits set smoothed_entered_at = null, smoothed_left_at = null, smoothed_dwell = null'),
          );
          await db.run(raw("delete from jobs where kind = 'visits.look-back'"));
          await db.run(
            raw(`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
              select app_id, 'again', 'visits.look-back', '${jobs[0]?.payload}', 'queued', 0, 0, 0 from apps limit 1`),
          );
        });
      const attempts = async (db: Db) =>
        (await db.one<{ attempts: number }>(raw("select attempts from jobs where job_id = 'again'")))?.attempts;
      const [day, next] = [start - 86_400_000, start + 2 * 86_400_000].map((at) =>
        new Date(at).toISOString().slice(0, 10),
      );
      const found = async () => {
        await withDb(async (db) => {
          while ((await attempts(db)) !== undefined) await delay(10);
          while ((await db.all(raw('select 1 from visit_changes'))).length > 0) await delay(10);
        });
        const { body: visits } = await call(service, 'GET', '/api/v2/visits?order=enteredAt', { headers });
        const path = `/api/v2/analytics/visits?from=${day}&until=${next}&groupBy=beacon`;
        const { body: counted } = await call(service, 'GET', path, { headers });
        const times = visits.results.map(({ updatedAt: _, ...visit }: { updatedAt: string }) => visit);
        return { times, rows: counted.rows };
      };

      await forget();
      service = await startService(settings);
      const once = await found();
      assert.ok(
        once.times.length >= 2 && once.times.every(({ smoothedDwell }: { smoothedDwell: number }) => smoothedDwell > 5),
      );
      for (const ms of [0, 5, 10, 20, 40]) {
        await service.stop('SIGKILL');
        await forget();
        service = await startService(settings);
        await withDb(async (db) => {
          while ((await attempts(db)) === 0) await delay(1);
        });
        await delay(ms);
        await service.stop('SIGKILL');
        service = await startService(settings);
        assert.deepEqual(await found(), once, `killed after ${ms} ms`);
      }
    } finally {
      await service.stop('SIGKILL');
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
