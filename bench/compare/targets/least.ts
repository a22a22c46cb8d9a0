/** The same HTTP stack and the same driver, with nothing of Pharos between them. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents } from '../documents.ts';
import { sendAll } from '../generator.ts';
import type { Load } from '../load.ts';
import { start } from '../processes.ts';
import type { Target, Workload } from '../target.ts';
import { freePort } from './pharos.ts';

const program = fileURLToPath(new URL('./least-service.ts', import.meta.url));
const headers = {
  'x-service-appid': 'app',
  'x-service-appkey': 'key',
  authorization: 'Bearer token',
  'content-type': 'application/json',
};

const creation = (path: string, count: number): Load => ({
  method: 'POST',
  headers,
  paths: [path],
  bodies: documents(count).map((metadata) => JSON.stringify({ metadata })),
});

export async function startLeastService(folder: string): Promise<Target> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = await start(process.execPath, [program, String(port), join(folder, 'least.db')], {
    log: join(folder, 'least-service.log'),
    url,
  });
  let paths: readonly string[] = [];
  const loads: Partial<Record<Workload, () => Load>> = {
    get: () => ({ method: 'GET', headers, paths }),
    create: () => creation('/sightings', 1000),
    'create-free': () => creation('/notes', 1000),
  };
  return {
    name: 'least service',
    durability: 'SQLite, flushed to the disk before each answer',
    url,
    pid: service.child.pid ?? 0,
    fill: async (records) => {
      const answers = await sendAll(url, creation('/sightings', records));
      const ids = answers.map((text) => (JSON.parse(text) as { result: { objectId: string } }).result.objectId);
      paths = ids.slice(0, 10_000).map((id) => `/sightings/${id}`);
    },
    load: async (workload) => loads[workload]?.(),
    stop: service.stop,
  };
}
