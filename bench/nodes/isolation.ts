/**
 * `npm run bench:isolation [-- 100000]`: how long one app's requests take while another app sends the most expensive
 * queries that are allowed and uploads, on as many connections as it likes. On SQLite, with that many records in the
 * disturbing app. The figures of the quiet app alone come first; all run on the same machine, including the load
 * generators.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../compare/ask.ts';
import { press } from '../compare/generator.ts';
import type { Load } from '../compare/load.ts';
import type { Workload } from '../compare/target.ts';
import { startPharos } from '../compare/targets/pharos.ts';

const records = Number(process.argv[2] ?? 100_000);
const seconds = 8;
/** The quiet app sends this many requests a second, whatever happens to the earlier ones. */
const perSecond = 50;

const disturbances: readonly (readonly [title: string, Workload | undefined, connections: number])[] = [
  ['nothing', undefined, 0],
  ['filters that read every document', 'filter-free', 64],
  ['filters on declared columns', 'filter', 64],
  ['lists of 100 records', 'list', 64],
  ['uploads of 64 kB', 'upload', 64],
  ['new records', 'create', 64],
];

/**
 * The milliseconds of every answer, sorted. Requests start by the clock, so that a stall affects all that fall into it.
 */
async function quietly(url: string, load: Load): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const answers: Promise<number>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      answers.push(ask(url, load, { agent, n: answers.length }));
      if (answers.length < perSecond * (seconds - 2)) return;
      clearInterval(timer);
      resolve();
    }, 1000 / perSecond);
  });
  const took = await Promise.all(answers);
  agent.destroy();
  return took.sort((a, b) => a - b);
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const service = await startPharos({ name: 'Pharos', durability: '', folder });
try {
  await service.fill(records);
  const quiet = await service.anotherApp();
  await quiet.fill(1_000);
  for (const [title, workload, connections] of disturbances) {
    const loud = workload && (await service.load(workload));
    for (const own of ['get', 'create'] as const) {
      const load = (await quiet.load(own)) as Load;
      const pressing = loud && press(service.url, loud, { connections, seconds });
      // The others have their connections by then.
      await delay(1_000);
      const [took, noise] = await Promise.all([quietly(service.url, load), pressing]);
      const of = (share: number) => `${(took[Math.floor(share * (took.length - 1))] ?? 0).toFixed(1)} ms`;
      const others = noise ? `, beside ${Math.round(noise.rate)} answers/s` : '';
      console.log(`${title}: ${own} p50 ${of(0.5)}, p99 ${of(0.99)}${others}`);
    }
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
