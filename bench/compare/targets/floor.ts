/** What the HTTP stack does by itself, with an empty route. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from '../processes.ts';
import type { Target } from '../target.ts';
import { freePort } from './pharos.ts';

const program = fileURLToPath(new URL('./empty-route.ts', import.meta.url));

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
    load: async (workload) => (workload === 'get' ? { method: 'GET', headers: {}, paths: ['/'] } : undefined),
    stop: service.stop,
  };
}
