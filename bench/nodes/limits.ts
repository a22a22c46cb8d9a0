/**
 * `npm run bench:limits [-- 50 100 30]`: how many requests three nodes on PostgreSQL admit together over HTTP, from one address, under a limit of
 * so many a second and so many at once, for so many seconds, beside what one node would admit. All nodes are asked more than they may
 * admit, first all three, then mostly one of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { service as byService } from '../../server/src/access/audit.ts';
import { createServices } from '../../server/src/app/services.ts';
import { openDatabase } from '../../server/src/cli/commands/storage.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { type Service, startService } from '../../server/test/e2e/service.ts';

const [perSecond, burst, seconds] = [50, 100, 30].map((usual, place) => Number(process.argv[2 + place] ?? usual)) as [
  number,
  number,
  number,
];
const nodeCount = 3;

const folder = mkdtempSync(join(tmpdir(), 'pharos-limits-'));
const { startPostgres } = await import(new URL('../../scripts/test/postgres.mjs', import.meta.url).href);
const postgres: { readonly url: string; stop(): Promise<void> } = await startPostgres({ durable: true });
const settings = {
  PHAROS_DATABASE_URL: postgres.url,
  PHAROS_SECRET_KEY: 'cd'.repeat(32),
  PHAROS_DATA: folder,
  PHAROS_CONNECTIONS_PER_ADDRESS: '0',
};
const nodes: Service[] = [];
const agent = new Agent({ keepAlive: true });

function ask({ baseUrl }: Service, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${baseUrl}/api/v2/beacons?limit=1`, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    }).on('error', reject);
  });
}

/** Each node is asked by some clients, one request after the other, with a pause of 5 ms. */
async function flood(headers: Readonly<Record<string, string>>, clients: readonly number[]) {
  const began = performance.now();
  const until = began + seconds * 1000;
  const counts = { admitted: 0, refused: 0 };
  const client = async (node: Service) => {
    while (performance.now() < until) {
      const status = await ask(node, headers);
      if (status === 429) counts.refused++;
      else if (status === 200) counts.admitted++;
      else throw new Error(`It answered ${status}.`);
      await delay(5);
    }
  };
  await Promise.all(nodes.flatMap((node, place) => Array.from({ length: clients[place] ?? 0 }, () => client(node))));
  const one = burst + (perSecond * (performance.now() - began)) / 1000;
  return { ...counts, one };
}

try {
  for (let n = 0; n < nodeCount; n++) nodes.push(await startService(settings));
  const db = await openDatabase(readConfig(settings));
  const { apps } = createServices({ db, now: Date.now });
  for (const [what, clients] of [
    ['all three alike', [2, 2, 2]],
    ['mostly one', [5, 1, 0]],
  ] as const) {
    const { appId, appKey } = await apps.create('Limited');
    await apps.change(appId, { policy: { rateLimit: { enabled: true, perSecond, burst } } }, byService);
    await apps.changeRules(appId, { resources: { beacons: { list: 'app' } } });
    const { admitted, refused, one } = await flood({ 'x-service-appid': appId, 'x-service-appkey': appKey }, clients);
    console.log(
      `${what}: ${admitted} admitted and ${refused} refused; one node would admit ${Math.round(one)}: ${(admitted / one).toFixed(2)} times`,
    );
  }
  await db.close();
} finally {
  for (const node of nodes) await node.stop('SIGTERM');
  agent.destroy();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
