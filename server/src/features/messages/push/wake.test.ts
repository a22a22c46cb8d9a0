import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { ScriptedSender } from '../../../../test/fakes/scripted-sender.ts';
import {
  bothDatabases,
  buildApp,
  createPostgresDatabase,
  type SignedIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { patientMs } from '../../../../test/support/patience.ts';
import { service } from '../../../access/audit.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { migrate } from '../../../db/migrate.ts';
import { openPostgres } from '../../../db/postgres/postgres.ts';
import { openSqlite } from '../../../db/sqlite/sqlite.ts';
import { wakeTarget } from './wake.ts';

const hour = 3_600_000;

for (const database of bothDatabases) {
  describe(`what waits for a device that comes back, on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let fcm: ScriptedSender;
    beforeAll(async () => {
      fcm = new ScriptedSender();
      app = await buildApp({ database, senders: [fcm.definition('fcm')] });
      manager = await signInManager(app);
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    });
    afterAll(() => app.close());
    beforeEach(async () => {
      await app.app.idle();
      for (const table of ['pushes', 'jobs', 'deliveries', 'installations'])
        await app.storage.db.run(raw(`delete from ${table}`));
      fcm.script = () => ({ outcome: 'retry', reason: 'absent', scope: 'message', afterMs: hour });
    });

    const register = (name: string) =>
      app.send({
        method: 'POST',
        url: '/api/v2/installations',
        body: { installationId: name, deviceType: 'android', deviceToken: name, channels: [name] },
      });
    /** To one installation, which is away. Answers the push's id. */
    async function pushTo(name: string): Promise<string> {
      app.clock.now += 1;
      const body = { data: { title: 'Tonight', alert: 'Open until 22:00' }, where: { channels: name } };
      const url = '/api/v2/push/notification';
      const { status, headers, body: said } = await app.send({ method: 'POST', url, body, headers: manager.headers });
      assert.deepEqual([status, said], [200, { result: { result: true } }]);
      await app.app.idle();
      return String(headers['location']).split('/').at(-1) ?? '';
    }
    const dueAt = async () =>
      new Map(
        (
          await app.storage.db.all<{ subject: string; run_at: number }>(
            sql`select subject, run_at from jobs where kind = 'push.send' and state = 'queued'`,
          )
        ).map((job) => [job.subject, job.run_at]),
      );

    test('is sent at once, and what waits for others stays as it is', async () => {
      await register('here');
      await register('away');
      const [mine, others] = [await pushTo('here'), await pushTo('away')];
      const waiting = await dueAt();
      assert.deepEqual([...waiting.keys()].sort(), [mine, others].sort());
      app.clock.now += 1_000;
      await wakeTarget(app.storage.db, app.appId, 'here', app.clock.now);
      assert.deepEqual(await dueAt(), new Map([...waiting, [mine, app.clock.now]]));
      fcm.calls.length = 0;
      fcm.script = () => ({ outcome: 'sent' });
      await app.app.idle();
      assert.deepEqual(
        fcm.calls.map(({ target }) => target.token),
        ['here'],
      );
    });

    test('is left to the worker that holds it', async () => {
      await register('here');
      const push = await pushTo('here');
      await app.storage.db.run(sql`update jobs set lease_token = 'held' where subject = ${push}`);
      const waiting = await dueAt();
      await wakeTarget(app.storage.db, app.appId, 'here', app.clock.now);
      assert.deepEqual(await dueAt(), waiting);
    });
  });

  test(`jobs that waited before the update are found by their push after it, on ${database}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-jobs-'));
    const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
    const db: Database = postgres
      ? openPostgres({ url: postgres.url, poolSize: 2, queryDeadlineMs: 5_000, timeoutMs: patientMs })
      : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 5_000 });
    try {
      await migrate(db, 1, 15);
      const pushId = '0VbXk2mQ8fGh1jKl3nPr';
      const insert = (id: string, kind: string, payload: object) =>
        db.run(sql`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
          values ('a', ${id}, ${kind}, ${JSON.stringify(payload)}, 'queued', 1, 0, 1)`);
      await insert('1', 'push.send', { pushId, from: `${pushId}-`, to: `${pushId}-~` });
      await insert('2', 'push.expand', { pushId });
      await insert('3', 'mail.send', { userId: pushId });
      await migrate(db, 2);
      assert.deepEqual(await db.all(raw('select job_id, subject from jobs order by job_id')), [
        { job_id: '1', subject: pushId },
        { job_id: '2', subject: null },
        { job_id: '3', subject: null },
      ]);
    } finally {
      await db.close();
      await postgres?.drop();
      rmSync(folder, { recursive: true });
    }
  });
}
