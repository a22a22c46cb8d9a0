import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { startPushProvider } from '../fakes/push-provider.ts';
import { createMigratedPostgres } from '../support/build-app.ts';
import { call, preparePushApp, runCommand, signInTo, startService, startWorker } from './service.ts';

test('pushes leave through pharos work where the service does no work itself, and a second worker takes over from one that was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-work-'));
  const postgres = await createMigratedPostgres();
  const provider = await startPushProvider();
  writeFileSync(join(folder, 'ca.pem'), provider.ca);
  const settings = {
    PHAROS_DATA: folder,
    PHAROS_DATABASE_URL: postgres.url,
    PHAROS_SECRET_KEY: 'cd'.repeat(32),
    PHAROS_PUSH_URL: provider.origin,
    PHAROS_PUSH_CA: join(folder, 'ca.pem'),
    PHAROS_JOB_LEASE_MS: '1000',
  };
  try {
    const recipients = ['one', 'two', 'three'];
    const credentials = await preparePushApp(settings, provider, recipients);
    const service = await startService({ ...settings, PHAROS_WORKER: 'off' });
    const headers = await signInTo(service, credentials);
    const push = async (title: string) => {
      const body = { data: { title } };
      assert.equal((await call(service, 'POST', '/api/v2/push/notification', { headers, body })).status, 200);
    };
    const newest = async () =>
      (await call(service, 'GET', '/api/v2/push/notifications?limit=1', { headers })).body.results[0];
    const until = async (state: string) => {
      while ((await newest()).state !== state) await delay(20);
    };
    await push('first');
    assert.equal((await newest()).state, 'accepted', 'nobody does it');
    const first = await startWorker(settings);
    await until('done');
    assert.equal((await newest()).sent, 3);

    for (const recipient of recipients) provider.tell(recipient, 'hang');
    const reached = provider.reached('two');
    await push('second');
    await reached;
    await first.stop('SIGKILL');
    const second = await startWorker(settings);
    await until('done');
    assert.deepEqual([(await newest()).sent, (await newest()).audience], [3, 3]);
    const ids = provider.received
      .filter(({ recipient }) => recipient === 'two')
      .map(({ content }) => deliveryIdIn(content));
    assert.equal(ids.length, 3);
    assert.equal(ids[1], ids[2], 'the one that was killed and the one that took over sent the same message');
    assert.equal(await second.stop('SIGTERM'), 0);
    assert.equal(await service.stop('SIGTERM'), 0);
  } finally {
    await provider.close();
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the embedded database is worked on by the process that serves it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-work-'));
  try {
    const worked = await runCommand(['work'], { PHAROS_DATA: folder });
    assert.equal(worked.code, 2);
    assert.match(worked.output, /PHAROS_DATABASE_URL/);
    const served = await runCommand(['serve'], { PHAROS_DATA: folder, PHAROS_WORKER: 'off' });
    assert.equal(served.code, 2);
    assert.match(served.output, /PHAROS_WORKER/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function deliveryIdIn(content: unknown): string {
  return (content as { message: { data: { deliveryId: string } } }).message.data.deliveryId;
}
