/**
 * `npm run bench`: Pharos beside its peers, on this machine, with the same records and the same load.
 *
 *   npm run bench -- --all                   every workload, at 1, 64 and 512 connections
 *   npm run bench -- --workloads get,list --connections 64 --seconds 3 --rounds 5
 *   npm run bench -- --targets sqlite,pocketbase --records 100000
 *   npm run bench -- --targets sqlite,before --before FOLDER   another checkout of Pharos beside this one
 *   npm run bench -- --warm 8   seconds of each workload before it is measured: V8 needs some 100,000 answers to settle
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { press } from './compare/generator.ts';
import type { Measured, Pressure } from './compare/load.ts';
import { cpuSecondsWithEnded, megabytes, peakMegabytes, resetPeak } from './compare/processes.ts';
import { type Result, type Round, table } from './compare/table.ts';
import { type Target, type Workload, workloads } from './compare/target.ts';
import { createDatabases, type Starter, starters } from './compare/targets.ts';

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    workloads: { type: 'string' },
    connections: { type: 'string' },
    targets: { type: 'string' },
    records: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    warm: { type: 'string', default: '0' },
    before: { type: 'string' },
  },
});

const split = (text: string) => text.split(',').map((item) => item.trim());
const asked = values.workloads
  ? split(values.workloads)
  : values.all
    ? [...workloads]
    : ['create', 'create-free', 'get', 'list', 'filter'];
const chosen = workloads.filter((workload) => asked.includes(workload));
const connections = split(values.connections ?? (values.all ? '1,64,512' : '64')).map(Number);
const [records, seconds, rounds] = [Number(values.records), Number(values.seconds), Number(values.rounds)];
const warmSeconds = Number(values.warm);

async function begin(name: string, starter: Starter, folder: string): Promise<Target | undefined> {
  try {
    mkdirSync(folder, { recursive: true });
    const target = await starter(folder);
    process.stderr.write(`${target.name}: ${records} records …\n`);
    await target.fill(records);
    return target;
  } catch (error) {
    console.log(`${name} is left out: ${(error as Error).message}`);
    return undefined;
  }
}

/** What is ready to be measured; undefined if the target has no equivalent. */
async function prepare(
  target: Target,
  workload: Workload,
): Promise<((pressure: Pressure) => Promise<Measured>) | undefined> {
  if (target.measure) return target.measure(workload);
  const load = await target.load(workload).catch((error: Error) => {
    process.stderr.write(`${target.name} is left out of ${workload}: ${error.message.slice(0, 200)}\n`);
    return undefined;
  });
  return load && ((pressure) => press(target.url, load, pressure));
}

/** Seconds of processor time so far of the service and its database. */
const cpuOf = ({ pid, databasePid }: Target): number =>
  cpuSecondsWithEnded(pid) + (databasePid === undefined ? 0 : cpuSecondsWithEnded(databasePid));

async function measure(target: Target, workload: Workload, atOnce: number): Promise<Round | undefined> {
  const run = await prepare(target, workload);
  if (!run) return undefined;
  resetPeak(target.pid);
  const before = cpuOf(target);
  const measured = await run({ connections: atOnce, seconds });
  const cpu = cpuOf(target) - before;
  const peak = peakMegabytes(target.pid);
  await settled(target);
  return { ...measured, cpuMicros: (cpu * 1e6) / Math.max(1, measured.answers), peak };
}

/** The rest of one target's work must not take the processors from the next one. Waits a minute at most. */
async function settled(target: Target): Promise<void> {
  const measureMs = 250;
  for (let looks = 0; looks < 240; looks++) {
    const before = cpuOf(target);
    await delay(measureMs);
    if ((cpuOf(target) - before) * 1000 < measureMs / 10) return;
  }
}

async function warm(targets: readonly Target[], workload: Workload, atOnce: number): Promise<void> {
  if (warmSeconds === 0) return;
  for (const target of targets)
    await (await prepare(target, workload))?.({ connections: atOnce, seconds: warmSeconds });
}

/**
 * The targets take turns, so that other work of the machine affects all of them; every other round the last begins, so
 * that none is always measured right after the same one.
 */
async function compare(targets: readonly Target[], workload: Workload, atOnce: number): Promise<Result[]> {
  await warm(targets, workload, atOnce);
  const all = new Map<string, Round[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const measured = await measure(target, workload, atOnce);
      if (measured) all.get(target.name)?.push(measured);
    }
  }
  return [...all]
    .filter(([, measured]) => measured.length > 0)
    .map(([target, measured]) => ({ workload, connections: atOnce, target, rounds: measured }));
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const targets: Target[] = [];
const databases = createDatabases();
const wantedTargets = values.targets ? split(values.targets) : undefined;
try {
  for (const [name, starter] of Object.entries(starters(databases, values.before))) {
    if (wantedTargets && !wantedTargets.includes(name)) continue;
    const target = await begin(name, starter, join(folder, name));
    if (target) targets.push(target);
  }
  for (const target of targets) {
    const rest = Math.round(megabytes(target.pid));
    console.log(`${target.name}: ${target.durability}; ${rest} MB after the records were made`);
  }
  const results: Result[] = [];
  for (const workload of chosen) {
    process.stderr.write(`${workload} …\n`);
    for (const atOnce of connections) results.push(...(await compare(targets, workload, atOnce)));
  }
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), load ${load}, ` +
      `${records} records, ${rounds} rounds of ${seconds} s after ${warmSeconds} s\n`,
  );
  console.log(table(results));
} finally {
  await Promise.all(targets.map((target) => target.stop()));
  await databases.stop();
  rmSync(folder, { recursive: true, force: true });
}
