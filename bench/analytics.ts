/**
 * `npm run bench -- analytics`: how long the pages with numbers take on five million visits of two years, each page with all that it asks
 * and every question by itself. `--only pages` or `--only answers` is one of the two.
 *
 *   npm run bench -- analytics --visits 500000 --targets sqlite
 *   npm run bench -- analytics --only answers --keep FOLDER    fills the folder once, and uses it again
 *   npm run bench -- analytics --only pages --keep FOLDER --small-groups protected
 *                                                              with the noise and the rounding that some apps have
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { filledAt } from './analytics/filled.ts';
import { quantile } from './analytics/median.ts';
import { measurePages } from './analytics/pages.ts';
import { questions } from './analytics/questions.ts';
import { command, type Place, type Service, serve } from './analytics/service.ts';
import { cpuSeconds, family } from './compare/processes.ts';
import { createDatabases } from './compare/targets.ts';

const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '5000000' },
    targets: { type: 'string', default: 'sqlite,postgres' },
    only: { type: 'string', default: 'pages,answers' },
    like: { type: 'string', default: '' },
    rounds: { type: 'string', default: '20' },
    keep: { type: 'string' },
    'postgres-url': { type: 'string' },
    'small-groups': { type: 'string', default: 'shown' },
  },
});
const rounds = Number(values.rounds);

const load = () => `load ${loadavg()[0]?.toFixed(1)}`;

async function answers(service: Service, site: Parameters<typeof questions>[0]): Promise<void> {
  console.log(`\n| question | p50 ms | p95 ms | ms of CPU | kB | aim |\n|---|---|---|---|---|---|`);
  for (const { title, path, aim } of questions(site, Date.now())) {
    if (!new RegExp(values.like).test(title)) continue;
    const times: number[] = [];
    let size = 0;
    const before = cpuSeconds(family(service.pid));
    for (let round = -2; round < rounds; round++) {
      const began = performance.now();
      const answer = await fetch(service.dataUrl + path, { headers: { cookie: service.cookie } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      if (round >= 0) times.push(performance.now() - began);
      size = text.length;
    }
    const p95 = quantile(times, 0.95);
    const cpu = ((cpuSeconds(family(service.pid)) - before) * 1000) / (rounds + 2);
    const figures = [quantile(times, 0.5), p95, cpu, size / 1000].map((value) => value.toFixed(0));
    console.log(`| ${title} | ${figures.join(' | ')} | ${aim}${p95 > aim ? ' MISSED' : ''} |`);
  }
}

async function run(target: string, place: Place, from?: Place): Promise<void> {
  const { appId, visits, site } = await filledAt(place, Number(values.visits), from);
  const smallGroups = values['small-groups'];
  command(place, 'app', 'policy', appId, '--set', `smallGroups=${smallGroups}`);
  console.log(`\n${target}, ${visits.toLocaleString('en')} visits, small groups ${smallGroups}, ${load()}`);
  const service = await serve(place, appId);
  try {
    if (values.only.includes('pages')) await measurePages(service, site, rounds, new RegExp(values.like));
    if (values.only.includes('answers')) await answers(service, site);
  } finally {
    await service.stop();
  }
  console.log(load());
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'pharos-analytics-'));
const databases = createDatabases();
try {
  for (const target of values.targets.split(',')) {
    const place = { folder: join(folder, target) };
    if (target === 'sqlite') await run(target, place);
    // What was counted once is copied.
    else {
      const databaseUrl = values['postgres-url'] ?? (await databases.create('analytics')).databaseUrl;
      await run(target, { ...place, databaseUrl }, { folder: join(folder, 'sqlite') });
    }
  }
} finally {
  await databases.stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
