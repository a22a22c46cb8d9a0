import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { bothDatabases, createPostgresDatabase, databases } from '../../test/support/build-app.ts';
import { shellOf, withShell } from '../../test/support/command-line.ts';
import { startSmtpSink } from '../../test/support/servers/smtp-sink.ts';
import { raw, sql } from '../base/sql.ts';
import { readConfig } from '../config/config.ts';
import type { Database } from '../db/db.ts';
import { checkClock } from './commands/doctor/data.ts';
import { findNodes, findTables } from './commands/doctor/distributed.ts';
import { checkNode } from './commands/doctor/machine.ts';
import { openDatabase } from './commands/storage.ts';

for (const database of databases) {
  describe(`the command line on ${database}`, () => {
    test('doctor finds no failure on a new database, and says what is open', () =>
      withShell(database, async ({ run }) => {
        assert.match((await run('migrate')).out, /^Applied: 0001-foundation\.sql(, \d{4}-[\w-]+\.sql)*\.$/);
        assert.equal((await run('migrate')).out, 'The database is up to date.');
        await run('app create --name Guide');
        const { code, json } = await run('doctor --json');
        assert.equal(code, 0, JSON.stringify(json));
        const settings = json.checks.filter(({ check }: { check: string }) => check === 'settings');
        assert.equal(JSON.stringify(settings).includes('PHAROS_SECRET_KEY is not set'), database === 'postgres');
        const stateOf = (check: string) => json.checks.find((one: { check: string }) => one.check === check)?.state;
        assert.deepEqual(
          ['Node', 'database', 'migrations', 'integrity', 'files', 'administrators', 'app Guide'].map(stateOf),
          ['ok', 'ok', 'ok', 'ok', 'ok', 'warn', 'warn'],
        );
        assert.equal(stateOf('clock'), database === 'postgres' ? 'ok' : undefined);
        const bad = await run('doctor --port 99999 --json');
        assert.equal(bad.code, 1);
        assert.match(JSON.stringify(bad.json), /--port must be a whole number/);
      }));

    test('doctor finds no failure in the database of an earlier version, which lacks tables', () =>
      withShell(database, async ({ environment, run }) => {
        await run('migrate');
        await run('app create --name Guide');
        const db = await openDatabase(readConfig(environment));
        await db.run(raw('drop table admin_languages'));
        await db.run(raw('delete from migrations where id >= 250'));
        await db.close();
        const { code, json } = await run('doctor --json');
        assert.equal(code, 0, JSON.stringify(json));
        const told = json.checks.map(({ state, message }: { state: string; message: string }) => `${state} ${message}`);
        assert.match(told.join('\n'), /warn The database is at \d+ of \d+\. Run: pharos migrate/);
        assert.equal(told.at(-1), 'warn The rest can be checked once it is migrated.');
      }));
  });
}

for (const database of bothDatabases) {
  test(`upgrade --check on ${database} says what changes and whether there is a way back, and changes nothing`, () =>
    withShell(database, async ({ environment, run, folder }) => {
      await run('migrate');
      await run('app create --name Guide');
      assert.match((await run('upgrade --check')).out, /^ok +migrations: Version .* changes nothing/);
      assert.equal((await run('upgrade')).code, 2);
      const change = async (statement: string) => {
        const db = await openDatabase(readConfig(environment));
        await db.run(raw(statement));
        await db.close();
      };
      await change('drop index users_foreign_password');
      await change('delete from migrations where id = 470');
      const { code, out, json } = {
        ...(await run('upgrade --check')),
        json: (await run('upgrade --check --json')).json,
      };
      assert.equal(code, 0, out);
      assert.deepEqual(json.migrations, ['0470-foreign-passwords.sql']);
      assert.match(out, /ok +0470-foreign-passwords: an index on users, 0 rows\./);
      assert.match(out, /warn +way back: Afterwards an older version refuses this database\. There is no backup in/);
      assert.equal(
        (await run('doctor --json')).json.checks.some((one: { state: string }) => one.state === 'fail'),
        false,
      );

      await change('delete from migrations where id > 470');
      await run(`backup --to ${join(folder, 'data', 'backups', 'monday')}`);
      assert.match((await run('upgrade --check')).out, /ok +way back: .* The backup of \d{4}-.* leads back/);
      await change("insert into migrations (id, name, applied_at) values (9999, 'later', 0)");
      const refused = await run('upgrade --check');
      assert.equal(refused.code, 1);
      assert.match(refused.out, /The database is at 9999, .* it is refused\. Run a newer version/);
    }));
}

