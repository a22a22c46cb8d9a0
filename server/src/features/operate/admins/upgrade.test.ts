import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { anyDisk, createPostgresDatabase, databases } from '../../../../test/support/build-app.ts';
import { secretHash } from '../../../access/access.ts';
import { createApp } from '../../../app/app.ts';
import { createPasswords } from '../../../base/passwords.ts';
import { sql } from '../../../base/sql.ts';
import { readConfig } from '../../../config/config.ts';
import { migrate } from '../../../db/migrate.ts';
import { openPostgres } from '../../../db/postgres/postgres.ts';
import { openSqlite } from '../../../db/sqlite/sqlite.ts';

const password = 'from the former version';
const origin = 'http://pharos.test';

for (const database of databases)
  describe(`administrators of the version before second factors, on ${database}`, () => {
    test('stay signed in after the update, and sign in with their password as before', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-upgrade-'));
      const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
      const queryDeadlineMs = 5_000;
      const db = postgres
        ? openPostgres({ url: postgres.url, poolSize: 2, queryDeadlineMs })
        : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs });
      try {
        await migrate(db, 1, 19);
        const now = Date.now();
        const hash = await createPasswords().hash(password, 'console');
        await db.run(sql`insert into admins (admin_id, email, email_key, name, password_hash, role, created_at, updated_at)
          values ('ada', 'Ada@museum.example', 'ada@museum.example', 'Ada', ${hash}, 'owner', ${now}, ${now})`);
        await db.run(sql`insert into admin_sessions (session_hash, admin_id, created_at, last_used_at, expires_at, confirmed_at)
          values (${secretHash('known')}, 'ada', ${now}, ${now}, ${now + 60_000}, ${now})`);
        await migrate(db, 1);
        const config = readConfig({
          ...anyDisk,
          PHAROS_DATA: folder,
          PHAROS_PUBLIC_URL: origin,
          ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
        });
        const app = await createApp({ config, db, now: () => now, logStream: { write: () => undefined } });
        try {
          const get = async (path: string) => {
            const url = `/console/api${path}`;
            return JSON.parse((await app.server.inject({ url, headers: { cookie: 'pharos=known' } })).body);
          };
          assert.equal((await get('/session')).result.email, 'Ada@museum.example');
          // The cookie had another name, and gets the one of this database.
          const known = (method: 'GET' | 'DELETE', cookie: string) =>
            app.server.inject({ method, url: '/console/api/session', headers: { cookie, origin } });
          const [renamed = '', gone = ''] = [(await known('GET', 'pharos=known')).headers['set-cookie'] ?? []].flat();
          assert.match(renamed, /^pharos-\w{8}=known; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
          assert.match(gone, /^pharos=; .*Max-Age=0$/);
          const [cookie = ''] = renamed.split(';');
          const again = await known('GET', cookie);
          assert.deepEqual([again.statusCode, again.headers['set-cookie']], [200, undefined]);
          const signedIn = await app.server.inject({
            method: 'POST',
            url: '/console/api/session',
            headers: { origin },
            payload: { email: 'ada@museum.example', password },
          });
          assert.equal(signedIn.statusCode, 201, signedIn.body);
          const { results } = await get('/sessions');
          const [former] = results.filter(({ current }: { current: boolean }) => current);
          assert.deepEqual([results.length, former.method, former.address, former.userAgent], [2, null, null, null]);
          assert.equal((await known('DELETE', 'pharos=known')).statusCode, 200);
          for (const one of [cookie, 'pharos=known']) assert.equal((await known('GET', one)).statusCode, 403);
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
