import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { findRestoreRequest, requestRestore, restoreInPlace } from '../../src/backup/in-place.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { createDiskBlobStore } from '../../src/blobs/disk.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findSetting, saveSetting } from '../../src/db/settings.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';

const blobKey = `app/${'0123'.repeat(8)}`;
const request = { backupId: 'then', askedAt: '2026-05-04T00:00:00.000Z', askedBy: 'ada' } as const;
const aside = 'before-then-2026-05-04T00-00-00-000Z';
/** Bytes of a setting: the restored database is larger than a file may become in one of the tests. */
const much = 3_000_000;
const url = (path: string) => new URL(path, import.meta.url);
/** What the service does at its start, before it opens the database. What was compiled is kept at once: most are killed. */
const program = `
  import { flushCompileCache } from 'node:module';
  import { restoreInPlace } from ${JSON.stringify(url('../../src/backup/in-place.ts').href)};
  flushCompileCache();
  const options = { dataFolder: process.env.PHAROS_DATA, now: Date.now(), eraseAgain: async () => undefined };
  console.log(JSON.stringify(await restoreInPlace(options)));
`;

interface Run {
  readonly signal: NodeJS.Signals | null;
  /** What the restore has answered; undefined if it did not come to that. */
  readonly result: { readonly ok: boolean; readonly message: string } | undefined;
  readonly errors: string;
}

async function startOnce(
  dataFolder: string,
  settings: Readonly<Record<string, string>>,
  blocks?: number,
): Promise<Run> {
  const faults = fileURLToPath(url('../support/storage/change-faults.mjs'));
  const words = ['--import', faults, join(dirname(dirname(dataFolder)), 'program.mjs')];
  const limited = ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, ...words];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), PHAROS_DATA: dataFolder, ...settings };
  const child = blocks ? spawn('sh', limited, { env }) : spawn(process.execPath, words, { env });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const [said, errors, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { signal, result: said ? JSON.parse(said) : undefined, errors };
}

