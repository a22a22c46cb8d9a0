/**
 * `npm run bench:analytics`: how long everything takes that shows what visitors did, on five million visits of two years: every question of
 * the pages with numbers, each page with all that it asks, the first paint of each page with plots on a phone, from a sighting to its dot
 * on the plan; and what counting costs whoever writes. With `--only`, a part of it; `beside` is how long a writer waits beside counting; `equal` is a verdict: whether
 * what is counted of a million visits is what somebody counts who looks at each.
 *
 *   npm run bench:analytics -- --visits 500000 --targets sqlite
 *   npm run bench:analytics -- --only equal --visits 1000000
 *   npm run bench:analytics -- --only answers --keep FOLDER    fills the folder once, and uses it again
 *   npm run bench:analytics -- --only pages --keep FOLDER --small-groups protected
 *                                                              with the noise and the rounding that some apps have
 *   npm run bench:analytics -- --only paint --visits 100000 --targets sqlite --beside CHECKOUT
 *                                                              the console of another checkout, built there, in turn with this one's
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole } from '../console/test/browser.ts';
import { measureBesideCounting } from './analytics/beside-counting.ts';
import { assertEqual } from './analytics/equal.ts';
import { type Filled, filledAt, fillRaw } from './analytics/filled.ts';
import { measureLive } from './analytics/live.ts';
import { quantile } from './analytics/median.ts';
import { measurePages } from './analytics/pages.ts';
import { measurePaint, type Shown } from './analytics/paint.ts';
import { questions } from './analytics/questions.ts';
import { command, type Place, type Service, serve } from './analytics/service.ts';
import { folderOf, measureWritePath } from './analytics/write-path.ts';
import { cpuSeconds, family } from './compare/processes.ts';
import { createDatabases } from './compare/targets.ts';

const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '5000000' },
    targets: { type: 'string', default: 'sqlite,postgres' },
    only: { type: 'string', default: 'pages,answers,paint,live,write' },
    like: { type: 'string', default: '' },
    rounds: { type: 'string', default: '20' },
    keep: { type: 'string' },
    beside: { type: 'string' },
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
  const filled = await filledAt(place, Number(values.visits), from);
  const { appId, visits } = filled;
  const smallGroups = values['small-groups'];
  command(place, 'app', 'policy', appId, '--set', `smallGroups=${smallGroups}`);
  console.log(`\n${target}, ${visits.toLocaleString('en')} visits, small groups ${smallGroups}, ${load()}`);
  if (['pages', 'answers', 'live'].some((part) => values.only.includes(part))) await ask(place, filled);
  if (values.only.includes('paint')) await paint(place, filled);
  console.log(load());
}

async function ask(place: Place, filled: Filled): Promise<void> {
  const { site } = filled;
  const service = await serve(place, filled.appId);
  try {
    if (values.only.includes('pages')) await measurePages(service, site, rounds, new RegExp(values.like));
    if (values.only.includes('answers')) await answers(service, site);
    if (values.only.includes('live')) await measureLive({ service, site, opened: filled });
  } finally {
    await service.stop();
  }
}

/** Of this checkout's console, and of another one's beside it. */
async function paint(place: Place, { appId, site }: Filled): Promise<void> {
  buildConsole();
  const shown: Shown[] = [];
  try {
    shown.push({ name: 'this', service: await serve(place, appId) });
    if (values.beside) {
      const copy = { ...place, folder: `${place.folder}-beside` };
      if (!place.databaseUrl) cpSync(place.folder, copy.folder, { recursive: true });
      mkdirSync(copy.folder, { recursive: true });
      shown.push({ name: 'beside', service: await serve(copy, appId, { checkout: values.beside }) });
    }
    await measurePaint(shown, { site, appId, rounds: Math.min(5, rounds), like: new RegExp(values.like) });
  } finally {
    for (const { service } of shown) await service.stop();
  }
}

/** An empty SQLite each. */
const placeOf = async (name: string): Promise<Place> => {
  const place = { folder: folderOf(folder)(`${name}-${process.pid}`) };
  mkdirSync(place.folder, { recursive: true });
  return place;
};

/** An empty database each, on a server of its own: what its processes cost is known although they come and go. */
const onPostgres = async (name: string): Promise<Place> => {
  const own = createDatabases();
  servers.push(own);
  return { ...(await placeOf(`postgres-${name}`)), ...(await own.create(`pharos_${name}`)) };
};

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'pharos-analytics-'));
const databases = createDatabases();
const servers = [databases];
try {
  for (const target of values.targets.split(',')) {
    if (['write', 'equal', 'beside'].includes(values.only)) continue;
    const place = { folder: join(folder, target) };
    if (target === 'sqlite') await run(target, place);
    // What was counted once is copied.
    else {
      const databaseUrl = values['postgres-url'] ?? (await databases.create('analytics')).databaseUrl;
      await run(target, { ...place, databaseUrl }, { folder: join(folder, 'sqlite') });
    }
  }
  if (values.only.includes('equal')) {
    const place = { folder: join(folder, 'raw') };
    await assertEqual({ place, ...(await fillRaw(place, Number(values.visits))) });
  }
  if (values.only.includes('write'))
    for (const target of values.targets.split(',')) {
      console.log(`\n${load()}`);
      await measureWritePath(target, target === 'sqlite' ? placeOf : onPostgres, rounds);
    }
  if (values.only.includes('beside'))
    for (const target of values.targets.split(',')) {
      console.log(`\n${load()}`);
      await measureBesideCounting(target, target === 'sqlite' ? placeOf : onPostgres, Math.min(3, rounds));
    }
} finally {
  for (const server of servers) await server.stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
