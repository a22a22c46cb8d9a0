/**
 * `npm run bench -- processes [-- 2 4]`: answers a second of `pharos serve --processes N`, as a multiple of those of one process, on the server
 * that PHAROS_TEST_POSTGRES_URL names. Each process gets a twelfth of a core, so that service, database and load do not compete for a few
 * cores, and what is seen is how the work is divided; the services are measured in turn. The processor time is that of the service with the
 * process that has started it. As root on Linux, with version 1 of cgroups.
 */
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loader, press } from './compare/generator.ts';
import { cpuSeconds, family } from './compare/processes.ts';
import { type PharosTarget, startPharos } from './compare/targets/pharos.ts';

const counts = [1, ...(process.argv.length > 2 ? process.argv.slice(2).map(Number) : [2])];
const records = 5_000;
const rounds = 5;
const pressure = { connections: 48, seconds: 4 };
const server = process.env['PHAROS_TEST_POSTGRES_URL'];
if (!server) throw new Error('Name a PostgreSQL server in PHAROS_TEST_POSTGRES_URL.');

/** Limits one process to a twelfth of a core. Returns what removes the limit. */
function limit(pid: number): () => void {
  const group = `/sys/fs/cgroup/cpu/pharos-bench-${pid}`;
  mkdirSync(group);
  writeFileSync(join(group, 'cpu.cfs_period_us'), '24000');
  writeFileSync(join(group, 'cpu.cfs_quota_us'), '2000');
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
  return () => rmdirSync(group);
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-processes-'));
const services: { count: number; target: PharosTarget; database: string; free: (() => void)[] }[] = [];
try {
  for (const count of counts) {
    const database = `pharos_bench_${count}_${process.pid}`;
    await onServer(`create database ${database} template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'`);
    const databaseUrl = Object.assign(new URL(server), { pathname: `/${database}` }).href;
    const data = join(folder, String(count));
    mkdirSync(data);
    const options = { name: String(count), durability: '', folder: data, databaseUrl, processes: count };
    const target = await startPharos(options);
    services.push({ count, target, database, free: [] });
    await target.fill(records);
  }
  for (const { count, target, free } of services) {
    const members = family(target.pid).slice(count > 1 ? 1 : 0);
    if (members.length !== count) throw new Error(`${count} processes are ${members.length}.`);
    free.push(...members.map(limit));
  }
  process.stdout.write(`${records} records, ${pressure.connections} connections, ${rounds} rounds, ${loader}\n`);
  for (const workload of ['get', 'list'] as const) {
    const rates = new Map<number, number[]>(counts.map((count) => [count, []]));
    const spent = new Map<number, number[]>(counts.map((count) => [count, []]));
    for (let round = 0; round <= rounds; round++)
      for (const { count, target } of services) {
        const load = await target.load(workload);
        if (!load) continue;
        const before = cpuSeconds(family(target.pid));
        const { rate, answers } = await press(target.url, load, pressure);
        // The first round warms up.
        if (round === 0) continue;
        rates.get(count)?.push(rate);
        spent.get(count)?.push(((cpuSeconds(family(target.pid)) - before) * 1e6) / answers);
      }
    const median = (all: readonly number[] = []) => all.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    for (const count of counts) {
      const rate = median(rates.get(count));
      const times = rate / median(rates.get(1));
      const each = `${Math.round(median(spent.get(count)))} µs of processor time an answer`;
      process.stdout.write(
        `${workload}: ${count} processes ${Math.round(rate)}/s, ${times.toFixed(2)} times (${(times / count).toFixed(2)} × N), ${each}\n`,
      );
    }
  }
} finally {
  for (const { target, database, free } of services) {
    await target.stop();
    for (const one of free) one();
    await onServer(`drop database ${database} with (force)`);
  }
  rmSync(folder, { recursive: true, force: true });
}