describe('a restore in place that is cut off', { concurrent: true }, () => {
  let root: string;
  let template: string;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'pharos-cut-off-'));
    writeFileSync(join(root, 'program.mjs'), program);
    const source = join(root, 'source');
    const config = readConfig({ PHAROS_DATA: source });
    const db = await openDatabase(config);
    const blobs = createDiskBlobStore(join(source, 'files'));
    const write = async (what: string) => {
      await saveSetting(db, 'mark', what);
      await blobs.put(blobKey, Readable.from([Buffer.from(what)]));
    };
    await migrate(db, Date.now());
    await write('then');
    await saveSetting(db, 'much', 'x'.repeat(much));
    await writeBackup({ db, blobs, folder: join(root, 'backup'), now: Date.now() });
    await saveSetting(db, 'much', '');
    await write('now');
    // As a service leaves it that was killed: the last changes are in the log only.
    template = join(root, 'template');
    cpSync(source, template, { recursive: true });
    assert.ok(existsSync(join(template, 'pharos.db-wal')));
    await db.close();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** A folder of its own, with a backup of its own, for which a restore was asked. */
  async function prepared(name: string): Promise<{ readonly data: string; readonly backup: string }> {
    const [data, backup] = [join(root, name, 'data'), join(root, name, 'backup')];
    cpSync(template, data, { recursive: true });
    cpSync(join(root, 'backup'), backup, { recursive: true });
    await requestRestore(data, { ...request, folder: backup });
    return { data, backup };
  }

  /** What a folder has: of the database and of the file. */
  async function contents(folder: string): Promise<readonly [string | undefined, string]> {
    const db = openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 5_000 });
    try {
      assert.deepEqual(await db.check(), [], folder);
      const bytes = await createDiskBlobStore(join(folder, 'files')).get(blobKey);
      return [await findSetting(db, 'mark'), bytes ? await text(bytes) : ''];
    } finally {
      await db.close();
    }
  }
  const [then, now] = [
    ['then', 'then'],
    ['now', 'now'],
  ] as const;

  /** All that was there is either in its place, or aside with the backup in its place. Answers whether it was restored. */
  async function assertWhole(data: string, isRestored: boolean | undefined, when: string): Promise<void> {
    assert.deepEqual(await contents(data), isRestored ? then : now, when);
    assert.deepEqual(
      isRestored ? await contents(join(data, aside)) : existsSync(join(data, aside)),
      isRestored ? now : false,
      when,
    );
    const left = ['restoring', 'restore-request.json'].filter((name) => existsSync(join(data, name)));
    assert.deepEqual(left, [], when);
  }

  /** Another command beside it meanwhile sees one of both, or is told to wait; it makes no new database. */
  async function lookBeside(data: string, when: string): Promise<void> {
    try {
      const db = await openDatabase(readConfig({ PHAROS_DATA: data }));
      const mark = await findSetting(db, 'mark').finally(() => db.close());
      assert.ok(mark === 'then' || mark === 'now', `${when}: ${mark}`);
    } catch (error) {
      assert.match((error as Error).message, /A restore in .* was interrupted. Start the service first/, when);
    }
  }

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    test(`${signal} at each of its changes: the next start finishes it, or leaves all as it was`, async () => {
      let changes = 0;
      // Both end it at once, since nobody listens yet: of the second, a few are enough.
      const step = signal === 'SIGKILL' ? 1 : 4;
      for (let at = 1; ; at += step) {
        const when = `${signal} at change ${at}`;
        const { data, backup } = await prepared(`${signal}-${at}`);
        const cut = await startOnce(data, { PHAROS_TEST_FAULT: signal, PHAROS_TEST_FAULT_AT: String(at) });
        if (cut.result) {
          changes = Number(/changes: (\d+)/.exec(cut.errors)?.[1]);
          assert.ok(cut.result.ok, cut.result.message);
          await assertWhole(data, true, 'not cut off');
          break;
        }
        assert.equal(cut.signal, signal, `${when}: ${cut.errors}`);
        await lookBeside(data, when);
        // By then, for some, the backup is gone: what cannot be finished is taken back.
        if (at % 2 === 0) rmSync(join(backup, 'settings.ndjson.gz'), { force: true });
        const next = await restoreInPlace({ dataFolder: data, now: Date.now(), eraseAgain: async () => undefined });
        await assertWhole(data, next?.ok, when);
        assert.ok(at % 2 === 0 || next?.ok, when);
      }
      assert.ok(changes >= 10, `${changes} changes`);
    });

  test('a disk that is full from any of its changes on: all stays as it was, or is restored, and the service starts', async () => {
    const outcomes: (boolean | undefined)[] = [];
    for (let at = 1; ; at++) {
      const when = `full from change ${at} on`;
      const { data } = await prepared(`full-${at}`);
      const { result, errors } = await startOnce(data, {
        PHAROS_TEST_FAULT: 'ENOSPC',
        PHAROS_TEST_FAULT_AT: String(at),
      });
      assert.ok(result, `${when}: ${errors}`);
      await assertWhole(data, result.ok, when);
      if (!result.ok) assert.match(result.message, /Nothing was changed\.$/, when);
      outcomes.push(result.ok);
      if (at > Number(/changes: (\d+)/.exec(errors)?.[1])) break;
    }
    assert.ok(outcomes.includes(false) && outcomes.includes(true), JSON.stringify(outcomes));
  });

  test('a database for which there is no room leaves all as it was', async () => {
    const { data } = await prepared('small');
    // Blocks of 512 bytes, or of 1,024: less than the restored database needs.
    const { result, errors } = await startOnce(data, {}, Math.floor(much / 1_024 / 2));
    assert.equal(result?.ok, false, errors);
    assert.match(result?.message ?? '', /Nothing was changed\.$/);
    await assertWhole(data, false, 'no room');
    assert.equal(await findRestoreRequest(data), undefined);
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith('before-')),
      [],
    );
  });
});
