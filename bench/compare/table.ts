import { median } from '../analytics/median.ts';
/** Combines the rounds into one table. */
import type { Measured } from './load.ts';
import { type Workload, workloadTitles } from './target.ts';

export interface Round extends Measured {
  /** Processor time of the service and its database for one answer. */
  readonly cpuMicros: number;
  /** The most resident megabytes. */
  readonly peak: number;
}

export interface Result {
  readonly workload: Workload;
  readonly connections: number;
  readonly target: string;
  readonly rounds: readonly Round[];
}

const peers = ['PocketBase', 'Parse Server'];
const format = (value: number) => Math.round(value).toLocaleString('en');
/** A call without a network takes microseconds. */
const milliseconds = (value: number) => value.toFixed(value < 0.1 ? 4 : 2);

/** One line per target: medians of the rounds, and the multiple of the better peer. */
export function table(results: readonly Result[]): string {
  const lines = [
    '| workload, connections | | answers/s | of the better peer | p50 ms | p99 ms | CPU µs an answer | peak MB | failures |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const { workload, connections, target, rounds } of results) {
    const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
    const rate = of('rate');
    const best = Math.max(
      0,
      ...results
        .filter(
          (other) => other.workload === workload && other.connections === connections && peers.includes(other.target),
        )
        .map((other) => median(other.rounds.map((round) => round.rate))),
    );
    const ratio = best > 0 ? `${(rate / best).toFixed(1)} ×` : '';
    const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
    lines.push(
      `| ${workloadTitles[workload]}, ${connections} | ${target} | ${format(rate)} | ${ratio} | ${milliseconds(of('p50'))} | ${milliseconds(of('p99'))} | ${format(of('cpuMicros'))} | ${format(of('peak'))} | ${failures} |`,
    );
  }
  return lines.join('\n');
}