test('doctor tells what is wrong with a database that is distributed', () => {
  const wanted = { distributed: ['apps', 'beacons', 'visits'], local: ['nodes'] };
  const place = (name: string, colocationid = 1, keys = 'app_id') => ({ name, colocationid, keys });
  const say = (...placed: ReturnType<typeof place>[]) => findTables(placed, wanted).map(({ message }) => message);
  assert.deepEqual(say(place('apps'), place('beacons'), place('visits')), []);
  assert.match(say(place('apps'), place('beacons'))[0] ?? '', /^Not distributed: visits\. Run: pharos migrate/);
  assert.match(say(place('apps'), place('beacons', 2), place('visits'))[0] ?? '', /^Not beside the rows.*: beacons\./);
  assert.match(
    say(place('apps'), place('beacons', 1, 'x'), place('visits'))[0] ?? '',
    /^Not distributed by app_id: be/,
  );
  assert.match(
    say(place('apps'), place('beacons'), place('visits'), place('nodes'))[0] ?? '',
    /^Must not be .*: nodes/,
  );
  const node = { name: 'a:1', active: true, takes: true, shards: 32 };
  assert.deepEqual(findNodes([node, { ...node, takes: false, shards: 0 }]), []);
  assert.match(findNodes([{ ...node, active: false }])[0]?.message ?? '', /is not active/);
  assert.match(findNodes([{ ...node, shards: 0 }])[0]?.message ?? '', /has no rows yet/);
});

test('doctor takes the Node that the packages take', () => {
  assert.deepEqual(
    ['v18.20.0', 'v22.14.9', 'v22.15.0', 'v24.21.0', 'v26.0.0'].map((version) => checkNode(version).state),
    ['fail', 'fail', 'ok', 'ok', 'ok'],
  );
});

test('doctor says that the clocks of this machine and of the database differ', async () => {
  const day = 86_400_000;
  const found = async (by: number) => checkClock({ time: async () => Date.now() + by } as Database);
  const [ahead, behind] = [await found(-day), await found(day)];
  assert.match(ahead[0]?.message ?? '', /^The clock of this machine is 86\d+ s ahead of that of the database/);
  assert.match(behind[0]?.message ?? '', /is 86\d+ s behind that of the database.+ NTP\.$/);
  assert.deepEqual(
    [...ahead, ...behind].map(({ check, state }) => [check, state]),
    [
      ['clock', 'warn'],
      ['clock', 'warn'],
    ],
  );
});

