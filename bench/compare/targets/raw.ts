/** SQLite by itself, without a service around it: the difference is what all of Pharos costs. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measured } from '../load.ts';
import type { Target, Workload } from '../target.ts';
import type { RawQuestion, RawWorkload } from './raw-process.ts';

const program = fileURLToPath(new URL('./raw-process.ts', import.meta.url));
const known: readonly Workload[] = ['get', 'list', 'filter', 'create', 'create-free'] satisfies RawWorkload[];

export async function startRawSqlite(folder: string): Promise<Target> {
  const child = fork(program, [join(folder, 'raw.db')]);
  const exit = once(child, 'exit');
  const ask = async <T>(question: RawQuestion): Promise<T> => {
    child.send(question);
    const answered = once(child, 'message').then(([answer]) => answer as T);
    return Promise.race([answered, exit.then(() => Promise.reject(new Error('its process ended')))]);
  };
  return {
    name: 'raw SQLite',
    durability: 'SQLite, flushed to the disk before each answer',
    url: '',
    pid: child.pid ?? 0,
    fill: (records) => ask({ fill: records }),
    load: async () => undefined,
    measure: (workload) =>
      known.includes(workload)
        ? ({ connections, seconds }) =>
            ask<Measured>({ workload: workload as RawWorkload, atOnce: connections, seconds })
        : undefined,
    async stop() {
      child.disconnect();
      await exit;
    },
  };
}
