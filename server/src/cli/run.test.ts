import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildApp, createPostgresDatabase, databases } from '../../test/support/build-app.ts';
import { browserOf, enrolPasskey, enrolTotp, openConsole, sendFromConsole } from '../../test/support/console.ts';
import { startSmtpSink } from '../../test/support/smtp-sink.ts';
import { raw, sql } from '../base/sql.ts';
import { readConfig } from '../config/config.ts';
import { openDatabase } from './commands/storage.ts';
import { commands, runCommandLine } from './run.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
  readonly json: any;
}

interface Shell {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  run(line: string, how?: { readonly input?: string; readonly isInteractive?: boolean }): Promise<Ran>;
}

/** Runs command lines in this process; quoted words are not needed here. */
function shellOf(folder: string, environment: Readonly<Record<string, string>>): Shell {
  return {
    folder,
    environment,
    async run(line, { input = '', isInteractive = false } = {}) {
      const [out, err]: [string[], string[]] = [[], []];
      const terminal = {
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        readInput: async () => input,
        isInteractive,
      };
      const words = line.split(' ').filter((word) => word !== '');
      const code = await runCommandLine({ words, environment, terminal });
      const said = out.join('\n');
      return {
        code,
        out: said,
        err: err.join('\n'),
        json: words.includes('--json') && said ? JSON.parse(said) : undefined,
      };
    },
  };
}