test('doctor reports problems, and what to do about them', () =>
  withShell('sqlite', async ({ folder, environment, run }) => {
    const examine = async (settings: Readonly<Record<string, string>> = {}) => {
      const { json, code } = await shellOf(folder, { ...environment, ...settings }).run('doctor --json');
      const findings = json.checks as readonly { check: string; state: string; message: string }[];
      const of = (check: string) =>
        findings.filter((one) => one.check === check).map(({ state, message }) => `${state} ${message}`);
      return { code, of };
    };
    const data = join(folder, 'data');
    assert.match((await examine()).of('data folder').join(), /^warn .*data does not exist yet/);
    assert.deepEqual((await examine()).of('backup folder'), []);
    const backupsIn = async (place: string) =>
      (await examine({ PHAROS_BACKUP_FOLDER: place })).of('backup folder').join();
    assert.match(await backupsIn(join(folder, 'backups')), /^warn .*backups does not exist yet/);
    assert.match(await backupsIn(folder), /^ok .* can be written/);
    // On Linux nobody may write there, not even root.
    if (existsSync('/proc/self'))
      for (const place of ['/proc/self', '/proc/self/backups'])
        assert.match(await backupsIn(place), /^fail \/proc\/self cannot be written by this user/);
    await run('migrate');
    const made = (await run('app create --name Guide --json')).json;
    chmodSync(data, 0o755);
    const open = await examine({ PHAROS_HOST: '0.0.0.0' });
    assert.match(open.of('data folder')[0] ?? '', /^warn Every user of this machine can read .*chmod 700/);
    assert.match(open.of('data folder')[1] ?? '', /GiB are free in/);
    assert.match(open.of('settings')[0] ?? '', /^warn PHAROS_PUBLIC_URL is not set/);
    assert.match(open.of('settings')[1] ?? '', /^warn PHAROS_SMTP_URL is not set/);
    assert.match(open.of('app Guide').join(), /^warn .*\(listUsers\); .*\(uploadNeedsUser\)\. Change/);
    assert.match(open.of('administrators').join(), /^warn Nobody can sign in/);
    assert.equal(open.code, 0);

    chmodSync(data, 0o700);
    await run(`admin create --email vera@example.org --name Vera --role owner --password-stdin`, {
      input: 'a long enough secret',
    });
    const mail = await startSmtpSink();
    const settled = await examine({ PHAROS_PUBLIC_URL: 'http://museum.example', PHAROS_SMTP_URL: mail.url });
    await mail.close();
    assert.equal(settled.of('data folder').length, 1);
    assert.deepEqual(settled.of('administrators'), ['ok 1 owner.']);
    assert.match(settled.of('settings').join(), /^warn PHAROS_PUBLIC_URL is not https/);
    assert.match(settled.of('mail').join(), /^ok The mail server 127.0.0.1:\d+ accepts mail/);
    const proxied = await examine({ PHAROS_PUBLIC_URL: 'https://museum.example', PHAROS_SMTP_URL: mail.url });
    assert.match(proxied.of('settings').join(), /^warn PHAROS_TRUST_PROXY is false/);
    assert.match(proxied.of('mail').join(), /^fail The mail server .* cannot be used \(ECONNREFUSED|ESOCKET\)/);
    assert.equal(proxied.code, 1);

    const db = await openDatabase(readConfig(environment));
    await db.run(sql`insert into files
      (app_id, object_id, stored_name, name, content_type, size, sha256, by_admin, created_at, updated_at)
      values (${made.appId}, 'f', ${`${'a'.repeat(32)}_lost.txt`}, 'lost.txt', 'text/plain', 1, '', 0, 1, 1)`);
    const unmounted = await examine();
    assert.match(
      unmounted.of('file storage').join(),
      /^fail The folder .+ Is its disk mounted\? .+: pharos files claim$/,
    );
    await run('files claim --yes');
    await db.run(raw('delete from migrations where id = (select max(id) from migrations)'));
    await db.close();
    const damaged = await examine();
    assert.match(damaged.of('migrations').join(), /^warn The database is at \d+ of \d+\. Run: pharos migrate/);
    assert.match(damaged.of('files').join(), /^fail 1 of 1 uploaded files have lost their bytes, such as .*lost\.txt/);
    assert.equal(damaged.code, 1);
  }));

test('a PostgreSQL database that would compare text in another way is not used, and doctor says how to make one', async () => {
  const postgres = await createPostgresDatabase('SQL_ASCII');
  const folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'));
  try {
    const { run } = shellOf(folder, { PHAROS_DATA: folder, PHAROS_DATABASE_URL: postgres.url });
    const refused = /must compare text by code point, .*encoding SQL_ASCII.*CREATE DATABASE pharos/;
    const examined = await run('doctor --json');
    assert.equal(examined.code, 1);
    const [found] = examined.json.checks.filter(({ check }: { check: string }) => check === 'database');
    assert.equal(found.state, 'fail');
    assert.match(found.message, refused);
    assert.deepEqual(examined.json.checks.at(-1), {
      check: 'migrations',
      state: 'warn',
      message: 'The database is empty. pharos serve creates its tables.',
    });
    const started = await run('migrate');
    assert.equal(started.code, 1);
    assert.match(started.err, refused);
  } finally {
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
