/** `node raw-process.ts FILE`: the service's driver and pragmas, used directly. Requests and results are messages. */
import { statSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setImmediate as nextTick } from 'node:timers/promises';
import { newObjectId } from '../../../server/src/base/id.ts';
import { openSqliteConnection } from '../../../server/src/db/sqlite/sqlite-connection.ts';
import { SqliteThread } from '../../../server/src/db/sqlite/sqlite-threads.ts';
import { WalFile } from '../../../server/src/db/sqlite/wal-file.ts';
import { type Document, documentOf, wanted } from '../documents.ts';
import type { Measured } from '../load.ts';
import { createRawTables, rawInserts } from './raw-tables.ts';

export type RawWorkload = 'get' | 'list' | 'filter' | 'create' | 'create-free';

export type RawQuestion =
  | { readonly fill: number }
  | { readonly workload: RawWorkload; readonly atOnce: number; readonly seconds: number };

const checkpointBytes = 8 * 1024 * 1024;
const file = process.argv[2] ?? '';
const write = openSqliteConnection(file, 'write').raw;
createRawTables(write);
const read = openSqliteConnection(file, 'read').raw;
const wal = new WalFile(file);
const maintenance = new SqliteThread(file);
const ids: string[] = [];

const tables = { create: 'sightings', 'create-free': 'notes' } as const;
const insert = rawInserts(write);
const insertMany = write.transaction((workload: keyof typeof tables, documents: readonly Document[]) => {
  for (const document of documents) {
    const [id, now] = [newObjectId(Date.now()), Date.now()];
    insert(tables[workload], { id, now, document });
    if (workload === 'create' && ids.length < 10_000) ids.push(id);
  }
});

const get = read.prepare('select * from sightings where object_id = ?');
const list = read.prepare('select * from sightings order by object_id limit 100');
const filter = read.prepare('select * from sightings where species = ? and count >= ? order by count desc limit 20');
const reads: Readonly<Record<Exclude<RawWorkload, keyof typeof tables>, (n: number) => unknown>> = {
  get: (n) => get.get(ids[n % ids.length]),
  list: () => list.all(),
  filter: (n) => {
    const { name, least } = wanted[n % wanted.length] ?? { name: 0, least: 0 };
    return filter.all(`Species ${name}`, least);
  },
};

let commits = 0;
let checkpoint: Promise<void> | undefined;

/** Together in one transaction that is flushed to the disk, with checkpoints beside it, as in the service. */
async function create(workload: keyof typeof tables, from: number, size: number): Promise<void> {
  insertMany(
    workload,
    Array.from({ length: size }, (_, n) => documentOf(from + n)),
  );
  await wal.flush();
  if (++commits % 64 > 0 || checkpoint || statSync(`${file}-wal`).size < checkpointBytes) return;
  checkpoint = maintenance.checkpoint().finally(() => {
    checkpoint = undefined;
  });
}

async function measure(workload: RawWorkload, atOnce: number, seconds: number): Promise<Measured> {
  const times = createHistogram();
  const took = (since: number) => times.record(Math.max(1, Math.round((performance.now() - since) * 1e6)));
  const began = performance.now();
  let answers = 0;
  for (; performance.now() - began < seconds * 1000; answers += atOnce) {
    const turn = performance.now();
    if (workload === 'create' || workload === 'create-free') {
      await create(workload, answers, atOnce);
      took(turn);
      continue;
    }
    for (let n = 0; n < atOnce; n++) {
      const since = performance.now();
      reads[workload](answers + n);
      took(since);
    }
    await nextTick();
  }
  const [p50 = 0, p99 = 0] = [50, 99].map((share) => times.percentile(share) / 1e6);
  return { rate: (answers * 1000) / (performance.now() - began), answers, p50, p99, failures: 0 };
}

async function fill(records: number): Promise<true> {
  for (let from = 0; from < records; from += 1000) await create('create', from, Math.min(1000, records - from));
  return true;
}

process.on('message', async (question: RawQuestion) => {
  const answer =
    'fill' in question
      ? await fill(question.fill)
      : await measure(question.workload, question.atOnce, question.seconds);
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
