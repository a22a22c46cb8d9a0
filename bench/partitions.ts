/**
 * `npm run bench:partitions [-- 10000000 100000]`: lists of events, log records and visits on PostgreSQL over 36 months, with that many
 * rows of each kind, beside the same with fewer; and how long it takes to drop the oldest month. PostgreSQL has to be named:
 * PHAROS_TEST_POSTGRES_URL. Ten million rows take about 25 GB of its disk while it runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../server/src/app/app.ts';
import { firstIdAt } from '../server/src/base/id.ts';
import { raw, sql } from '../server/src/base/sql.ts';
import { readConfig } from '../server/src/config/config.ts';
import type { Database, Db } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { addPartitions, dropPartitions, listPartitions } from '../server/src/db/partitions.ts';
import { openPostgres } from '../server/src/db/postgres/postgres.ts';
import { createPostgresDatabase } from '../server/test/support/build-app.ts';

const sizes = [Number(process.argv[2] ?? 10_000_000), Number(process.argv[3] ?? 100_000)];
const only = process.argv[4] ?? 'events,logs,visits';
const months = 36;
const rounds = 15;
const perInstallation = 100;
const now = Date.now();
const start = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() - months + 1);

const digits = [7, 6, 5, 4, 3, 2, 1, 0]
  .map(
    (place) =>
      `substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (t / ${62 ** place} % 62)::int + 1, 1)`,
  )
  .join(' || ');
const idOf = (kind: string, n: string) => `'${kind}' || lpad((${n})::text, 19, '0')`;

/** The rows of a table by number and time. */
function rowsOf(table: string, app: string, total: number): string {
  const beacon = idOf('B', '(n * 7919) % 500');
  const installation = idOf('I', `(n * 7919) % ${Math.max(1, total / perInstallation)}`);
  const event = `case when n % 2 = 0 then 'ENTER' else 'EXIT' end`;
  const cells: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    events: { event, visit_id: idOf('V', 'n / 4'), entered_at: 't', cause: `'samples'`, inferred: '0' },
    logs: { event, module_type: `case when n % 7 = 0 then 'STORYLINE' else 'PRESENCE' end`, updated_at: 't' },
    visits: {
      entered_at: 't - 3000',
      left_at: 't + 90000',
      dwell: '90',
      is_open: '0',
      source: `'samples'`,
      inferred: '0',
      updated_at: 't',
    },
  };
  const all: Readonly<Record<string, string>> = {
    app_id: `'${app}'`,
    object_id: 'id',
    beacon_id: beacon,
    installation_id: installation,
    ...(table === 'visits' ? {} : { occurred_at: 't' }),
    created_at: 't',
    ...cells[table],
  };
  return `insert into ${table} (${Object.keys(all).join(', ')}) select ${Object.values(all).join(', ')}
    from (select n, t, ${digits} || lpad(n::text, 12, '0') as id
      from (select n, ${start} + n * ${Math.floor((now - start) / total)}::bigint as t from generate_series(0::bigint, ${total - 1}) n) numbered) timed`;
}

interface Subject {
  readonly total: number;
  readonly db: Database;
  readonly app: App;
  readonly headers: Record<string, string>;
  readonly drop: () => Promise<void>;
}

/** Indexes that are made afterwards cost a quarter. */
async function fillTable(db: Db, table: string, statement: string): Promise<void> {
  const indexes = await db.all<{ name: string; definition: string }>(
    sql`select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_index x join pg_class c on c.oid = x.indexrelid
      where x.indrelid = to_regclass(${table}) and not x.indisprimary`,
  );
  await db.run(raw("set local maintenance_work_mem = '512MB'"));
  for (const { name } of indexes) await db.run(raw(`drop index ${name}`));
  await db.run(raw(`alter table ${table} drop constraint ${table}_pkey`));
  await db.run(raw(statement));
  await db.run(raw(`alter table ${table} add primary key (app_id, object_id)`));
  for (const { definition } of indexes) await db.run(raw(definition.replace(' ON ONLY ', ' ON ')));
}

