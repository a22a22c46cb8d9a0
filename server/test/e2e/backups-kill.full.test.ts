import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { call, type Service, startService } from './service.ts';

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

async function signIn(service: Service): Promise<string> {
  const account = { email: 'ada@museum.example', password: 'a long secret' };
  const headers = { origin: service.baseUrl };
  const token = () => /console\/setup#(\w+)/.exec(service.output())?.[1];
  await until(() => token() !== undefined);
  const body = { token: token(), name: 'Ada', ...account };
  assert.equal((await call(service, 'POST', '/console/api/setup', { headers, body })).status, 201);
  const answer = await fetch(`${service.baseUrl}/console/api/session`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

test('a backup that is killed in the middle of its deletion is neither there nor left behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-kill-'));
  const settings = { PHAROS_DATA: folder };
  const backups = join(folder, 'backups');
  let service = await startService(settings);
  try {
    const cookie = await signIn(service);
    const headers = () => ({ cookie, origin: service.baseUrl });
    const list = async () =>
      (await call(service, 'GET', '/console/api/system/backups', { headers: headers() })).body.results as {
        backupId: string;
      }[];
    assert.equal(
      (await call(service, 'POST', '/console/api/system/backups', { headers: headers(), body: {} })).status,
      201,
    );
    while ((await list()).length === 0) await delay(20);
    const [{ backupId } = { backupId: '' }] = await list();
    // As of a museum with many pictures: deleting them takes a while.
    const pictures = join(backups, backupId, 'files', 'App', 'ab');
    mkdirSync(pictures, { recursive: true });
    const count = 20_000;
    for (let n = 0; n < count; n++) writeFileSync(join(pictures, String(n)), '');
    const deleted = call(service, 'DELETE', `/console/api/system/backups/${backupId}`, { headers: headers() }).catch(
      () => undefined,
    );
    await until(() => !existsSync(pictures) || readdirSync(pictures).length < count);
    await service.stop('SIGKILL');
    await deleted;

    service = await startService(settings);
    assert.deepEqual(await list(), []);
    await until(() => readdirSync(backups).length === 0);
    assert.equal(await service.stop('SIGTERM'), 0);
  } finally {
    if (service.process.exitCode === null) await service.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
