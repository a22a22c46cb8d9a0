import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { type Load, type Measured, type Pressure, type Shot, shots } from './load.ts';
import { peersFolder } from './peers.ts';

interface Client {
  /** It writes into them, so no two clients may share one. */
  setRequests(requests: Shot[]): void;
}

type Autocannon = (options: object, done: (error: Error | null, result: { errors: number }) => void) => EventEmitter;

function autocannon(): Autocannon {
  return createRequire(join(peersFolder, 'package.json'))('autocannon') as Autocannon;
}

/**
 * Each connection has its own requests: autocannon gives all of them to every connection, which would send one-time
 * requests many times over. Time is taken here, because autocannon knows only whole milliseconds and seconds.
 */
export function byAutocannon(url: string, load: Load, pressure: Pressure): Promise<Measured> {
  const all = shots(load);
  const connections = load.once ? Math.min(pressure.connections, all.length) : pressure.connections;
  let next = 0;
  const setupClient = (client: Client) => {
    const own = all.filter((_, n) => n % connections === next % connections);
    client.setRequests((own.length > 0 ? own : [all[next % all.length] as Shot]).map((shot) => ({ ...shot })));
    next++;
  };
  const amount = load.once ? { amount: all.length } : { duration: pressure.seconds };
  const times = createHistogram({ highest: 60_000_000 });
  let [began, ended, answers, refusals] = [performance.now(), 0, 0, 0];
  return new Promise((resolve, reject) => {
    const running = autocannon()(
      { url, connections, setupClient, timeout: 30, sampleInt: 50, ...amount },
      (error, { errors } = { errors: 0 }) => {
        if (error) return reject(error);
        const seconds = Math.max(1, ended - began) / 1000;
        const [p50 = 0, p99 = 0] = [50, 99].map((share) => times.percentile(share) / 1000);
        resolve({ rate: (answers - refusals) / seconds, answers, p50, p99, failures: refusals + errors });
      },
    );
    running.on('start', () => {
      began = performance.now();
    });
    running.on('response', (_client: Client, status: number, _bytes: number, milliseconds: number) => {
      ended = performance.now();
      answers++;
      if (status < 200 || status > 299) refusals++;
      times.record(Math.max(1, Math.round(milliseconds * 1000)));
    });
  });
}
