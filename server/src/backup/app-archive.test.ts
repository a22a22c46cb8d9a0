import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { bothDatabases, buildApp, signIn, type TestApp } from '../../test/support/build-app.ts';
import { type Shell, shellOf, withShell } from '../../test/support/command-line.ts';
import { testInFull } from '../../test/support/depth.ts';
import { blobsOf, fill, openEmpty, withFolder } from '../../test/support/storage/backups.ts';
import { createApp } from '../app/app.ts';
import { openDatabase, withFirstServices, withServices } from '../cli/commands/storage.ts';
import { readConfig } from '../config/config.ts';
import { migrate } from '../db/migrate.ts';
import { ledgerName } from '../features/people/privacy/ledger.ts';
import { exportApp, withArchive } from './app-archive.ts';
import { loadTable } from './restore.ts';
import { writeBackup } from './write.ts';

/** The answers of a service on a shell's database, byte for byte. */
async function answersFrom(
  shell: Shell,
  app: TestApp,
  headers: Readonly<Record<string, string>>,
  read: readonly string[],
) {
  const config = readConfig({ ...shell.environment, PHAROS_PUBLIC_URL: app.config.publicUrl });
  const db = await openDatabase(config);
  const service = await createApp({
    repeats: false,
    config,
    db,
    now: () => app.clock.now,
    logStream: { write: () => undefined },
  });
  try {
    const ask = async (url: string) => {
      const answer = await service.server.inject({ method: 'GET', url, headers: { ...app.credentials, ...headers } });
      return [url, answer.statusCode, answer.rawPayload.toString('utf8')];
    };
    return await Promise.all(read.map(ask));
  } finally {
    await service.close();
    await db.close();
  }
}

const exported = (app: TestApp, file: string) =>
  exportApp({ db: app.storage.db, blobs: blobsOf(app), appId: app.appId, file, now: 0 });

for (const from of bothDatabases) {
  for (const to of bothDatabases) {
    // The other ways round are those of a backup: round-trip.test.ts.
    const testIt = from === 'sqlite' && to === 'postgres' ? test : testInFull;
    testIt(`an app of ${from} is imported beside another one of ${to}: same answers, keys, tokens and files`, () =>
      withFolder((folder) =>
        withShell(to, async (shell) => {
          const app = await buildApp({ database: from });
          try {
            const { user, read } = await fill(app);
            const other = await app.app.apps.create('Not this one');
            const before = await Promise.all(
              read.map(async (url) => {
                const { status, raw } = await app.send({ method: 'GET', url, headers: user.headers });
                return [url, status, raw.toString('utf8')];
              }),
            );
            const file = join(folder, 'guide.tar');
            await exported(app, file);
            assert.ok(!readFileSync(file).includes(app.appKey));
            await assert.rejects(exported(app, file), /exists already/);
            await shell.run('app create --name Resident');

            const line = `import --from ${file}`;
            assert.match((await shell.run(`${line} --dry-run`)).out, /is new here\. Nothing was imported\./);
            assert.deepEqual((await shell.run('app list --json')).json.apps.length, 1);
            const done = await shell.run(line);
            assert.match(done.out, /^Imported .* \(\d+ rows, 1 files\)\.$/, done.err);
            assert.deepEqual(await answersFrom(shell, app, user.headers, read), before);
            const apps = (await shell.run('app list --json')).json.apps;
            assert.deepEqual(
              apps.map(({ appId }: { appId: string }) => appId === app.appId || appId === other.appId).sort(),
              [false, true],
            );
            assert.match((await shell.run(line)).out, /was imported from this archive before/, 'twice is once');

            await app.app.apps.change(app.appId, { name: 'Renamed' });
            await exported(app, join(folder, 'renamed.tar'));
            const there = await shell.run(`import --from ${join(folder, 'renamed.tar')}`);
            assert.equal(there.code, 1);
            assert.match(there.err, /is there already\. Nothing was imported\. To replace it, delete it first\./);

            await shell.run(`app delete ${app.appId} --yes`);
            assert.equal((await shell.run(`import --from ${join(folder, 'renamed.tar')}`)).code, 0);
            await withServices(readConfig(shell.environment), async ({ apps }) => {
              await apps.change(app.appId, { disabled: true });
              await apps.finishRemoval(app.appId);
              assert.equal((await apps.get(app.appId)).name, 'Renamed', 'what the deletion left to do spares it');
            });
          } finally {
            await app.close();
          }
        }),
      ),
    );
  }
}

test('an interrupted import goes on, and what another one left is removed', () =>
  withFolder((folder) =>
    withShell('sqlite', async (shell) => {
      const app = await buildApp();
      try {
        const { user, read } = await fill(app);
        const files = [join(folder, 'one.tar'), join(folder, 'two.tar')] as const;
        await exported(app, files[0]);
        await app.send({
          method: 'POST',
          url: '/api/v2/data/bucket/odd',
          headers: user.headers,
          body: { metadata: { late: 1 } },
        });
        const before = await Promise.all(
          read.map(async (url) => (await app.send({ method: 'GET', url, headers: user.headers })).raw.toString('utf8')),
        );
        await exported(app, files[1]);
        const config = readConfig(shell.environment);
        await withArchive({ from: files[0], wanted: undefined, scratch: folder }, (archive) =>
          withFirstServices(config, async ({ apps }, db) => {
            await apps.arrival.begin(archive, 'new');
            for (const table of ['records', 'users'])
              await loadTable(db, { table, folder: archive.folder, manifest: archive.manifest, appId: app.appId });
            await db.run({
              strings: ['delete from records where object_id > (select min(object_id) from records)'],
              values: [],
            });
            await db.run({ strings: ["update users set firstname = 'Stale'"], values: [] });
          }),
        );
        assert.match((await shell.run(`import --from ${files[0]} --dry-run`)).out, /goes on with its import/);
        assert.equal((await shell.run(`import --from ${files[1]}`)).code, 0);
        const after = await answersFrom(shell, app, user.headers, read);
        assert.deepEqual(
          after.map(([, , text]) => text),
          before,
        );
      } finally {
        await app.close();
      }
    }),
  ));

