import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { secretHash } from '../../src/access/access.ts';
import { createApp } from '../../src/app/app.ts';
import { createPasswords } from '../../src/base/passwords.ts';
import { sql } from '../../src/base/sql.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { anyDisk, bothDatabases, createPostgresDatabase } from '../support/build-app.ts';
import { patientMs } from '../support/patience.ts';

const password = 'from the former version';
const token = 'known-to-the-former-version-of-the-service1';

for (const database of bothDatabases)
  describe(`users of the version before identity providers and sessions, on ${database}`, () => {
    test('stay signed in after the update, sign in as before, and see both sessions', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-upgrade-'));
      const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
      const queryDeadlineMs = 5_000;
      const db = postgres
        ? openPostgres({ url: postgres.url, poolSize: 2, queryDeadlineMs, timeoutMs: patientMs })
        : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs });
      try {
        await migrate(db, 1, 21);
        const now = Date.now();
        await db.run(sql`insert into apps (app_id, name, policy, created_at, updated_at)
          values ('former', 'Former', '{}', ${now}, ${now})`);
        const hash = await createPasswords().hash(password, 'former');
        await db.run(sql`insert into users (app_id, object_id, email, email_key, password_hash, firstname, lastname, metadata,
            role, created_at, updated_at)
          values ('former', 'vera', 'Vera@example.org', 'vera@example.org', ${hash}, 'Vera', 'Visitor', '{}', 'user', ${now}, ${now})`);
        await db.run(sql`insert into tokens (app_id, token_hash, user_id, created_at, last_used_at, expires_at)
          values ('former', ${secretHash(token)}, 'vera', ${now - 1000}, ${now - 1000}, ${now + 60_000})`);
        await migrate(db, 1);
        const settings = postgres ? { PHAROS_DATABASE_URL: postgres.url } : {};
        const config = readConfig({ ...anyDisk, PHAROS_DATA: folder, ...settings });
        const app = await createApp({ config, db, now: () => now, logStream: { write: () => undefined } });
        try {
          const { appKey } = await app.apps.keys.rotate('former');
          const headers = { 'x-service-appid': 'former', 'x-service-appkey': appKey };
          const url = (rest: string) => `/api/v2/users${rest}`;
          const known = { ...headers, authorization: `Bearer ${token}` };
          const me = await app.server.inject({ url: url('/me'), headers: known });
          assert.equal(me.json().result.validemail, 'Vera@example.org');
          const payload = { email: 'vera@example.org', password };
          const signedIn = await app.server.inject({ method: 'POST', url: url('/signin'), headers, payload });
          assert.equal(signedIn.statusCode, 200, signedIn.body);
          const listed = await app.server.inject({ url: url('/me/sessions'), headers: known });
          const shown = listed
            .json()
            .results.map(({ method, isCurrent }: Record<string, unknown>) => [method, isCurrent]);
          assert.deepEqual(shown, [
            ['password', false],
            [null, true],
          ]);
          const out = await app.server.inject({ method: 'POST', url: url('/signout'), headers: known });
          assert.equal(out.statusCode, 200, out.body);
          assert.equal((await app.server.inject({ url: url('/me'), headers: known })).statusCode, 403);
        } finally {
          await app.close();
        }
      } finally {
        await db.close();
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
