/**
 * `npm run bench:cold [-- 1000000]`: what old records that are packed (ADR 83) cost others, on SQLite or, if PHAROS_TEST_POSTGRES_URL names one, on
 * PostgreSQL, in one process: how late the event loop
 * is (monitorEventLoopDelay) and how long a write of somebody else takes, while nothing happens, while so many events are packed, and while
 * four ask without pause for lists and counts over all of them. A second argument is the folder of another version's checkout: its code
 * is measured in turn, in processes of their own.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { listRecords as List } from '../server/src/resources/lists/list.ts';

const total = Number(process.argv[2] ?? 1_000_000);
const other = process.argv[3];
const here = fileURLToPath(new URL('..', import.meta.url));
const askers = 4;
const askedMs = 3_000;
const day = 86_400_000;
const packedOnly = 20_480;

if (other === undefined || process.env['BENCH_COLD_ONE']) await measure(other ?? here);
else
  for (const folder of [here, resolve(other), here, resolve(other)])
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(total), folder], {
      stdio: 'inherit',
      env: { ...process.env, BENCH_COLD_ONE: '1' },
    });

/** Events of 600 days, by many phones; `rowAt` makes the n-th. */
function pastEvents(newObjectId: (at: number) => string, now: number) {
  const installations = Array.from({ length: total / 200 }, (_, n) => newObjectId(now - n));
  const beacons = Array.from({ length: 50 }, (_, n) => newObjectId(now - n));
  const rowAt = (n: number) => {
    const at = now - 700 * day + Math.floor((n / total) * 600 * day);
    return {
      app_id: 'app',
      object_id: newObjectId(at),
      event: n % 2 === 0 ? 'ENTER' : 'EXIT',
      beacon_id: beacons[(n * 7919) % 50],
      installation_id: installations[((n >> 2) * 7919) % installations.length],
      visit_id: newObjectId(at - (n % 4)),
      occurred_at: at,
      entered_at: at,
      left_at: null,
      distance: Math.round(Math.random() * 900) / 100,
      rivals: null,
      cause: 'samples',
      inferred: 0,
      created_at: at + 900,
    };
  };
  return { installations, rowAt };
}

async function measure(folder: string): Promise<void> {
  const load = (path: string) => import(pathToFileURL(join(folder, 'server', path)).href);
  const { openSqlite } = await load('src/db/sqlite/sqlite.ts');
  const { openPostgres } = await load('src/db/postgres/postgres.ts');
  const { createPostgresDatabase } = await load('test/support/build-app.ts');
  const { migrate } = await load('src/db/migrate.ts');
  const { packOld } = await load('src/cold/pack.ts');
  const { bulkInsert } = await load('src/db/bulk.ts');
  const { newObjectId } = await load('src/base/id.ts');
  const { sql, raw } = await load('src/base/sql.ts');
  const { events } = await load('src/features/sightings/traces/events.ts');
  const { listRecords } = (await load('src/resources/lists/list.ts')) as { listRecords: typeof List };
  const place = mkdtempSync(join(tmpdir(), 'pharos-cold-'));
  const postgres = process.env['PHAROS_TEST_POSTGRES_URL'] ? await createPostgresDatabase() : undefined;
  const db = postgres
    ? openPostgres({ url: postgres.url, poolSize: 10, queryDeadlineMs: 60_000 })
    : openSqlite({ file: join(place, 'pharos.db'), queryDeadlineMs: 60_000 });
  try {
    const now = Date.now();
    await migrate(db, now);
    console.log(`\n${folder}: ${total} events, ${db.dialect.name}`);
    const insert = bulkInsert(events.table);
    const { installations, rowAt } = pastEvents(newObjectId, now);
    for (let n = 0; n < total; n += 4_096)
      await db.transaction(async (inner: typeof db) => {
        const rows = Array.from({ length: Math.min(4_096, total - n) }, (_, m) => rowAt(n + m));
        for (const statement of insert.each(inner.dialect, rows)) await inner.run(statement);
      });
    if (postgres) await db.run(raw('analyze'));
    else await db.settle();
    const during = async (what: string, work: (isOver: () => boolean) => Promise<unknown>) => {
      const late = monitorEventLoopDelay({ resolution: 1 });
      const writes: number[] = [];
      let isDone = false;
      late.enable();
      const began = performance.now();
      const done = work(() => performance.now() - began > askedMs).finally(() => (isDone = true));
      while (!isDone) {
        const start = performance.now();
        await db.run(
          sql`insert into revisions (name, n) values ('bench', 1) on conflict (name) do update set n = revisions.n + 1`,
        );
        writes.push(performance.now() - start);
        await delay(20);
      }
      const answer = await done;
      late.disable();
      writes.sort((a, b) => a - b);
      const of = (share: number) => (writes[Math.floor((writes.length - 1) * share)] ?? 0).toFixed(1);
      const ms = (ns: number) => (ns / 1e6).toFixed(1);
      console.log(
        `  ${what.padEnd(36)}loop p50 ${ms(late.percentile(50))} p99 ${ms(late.percentile(99))} max ${ms(late.max)}; ` +
          `another's write p50 ${of(0.5)} p99 ${of(0.99)} max ${of(1)} ms; ${answer ?? ''}`,
      );
    };
    await during('nothing', () => delay(3_000));
    await during('packing', async () => {
      const began = performance.now();
      const rows = await packOld(db, { appId: 'app', table: events.table, before: now - 60 * day });
      return `${rows} rows, ${(((performance.now() - began) / rows) * packedOnly).toFixed(0)} ms for ${packedOnly}`;
    });
    const list = (query: Record<string, string>) =>
      listRecords(db, events.records, {
        scope: events.records.match({ app_id: 'app' }),
        query,
        defaultLimit: 100,
        defaultOrder: '-objectId',
        tenant: 'app',
      });
    const questions: Readonly<Record<string, Record<string, string>>> = {
      'newest page': {},
      'page of a phone': {
        where: JSON.stringify({
          installationId: { __type: 'Pointer', className: '_Installation', objectId: installations[7] },
        }),
      },
      'by distance': { order: 'distance' },
      'by distance, deep': { order: 'distance', skip: '100000' },
      'counted by distance': { where: JSON.stringify({ distance: { $gt: 8 } }), limit: '0', count: '1' },
    };
    for (const [name, query] of Object.entries(questions)) {
      const took: number[] = [];
      let late = 0;
      const one = async () => {
        const began = performance.now();
        // One that has run past its deadline counts with it.
        await list(query).catch(() => late++);
        took.push(performance.now() - began);
      };
      await during(`${name}, ${askers} at once`, async (isOver) => {
        await Promise.all(
          Array.from({ length: askers }, async () => {
            do await one();
            while (!isOver());
          }),
        );
        took.sort((a, b) => a - b);
        return `each p50 ${(took[took.length >> 1] ?? 0).toFixed(1)} ms${late > 0 ? `, ${late} of ${took.length} past the deadline` : ''}`;
      });
    }
    const chunks = await db.all(raw('select count(*) as n from cold_chunks'));
    console.log(`  chunks: ${chunks[0]?.n}; rss ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`);
  } finally {
    await db.close();
    await postgres?.drop();
    rmSync(place, { recursive: true });
  }
}
