import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { service as byService } from '../../src/access/audit.ts';
import { createServices } from '../../src/app/services.ts';
import { raw } from '../../src/base/sql.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/db.ts';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { pointer, stay, uuid, walk } from '../support/site.ts';
import { call, firstCredentials, signInManagerTo, startService } from './service.ts';

const none = { logs: 0, visits: 0, events: 0, deliveries: 0, positions: 0 };
const tables = ['visits', 'events', 'verdicts', 'deliveries', 'logs', 'positions', 'track_samples'];
/** A service looks for the first time a minute after its start. */

// Both wait for the same minute.
describe('a service that is killed while it has what is kept for no day', { concurrent: true }, () => {
  for (const database of databases) {
    test(`nothing of it is left a minute after the next start, and the visit is counted, on ${database}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-no-day-'));
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      const settings = { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
      let service = await startService(settings);
      let db: Database | undefined;
      try {
        const credentials = firstCredentials(folder);
        const appId = credentials['x-service-appid'] ?? '';
        const headers = await signInManagerTo(service, settings, credentials);
        db = await openDatabase(readConfig(settings));
        await createServices({ db, now: Date.now }).apps.change(appId, { policy: { retentionDays: none } }, byService);
        // One that starts has heard of the policy.
        await service.stop('SIGTERM');
        service = await startService(settings);
        const create = async (path: string, body: object) => {
          const answer = await call(service, 'POST', `/api/v2/${path}`, { headers, body });
          assert.equal(answer.status, 201, JSON.stringify(answer.body));
          return answer.body.result.objectId as string;
        };
        const beacon = await create('beacons', { name: 'Hall', uuid, major: 1, minor: 1 });
        await create('installations', { installationId: 'phone-1', deviceType: 'android' });
        await create('notifications', {
          description: 'Welcome',
          beaconId: pointer('Beacon', beacon),
          event: 'ENTER',
          type: 'TEXT',
          message: { alertTitle: 'Welcome', alertMessage: 'The tour starts here.' },
          isEnabled: true,
        });
        const before = Date.now() - 3 * 3_600_000;
        const sightings = walk(stay(1.2, 20), before);
        const body = { installationId: 'phone-1', sightings };
        const told = await call(service, 'POST', '/api/v2/sightings', { headers, body });
        assert.ok(told.body.result.events.length >= 2, JSON.stringify(told.body));
        const log = { event: 'ENTER', moduleType: 'STORYLINE', beaconId: pointer('Beacon', beacon) };
        await create('logs', log);
        const rows = async () => {
          const all = await Promise.all(tables.map((table) => db?.all(raw(`select * from ${table}`)) ?? []));
          return Object.fromEntries(tables.flatMap((table, n) => (all[n]?.length ? [[table, all[n].length]] : [])));
        };
        const { visits = 0, events = 0, logs = 0 } = await rows();
        assert.ok(visits >= 1 && events >= 2 && logs >= 1, JSON.stringify(await rows()));

        await service.stop('SIGKILL');
        assert.ok(Object.keys(await rows()).length > 0, 'it is there, since nobody has had the time to remove it');
        service = await startService(settings);
        while (Object.keys(await rows()).length > 0) await delay(500);
        // Killed again: it neither comes back nor is counted twice.
        await service.stop('SIGKILL');
        service = await startService(settings);
        assert.deepEqual(await rows(), {});
        const day = (at: number) => new Date(at).toISOString().slice(0, 10);
        const query = `unit=day&from=${day(before - 86_400_000)}&to=${day(before + 86_400_000)}`;
        const numbers = async () =>
          (await call(service, 'GET', `/api/v2/analytics/visits?${query}`, { headers })).body.result;
        let said = await numbers();
        for (; said.total?.visits !== visits; said = await numbers()) await delay(500);
      } finally {
        await service.stop('SIGKILL');
        await db?.close();
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
