import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { buildApp, signIn } from '../../test/support/build-app.ts';
import { shellOf, withShell } from '../../test/support/command-line.ts';
import { canMount, fillUp, smallDisk } from '../../test/support/storage/small-disk.ts';
import { raw } from '../base/sql.ts';
import { readConfig } from '../config/config.ts';
import { openDatabase } from './commands/storage.ts';
import { commands } from './commands.ts';

test('there is help for pharos, for a group and for each command, and it explains every setting', async () => {
  const { run } = shellOf('', {});
  const overview = await run('--help');
  for (const { name } of commands) assert.ok(overview.out.includes(`  ${name}`), name);
  assert.match((await run('app --help')).out, /app rotate-key/);
  for (const { name } of commands) {
    const help = await run(`${name} --help`);
    assert.equal(help.code, 0);
    assert.match(help.out, new RegExp(`^Usage: pharos ${name}`));
    assert.match(help.out, /PHAROS_DATABASE_URL/);
  }
  assert.match((await run('--version')).out, /^\d+\.\d+\.\d+$/);
});

test('an unknown command is refused with advice, on standard error, with exit code 2', async () => {
  const { run } = shellOf('', {});
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /^Usage: pharos COMMAND/],
    ['dance', /There is no command "dance"\. See: pharos --help/],
    ['app', /"pharos app" needs one of: app create, app list/],
    ['app dance', /"pharos app" needs one of/],
    ['app list --colour', /Unknown option '--colour'\. See: pharos app list --help/],
    ['app list extra', /"extra" is one argument too many/],
    ['app create', /--name NAME is missing\. See: pharos app create --help/],
    ['app create --name', /argument missing\. See: pharos app create --help/],
    ['backup', /--to FOLDER is missing/],
    ['restore', /--from FOLDER is missing/],
  ];
  for (const [line, message] of cases) {
    const refused = await run(line);
    assert.equal(refused.code, 2, line);
    assert.match(refused.err, message);
    assert.equal(refused.out, '');
  }
});

test('simulate and replay say which option is wrong before they call the service', () =>
  withShell('sqlite', async ({ folder }) => {
    const [plan, recording] = [join(folder, 'plan.json'), join(folder, 'walk.csv')];
    const waypoints = [
      { name: 'in', x: 0, y: 0 },
      { name: 'out', x: 9, y: 0 },
    ];
    const beacons = [{ beacon: 'hall', x: 1, y: 1 }];
    writeFileSync(plan, JSON.stringify({ beacons, waypoints, paths: [['in', 'out']] }));
    writeFileSync(recording, 'at,visitor,beacon,rssi\n2026-05-04T09:30:00Z,anna,hall,-60\n');
    const { run } = shellOf(folder, { APP_ID: 'a', APP_KEY: 'k', BASE_URL: 'http://127.0.0.1:1' });
    const simulate = `simulate --plan ${plan}`;
    const replay = `replay ${recording} --beacon hall=hall`;
    for (const [line, problem] of [
      [
        `${simulate} --url ftp://museum.example`,
        '--url must be an address such as http://127.0.0.1:8080, not "ftp://museum.example".',
      ],
      [`${simulate} --visitors 10001`, '--visitors must be a number from 1 to 10000, not "10001".'],
      [`${simulate} --duration soon`, '--duration must be a time such as 90s, 10m or 2h, not "soon".'],
      [`${simulate} --run a/b`, '--run must have 1 to 60 letters, digits, dots, dashes and underscores.'],
      [`${simulate} walk`, 'A name is allowed here only with --remove; use --run NAME.'],
      ['simulate --remove a/b', '"a/b" is not the name of a run.'],
      [`${replay} --speed 0`, '--speed must be a number from 0.01 to 100000, not "0".'],
      [`${replay} --at noon`, '--at must be a time such as 2026-05-04T09:30:00Z, not "noon".'],
      [`${replay} --at 2999-01-01T00:00:00Z`, 'With this --at and --speed records would lie in the future.'],
      [`replay ${recording} --beacon hall`, '--beacon takes NAME=ID, not "hall".'],
    ] as const) {
      const { code, err } = await run(line);
      assert.equal(code, 2, `${line}: ${err}`);
      assert.ok(err.includes(problem), `${line}: ${err}`);
    }
    const nobody = await shellOf(folder, {}).run(simulate);
    assert.equal(nobody.code, 2);
    assert.match(nobody.err, /Name the app with --app-id and --app-key, or with APP_ID and APP_KEY/);
  }));

