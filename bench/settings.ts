/**
 * What settings cost: one service with them beside one without, as ratios of pairs.
 *
 *   npm run bench -- settings PHAROS_OTLP_URL=sink --rounds 40          `sink` is a collector here that takes everything
 *   npm run bench -- settings PHAROS_PROCESSES=2 --postgres --workloads get,list
 *
 * Options: --workloads get,list,create --connections 64 --seconds 1 --records 20000. With nothing to compare, the second service is a copy
 * of the first: how far the ratios are off is how far others can be trusted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, quantile } from './analytics/median.ts';
import { press } from './compare/generator.ts';
import { cpuSecondsWithEnded } from './compare/processes.ts';
import type { Target, Workload } from './compare/target.ts';
import { freePort, startPharos } from './compare/targets/pharos.ts';
import { createDatabases } from './compare/targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'boolean', default: false },
    workloads: { type: 'string', default: 'get,list,create' },
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '1' },
    records: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '20' },
  },
});

const sinkPort = await freePort();
let sunk = 0;
const sink = createServer((request, response) => {
  sunk++;
  request.resume().on('end', () => response.end('{}'));
}).listen(sinkPort, '127.0.0.1');
const given = positionals.map((word) => word.split(/=(.*)/s).slice(0, 2));
const settings = Object.fromEntries(
  given.map(([name, value]) => [name, value === 'sink' ? `http://127.0.0.1:${sinkPort}` : value]),
);

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const databases = createDatabases();
const targets: Target[] = [];

async function begin(name: string, settings: Readonly<Record<string, string>>): Promise<Target> {
  const own = mkdtempSync(join(folder, `${name}-`));
  const database = values.postgres ? await databases.create('pharos') : {};
  const target = await startPharos({ name, durability: '', folder: own, settings, ...database });
  targets.push(target);
  await target.fill(Number(values.records));
  return target;
}

/** Answers a second, and processor time of the service and its database for one, µs. */
async function measure({ url, pid, databasePid }: Target, load: Awaited<ReturnType<Target['load']>>, seconds: number) {
  if (!load) throw new Error('There is no such workload.');
  const cpu = () => cpuSecondsWithEnded(pid) + (databasePid === undefined ? 0 : cpuSecondsWithEnded(databasePid));
  const before = cpu();
  const { rate, answers, failures } = await press(url, load, { connections: Number(values.connections), seconds });
  if (failures > 0) process.stderr.write(`${failures} failures\n`);
  return { rate, micros: ((cpu() - before) * 1e6) / Math.max(1, answers) };
}

const ratio = (all: readonly number[]) =>
  `${median(all).toFixed(2)} (${[0.25, 0.75].map((share) => quantile(all, share).toFixed(2)).join('–')})`;

try {
  const pair = [await begin('without', {}), await begin('with', settings)];
  console.log(
    '| | CPU of an answer, µs, without and with | ratio (middle half) | answers/s, ratio | pairs |\n|---|---|---|---|---|',
  );
  for (const workload of values.workloads.split(',') as Workload[]) {
    const loads = new Map<Target, Awaited<ReturnType<Target['load']>>>();
    for (const target of pair) {
      loads.set(target, await target.load(workload));
      await measure(target, loads.get(target), 8);
    }
    const rounds: Record<string, Awaited<ReturnType<typeof measure>>>[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const found: (typeof rounds)[number] = {};
      for (const target of round % 2 === 0 ? pair : pair.toReversed())
        found[target.name] = await measure(target, loads.get(target), Number(values.seconds));
      rounds.push(found);
    }
    const of = (name: string, what: 'rate' | 'micros') => rounds.map((round) => round[name]?.[what] ?? 0);
    const ratios = (what: 'rate' | 'micros') => of('with', what).map((one, n) => one / (of('without', what)[n] ?? 1));
    const micros = ['without', 'with'].map((name) => Math.round(median(of(name, 'micros')))).join(' and ');
    console.log(
      `| ${workload} | ${micros} | ${ratio(ratios('micros'))} | ${ratio(ratios('rate'))} | ${rounds.length} |`,
    );
  }
  console.log(
    `\n${positionals.join(' ')}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, ${sunk} posts to the sink`,
  );
} finally {
  await Promise.all(targets.map((target) => target.stop()));
  await databases.stop();
  sink.close();
  rmSync(folder, { recursive: true, force: true });
}
