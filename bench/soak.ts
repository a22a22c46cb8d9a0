/**
 * `npm run bench:soak [-- 600]`: whether memory stays flat. A Pharos on SQLite takes a mixed load on 64 connections for
 * that many seconds while its resident memory is read every second.
 *
 *   npm run bench:soak -- 600 --records 20000 --connections 64
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask } from './compare/ask.ts';
import type { Load } from './compare/load.ts';
import { megabytes } from './compare/processes.ts';
import { median } from './compare/table.ts';
import type { Workload } from './compare/target.ts';
import { type PharosTarget, startPharos } from './compare/targets/pharos.ts';

/** How many of a hundred requests are of each kind; uploads are few, since each stays on the disk. */
const mix: readonly (readonly [workload: Workload, share: number])[] = [
  ['get', 40],
  ['create', 15],
  ['list', 10],
  ['filter', 15],
  ['sightings-1', 17],
  ['push', 2],
  ['upload', 1],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { records: { type: 'string', default: '20000' }, connections: { type: 'string', default: '64' } },
});
const seconds = Number(positionals[0] ?? 600);
const connections = Number(values.connections);

interface Traffic {
  readonly answers: number;
  readonly refusals: ReadonlyMap<string, number>;
}

interface Kind {
  readonly load: Load;
  sent: number;
}

/** A hundred requests, repeated, with each kind spread evenly among the others. */
function interleave(kinds: ReadonlyMap<Workload, Kind>): readonly Kind[] {
  const places = mix.flatMap(([workload, share]) =>
    Array.from({ length: share }, (_, n) => ({ workload, at: (n + 0.5) / share })),
  );
  return places.sort((a, b) => a.at - b.at).map(({ workload }) => kinds.get(workload) as Kind);
}

/** As many concurrent requests as there are connections, until the time is over. */
async function drive(service: PharosTarget, until: number): Promise<Traffic> {
  const kinds = new Map<Workload, Kind>();
  for (const [workload] of mix) kinds.set(workload, { load: (await service.load(workload)) as Load, sent: 0 });
  const sequence = interleave(kinds);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const refusals = new Map<string, number>();
  let sent = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const kind = sequence[sent++ % sequence.length] as Kind;
      await ask(service.url, kind.load, { agent, n: kind.sent++ }).catch((error: Error) =>
        refusals.set(error.message, (refusals.get(error.message) ?? 0) + 1),
      );
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return { answers: sent, refusals };
}

async function watch(pid: number, until: number): Promise<number[]> {
  const samples: number[] = [];
  while (performance.now() < until) {
    samples.push(megabytes(pid));
    await delay(1000);
  }
  return samples;
}

/** Megabytes a minute by least squares, from one sample a second. */
function slope(samples: readonly number[]): number {
  const [middle, mean] = [(samples.length - 1) / 2, meanOf(samples)];
  const spread = samples.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  return (60 * samples.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)) / spread;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function report(samples: readonly number[]): string {
  // A run of less than three minutes is divided into thirds.
  const length = Math.min(60, Math.floor(samples.length / 3));
  const stretches = Array.from({ length: Math.floor(samples.length / length) }, (_, n) =>
    samples.slice(n * length, (n + 1) * length),
  );
  const means = stretches.map(meanOf);
  const of = (name: string, value: number | undefined) => `${name} ${Math.round(value ?? 0)}`;
  const unit = length === 60 ? 'minutes' : `stretches of ${length} s`;
  const halfway = samples.slice(Math.floor(samples.length / 2));
  return `resident MB, means of ${unit}: ${of('first', means[0])}, ${of('median', median(means))}, ${of('last', means.at(-1))}; ${of('peak', Math.max(...samples))}
slope: ${slope(samples).toFixed(2)} MB a minute, ${slope(halfway).toFixed(2)} in the second half`;
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const service = await startPharos({ name: 'Pharos', durability: '', folder });
try {
  await service.fill(Number(values.records));
  const until = performance.now() + seconds * 1000;
  const [{ answers, refusals }, samples] = await Promise.all([drive(service, until), watch(service.pid, until)]);
  console.log(
    `${Math.round(answers / seconds).toLocaleString('en')} answers/s for ${seconds} s, ${connections} connections`,
  );
  console.log(report(samples));
  for (const [message, times] of refusals) console.log(`refused ${times} times: ${message}`);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