test('who was erased since is erased again by an import and by a restore; a list that cannot be read is refused before', () =>
  withFolder((folder) =>
    withShell('sqlite', async (shell) => {
      const app = await buildApp();
      try {
        const vera = await signIn(app);
        const [file, backup] = [join(folder, 'guide.tar'), join(folder, 'backup')];
        await exported(app, file);
        await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
        await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers });
        await app.app.idle();
        const list = join(app.storage.folder, ledgerName);
        const person = (on: Shell) =>
          on.run(`person export --app ${app.appId} --user ${vera.userId} --to ${join(folder, 'vera.json')}`);

        const line = `import --from ${file}`;
        assert.match((await shell.run(`${line} --erasures ${join(folder, 'none')}`)).err, /none/);
        assert.match((await shell.run(line)).out, /^Imported /, 'nothing was imported before');
        assert.equal((await person(shell)).code, 0);
        const again = await shell.run(`${line} --erasures ${list}`);
        assert.match(again.out, /was imported from this archive before\. 1 erasures since then are done again/);
        assert.equal((await person(shell)).code, 1);

        const restored = shellOf(folder, { ...shell.environment, PHAROS_DATA: join(folder, 'restored') });
        const done = await restored.run(`restore --from ${backup} --erasures ${list}`);
        assert.match(done.out, /1 erasure/, done.err);
        assert.equal((await person(restored)).code, 1);
      } finally {
        await app.close();
      }
    }),
  ));

test('a backup or an export that is stopped leaves nothing of what it has copied', () =>
  withFolder(async (folder) => {
    const app = await buildApp({ database: 'sqlite' });
    try {
      const stopped = new Error('It was stopped.');
      const how = { db: app.storage.db, blobs: blobsOf(app), now: 0, signal: AbortSignal.abort(stopped) };
      await assert.rejects(writeBackup({ ...how, folder: join(folder, 'backup') }), stopped);
      await assert.rejects(exportApp({ ...how, appId: app.appId, file: join(folder, 'a.tar') }), stopped);
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      await app.close();
    }
  }));

testInFull('one app of a backup is imported, also from an older version', () =>
  withFolder((folder) =>
    withShell('sqlite', async (shell) => {
      const old = await openEmpty('sqlite');
      try {
        await migrate(old.db, 0, 400);
        for (const [id, name] of [
          ['A1', 'First'],
          ['B2', 'Second'],
        ])
          await old.db.run({
            strings: [
              'insert into apps (app_id, name, policy, created_at, updated_at) values (',
              ', ',
              ", '{}', 1, 1)",
            ],
            values: [id ?? '', name ?? ''],
          });
        const backup = join(folder, 'backup');
        const { createDiskBlobStore } = await import('../blobs/disk.ts');
        await writeBackup({
          db: old.db,
          blobs: createDiskBlobStore(join(old.folder, 'files')),
          folder: backup,
          now: 0,
        });
        const vague = await shell.run(`import --from ${backup}`);
        assert.deepEqual(
          [vague.code, vague.err],
          [1, 'Choose one of the apps in it with --app ID:\nA1 First\nB2 Second'],
        );
        assert.match((await shell.run(`import --from ${backup} --app C3`)).err, /The app C3 is not in it/);
        assert.equal((await shell.run(`import --from ${backup} --app B2`)).code, 0);
        assert.deepEqual(
          (await shell.run('app list --json')).json.apps.map(({ name }: { name: string }) => name),
          ['Second'],
        );
      } finally {
        await old.close();
      }
    }),
  ),
);

test('what is no archive, or a damaged one, is refused and nothing is written', () =>
  withFolder((folder) =>
    withShell('sqlite', async (shell) => {
      const app = await buildApp();
      try {
        await fill(app);
        const file = join(folder, 'guide.tar');
        await exported(app, file);
        const whole = readFileSync(file);
        const refusedWith = async (bytes: Buffer) => {
          writeFileSync(file, bytes);
          const { code, err } = await shell.run(`import --from ${file}`);
          assert.equal(code, 1);
          return err;
        };
        assert.match(
          await refusedWith(Buffer.from('no archive')),
          /is no archive of an app, or it is damaged|no readable/,
        );
        assert.match(await refusedWith(whole.subarray(0, whole.length >> 1)), /damaged|no readable/);
        const changed = Buffer.from(whole);
        const at = changed.indexOf('hello file');
        changed.write('jello', at);
        assert.match(await refusedWith(changed), /The backup is damaged: files\/.* is missing or has been changed/);
        assert.equal(
          (await shell.run(`import --from ${join(folder, 'none.tar')}`)).err,
          `There is no file ${join(folder, 'none.tar')}.`,
        );
        assert.match((await shell.run('app list')).err, /^There is no database/);
        const outside = changed
          .toString('latin1')
          .replaceAll(`${app.appId}/manifest.json`, '../../../evil.json'.padEnd(app.appId.length + 14, 'x'));
        await refusedWith(Buffer.from(outside, 'latin1'));
        assert.ok(!existsSync(join(folder, 'evil.json')));
      } finally {
        await app.close();
      }
    }),
  ));
