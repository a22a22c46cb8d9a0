/**
 * `npm run bench -- growth`: how latency grows with the number of records. Services with few and with many records get the
 * same requests in turn, by four clients, so that the query is measured and not its queue.
 *
 *   npm run bench -- growth 10000 1000000    records of each kind in the small and in the large service
 *   npm run bench -- growth --logs 10000000  one more service with this many log records, events and visits; takes
 *   gigabytes
 *   npm run bench -- growth --targets sqlite,postgres --only /visits --rounds 10
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask } from './compare/ask.ts';
import type { Load } from './compare/load.ts';
import { type PharosTarget, startPharos } from './compare/targets/pharos.ts';
import { createDatabases } from './compare/targets.ts';
import { type Filled, fill, openSink, type Sizes } from './growth/fill.ts';
import { type Question, questions } from './growth/questions.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    logs: { type: 'string', default: '0' },
    targets: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
  },
});
const [few, many] = [Number(positionals[0] ?? 10_000), Number(positionals[1] ?? 1_000_000)];
const logs = Number(values.logs);
const rounds = Number(values.rounds);
const clients = 4;
/** A round ends with whichever comes first. */
const [maxRequests, maxMs] = [200, 2_000];

const sizes: readonly Sizes[] = [
  { records: few, traces: few },
  { records: many, traces: many },
  ...(logs > many ? [{ records: few, traces: logs }] : []),
];

interface Subject {
  readonly sizes: Sizes;
  readonly service: PharosTarget;
  readonly filled: Filled;
}

const databases = createDatabases();

async function open(target: string, folder: string, sizes: Sizes): Promise<Subject> {
  mkdirSync(folder, { recursive: true });
  const database =
    target === 'postgres' ? await databases.create(`growth_${sizes.records}_${sizes.traces}`) : undefined;
  const service = await startPharos({ name: target, durability: '', folder, ...database });
  const began = performance.now();
  const sink = openSink(database ? { url: database.databaseUrl } : { file: join(folder, 'pharos.db') });
  const filled = await fill(sink, service.appId, sizes);
  await sink.close();
  const some = Math.min(10_000, sizes.records);
  service.adopt(Array.from({ length: some }, (_, n) => filled.records.id(Math.floor((n * sizes.records) / some))));
  process.stderr.write(`${JSON.stringify(sizes)} in ${Math.round((performance.now() - began) / 1000)} s\n`);
  return { sizes, service, filled };
}

interface Asking {
  readonly subject: Subject;
  readonly load: Load;
  readonly times: number[];
  sent: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: clients });

async function askRound(asking: Asking): Promise<void> {
  const { subject, load, times } = asking;
  const [last, until] = [asking.sent + maxRequests, performance.now() + maxMs];
  const client = async () => {
    while (asking.sent < last && performance.now() < until)
      times.push(await ask(subject.service.url, load, { agent, n: asking.sent++ }));
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

/** Asks until it takes a fifth of the first time, or for ten minutes. Returns the seconds. */
async function learn({ subject, load }: Asking): Promise<number> {
  const began = performance.now();
  const times: number[] = [];
  for (let n = 0; performance.now() - began < 600_000; n++) {
    times.push(await ask(subject.service.url, load, { agent, n }));
    if (times.length > 30 && quantile(times.slice(-3), 1) < quantile(times.slice(0, 10), 0.5) / 5) break;
    if (times.length > 30) await delay(500);
  }
  return (performance.now() - began) / 1000;
}

/** One line: p50 and p99 at each size, and the p50 as a multiple of the smallest one. */
async function measure(question: Question, subjects: readonly Subject[]): Promise<string> {
  const asked: Asking[] = [];
  for (const subject of subjects) {
    const load = await question.load(subject.service, subject.filled);
    asked.push({ subject, load, times: [], sent: 0 });
  }
  if (question.isLearned)
    for (const asking of asked)
      process.stderr.write(`${question.title}: learned after ${(await learn(asking)).toFixed(0)} s\n`);
  // The first round warms up.
  for (let round = 0; round <= rounds; round++)
    for (const asking of asked) {
      if (round === 1) asking.times.length = 0;
      await askRound(asking);
    }
  const cells = asked.map(({ times }) => `${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.99).toFixed(2)}`);
  const [small = 1, ...large] = asked.map(({ times }) => quantile(times, 0.5));
  return `| ${question.title} | ${cells.join(' | ')} | ${large.map((value) => `${(value / small).toFixed(1)} ×`).join(' | ')} |`;
}

/** Everything on the services whose number of rows differs for the question. */
async function compare(subjects: readonly Subject[], of: Question['of']): Promise<void> {
  const compared = of === 'traces' ? subjects : subjects.slice(0, 2);
  const own = questions.filter((question) => question.of === of && question.title.includes(values.only));
  if (own.length === 0) return;
  const totals = compared.map(({ sizes }) => sizes[of].toLocaleString('en'));
  console.log(`\n| p50 / p99 in ms | ${totals.join(' | ')} | ${totals.slice(1).join(' | ')} |`);
  console.log(
    `|---|${compared.map(() => '---|').join('')}${compared
      .slice(1)
      .map(() => '---|')
      .join('')}`,
  );
  for (const question of own) {
    const line = await measure(question, compared).catch((error: Error) => `| ${question.title} | ${error.message} |`);
    console.log(line);
  }
}

async function run(target: string, folder: string): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const [n, each] of sizes.entries()) subjects.push(await open(target, join(folder, `${target}-${n}`), each));
    console.log(`\n${target}, ${new Date().toISOString().slice(0, 10)}, ${clients} clients, ${rounds} rounds`);
    await compare(subjects, 'traces');
    await compare(subjects, 'records');
  } finally {
    await Promise.all(subjects.map(({ service }) => service.stop()));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-growth-'));
try {
  for (const target of values.targets.split(',')) await run(target, folder);
} finally {
  agent.destroy();
  await databases.stop();
  rmSync(folder, { recursive: true, force: true });
}
