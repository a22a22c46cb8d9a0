import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { findSetting } from '../../src/db/settings.ts';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { testInFull } from '../support/depth.ts';
import { firstCredentials, runCommand, type Service, signInManagerTo, startService } from './service.ts';

type Headers = Readonly<Record<string, string>>;

async function upload(service: Service, headers: Headers, name: string) {
  const answer = await fetch(`${service.baseUrl}/api/v2/files/${name}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: `the content of ${name}`,
  });
  const body = (await answer.json()) as { objectId: string; url: string };
  return { status: answer.status, ...body };
}

const statusOf = async (service: Service, url: string) => (await fetch(service.baseUrl + new URL(url).pathname)).status;

async function warningsOf(service: Service): Promise<readonly string[]> {
  const { status, warnings = [] } = (await (await fetch(`${service.baseUrl}/readyz`)).json()) as {
    status: string;
    warnings?: string[];
  };
  assert.equal(status, 'ready');
  return warnings;
}

/** The service remembers for a few seconds what it has found. */
async function untilWarned(service: Service, isWarned: boolean): Promise<void> {
  const isOfFolder = (warning: string) => warning.startsWith('The folder of files is not the one');
  while ((await warningsOf(service)).some(isOfFolder) !== isWarned) await delay(50);
}

async function withFolders(database: (typeof databases)[number], work: (at: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-files-'));
  const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
  const settings = { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
  const services: Service[] = [];
  try {
    await work({
      folder,
      settings,
      files: join(folder, 'files'),
      start: async (more = {}) => {
        const service = await startService({ ...settings, ...more });
        services.push(service);
        return service;
      },
    });
  } finally {
    for (const service of services) if (service.process.exitCode === null) await service.stop('SIGKILL');
    await postgres?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly files: string;
  readonly settings: Headers;
  start(more?: Headers): Promise<Service>;
}

/** What an unmounted disk leaves at its place: an empty folder. */
function unmount(files: string): void {
  renameSync(files, `${files}.disk`);
  mkdirSync(files);
}
function mount(files: string): void {
  rmSync(files, { recursive: true });
  renameSync(`${files}.disk`, files);
}

for (const database of databases) {
  testInFull(`on ${database} nothing is stored below a disk that is not mounted, and nothing is said to be gone`, () =>
    withFolders(database, async ({ folder, files, settings, start }) => {
      const first = await start();
      const credentials = firstCredentials(folder);
      const headers = await signInManagerTo(first, settings, credentials);
      const kept = await upload(first, headers, 'kept.txt');
      const removed = await upload(first, headers, 'removed.txt');
      assert.deepEqual([kept.status, removed.status], [201, 201]);
      assert.equal(await first.stop('SIGTERM'), 0);

      unmount(files);
      const service = await start();
      assert.equal((await upload(service, headers, 'new.txt')).status, 503);
      assert.equal(await statusOf(service, kept.url), 503, 'it is not gone');
      await untilWarned(service, true);
      assert.match(service.output(), /does not have the files of this database\. Is its disk mounted\?/);
      const url = `${service.baseUrl}/api/v2/files/${removed.objectId}`;
      await fetch(url, { method: 'DELETE', headers });
      const doctor = await runCommand(['doctor'], settings);
      assert.equal(doctor.code, 1);
      assert.match(doctor.output, /fail +file storage: The folder .+ Is its disk mounted\?/);
      const backup = await runCommand(['backup', '--to', join(folder, 'copy')], settings);
      assert.deepEqual([backup.code, existsSync(join(folder, 'copy'))], [1, false], backup.output);
      assert.match(backup.output, /Is its disk mounted\?/);
      assert.deepEqual(readdirSync(files), [], 'nothing lies below the disk');

      mount(files);
      await untilWarned(service, false);
      assert.equal(await statusOf(service, kept.url), 200);
      assert.equal((await upload(service, headers, 'new.txt')).status, 201);
      assert.equal((await runCommand(['doctor'], settings)).code, 0);
      assert.equal(await service.stop('SIGTERM'), 0);
    }),
  );

  testInFull(
    `on ${database} a folder of an earlier version is known from the first start on, also if its copy lacks the mark`,
    () =>
      withFolders(database, async ({ folder, files, settings, start }) => {
        const before = await start();
        const credentials = firstCredentials(folder);
        const headers = await signInManagerTo(before, settings, credentials);
        const kept = await upload(before, headers, 'kept.txt');
        assert.equal(await before.stop('SIGTERM'), 0);
        const mark = join(files, '.pharos-folder');
        rmSync(mark);
        const db = await openDatabase(readConfig(settings));
        const known = () => findSetting(db, 'files_folder');
        try {
          await db.run(sql`delete from settings where name = 'files_folder'`);
          const after = await start();
          while ((await known()) === undefined) await delay(20);
          assert.equal(await statusOf(after, kept.url), 200);
          assert.equal(await after.stop('SIGTERM'), 0);
          rmSync(mark);
          const again = await start();
          while (!existsSync(mark)) await delay(20);
          assert.equal((await upload(again, headers, 'new.txt')).status, 201);
          assert.equal(await again.stop('SIGTERM'), 0);
        } finally {
          await db.close();
        }
      }),
  );
}

test('a node whose folder is not that of the others stores nothing there, until it is claimed', () =>
  withFolders('postgres', async ({ folder, settings, start }) => {
    const [one, two] = [await start(), await start({ PHAROS_DATA: join(folder, 'second') })];
    const headers = await signInManagerTo(one, settings, firstCredentials(folder));
    const kept = await upload(one, headers, 'kept.txt');
    assert.equal((await upload(two, headers, 'lost.txt')).status, 503);
    await untilWarned(two, true);
    await untilWarned(one, false);
    assert.equal(await statusOf(two, kept.url), 503);
    const claimed = await runCommand(['files', 'claim', '--yes'], { ...settings, PHAROS_DATA: join(folder, 'second') });
    assert.equal(claimed.code, 0, claimed.output);
    await untilWarned(two, false);
    assert.equal((await upload(two, headers, 'new.txt')).status, 201);
  }));
