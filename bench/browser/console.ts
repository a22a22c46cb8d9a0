/**
 * `npm run bench:console [-- 100000]`: how long the console's lists take in a browser, from the navigation to the rows and
 * from a click to other rows, on SQLite and, with PHAROS_TEST_POSTGRES_URL, on PostgreSQL.
 */
import type { Page } from 'playwright-core';
import { launchBrowser, listenWithConsole, openAs } from '../../console/test/browser.ts';
import { raw } from '../../server/src/base/sql.ts';
import { buildApp, type DatabaseKind } from '../../server/test/support/build-app.ts';
import { fill } from './console/fill.ts';
import { load, narrow, nextPage, sortable, sortBy } from './console/measure.ts';
import { type ListPage, listPages } from './console/pages.ts';

const total = Number(process.argv[2] ?? 100_000);
const rounds = 5;

/** Milliseconds by what was done. */
type Times = Map<string, number[]>;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function runOnce(page: Page, address: string, { narrow: by }: ListPage, times: Times): Promise<void> {
  const note = async (what: string, work: Promise<number>) => {
    const known = times.get(what) ?? [];
    known.push(await work);
    times.set(what, known);
  };
  await note('rows', load(page, address));
  await note('next page', nextPage(page));
  for (const column of await sortable(page)) await note(`sort: ${column}`, sortBy(page, column));
  if (by) await note('narrow', narrow(page, by));
}

async function measure(page: Page, address: string, list: ListPage): Promise<string> {
  // The first round warms the service and its caches up.
  await runOnce(page, address, list, new Map());
  const times: Times = new Map();
  for (let round = 0; round < rounds; round++) await runOnce(page, address, list, times);
  const of = (what: string) => Math.round(median(times.get(what) ?? [])) || '';
  const sorts = [...times.keys()].filter((what) => what.startsWith('sort: '));
  const slowest = sorts.toSorted((a, b) => median(times.get(b) ?? []) - median(times.get(a) ?? []))[0];
  const sort = slowest ? `${of(slowest)} (${slowest.slice('sort: '.length)})` : '';
  return `| ${list.name} | ${of('rows')} | ${of('next page')} | ${sort} | ${of('narrow')} |\n`;
}

async function run(database: DatabaseKind): Promise<void> {
  const app = await buildApp({ database });
  const browser = await launchBrowser();
  try {
    // A test's clock stands still, and so do the limits.
    Object.defineProperty(app.clock, 'now', { get: Date.now });
    const filled = await fill(app, total);
    if (database === 'postgres') await app.storage.db.run(raw('analyze'));
    const origin = await listenWithConsole(app);
    const { page } = await openAs(browser, { app, origin, role: 'owner' });
    process.stdout.write(`\n${database}, ${total} rows, medians of ${rounds} in ms\n\n`);
    process.stdout.write('| list | rows | next page | slowest sort | narrowed |\n|---|---|---|---|---|\n');
    for (const list of listPages(filled))
      process.stdout.write(await measure(page, `${origin}/console/apps/${app.appId}/${list.path}`, list));
  } finally {
    await browser.close();
    await app.close();
  }
}

const kinds: DatabaseKind[] = process.env['PHAROS_TEST_POSTGRES_URL'] ? ['sqlite', 'postgres'] : ['sqlite'];
for (const kind of kinds) await run(kind);
