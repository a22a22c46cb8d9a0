import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { buildApp, databases } from '../../test/support/build-app.ts';
import { shellOf, withShell } from '../../test/support/command-line.ts';
import { browserOf, enrolPasskey, enrolTotp, openConsole, sendFromConsole } from '../../test/support/console.ts';

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

    test('says what is kept about visitors, and on which hosts of others', () =>
      withShell(database, async ({ run, folder, environment }) => {
        const { appId } = (await run('app create --name Guide --json')).json;
        const alone = await run(`app privacy ${appId}`);
        assert.match(alone.out, /Nobody else: no data is passed on\./);
        const elsewhere = shellOf(folder, {
          ...environment,
          PHAROS_FILES_URL: 's3://key:hush@s3.hosting.example:9000/bucket',
          PHAROS_SMTP_URL: 'smtps://user:hush@smtp.hosting.example',
        });
        const { out } = await elsewhere.run(`app privacy ${appId}`);
        assert.match(out, /kept on s3\.hosting\.example\./);
        assert.match(out, /sent through smtp\.hosting\.example,/);
        assert.doesNotMatch(out, /no data is passed on|hush/);
        const record = await elsewhere.run(`app privacy ${appId} --record`);
        assert.match(record.out, /- s3\.hosting\.example \(files of the app\)/);
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
        const pin = { hidden: ['app', 'user'] };
        const notes = {
          ...{ get: { createdBy: '$auth.userId' }, list: 'owner', owner: 'metadata.holder' },
          members: { 'metadata.pin': pin },
        };
        const rules = {
          preset: 'visitors',
          resources: { beacons: { members: { name: { readOnly: ['user'] } } }, visits: { listen: 'manager' } },
          buckets: { notes },
        };
        writeFileSync(file, JSON.stringify(rules));
        const diff = await run(`app rules diff ${appId} ${file}`);
        assert.equal(diff.code, 1);
        assert.deepEqual(diff.out.split('\n'), [
          'buckets.notes.get: the preset -> {"createdBy":"$auth.userId"}',
          'buckets.notes.list: the preset -> "owner"',
          'buckets.notes.members: the preset -> {"metadata.pin":{"hidden":["app","user"]}}',
          'buckets.notes.owner: the preset -> "metadata.holder"',
          'resources.beacons.members: the preset -> {"name":{"readOnly":["user"]}}',
          'resources.visits.listen: the preset -> "manager"',
        ]);
        assert.equal((await run(`app rules apply ${appId} ${file}`)).code, 0);
        assert.equal((await run(`app rules diff ${appId} ${file}`)).out, 'No differences.');
        const { out, json } = await run(`app rules export ${appId} --json`);
        assert.deepEqual(json, rules);
        const { appId: another } = (await run('app create --name Another --json')).json;
        writeFileSync(file, out);
        assert.equal((await run(`app rules apply ${another} ${file}`)).code, 0);
        assert.deepEqual((await run(`app rules export ${another} --json`)).json, rules, 'an app with the same rules');
        assert.equal((await run(`app rules diff ${another} ${file}`)).out, 'No differences.');
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
  });
}
