import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { answerWith, startReceiver } from '../support/servers/webhook-receiver.ts';
import { call, firstCredentials, type Service, startService } from './service.ts';

async function openConsole(service: Service): Promise<Readonly<Record<string, string>>> {
  const token = /console\/setup#([\w-]+)/.exec(service.output())?.[1];
  const body = { token, name: 'Anna', email: 'anna@museum.example', password: 'a long enough secret' };
  const origin = service.baseUrl;
  const response = await fetch(`${origin}/console/api/setup`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 201, await response.text());
  return { origin, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

for (const database of databases) {
  test(`on ${database} an event is posted after kill -9 between its enqueueing and its delivery`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-hook-'));
    const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
    const settings = {
      PHAROS_DATA: folder,
      PHAROS_SECRET_KEY: 'cd'.repeat(32),
      PHAROS_PRIVATE_TARGETS: '127.0.0.1',
      // The work of a killed process is not taken over before that.
      PHAROS_JOB_LEASE_MS: '1000',
      ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
    };
    const receiver = await startReceiver();
    let service = await startService(settings);
    try {
      const app = firstCredentials(folder);
      const console = await openConsole(service);
      const events = { url: receiver.url, events: ['presence.enter'] };
      const path = `/console/api/apps/${app['x-service-appid']}/webhooks`;
      assert.equal((await call(service, 'POST', path, { headers: console, body: events })).status, 201);
      const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
      await call(service, 'POST', '/api/v2/users', { headers: app, body: account });
      const signedIn = await call(service, 'POST', '/api/v2/users/signin', { headers: app, body: account });
      const headers = { ...app, authorization: `Bearer ${signedIn.body.accessToken}` };
      const beacon = { name: 'Hall', uuid: 'u', major: 1, minor: 1 };
      const made = await call(service, 'POST', '/api/v2/beacons', { headers, body: beacon });
      const phone = { installationId: 'phone-1', deviceType: 'ios' };
      await call(service, 'POST', '/api/v2/installations', { headers: app, body: phone });
      // The receiver fails, so the delivery is waiting for its next try when the service dies.
      receiver.answer = answerWith(503, '', { 'retry-after': '1' });
      const sightings = [{ beacon: made.body.result.objectId, event: 'ENTER', occurredAt: new Date().toISOString() }];
      const body = { installationId: 'phone-1', sightings };
      assert.equal((await call(service, 'POST', '/api/v2/sightings', { headers: app, body })).status, 200);
      await receiver.arrived(1);
      await service.stop('SIGKILL');
      receiver.answer = answerWith(200);
      service = await startService(settings);
      await receiver.arrived(2);
      const ids = new Set(receiver.calls.map(({ headers }) => headers['webhook-id']));
      assert.equal(ids.size, 1);
    } finally {
      await service.stop('SIGKILL');
      await receiver.close();
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
