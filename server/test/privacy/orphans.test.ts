import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw, type Sql, sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import {
  bothDatabases,
  buildApp,
  createPostgresDatabase,
  type SignedIn,
  signIn,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { patientMs } from '../support/patience.ts';

/** What belongs to a record that is being deleted is deleted with it, however close together they come. */

const rounds = 25;
const beacon = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };

for (const database of bothDatabases) {
  describe(`writing below what is being deleted, on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MQTT_PORT: '0' } });
      user = await signIn(app);
    });
    afterAll(() => app.close());
    const send = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) =>
      (await app.send({ method, url, headers: user.headers, body })).status;
    const count = async (statement: Sql) => (await app.storage.db.one<{ n: number }>(statement))?.n;

    test('a scenario is never left without its storyline', async () => {
      const beacons = [await create(app, '/api/v2/beacons', beacon, user.headers)];
      const scenario = { beacons, campaign: 'TEXT', event: 'ENTER', showOn: [] };
      for (let round = 0; round < rounds; round++) {
        const id = await create(app, '/api/v2/storylines', { title: 'Tour', isEnabled: true }, user.headers);
        const url = `/api/v2/storylines/${id}`;
        const known = await create(app, `${url}/detail`, scenario, user.headers);
        const [deleted, ...written] = await Promise.all([
          send('DELETE', url),
          send('POST', `${url}/detail`, scenario),
          send('PUT', `${url}/detail/${known}`, { beacons }),
          send('POST', `${url}/detail`, scenario),
          send('PATCH', `${url}/detail/${known}`, { beacons }),
          send('POST', `${url}/detail`, scenario),
        ]);
        assert.equal(deleted, 200);
        for (const status of written) assert.ok([200, 201, 404].includes(status), `${status}`);
      }
      assert.equal(await count(raw('select count(*) as n from storyline_details')), 0);
      assert.equal(await count(raw('select count(*) as n from scenario_beacons')), 0);
    });

    test('an installation never names a user who is being erased', async () => {
      for (let round = 0; round < rounds; round++) {
        const { userId, headers } = await signIn(app);
        const register = async (n: number) => {
          const pointer = { __type: 'Pointer', className: '_User', objectId: userId };
          const body = { installationId: `${round}-${n}`, deviceType: 'ios', userId: pointer };
          return (await app.send({ method: 'POST', url: '/api/v2/installations', headers, body })).status;
        };
        const erase = app.send({ method: 'DELETE', url: '/api/v2/users/me', headers });
        const statuses = await Promise.all([register(1), register(2), register(3), register(4)]);
        for (const status of statuses) assert.ok([201, 403, 404].includes(status), `${status}`);
        assert.equal((await erase).status, 200);
      }
      assert.equal(await count(raw('select count(*) as n from installations where user_id is not null')), 0);
    });

    test('credentials of a device go with it, also those that are being issued', async () => {
      const browser = await openConsole(app, 'installer');
      const device = { deviceName: 'Gate', manufacture: 'Acme', topic: 'museum/gate' };
      for (let round = 0; round < rounds; round++) {
        const id = await create(app, '/api/v2/device', device, user.headers);
        const url = `/apps/${app.appId}/devices/${id}/credentials`;
        const issue = async () => (await browser.send({ method: 'POST', url })).status;
        assert.equal(await issue(), 201);
        const [deleted, ...issued] = await Promise.all([send('DELETE', `/api/v2/device/${id}`), issue(), issue()]);
        assert.equal(deleted, 200);
        for (const status of issued) assert.ok([201, 404].includes(status), `${status}`);
      }
      // For an hour they could come back with the device; until then nobody connects with them.
      assert.equal(await count(raw("select count(*) as n from device_credentials where password_hash <> ''")), 0);
      app.clock.now += 3_600_001;
      app.app.sweep();
      await app.app.idle();
      assert.equal(await count(raw('select count(*) as n from device_credentials')), 0);
    });
  });

  test(`what an older version has left behind is gone after the update, on ${database}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-orphans-'));
    const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
    const db: Database = postgres
      ? openPostgres({ url: postgres.url, poolSize: 2, queryDeadlineMs: 5_000, timeoutMs: patientMs })
      : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 5_000 });
    try {
      await migrate(db, 1, 13);
      await db.run(
        raw(`insert into storylines (app_id, object_id, title, is_enabled, created_at, updated_at)
        values ('a', 'kept', 'Tour', 1, 1, 1)`),
      );
      for (const [id, storyline] of [
        ['d1', 'kept'],
        ['d2', 'gone'],
      ] as const) {
        await db.run(sql`insert into storyline_details (app_id, object_id, storyline_id, beacons, campaign, event, show_on,
          created_at, updated_at) values ('a', ${id}, ${storyline}, '["b"]', 'TEXT', 'ENTER', '[]', 1, 1)`);
        await db.run(sql`insert into scenario_beacons (app_id, beacon_id, detail_id) values ('a', 'b', ${id})`);
      }
      await db.run(
        raw(`insert into device_credentials (app_id, device_id, password_hash, issued_at)
        values ('a', 'gone', 'x', 1)`),
      );
      await db.run(
        raw(`insert into webhook_deliveries (app_id, object_id, webhook_id, event, payload, state, attempts,
        expires_at, created_at, updated_at) values ('a', 'w', 'gone', 'visit.started', '{}', 'queued', 0, 1, 1, 1)`),
      );
      await db.run(
        raw(`insert into installations (app_id, object_id, device_type, channels, metadata, user_id, created_at,
        updated_at) values ('a', 'i', 'ios', '[]', '{}', 'gone', 1, 1)`),
      );
      await migrate(db, 2);
      const ids = async (statement: string) => (await db.all<{ id: string }>(raw(statement))).map(({ id }) => id);
      assert.deepEqual(await ids('select object_id as id from storyline_details'), ['d1']);
      assert.deepEqual(await ids('select detail_id as id from scenario_beacons'), ['d1']);
      assert.deepEqual(await ids('select device_id as id from device_credentials'), []);
      assert.deepEqual(await ids('select object_id as id from webhook_deliveries'), []);
      assert.deepEqual(await ids('select user_id as id from installations'), [null]);
    } finally {
      await db.close();
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
