import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import Sqlite from 'better-sqlite3';
import { test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { type Shell, withShell } from '../../../../test/support/command-line.ts';
import { createApp } from '../../../app/app.ts';
import { isForeign } from '../../../base/foreign-passwords.ts';
import { raw } from '../../../base/sql.ts';
import { readConfig } from '../../../config/config.ts';
import type { Database } from '../../../db/db.ts';
import { openDatabase } from '../storage.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
type Ask = (method: 'GET' | 'POST', path: string, body?: object, bearer?: string) => Promise<any>;

async function withService(
  shell: Shell,
  app: { readonly appId: string; readonly appKey: string },
  work: (ask: Ask, db: Database) => Promise<void>,
) {
  const config = readConfig(shell.environment);
  const db = await openDatabase(config);
  const service = await createApp({ config, db, now: Date.now, logStream: { write: () => undefined } });
  const ask: Ask = async (method, path, body, bearer) => {
    const headers = {
      'x-service-appid': app.appId,
      'x-service-appkey': app.appKey,
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    };
    const answer = await service.server.inject({ method, url: `/api/v2${path}`, headers, ...(body ? { body } : {}) });
    return answer.json();
  };
  try {
    await work(ask, db);
  } finally {
    await service.close();
    await db.close();
  }
}

const hashesOf = async (db: Database) =>
  (await db.all<{ password_hash: string | null }>(raw('select password_hash from users order by email'))).map(
    ({ password_hash }) => password_hash,
  );

for (const database of bothDatabases) {
  test(`what is broken or hostile is named by its line, and the rest comes to ${database} once`, () =>
    withShell(database, async (shell) => {
      const app = (await shell.run('app create --name Guide --json')).json;
      const at = (name: string) => join(shell.folder, name);
      const run = (as: string, name: string) => shell.run(`import --as ${as} --from ${at(name)} --app ${app.appId}`);
      for (const name of ['parse', 'lists']) mkdirSync(at(name));
      const notes = [
        '{"objectId":"a","t":"x\\u0000y"}',
        '{"objectId":"b","t":"\\ud800"}',
        `{"objectId":"c","t":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
        '{"objectId":"d","createdAt":1e300,"at":{"$date":1e300}}',
        '{"objectId":"e","createdAt":1.5}',
        '{"_id":{"$oid":"65f000000000000000000001"},"t":1}',
        '{"_id":{"$oid":"65f000000000000000000002"},"t":2}',
        ...Array.from({ length: 60 }, (_, n) => `{"objectId":"f${n}"}`),
        '{"objectId":"d","t":3}',
      ];
      writeFileSync(join(at('parse'), 'Notes.json'), notes.join('\n'));
      const parse = await run('parse', 'parse');
      assert.equal(
        parse.out,
        `records: 64 added, 0 are here already
4 cannot be taken over:
Notes.json:1: A string contains the character U+0000.
Notes.json:2: A string contains a lone surrogate.
Notes.json:3: does not have the form that is read here
Notes.json:68: the same id as Notes.json:4`,
      );

      const halls = ['h1', 'h2'].map((id, n) => ({
        name: `projects/p/databases/d/documents/halls/${id}`,
        fields: { a: n === 0 ? { arrayValue: null } : { stringValue: 'x' } },
      }));
      writeFileSync(at('halls.json'), JSON.stringify({ documents: halls }));
      assert.match((await run('firestore', 'halls.json')).out, /records: 1 added.*\n1 cannot/);

      const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
      const rows = ['5" wide', '"C"x', ' "D" ', '"never closed'].map((name, minor) => `${name},${uuid},1,${minor}`);
      writeFileSync(at('beacons.csv'), `name,uuid,major,minor\n${rows.join('\n')}\n`);
      assert.match((await run('beacons', 'beacons.csv')).out, /beacons: 3 added.*\n1 cannot.*\nbeacons\.csv:5: Quote/);

      const undated = join(at('lists'), 'things.json');
      writeFileSync(undated, '[{"objectId":"x","metadata":{"a":1}}]');
      assert.match((await run('lists', 'lists')).out, /records: 1 added/);
      utimesSync(undated, 1, 1);
      assert.match((await run('lists', 'lists')).out, /records: 0 added, 1 are here already$/, 'a copy of the file');

      writeFileSync(at('data.db'), 'no database'.repeat(100));
      assert.match((await run('pocketbase', 'data.db')).err, /data\.db is no database of PocketBase, or damaged/);
    }));

  test(`users, records and references of Parse Server come to ${database} once, and passwords go on`, () =>
    withShell(database, async (shell) => {
      const app = (await shell.run('app create --name Guide --json')).json;
      const folder = join(shell.folder, 'parse');
      mkdirSync(folder);
      const ada = {
        _id: 'u1',
        email: 'ada@example.org',
        emailVerified: true,
        _hashed_password: await hash('engine no. 1', 4),
        _created_at: { $date: '2020-01-02T03:04:05.006Z' },
        favourite: { __type: 'Pointer', className: 'Hall', objectId: 'h1' },
      };
      const lines = [ada, { ...ada, _id: 'u2', email: 'nobody' }, { ...ada, _id: 'u3' }];
      writeFileSync(
        join(folder, '_User.json'),
        `${lines.map((one) => JSON.stringify(one)).join('\n')}\n{"broken": }\n`,
      );
      writeFileSync(
        join(folder, 'Hall.json'),
        JSON.stringify(
          { results: [{ objectId: 'h1', name: 'a "}" {', createdAt: '2021-01-01T00:00:00Z', _p_keeper: '_User$u1' }] },
          null,
          2,
        ),
      );
      writeFileSync(join(folder, '_Session.json'), '[{"objectId":"s"}]');

      const line = `import --as parse --from ${folder} --app ${app.appId}`;
      const dry = await shell.run(`${line} --dry-run`);
      assert.match(dry.out, /^users: 2 would be added/);
      assert.match(dry.out, /\n\+ _User\.json:1: user u1: email, firstname, lastname, favourite\n/);
      assert.match(dry.out, /\n\+ Hall\.json:3: record h1: name, keeper\n/);
      const first = await shell.run(`${line} --json`);
      assert.equal(first.code, 1);
      assert.deepEqual(first.json.counts.user, { new: 1, same: 0, differs: 0 });
      assert.deepEqual(first.json.counts.record, { new: 1, same: 0, differs: 0 });
      const problems = [...first.json.problems].sort();
      assert.equal(problems.length, 3);
      assert.match(problems[0], /^_User\.json:2: email must be an e-mail address/);
      assert.match(problems[1], /^_User\.json:3: Another account has this e-mail address/);
      assert.match(problems[2], /^_User\.json:4: is not JSON/);
      const second = await shell.run(`${line} --json`);
      assert.deepEqual(second.json.counts.user, { new: 0, same: 1, differs: 0 });
      assert.deepEqual(second.json.counts.record, { new: 0, same: 1, differs: 0 });
      assert.deepEqual(second.json.changes, []);
      const hall = { objectId: 'h1', name: `b${'b'.repeat(90)}`, createdAt: '2021-01-01T00:00:00Z', open: true };
      writeFileSync(join(folder, 'Hall.json'), JSON.stringify([hall]));
      const differing = await shell.run(`${line} --dry-run`);
      assert.match(
        differing.out,
        /≠ Hall\.json:1: record h1: name is "a \\"}\\" {", there "b{59}…; keeper is .*there nothing; open is nothing, there true/,
      );
      const [change] = (await shell.run(`${line} --dry-run --json`)).json.changes;
      assert.deepEqual(
        [change.state, change.members, change.there.open],
        ['differs', ['name', 'keeper', 'open'], true],
      );

      await withService(shell, app, async (ask, db) => {
        const [before] = await hashesOf(db);
        assert.ok(before && isForeign(before));
        const wrong = await ask('POST', '/users/signin', { email: 'ada@example.org', password: 'engine no. 2' });
        assert.equal(wrong.accessToken, undefined);
        const login = { email: 'ada@example.org', password: 'engine no. 1' };
        const sessions = await Promise.all([ask('POST', '/users/signin', login), ask('POST', '/users/signin', login)]);
        for (const { accessToken } of sessions) assert.ok(accessToken, 'two phones at the same moment');
        const [after] = await hashesOf(db);
        assert.match(after ?? '', /^\$argon2id\$/, 'hashed anew at the first sign-in');
        const bearer = (await ask('POST', '/users/signin', login)).accessToken;
        const me = (await ask('GET', '/users/me', undefined, bearer)).result;
        const kept = await db.one<Record<string, number>>(raw('select created_at, email_verified_at from users'));
        assert.equal(kept?.['created_at'], Date.parse('2020-01-02T03:04:05.006Z'));
        assert.ok(kept?.['email_verified_at']);
        const [hall] = (await ask('GET', '/data/bucket/Hall', undefined, bearer)).results;
        assert.equal(me.metadata.favourite.objectId, hall.objectId, 'references go both ways');
        assert.deepEqual(hall.metadata, {
          name: 'a "}" {',
          keeper: { __type: 'Pointer', className: '_User', objectId: me.objectId },
        });
        assert.equal(hall.createdAt, '2021-01-01T00:00:00.000Z');
      });
    }));
}

test('accounts of Firebase sign in with their passwords, and the signer key is not kept', () =>
  withShell('sqlite', async (shell) => {
    const app = (await shell.run('app create --name Guide --json')).json;
    const [users, parameters] = [join(shell.folder, 'users.json'), join(shell.folder, 'hash.txt')];
    // The example of github.com/firebase/scrypt.
    const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
    writeFileSync(
      parameters,
      `hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: ${signerKey},\n  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}`,
    );
    const user = {
      localId: 'f1',
      email: 'user1@example.com',
      displayName: 'User Number One',
      passwordHash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC+ixf3L2lw==',
      createdAt: '1486324122000',
      customAttributes: '{"tier":"gold"}',
    };
    const others = [
      { ...user, localId: 'f2', email: 'short@example.com', passwordHash: 'AAAA' },
      { localId: 'f3', email: 'google@example.com', createdAt: '1486324122000' },
    ];
    writeFileSync(users, JSON.stringify({ users: [user, ...others] }));
    const line = `import --as firebase-users --from ${users} --app ${app.appId} --hash-parameters ${parameters}`;
    const done = await shell.run(line);
    assert.match(done.out, /users: 2 added.*\n1 cannot be taken over:\nusers\.json:1: the password hash does not fit/);
    await withService(shell, app, async (ask, db) => {
      assert.ok(!JSON.stringify(await hashesOf(db)).includes(signerKey.slice(0, 20)));
      // Nearly all the time of a sign-in is that of its keys: as many with a foreign password, without one, and without an account.
      let keys = 0;
      const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && keys++) }).enable();
      for (const [place, email] of ['user1@example.com', 'google@example.com', 'nobody@example.com'].entries()) {
        await ask('POST', '/users/signin', { email, password: 'a wrong one' });
        assert.equal(keys, 1 + place, email);
      }
      hook.disable();
      for (const [email, password, isRight] of [
        ['user1@example.com', 'user2password', false],
        ['google@example.com', 'user1password', false],
        ['unknown@example.com', 'user1password', false],
        ['user1@example.com', 'user1password', true],
      ] as const) {
        const { accessToken } = await ask('POST', '/users/signin', { email, password });
        assert.equal(accessToken !== undefined, isRight, email);
      }
    });
  }));

test('PocketBase, Firestore, lists of beacons and lists of the interface are read', () =>
  withShell('sqlite', async (shell) => {
    const app = (await shell.run('app create --name Guide --json')).json;
    const at = (name: string) => join(shell.folder, name);
    const pocket = new Sqlite(at('data.db'));
    pocket.exec(`create table _collections (id text, name text, type text, fields text);
      create table members (id text, email text, verified boolean, password text, created text, club text);
      create table clubs (id text, title text, open boolean, tags text, created text);
      insert into clubs values ('c1', 'Rowing', 1, '["wet","fast"]', '2022-06-25 11:03:50.052Z')`);
    const collection = pocket.prepare('insert into _collections values (?, ?, ?, ?)');
    collection.run('k1', 'members', 'auth', '[{"name":"club","type":"relation","collectionId":"k2","maxSelect":1}]');
    const fields = '[{"name":"open","type":"bool"},{"name":"tags","type":"select","maxSelect":3}]';
    collection.run('k2', 'clubs', 'base', fields);
    const member = pocket.prepare('insert into members values (?, ?, ?, ?, ?, ?)');
    member.run('m1', 'row@example.org', 1, await hash('stroke', 4), '2022-06-25 11:03:50.052Z', 'c1');
    pocket.close();
    const from = (as: string, name: string) => shell.run(`import --as ${as} --from ${at(name)} --app ${app.appId}`);
    assert.match((await from('pocketbase', 'data.db')).out, /users: 1 added.*\nrecords: 1 added/);

    const name = 'projects/p/databases/(default)/documents/halls/x1';
    const typed = { count: { integerValue: '3' }, list: { arrayValue: { values: [{ stringValue: 'a' }] } } };
    const documents = [{ name, fields: typed, createTime: '2024-01-01T00:00:00Z' }];
    writeFileSync(at('halls.json'), JSON.stringify({ documents }));
    assert.match((await from('firestore', 'halls.json')).out, /records: 1 added/);

    writeFileSync(
      at('beacons.csv'),
      'Identifier;Proximity UUID;Major;Minor;Name;Battery\nabc1;b9407f30-f5f8-466e-aff9-25556b57fe6d;1;2;"Hall; east";90\nabc2;b9407f30-f5f8-466e-aff9-25556b57fe6d;1;x;;\n',
    );
    const beacons = await from('beacons', 'beacons.csv');
    assert.match(beacons.out, /beacons: 1 added.*\n1 cannot be taken over:\nbeacons\.csv:3: minor must be/);
    writeFileSync(at('no.csv'), 'a,b\n1,2\n');
    assert.match((await from('beacons', 'no.csv')).err, /no\.csv has no column for uuid, major, minor\./);

    mkdirSync(at('lists'));
    const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
    const listed = [
      { objectId: 'b1', name: 'Hall, east', uuid, major: 1, minor: 2, createdAt: '2019-01-01T00:00:00.000Z' },
      { objectId: 'b2', name: 'Yard', uuid, major: 1, minor: 3, createdAt: '2019-01-01T00:00:00.000Z' },
    ];
    writeFileSync(join(at('lists'), 'beacons.json'), JSON.stringify({ results: listed }));
    assert.match((await from('lists', 'lists')).out, /1 added, 0 are here already, 1 are here and differ: they stay/);

    await withService(shell, app, async (ask) => {
      const login = { email: 'row@example.org', password: 'stroke' };
      const bearer = (await ask('POST', '/users/signin', login)).accessToken;
      const me = (await ask('GET', '/users/me', undefined, bearer)).result;
      const [club] = (await ask('GET', '/data/bucket/clubs', undefined, bearer)).results;
      assert.deepEqual(club.metadata, { title: 'Rowing', open: true, tags: ['wet', 'fast'] });
      assert.equal(me.metadata.club.objectId, club.objectId);
      const [hall] = (await ask('GET', '/data/bucket/halls', undefined, bearer)).results;
      assert.deepEqual(hall.metadata, { count: 3, list: ['a'] });
      const found = (await ask('GET', '/beacons', undefined, bearer)).results;
      assert.deepEqual(found.map((one: { name: string }) => one.name).sort(), ['Hall; east', 'Yard']);
      const east = found.find((one: { minor: number }) => one.minor === 2);
      assert.deepEqual(east.metadata, { Battery: '90', importedId: 'abc1' });
    });
    assert.match((await from('excel', 'x')).err, /--as takes parse, .*, not "excel"/);
  }));
