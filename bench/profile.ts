/**
 * `npm run bench:profile`: where the service's main thread spends its time under load, on SQLite: a flame graph for each
 * workload and the functions with the most time of their own.
 *
 *   npm run bench:profile -- --workloads get,create --seconds 5 --out docs/images
 *   npm run bench:profile -- --before FOLDER   another checkout of Pharos
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { press } from './compare/generator.ts';
import { type Workload, workloads, workloadTitles } from './compare/target.ts';
import { freePort, startPharos } from './compare/targets/pharos.ts';
import { flameGraph, hottest, treeOf } from './profile/flame.ts';
import { profileWhile } from './profile/inspector.ts';

const { values } = parseArgs({
  options: {
    workloads: { type: 'string', default: 'get,create,list,filter,sightings-1' },
    records: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '4' },
    out: { type: 'string', default: 'bench/profiles' },
    before: { type: 'string' },
    name: { type: 'string', default: 'flame' },
  },
});

const asked = values.workloads.split(',');
const chosen = workloads.filter((workload) => asked.includes(workload));
const folder = mkdtempSync(join(tmpdir(), 'pharos-profile-'));
const inspector = await freePort();
mkdirSync(values.out, { recursive: true });
const service = await startPharos({
  name: 'Pharos on SQLite',
  durability: '',
  folder,
  nodeOptions: `--inspect=127.0.0.1:${inspector}`,
  ...(values.before ? { checkout: values.before } : {}),
});

async function profile(workload: Workload): Promise<void> {
  const load = await service.load(workload);
  if (!load) return;
  const seconds = Number(values.seconds);
  // Once before, so that late compilation does not count.
  await press(service.url, load, { connections: 64, seconds: 1 });
  let rate = 0;
  const measured = await profileWhile(inspector, async () => {
    ({ rate } = await press(service.url, load, { connections: 64, seconds }));
  });
  const tree = treeOf(measured);
  const file = join(values.out, `${values.name}-${workload}.svg`);
  const title = `${workloadTitles[workload]}, 64 connections: ${Math.round(tree.total / 1000 / seconds)} ms a second on the main thread`;
  writeFileSync(file, flameGraph(tree, title));
  console.log(`\n${workloadTitles[workload]}: ${Math.round(rate)}/s while profiled, ${file}`);
  for (const { share, name } of hottest(tree, 12)) console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${name}`);
}

try {
  await service.fill(Number(values.records));
  for (const workload of chosen) await profile(workload);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
