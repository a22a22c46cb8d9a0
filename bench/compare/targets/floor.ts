/** What the HTTP stack achieves by itself, with an empty route. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents } from '../documents.ts';
import type { Load } from '../load.ts';
import { start } from '../processes.ts';
import type { Target, Workload } from '../target.ts';
import { freePort } from './pharos.ts';

const program = fileURLToPath(new URL('./empty-route.ts', import.meta.url));

const create: Load = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  paths: ['/'],
  bodies: documents(1000).map((metadata) => JSON.stringify({ metadata })),
};
/** A create's route reads its body as JSON and does nothing with it. */
const loads: Partial<Record<Workload, Load>> = {
  get: { method: 'GET', headers: {}, paths: ['/'] },
  create,
  'create-free': create,
};

export async function startEmptyRoute(folder: string): Promise<Target> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = await start(process.execPath, [program, String(port)], { log: join(folder, 'empty-route.log'), url });
  return {
    name: 'empty route',
    durability: 'no data',
    url,
    pid: service.child.pid ?? 0,
    fill: async () => undefined,
    load: async (workload) => loads[workload],
    stop: service.stop,
  };
}