async function withShell(database: (typeof databases)[number], work: (shell: Shell) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'));
  const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
  try {
    await work(
      shellOf(folder, {
        PHAROS_DATA: join(folder, 'data'),
        ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
      }),
    );
  } finally {
    await postgres?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const database of databases) {
  describe(`the command line on ${database}`, () => {
    test('creates, lists, changes and deletes apps', () =>
      withShell(database, async ({ run }) => {
        const made = (await run('app create --name Guide --json')).json;
        assert.match(made.appId, /^\w{20}$/);
        assert.match(made.appKey, /^\w{43}$/);
        const shown = await run('app create --name Other');
        assert.match(shown.out, /export APP_ID=\w{20}\nexport APP_KEY=\w{43}$/);
        const listed = async () => (await run('app list --json')).json.apps;
        assert.deepEqual(
          (await listed()).map(({ name }: { name: string }) => name),
          ['Guide', 'Other'],
        );
        assert.equal((await run(`app disable --app ${made.appId} --json`)).json.disabled, true);
        assert.equal((await run(`app enable ${made.appId} --json`)).json.disabled, false, 'the id may stand alone');
        const second = (await run(`app rotate-key --app ${made.appId} --json`)).json;
        assert.deepEqual(second.disabledKeyIds, []);
        const third = (await run(`app rotate-key --app ${made.appId} --json`)).json;
        assert.deepEqual(third.disabledKeyIds, [made.keyId]);
        assert.equal((await run(`app disable-key --app ${made.appId} --key ${second.keyId}`)).code, 0);
        const [guide] = await listed();
        assert.deepEqual(
          guide.keys.map(({ keyId }: { keyId: string }) => keyId),
          [third.keyId],
        );
        assert.equal((await run(`app delete --app ${made.appId}`)).code, 0);
        assert.equal((await listed()).length, 1);
        const gone = await run(`app rotate-key --app ${made.appId}`);
        assert.deepEqual([gone.code, gone.err], [1, `There is no app ${made.appId}.`]);
      }));

    test('makes, lists and revokes secret keys', () =>
      withShell(database, async ({ run }) => {
        const { appId } = (await run('app create --name Guide --json')).json;
        const made = await run(`app secret-key create ${appId} --name CMS --scope beacons:list --network 10.0.0.0/8`);
        assert.match(made.out, /It is shown only now\.\n\nexport APP_ID=\w{20}\nexport APP_KEY=phs_\w{43}$/);
        const line = `app secret-key create ${appId} --name Gate --scope sightings:create --scope records/a+b:list,get`;
        const { key, secretKey } = (await run(`${line} --expires 2100-01-01T00:00:00Z --json`)).json;
        assert.deepEqual(key.scopes, [
          { resource: 'sightings', verbs: ['create'] },
          { resource: 'records', verbs: ['list', 'get'], buckets: ['a', 'b'] },
        ]);
        const listed = await run(`app secret-key list ${appId}`);
        assert.match(listed.out, /Gate {2}….{4}\n +sightings:create records\/a\+b:list,get; until 2100-.*; never used/);
        assert.ok(!listed.out.includes(secretKey));
        const refused = await run(`app secret-key create ${appId} --name X --scope beacons:dance`);
        assert.deepEqual(
          [refused.code, refused.err],
          [1, 'scopes.0.verbs must be a list of list, get, create, update, delete.'],
        );
        assert.match((await run(`app secret-key create ${appId} --name X --scope beacons`)).err, /must look like/);
        assert.equal((await run(`app secret-key revoke ${appId} --key ${key.keyId}`)).code, 0);
        const left = (await run(`app secret-key list ${appId} --json`)).json.keys;
        assert.deepEqual(
          left.map(({ name }: { name: string }) => name),
          ['CMS'],
        );
      }));

    test('rules go to a file and come back', () =>
      withShell(database, async ({ run, folder }) => {
        const { appId } = (await run('app create --name Guide --preset visitors --json')).json;
        const file = join(folder, 'rules.json');
        const exported = await run(`app rules export ${appId}`);
        assert.deepEqual(JSON.parse(exported.out), { preset: 'visitors' });
        writeFileSync(file, exported.out);
        assert.deepEqual(
          [(await run(`app rules diff ${appId} ${file}`)).code, (await run(`app rules apply ${appId} ${file}`)).code],
          [0, 0],
        );
        const rules = { preset: 'visitors', buckets: { notes: { get: { createdBy: '$auth.userId' }, list: 'owner' } } };
        writeFileSync(file, JSON.stringify(rules));
        const diff = await run(`app rules diff ${appId} ${file}`);
        assert.equal(diff.code, 1);
        assert.deepEqual(diff.out.split('\n'), [
          'buckets.notes.get: the preset -> {"createdBy":"$auth.userId"}',
          'buckets.notes.list: the preset -> "owner"',
        ]);
        assert.equal((await run(`app rules apply ${appId} ${file}`)).code, 0);
        assert.equal((await run(`app rules diff ${appId} ${file}`)).out, 'No differences.');
        assert.deepEqual((await run(`app rules export ${appId} --json`)).json, rules);
        writeFileSync(file, '{"buckets": {"notes": {"get": "everyone"}}}');
        const refused = await run(`app rules apply ${appId} ${file}`);
        assert.deepEqual([refused.code, /buckets\.notes\.get must be one of/.test(refused.err)], [1, true]);
        assert.equal((await run('app create --name Guide --preset open')).code, 2);
      }));

    test('shows and changes policy and limits', () =>
      withShell(database, async ({ run }) => {
        const { appId } = (await run('app create --name Guide --json')).json;
        assert.match((await run(`app policy --app ${appId}`)).out, /^listUsers +"app"$/m);
        const changed = await run(
          `app policy --app ${appId} --set push=manager --set tokenDays=7 --set timeZone=Europe/Vienna --json`,
        );
        assert.deepEqual(
          [changed.json.push, changed.json.tokenDays, changed.json.timeZone, changed.json.listUsers],
          ['manager', 7, 'Europe/Vienna', 'app'],
        );
        const limit = (await run(`app limit --app ${appId} --per-second 5 --burst 20 --json`)).json;
        assert.deepEqual(limit, { appId, rateLimit: { enabled: true, perSecond: 5, burst: 20 } });
        assert.equal((await run(`app limit --app ${appId} --off --json`)).json.rateLimit.enabled, false);
        const refusals: readonly (readonly [string, number, RegExp])[] = [
          [`app limit --app ${appId}`, 2, /--per-second N and --burst N, or --off/],
          [`app limit --app ${appId} --per-second 5`, 2, /--per-second N and --burst N, or --off/],
          [`app limit --app ${appId} --per-second 5 --burst 20 --off`, 2, /either/],
          [`app limit --app ${appId} --per-second x --burst 20`, 2, /--per-second N/],
          [`app limit --app ${appId} --per-second 0 --burst 20`, 1, /perSecond must be at least/],
          [`app limit --off`, 2, /--app ID/],
          [`app policy --app ${appId} --set push=everyone`, 1, /push must be one of user, manager, nobody/],
          [`app policy --app ${appId} --set colour=red`, 2, /no "colour", only listUsers/],
          [`app policy --app ${appId} --set push`, 2, /NAME=VALUE/],
        ];
        for (const [line, code, message] of refusals) {
          const refused = await run(line);
          assert.equal(refused.code, code, `${line}: ${refused.err}`);
          assert.match(refused.err, message);
          assert.equal(refused.out, '');
        }
      }));

    test('creates, lists and deletes buckets', () =>
      withShell(database, async ({ run }) => {
        const { appId } = (await run('app create --name Guide --json')).json;
        const made = await run(`bucket create visits --app ${appId} --json`);
        assert.equal(made.json.name, 'visits');
        assert.deepEqual(
          (await run(`bucket list --app ${appId} --json`)).json.buckets.map(({ name }: { name: string }) => name),
          ['visits'],
        );
        const refusals: readonly (readonly [string, number, RegExp])[] = [
          [`bucket create visits --app ${appId}`, 1, /already a bucket called visits/],
          [`bucket create 1st --app ${appId}`, 1, /a letter, then letters, digits or underscores/],
          ['bucket create visits --app nosuch', 1, /There is no app nosuch/],
          ['bucket list --app nosuch', 1, /There is no app nosuch/],
          [`bucket delete other --app ${appId}`, 1, /no bucket called other/],
          ['bucket create visits', 2, /--app ID is missing/],
          [`bucket create --app ${appId}`, 2, /NAME is missing/],
        ];
        for (const [line, code, message] of refusals) {
          const refused = await run(line);
          assert.equal(refused.code, code, `${line}: ${refused.err}`);
          assert.match(refused.err, message);
        }
        assert.equal((await run(`bucket delete visits --app ${appId}`)).code, 0);
        assert.equal((await run(`bucket list --app ${appId}`)).out, 'The app has no buckets.');
      }));

    test('creates administrators and resets their passwords', () =>
      withShell(database, async ({ run }) => {
        const made = await run('admin create --email ada@museum.example --json');
        assert.deepEqual([made.json.role, made.json.email], ['owner', 'ada@museum.example']);
        assert.match(made.json.password, /^\w{20}$/);
        const given = await run(
          'admin create --email ed@museum.example --role editor --name Ed --password-stdin --json',
          {
            input: 'from standard input\n',
          },
        );
        assert.deepEqual(
          [given.code, given.json.role, given.json.name, given.json.password],
          [0, 'editor', 'Ed', undefined],
        );
        const reset = await run('admin reset-password --email ADA@museum.example');
        assert.match(reset.out, /^The password of ada@museum.example is changed\.\nPassword, shown only now: \w{20}$/);
        const refusals: readonly (readonly [string, number, RegExp])[] = [
          ['admin create', 2, /--email EMAIL is missing/],
          [
            'admin create --email ada@museum.example',
            1,
            /an administrator with the e-mail address ada@museum.example already/,
          ],
          ['admin create --email ada', 1, /email must be an e-mail address/],
          ['admin create --email x@museum.example --role king', 1, /role must be one of owner, manager/],
          ['admin create --email x@museum.example --password short', 1, /password must have at least 10 characters/],
          ['admin reset-password --email nobody@museum.example', 1, /There is no administrator/],
          ['admin reset-password --email ada@museum.example --password short', 1, /at least 10 characters/],
        ];
        for (const [line, code, message] of refusals) {
          const refused = await run(line);
          assert.equal(refused.code, code, `${line}: ${refused.err}`);
          assert.match(refused.err, message);
        }
      }));

    test('lets an administrator in again who has lost password, phone and keys', async () => {
      const app = await buildApp({ database });
      try {
        const { run } = shellOf(app.config.dataFolder, {
          PHAROS_PUBLIC_URL: 'http://pharos.test',
          ...app.storage.settings,
        });
        const ada = await openConsole(app, 'owner');
        await enrolTotp(app, ada);
        await enrolPasskey(ada);
        const reset = await run(`admin reset-factors --email ${ada.email.toUpperCase()}`);
        assert.equal(reset.out, `${ada.email} has no second factor any more.`);
        assert.equal((await ada.send({ method: 'GET', url: '/session' })).status, 403);
        const use = (link: string) =>
          sendFromConsole(app, {
            method: 'POST',
            url: '/links/password',
            body: { token: link.split('#')[1], password: 'a new long one' },
          });
        const { json } = await run(`admin link --email ${ada.email} --json`);
        const shown = await run(`admin link --email ${ada.email}`);
        const link = /http:\/\/pharos\.test\/console\/link#\w{43}$/.exec(shown.out)?.[0] ?? '';
        assert.equal((await use(json.link)).status, 404, 'a later one ends it');
        assert.equal((await use(link)).status, 200);
        const body = { email: ada.email, password: 'a new long one' };
        const signedIn = await sendFromConsole(app, { method: 'POST', url: '/session', body });
        assert.equal(signedIn.status, 201);
        const audit = await browserOf(app, signedIn).send({ method: 'GET', url: '/audit?actor=command%20line' });
        assert.deepEqual(
          audit.body.results.map(({ action }: { action: string }) => action),
          ['administrator.link', 'administrator.link', 'factor.reset'],
        );
        for (const command of ['link', 'reset-factors']) {
          const refused = await run(`admin ${command} --email nobody@museum.example`);
          assert.equal(refused.code, 1);
          assert.match(refused.err, /There is no administrator/);
        }
      } finally {
        await app.close();
      }
    });

    test('doctor finds no failure on a new database, and says what is open', () =>
      withShell(database, async ({ run }) => {
        assert.match((await run('migrate')).out, /^Applied: 0001-foundation\.sql(, \d{4}-[\w-]+\.sql)*\.$/);
        assert.equal((await run('migrate')).out, 'The database is up to date.');
        await run('app create --name Guide');
        const { code, json } = await run('doctor --json');
        assert.equal(code, 0, JSON.stringify(json));
        const stateOf = (check: string) => json.checks.find((one: { check: string }) => one.check === check)?.state;
        assert.deepEqual(
          ['Node', 'database', 'migrations', 'integrity', 'files', 'administrators', 'app Guide'].map(stateOf),
          ['ok', 'ok', 'ok', 'ok', 'ok', 'warn', 'warn'],
        );
        const bad = await run('doctor --port 99999 --json');
        assert.equal(bad.code, 1);
        assert.match(JSON.stringify(bad.json), /--port must be a whole number/);
      }));
  });
}

test('doctor says what stands out, and what to do about it', () =>
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
      [`app list --data ${join(folder, 'file', 'data')}`, /cannot be used: .*Choose another folder/],
      [`serve --data ${join(folder, 'file')}`, /cannot be used: .*Choose another folder/],
      [
        'app list --database-url postgres://a:secret@127.0.0.1:1/x',
        /PostgreSQL at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
      ],
      [`backup --to ${join(folder, 'b')} --data ${join(folder, 'none')}`, /There is no database in/],
      [`restore --from ${join(folder, 'none')} --data ${join(folder, 'd')}`, /There is no backup in/],
    ];
    for (const [line, message] of cases) {
      const refused = await run(line);
      assert.equal(refused.code, 1, line);
      assert.match(refused.err, message);
      assert.equal(refused.err.split('\n').length, 1, 'no stack trace');
      assert.ok(!refused.err.includes('secret'));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

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
