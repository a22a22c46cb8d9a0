import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { stay, uuid, walk } from '../support/site.ts';
import { call, firstCredentials, type Service, startService } from './service.ts';

// Both wait for the same half minute of silence.
describe('a service that is killed between sightings', { concurrent: true }, () => {
  for (const database of databases) {
    test(`presence survives kill -9 on ${database}: one ENTER, and the EXIT of what was acknowledged last`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-presence-'));
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      const settings = { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
      let service = await startService(settings);
      try {
        const credentials = firstCredentials(folder);
        const headers = { ...credentials, authorization: `Bearer ${await signIn(service, credentials)}` };
        const create = async (path: string, body: object) => {
          const answer = await call(service, 'POST', `/api/v2/${path}`, { headers, body });
          assert.equal(answer.status, 201, JSON.stringify(answer.body));
        };
        await create('beacons', { name: 'Hall', uuid, major: 1, minor: 1 });
        await create('installations', { installationId: 'phone-1', deviceType: 'android' });
        const send = (sightings: readonly object[]) =>
          call(service, 'POST', '/api/v2/sightings', { headers, body: { installationId: 'phone-1', sightings } });
        const killAndStart = async () => {
          await service.stop('SIGKILL');
          service = await startService(settings);
        };

        const start = Date.now() - 20_000;
        const samples = walk(stay(1.5, 20), start);
        const heardAt = start + 19_000;
        // Not enough for an ENTER: the knowledge so far has to outlive the kill.
        assert.deepEqual((await send(samples.slice(0, 2))).body.result.events, []);
        await killAndStart();
        const entered = await send(samples.slice(2, 4));
        assert.deepEqual(
          entered.body.result.events.map(({ event }: { event: string }) => event),
          ['ENTER', 'NEAR'],
        );
        // Killed while batches are in progress: nobody knows which of them counted, so all are sent again.
        const batches = [4, 8, 12, 16].map((from) => samples.slice(from, from + 4));
        const underWay = Promise.allSettled(batches.map((batch) => send(batch)));
        await killAndStart();
        await underWay;
        for (const batch of batches) assert.equal((await send(batch)).status, 200);
        await killAndStart();

        const list = async (path: string) => (await call(service, 'GET', `/api/v2/${path}`, { headers })).body.results;
        const [open] = await list('visits');
        assert.equal(open.enteredAt, new Date(start).toISOString());
        // The silence is real time, so the test can only ask now and then.
        let events = await list('events');
        while (!events.some(({ event }: { event: string }) => event === 'EXIT')) {
          await delay(100);
          events = await list('events');
        }
        assert.deepEqual(events.map(({ event }: { event: string }) => event).sort(), ['ENTER', 'EXIT', 'NEAR']);
        const visits = await list('visits');
        assert.equal(visits.length, 1);
        const { isOpen, leftAt, dwell, endedBy } = visits[0];
        assert.deepEqual([isOpen, endedBy, leftAt], [false, 'silence', new Date(heardAt).toISOString()]);
        assert.equal(dwell, (heardAt - start) / 1000);
        assert.equal((await list('logs')).length, 2);
      } finally {
        await service.stop('SIGKILL');
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});

async function signIn(service: Service, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
  await call(service, 'POST', '/api/v2/users', { headers, body });
  return (await call(service, 'POST', '/api/v2/users/signin', { headers, body })).body.accessToken;
}
