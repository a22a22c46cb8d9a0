import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createServices } from '../../src/app/services.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { pollMs } from '../../src/db/nodes/poller.ts';
import { createMigratedPostgres } from '../support/build-app.ts';
import { call, runCommand, type Service, startService } from './service.ts';

/** One of two nodes is suspended for a while: when it goes on, it does not answer by what it knew before. */

describe('a node that stood still', () => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof createMigratedPostgres>>;
  let settings: Record<string, string>;
  let credentials: Record<string, string>;
  let other: Service;
  let suspended: Service;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-still-'));
    postgres = await createMigratedPostgres();
    settings = { PHAROS_DATA: folder, PHAROS_SECRET_KEY: 'cd'.repeat(32), PHAROS_DATABASE_URL: postgres.url };
    const db = await openDatabase(readConfig(settings));
    await migrate(db, Date.now());
    const { appId, appKey } = await createServices({ db, now: Date.now }).apps.create('Museum');
    await db.close();
    credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
    [other, suspended] = await Promise.all([startService(settings), startService(settings)]);
  });
  afterAll(async () => {
    for (const service of [other, suspended]) await service.stop('SIGKILL');
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Whatever is sent to it meanwhile waits at its door, until what it knew is older than two polls. */
  async function whileStill<T>(work: () => Promise<void>, send: () => Promise<T>): Promise<T> {
    suspended.process.kill('SIGSTOP');
    await work();
    const answer = send();
    await delay(2 * pollMs);
    suspended.process.kill('SIGCONT');
    return answer;
  }

  test('refuses a key that was revoked meanwhile', async () => {
    const appId = credentials['x-service-appid'] ?? '';
    const words = ['app', 'secret-key', 'create', appId, '--name', 'Gateway', '--scope', 'beacons:list', '--json'];
    const made = await runCommand(words, settings);
    const { secretKey, key } = JSON.parse(made.output);
    const withKey = { 'x-service-appid': appId, 'x-service-appkey': secretKey };
    const ask = () => call(suspended, 'GET', '/api/v2/beacons', { headers: withKey });
    assert.equal((await ask()).status, 200, made.output);
    const revoke = async () => {
      const { code, output } = await runCommand(['app', 'secret-key', 'revoke', appId, '--key', key.keyId], settings);
      assert.equal(code, 0, output);
    };
    assert.equal((await whileStill(revoke, ask)).status, 404);
  });
});