async function open(total: number, folder: string): Promise<Subject> {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 4, queryDeadlineMs: 600_000 });
  await migrate(db, start);
  await addPartitions(db, now);
  const config = readConfig({
    PHAROS_DATABASE_URL: url,
    PHAROS_DATA: folder,
    PHAROS_PUBLIC_URL: 'http://bench.test',
    PHAROS_LOG_LEVEL: 'silent',
  });
  const app = await createApp({ config, db, now: Date.now });
  const { appId, appKey } = await app.apps.create('Bench');
  await app.apps.change(appId, {
    policy: {
      rateLimit: { enabled: false, perSecond: 1, burst: 1 },
      // A sweep would take what is too old.
      retentionDays: { logs: 3650, visits: 3650, events: 3650 },
    },
  });
  const began = performance.now();
  for (const table of only.split(',')) {
    await db.longTransaction(async (db) => fillTable(db, table, rowsOf(table, appId, total)));
    await db.longTransaction((db) => db.run(raw(`analyze ${table}`)));
    process.stderr.write(`${table}: ${total} rows after ${Math.round((performance.now() - began) / 1000)} s\n`);
  }
  await db.alone?.(raw('vacuum'));
  const headers: Record<string, string> = {
    'x-service-appid': appId,
    'x-service-appkey': appKey,
    'content-type': 'application/json',
  };
  const post = async (path: string, body: object) =>
    (
      await app.server.inject({ method: 'POST', url: `/api/v2/${path}`, headers, payload: JSON.stringify(body) })
    ).json();
  const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'correct horse' };
  await post('users', account);
  const { accessToken, objectId } = await post('users/signin', { email: account.email, password: account.password });
  await app.users.setUserRole({ appId, userId: objectId }, 'manager');
  headers['authorization'] = `Bearer ${accessToken}`;
  return { total, db, app, headers, drop };
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const date = (time: number) => ({ __type: 'Date', iso: new Date(time).toISOString() });
const numbered = (kind: string, n: number) => kind + String(n).padStart(19, '0');

type Question = readonly [
  title: string,
  query: (subject: Subject, n: number) => Record<string, string | number | object>,
];

const questionsOf = (table: string): readonly Question[] => {
  const time = table === 'visits' ? 'enteredAt' : table === 'logs' ? 'createdAt' : 'occurredAt';
  return [
    ['100 newest', () => ({ limit: 100 })],
    ['100 oldest', () => ({ limit: 100, order: 'objectId' })],
    [
      '20 newest of a beacon',
      (_subject, n) => ({ limit: 20, where: { beaconId: pointer('Beacon', numbered('B', n % 500)) } }),
    ],
    [
      '20 newest of an installation',
      ({ total }, n) => ({
        limit: 20,
        where: { installationId: pointer('_Installation', numbered('I', (n * 31) % (total / perInstallation))) },
      }),
    ],
    [
      '100 from a moment on',
      (_subject, n) => ({
        limit: 100,
        order: time,
        where: { [time]: { $gte: date(start + ((n * 7919) % 1000) * ((now - start) / 1010)) } },
      }),
    ],
    ...(table === 'events'
      ? [
          [
            'of a visit',
            ({ total }, n) => ({ where: { visitId: numbered('V', (n * 7919) % (total / 4)) } }),
          ] as Question,
        ]
      : []),
  ];
};

async function ask(
  { app, headers }: Subject,
  path: string,
  query: Record<string, string | number | object>,
): Promise<number> {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  const began = performance.now();
  const answer = await app.server.inject({
    method: 'GET',
    url: `/api/v2/${path}?${new URLSearchParams(texts as [string, string][])}`,
    headers,
  });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return performance.now() - began;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const subjects: Subject[] = [];
try {
  for (const total of sizes) subjects.push(await open(total, folder));
  console.log(
    `\n| p50 in ms over ${months} months | ${sizes.map((one) => one.toLocaleString('en')).join(' | ')} | ratio |\n|---|---|---|---|`,
  );
  for (const table of only.split(','))
    for (const [title, query] of questionsOf(table)) {
      const times = subjects.map((): number[] => []);
      for (let round = -3; round < rounds; round++)
        for (const [place, subject] of subjects.entries())
          for (let n = 0; n < 20; n++) {
            const took = await ask(subject, table, query(subject, (round + 3) * 20 + n));
            if (round >= 0) times[place]?.push(took);
          }
      const [large = 0, small = 1] = times.map(median);
      console.log(`| ${table}: ${title} | ${large.toFixed(2)} | ${small.toFixed(2)} | ${(large / small).toFixed(2)} |`);
    }
  const [{ db }] = subjects as [Subject];
  for (const table of only.split(',')) {
    const first = (await listPartitions(db, table)).slice(0, 2);
    const oldest = first[1]?.name ?? '';
    const rows = await db.one<{ n: number }>(raw(`select count(*) as n from ${oldest}`));
    const began = performance.now();
    await dropPartitions(db, table, first);
    const dropped = performance.now() - began;
    const next = (await listPartitions(db, table))[1];
    const untilDeleted = performance.now();
    await db.longTransaction((db) =>
      db.run(sql`delete from ${raw(table)} where object_id < ${next?.until ?? firstIdAt(0)}`),
    );
    console.log(
      `${oldest}: ${rows?.n} rows dropped in ${dropped.toFixed(0)} ms; as many deleted in ${(performance.now() - untilDeleted).toFixed(0)} ms`,
    );
  }
} finally {
  for (const { app, db, drop } of subjects) {
    await app.close();
    await db.close();
    await drop();
  }
  rmSync(folder, { recursive: true, force: true });
}