test('all problems of the configuration are reported at once, and as JSON to a script', async () => {
  const { run } = shellOf('', { PHAROS_PORT: 'x', PHAROS_PROT: '1', PHAROS_DATABASE_URL: 'mysql://secret@host' });
  const refused = await run('app list --log-level loud --json');
  assert.equal(refused.code, 2);
  const { message } = JSON.parse(refused.err).error;
  for (const part of [
    'PHAROS_PORT must be',
    'PHAROS_PROT is not a setting',
    '--log-level must be',
    'PHAROS_DATABASE_URL must be',
  ])
    assert.ok(message.includes(part), part);
  assert.ok(!message.includes('secret'));
});

test('one sentence and exit code 1 for an impossible folder, and for a missing PostgreSQL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'));
  try {
    const { run } = shellOf(folder, {});
    writeFileSync(join(folder, 'file'), '');
    const cases: readonly (readonly [string, RegExp])[] = [
      [`app create --name Museum --data ${join(folder, 'file', 'data')}`, /cannot be used: .*Choose another folder/],
      ['serve --data /proc/museum/data', /^\/proc\/museum cannot be used: .*Choose another folder/],
      [`serve --data ${join(folder, 'file')}`, /cannot be used: it is not a folder\. Choose another folder/],
      [
        'app list --database-url postgres://a:secret@127.0.0.1:1/x',
        /PostgreSQL at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
      ],
      [`backup --to ${join(folder, 'b')} --data ${join(folder, 'none')}`, /There is no database in/],
      [`app list --data ${join(folder, 'none')}`, /There is no database in .*none\. Name its folder/],
      [`admin sso show --data ${join(folder, 'none')}`, /There is no database in/],
      [`restore --from ${join(folder, 'none')} --data ${join(folder, 'd')}`, /There is no backup in/],
    ];
    for (const [line, message] of cases) {
      const refused = await run(line);
      assert.equal(refused.code, 1, line);
      assert.match(refused.err, message);
      assert.equal(refused.err.split('\n').length, 1, 'no stack trace');
      assert.ok(!refused.err.includes('secret'));
    }
    assert.ok(!existsSync(join(folder, 'none')), 'what only reads makes no database');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a link for an administrator names the public address, or says that the service may have another one', () =>
  withShell('sqlite', async ({ run, folder, environment }) => {
    await run('admin create --email vera@example.org');
    const guessed = await run('admin link --email vera@example.org');
    assert.match(guessed.out, /\nhttp:\/\/localhost:8080\/console\/link#[\w-]+\n\nIf the service has another address/);
    const known = shellOf(folder, { ...environment, PHAROS_PUBLIC_URL: 'https://pharos.example' });
    const named = await known.run('admin link --email vera@example.org');
    assert.match(named.out, /\nhttps:\/\/pharos\.example\/console\/link#[\w-]+$/);
  }));

test('an export of a person does not overwrite a file, and says so', async () => {
  const app = await buildApp({ database: 'sqlite' });
  try {
    const { dataFolder } = app.config;
    const { userId } = await signIn(app);
    const file = join(dataFolder, 'vera.json');
    const line = `person export --app ${app.appId} --user ${userId} --to ${file}`;
    const { run } = shellOf(dataFolder, app.storage.settings);
    assert.equal((await run(line)).code, 0);
    const { code, err } = await run(line);
    assert.deepEqual([code, err], [1, `${file} exists already and is not overwritten. Choose another name.`]);
  } finally {
    await app.close();
  }
});

test('a backup to a full disk says that this disk is full, and blames no database', { skip: !canMount }, () =>
  withShell('sqlite', async ({ run }) => {
    await run('migrate');
    const disk = smallDisk(1_000_000) ?? assert.fail();
    try {
      fillUp(disk.folder);
      const { code, err } = await run(`backup --to ${join(disk.folder, 'monday')}`);
      assert.equal(code, 1);
      assert.match(err, /monday\.unfinished\S* cannot be used: no space left on device \(ENOSPC\)\. Make room/);
      // Or in the middle of a table.
      rmSync(join(disk.folder, 'somebody-elses'));
      writeFileSync(join(disk.folder, 'somebody-elses'), Buffer.alloc(900_000, 1));
      const later = await run(`backup --to ${join(disk.folder, 'tuesday')}`);
      assert.deepEqual([later.code, later.err], [1, 'The disk is full (ENOSPC). Make room, or choose another folder.']);
      assert.ok(!readdirSync(disk.folder).some((name) => name.startsWith('tuesday')), 'nothing of it is kept');
    } finally {
      disk.remove();
    }
  }),
);

test('commands of a new version leave the database to the one that may be running on it, until that is replaced', () =>
  withShell('sqlite', async ({ run, folder, environment }) => {
    await run('app create --name Guide');
    const db = await openDatabase(readConfig(environment));
    const applied = () => db.all(raw('select id from migrations order by id'));
    try {
      const all = await applied();
      await db.run(raw('drop index users_foreign_password'));
      await db.run(raw('delete from migrations where id = 470'));
      const before = await applied();
      for (const line of ['app list', 'app create --name Other', `export --app x --to ${join(folder, 'x.tar')}`]) {
        const { code, err } = await run(line);
        assert.equal(code, 1, line);
        assert.match(err, /^The database is of an earlier version: 1 .* Nothing was changed\. .* run: pharos migrate$/);
      }
      assert.equal((await run(`backup --to ${join(folder, 'before')}`)).code, 0, 'a backup can be made first');
      assert.deepEqual(await applied(), before);
      assert.equal((await run('migrate')).out, 'Applied: 0470-foreign-passwords.sql.');
      assert.deepEqual(await applied(), all);
      assert.equal((await run('app list --json')).json.apps.length, 1);
    } finally {
      await db.close();
    }
  }));

test('a folder that cannot be made is refused by each command that would make it', () =>
  withShell('sqlite', async ({ run }) => {
    const { appId } = (await run('app create --name Guide --json')).json;
    for (const line of ['backup --to /proc/museum/backups/monday', `export --app ${appId} --to /proc/museum/x.tar`]) {
      const { code, err } = await run(line);
      assert.deepEqual([code, /^\/proc\/museum cannot be used: .*Choose another folder/.test(err)], [1, true], err);
    }
  }));

test('a database that is newer than the code is left alone', () =>
  withShell('sqlite', async ({ run, folder }) => {
    await run('migrate');
    const { openSqliteConnection } = await import('../db/sqlite/sqlite-connection.ts');
    const connection = openSqliteConnection(join(folder, 'data', 'pharos.db'), 'write');
    connection.raw.exec("insert into migrations (id, name, applied_at) values (9999, 'later', 0)");
    connection.close();
    for (const line of ['migrate', 'app list', 'serve --port 0', `backup --to ${join(folder, 'b')}`]) {
      const refused = await run(line);
      assert.equal(refused.code, 1, line);
      assert.match(refused.err, /at migration 9999/);
    }
    assert.equal((await run('doctor')).code, 1);
  }));

test('a person is asked for --yes before anything is deleted', () =>
  withShell('sqlite', async ({ run }) => {
    const { appId } = (await run('app create --name Guide --json')).json;
    await run(`bucket create visits --app ${appId}`);
    for (const line of [`app delete --app ${appId}`, `bucket delete visits --app ${appId}`]) {
      const asked = await run(line, { isInteractive: true });
      assert.equal(asked.code, 2);
      assert.match(asked.err, /for good\. Repeat the command with --yes\./);
    }
    assert.equal((await run(`bucket delete visits --app ${appId} --yes`, { isInteractive: true })).code, 0);
    assert.equal((await run(`app delete --app ${appId} --yes`, { isInteractive: true })).code, 0);
  }));
