import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { defaultPolicy } from '../../src/access/policy.ts';
import { createApp } from '../../src/app/app.ts';
import { requestRestore } from '../../src/backup/in-place.ts';
import { firstIdAt } from '../../src/base/id.ts';
import { restorePrepared } from '../../src/cli/commands/backup.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/db.ts';
import { purgeTraces } from '../../src/features/sightings/record/retention.ts';
import { createPostgresDatabase, databases, type SignedIn, type TestApp } from '../support/build-app.ts';
import { shellOf } from '../support/command-line.ts';
import { packedTables } from '../support/storage/cold-data.ts';
import {
  assertEverything,
  buildPast,
  chunks,
  everything,
  fillWithPast,
  isKeptFrom,
  packKept,
  startPacking,
} from '../support/storage/packed-past.ts';

/** Packed records where people work with them. */

const day = 86_400_000;

for (const database of databases) {
  describe(`packed records in the field on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let db: Database;
    let now: number;
    let installations: string[];
    beforeEach(async () => {
      ({ app, db, now, manager, installations } = await buildPast(database));
    });
    afterEach(() => app.close());
    const without = (rows: Awaited<ReturnType<typeof everything>>, her: string) =>
      rows.map((all) => all.filter((row) => row['installation_id'] !== her));

    test('are packed by two processes at once, while a third one erases somebody and lets the oldest go', async () => {
      const before = await everything(db);
      const her = installations[3] ?? '';
      const retentionDays = { ...defaultPolicy.retentionDays, logs: 150, visits: 900, events: 150, deliveries: 150 };
      const policy = { ...defaultPolicy, retentionDays };
      const purge = () => purgeTraces(db, packedTables, { appId: app.appId, policy, now });
      const processes = [1, 2].map(() => startPacking(app, [String(now - 40 * day)]));
      const ended = Promise.all(processes.map((child) => once(child, 'exit')));
      await Promise.all(processes.map((child) => once(child.stdout, 'data')));
      for (const child of processes) child.stdout.resume();
      const url = `/api/v2/installations/${her}`;
      assert.equal((await app.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
      await Promise.all([app.app.idle(), purge()]);
      assert.deepEqual(
        (await ended).map(([code]) => code),
        [0, 0],
      );
      // What was being replaced by others is left to the next sweep.
      await purge();
      const bound = firstIdAt(now - 150 * day);
      await assertEverything(
        db,
        without(before, her).map((rows) => rows.filter(isKeptFrom(bound))),
      );
    });

    test('are exported, erased, counted and deleted with their app by commands', async () => {
      const settings = { ...app.storage.settings };
      const { run } = shellOf(app.storage.folder, settings);
      const [her, other] = [installations[1] ?? '', installations[2] ?? ''];
      const exported = async (name: string) => {
        const file = join(app.storage.folder, name);
        const ran = await run(`person export --app ${app.appId} --installation ${other} --to ${file}`);
        assert.equal(ran.code, 0, ran.err);
        const document = JSON.parse(readFileSync(file, 'utf8'));
        return packedTables.map(({ name }) =>
          (document[name] as { objectId: string }[]).toSorted((a, b) => (a.objectId < b.objectId ? -1 : 1)),
        );
      };
      const before = await everything(db);
      const stored = await exported('stored.json');
      await packKept(database, { db, now });
      assert.deepEqual(await exported('packed.json'), stored);

      const erased = await run(`person erase --app ${app.appId} --installation ${her} --yes --json`);
      assert.equal(erased.code, 0, erased.err);
      const hers = before.map((rows) => rows.filter((row) => row['installation_id'] === her).length);
      assert.deepEqual(
        packedTables.map(({ name }) => erased.json.erased[name]),
        hers,
      );
      await assertEverything(db, without(before, her));
      for (const line of [`analytics rebuild --app ${app.appId}`, `app privacy ${app.appId}`, 'migrate']) {
        const ran = await run(line);
        assert.equal(ran.code, 0, `${line}: ${ran.err}`);
      }
      await assertEverything(db, without(before, her));
      const doctor = await run('doctor --json');
      const integrity = doctor.json.checks.find(({ check }: { check: string }) => check === 'integrity');
      assert.deepEqual([doctor.code, integrity?.state ?? 'ok'], [0, 'ok'], doctor.out);
      const gone = await run(`app delete ${app.appId} --yes`);
      assert.equal(gone.code, 0, gone.err);
      assert.deepEqual(await chunks(db), []);
    });

    test('come back with a backup without who was erased since, in an empty service and in the same one', async () => {
      const { run } = shellOf(app.storage.folder, app.storage.settings);
      const before = await everything(db);
      await packKept(database, { db, now });
      const folder = join(app.storage.folder, 'backup');
      const made = await run(`backup --to ${folder}`);
      assert.equal(made.code, 0, made.err);
      const drilled = await run(`drill --from ${folder}`);
      assert.equal(drilled.code, 0, drilled.err);
      const her = installations[1] ?? '';
      const url = `/api/v2/installations/${her}`;
      assert.equal((await app.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
      await app.app.idle();
      await assertEverything(db, without(before, her));

      const place = mkdtempSync(join(tmpdir(), 'pharos-restored-'));
      const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
      const settings = {
        PHAROS_DATA: join(place, 'data'),
        ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
      };
      try {
        mkdirSync(settings.PHAROS_DATA);
        const list = join(app.storage.folder, 'erasures.ndjson');
        const restored = await shellOf(place, settings).run(`restore --from ${folder} --erasures ${list}`);
        assert.equal(restored.code, 0, restored.err);
        assert.match(restored.out, /1 erasures since then are done again/);
        await assertErasedAgain(settings);
      } finally {
        await postgres?.drop();
        rmSync(place, { recursive: true, force: true });
      }
      if (database !== 'sqlite') return;
      const [one, at] = ['one', new Date(now).toISOString()];
      const copy = mkdtempSync(join(tmpdir(), 'pharos-same-'));
      try {
        const same = join(copy, 'data');
        mkdirSync(same);
        const settings = { PHAROS_DATA: same };
        // A service that has something else by now.
        const other = await openDatabase(readConfig(settings));
        await fillWithPast(other, now, 50);
        await other.close();
        execFileSync('cp', [join(app.storage.folder, 'erasures.ndjson'), same]);
        await requestRestore(same, { backupId: one, folder, askedAt: at, askedBy: 'ada' });
        const result = await restorePrepared(readConfig(settings));
        assert.equal(result?.ok, true, result?.message);
        await assertErasedAgain(settings);
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }

      async function assertErasedAgain(settings: Readonly<Record<string, string>>) {
        const config = readConfig({ PHAROS_PUBLIC_URL: 'http://pharos.test', PHAROS_LOG_LEVEL: 'silent', ...settings });
        const back = await openDatabase(config);
        // By the clock of the command that restored it.
        const service = await createApp({ config, db: back, now: Date.now, sweepsHourly: false });
        try {
          await service.idle();
          await assertEverything(back, without(before, her));
          assert.ok((await chunks(back)).length > 6);
        } finally {
          await service.close();
          await back.close();
        }
      }
    });
  });

  test(`what was packed on ${database} is answered, kept and erased when nothing is packed any more`, async () => {
    const { app, db, now, manager, installations } = await buildPast(database, { PHAROS_COLD_AFTER_DAYS: '40' });
    try {
      const questions = ['events?limit=1000', 'verdicts?order=-text&limit=1000', 'logs?limit=1000&count=1'];
      const answers = async (of: Pick<TestApp, 'send'>, by: SignedIn) => {
        const all: unknown[] = [];
        for (const question of questions) {
          const { status, body } = await of.send({ method: 'GET', url: `/api/v2/${question}`, headers: by.headers });
          assert.equal(status, 200, JSON.stringify(body));
          all.push(body);
        }
        return all;
      };
      const [stored, before] = [await answers(app, manager), await everything(db)];
      app.app.sweep();
      await app.app.idle();
      assert.ok((await chunks(db)).length > 0, 'it was packed');
      await assertEverything(db, before);

      const config = readConfig({
        PHAROS_PUBLIC_URL: 'http://pharos.test',
        PHAROS_LOG_LEVEL: 'silent',
        ...app.storage.settings,
      });
      assert.equal(config.coldAfterDays, 0);
      const service = await createApp({ config, db, now: () => now, sweepsHourly: false });
      const off: TestApp = {
        ...app,
        app: service,
        async send({ method, url, headers = {}, body }) {
          const answer = await service.server.inject({
            method,
            url,
            headers: { ...app.credentials, ...headers } as Record<string, string>,
            ...(body === undefined ? {} : { payload: body as string }),
          });
          return { status: answer.statusCode, headers: {}, body: answer.json(), raw: answer.rawPayload };
        },
      };
      try {
        const there = (await chunks(db)).length;
        assert.deepEqual(await answers(off, manager), stored);
        service.sweep();
        await service.idle();
        assert.equal((await chunks(db)).length, there, 'nothing more is packed, and what is packed stays');
        const her = installations[2] ?? '';
        const url = `/api/v2/installations/${her}`;
        assert.equal((await off.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
        // Whichever of the two has taken the job.
        await Promise.all([service.idle(), app.app.idle()]);
        const left = before.map((rows) => rows.filter((row) => row['installation_id'] !== her));
        await assertEverything(db, left);
        const retentionDays = { logs: 100, visits: 900, events: 100, deliveries: 100, positions: 900 };
        await service.apps.change(app.appId, { policy: { retentionDays } });
        service.sweep();
        await service.idle();
        const bound = firstIdAt(now - 100 * day);
        await assertEverything(
          db,
          left.map((rows) => rows.filter(isKeptFrom(bound))),
        );
      } finally {
        await service.close();
      }
    } finally {
      await app.close();
    }
  });
}
