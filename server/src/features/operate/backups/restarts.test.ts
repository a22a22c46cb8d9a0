import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { test } from 'vitest';
import { buildApp, openStorage } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { archiveOf } from '../../../backup/archive.ts';
import { requestRestore } from '../../../backup/in-place.ts';
import type { Sql } from '../../../base/sql.ts';
import { migrate } from '../../../db/migrate.ts';
import { BackupRestores } from './restores.ts';
import type { BackupService } from './service.ts';

test('a restart restores the backup that its owner has seen, once, and nobody can change that in between', async () => {
  const asked: string[] = [];
  const app = await buildApp({ restart: () => void asked.push('restart') });
  try {
    const [ada, eve] = [await openConsole(app, 'owner'), await openConsole(app, 'owner')];
    const make = async () => {
      app.clock.now += 1_000;
      const { body } = await ada.send({ method: 'POST', url: '/system/backups' });
      await app.app.idle();
      return String(body.result.backupId);
    };
    const [first, second] = [await make(), await make()];
    const prepare = (by: Browser, id: string) =>
      by.send({ method: 'POST', url: `/system/backups/${id}/restore`, body: { name: 'pharos.test' } });
    const start = (backupId: string) => ada.send({ method: 'POST', url: '/system/restore/start', body: { backupId } });
    assert.equal((await prepare(ada, first)).status, 200);
    // While Ada reads what a restart does, Eve prepares another backup.
    assert.equal((await prepare(eve, second)).status, 200);
    const refused = await start(first);
    assert.deepEqual([refused.status, refused.body.error.name, asked], [412, 'PreconditionFailed', []]);
    // Twice, as with a double click.
    const started = await Promise.all([start(second), start(second)]);
    assert.deepEqual(
      started.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(asked, ['restart']);
    const late = [await prepare(eve, first), await eve.send({ method: 'DELETE', url: '/system/restore' })];
    assert.deepEqual(
      late.map(({ status }) => status),
      [403, 403],
    );
    const { prepared } = (await eve.send({ method: 'GET', url: '/system/backup-plan' })).body.result;
    assert.equal(prepared.backupId, second);
    const { results } = (await eve.send({ method: 'GET', url: '/audit?kind=backup' })).body;
    const actions = results.map(({ action }: { action: string }) => action);
    assert.equal(actions.filter((action: string) => action === 'backup.startRestore').length, 1);
  } finally {
    await app.close();
  }
});

test('an archive of a deleted backup fails only for its reader', async () => {
  const gone = join(tmpdir(), 'pharos-no-such-backup');
  const archive = archiveOf(gone, 'gone');
  // By the time these have failed, so has the archive, which nobody reads yet.
  for (let n = 0; n < 8; n++) await assert.rejects(opendir(gone), /ENOENT/);
  await assert.rejects(buffer(archive));
});

test('a stop ends a running backup and leaves nothing unfinished', async () => {
  const app = await buildApp();
  const owner = await openConsole(app, 'owner');
  app.clock.now += 1_000;
  assert.equal((await owner.send({ method: 'POST', url: '/system/backups' })).status, 201);
  await app.app.close();
  const left = readdirSync(join(app.config.dataFolder, 'backups'));
  assert.ok(!left.some((name) => name.includes('unfinished')), left.join());
  await app.storage.close();
});

test('preparing another backup, or cancelling it, at the moment of a restart takes effect before it or is refused', async () => {
  const storage = await openStorage('sqlite');
  const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-restores-'));
  const by = { name: 'ada', address: null };
  try {
    await migrate(storage.db, 0);
    for (const second of ['prepare', 'cancel'] as const)
      for (const order of ['first', 'last'] as const) {
        const asked: string[] = [];
        // The audit takes its time, in which the others go on.
        const entry = Promise.withResolvers<void>();
        const db = new Proxy(storage.db, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name);
            if (name !== 'run') return typeof member === 'function' ? member.bind(target) : member;
            return async (statement: Sql) => {
              await entry.promise;
              return target.run(statement);
            };
          },
        });
        const restores = new BackupRestores({
          db,
          now: () => 0,
          backups: { folderOf: async (id: string) => join(dataFolder, id) } as BackupService,
          dataFolder,
          isEmbedded: true,
          restart: () => void asked.push('restart'),
        });
        const request = { backupId: 'one', folder: join(dataFolder, 'one'), askedAt: '', askedBy: 'ada' };
        await requestRestore(dataFolder, request);
        const other = () => (second === 'prepare' ? restores.prepare('two', by) : restores.cancel(by));
        const both = order === 'first' ? [other(), restores.start('one', by)] : [restores.start('one', by), other()];
        await setImmediate();
        entry.resolve();
        const [outcomes, prepared] = [await Promise.allSettled(both), (await restores.read()).prepared?.backupId];
        const [others, start] = order === 'first' ? outcomes : outcomes.toReversed();
        const when = `${second} ${order}: ${start?.status}, ${prepared}`;
        assert.notEqual(start?.status, others?.status, when);
        const isStarted = start?.status === 'fulfilled';
        assert.deepEqual([asked.length, prepared === 'one'], isStarted ? [1, true] : [0, false], when);
      }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
    await storage.close();
  }
});
