import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { raw } from '../../../../base/sql.ts';
import { knownMigrations } from '../../../../db/migrate.ts';

/** What the migrations of rules and dry runs added, taken back: the database as the version before had it. */
const asBefore = [
  // A later one's, with the column in it.
  'drop index if exists records_large',
  ...['records', 'beacons', 'notifications', 'storylines', 'storyline_details'].flatMap((table) => [
    `drop index ${table}_created_by`,
    `alter table ${table} drop column created_by`,
  ]),
  'drop index devices_created_by',
  'alter table devices rename column created_by to user_id',
  'alter table files rename column created_by to user_id',
  'drop table dry_run_counts',
  'alter table apps drop column dry_run',
  'alter table apps drop column rules',
];

for (const database of databases) {
  describe(`an app that is older than rules on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben] = [await signIn(app), await signIn(app)];
      await app.app.buckets.createBucket(app.appId, 'notes');
    });
    afterAll(() => app.close());
    const send = (by: SignedIn | undefined, method: 'GET' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
      app.send({ method, url: `/api/v2${path}`, headers: by?.headers ?? {}, body });
    const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;

    test('behaves as before', async () => {
      await app.app.apps.change(app.appId, { policy: { readContent: 'app', listUsers: 'user' } });
      const gateway = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'museum/gateway' };
      const annas = await create(app, '/api/v2/device', gateway, anna.headers);
      const nobodys = await create(app, '/api/v2/device', { ...gateway, topic: 'museum/other' });
      const text = { ...anna.headers, 'content-type': 'text/plain' };
      const file = await create(app, '/api/v2/files/a.txt', 'text', text);
      const note = await create(app, '/api/v2/data/bucket/notes', { metadata: { a: 1 } }, anna.headers);
      const { db } = app.storage;
      for (const statement of asBefore) await db.run(raw(statement));
      for (const { statements } of knownMigrations().filter(({ id }) => id === 18 || id === 27))
        for (const statement of statements) await db.run(raw(statement));

      const shown = await app.app.apps.get(app.appId);
      assert.deepEqual([shown.policy.readContent, shown.policy.listUsers], ['app', 'user']);
      assert.equal((await app.app.apps.rules(app.appId)).effective.preset, 'specification');
      assert.deepEqual(
        [await statusOf(undefined, 'GET', '/beacons'), await statusOf(undefined, 'GET', '/users')],
        [200, 403],
      );
      // Everybody's records are everybody's, and say nothing of who made them.
      const path = `/data/bucket/notes/${note}`;
      assert.equal((await send(ben, 'GET', path)).body.result.createdBy, null);
      assert.equal(await statusOf(ben, 'PUT', path, { a: 2 }), 200);
      // What somebody made is still hers, and what nobody made is still everybody's.
      assert.deepEqual(
        [await statusOf(ben, 'DELETE', `/device/${annas}`), await statusOf(anna, 'DELETE', `/device/${annas}`)],
        [403, 200],
      );
      assert.equal(await statusOf(ben, 'DELETE', `/device/${nobodys}`), 200);
      assert.deepEqual(
        [await statusOf(ben, 'GET', `/files/${file}`), await statusOf(anna, 'GET', `/files/${file}`)],
        [404, 200],
      );
      assert.equal(await statusOf(ben, 'DELETE', path), 200);
    });
  });
}
