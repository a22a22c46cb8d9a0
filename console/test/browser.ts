import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import type { AdminRole } from '../../server/src/access/roles.ts';
import { buildApp, type TestApp } from '../../server/test/support/build-app.ts';

/** How long something that has to come about may take: a test's own limit is a little longer, and would not say what was missing. */
export const patienceMs = 200_000;

/** A service that listens, with the console built. */
export async function startConsole(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly app: TestApp; readonly origin: string }> {
  const app = await buildApp({ settings });
  return { app, origin: await listenWithConsole(app) };
}

/** Builds the console and starts a service with it. Returns its address. */
export async function listenWithConsole(app: TestApp): Promise<string> {
  buildConsole();
  await app.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.app.server.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Builds the console if its sources have changed, unless `npm test` has done so for all files. */
export function buildConsole(): void {
  if (process.env['PHAROS_TEST_CONSOLE']) return;
  const script = fileURLToPath(new URL('../../scripts/build-console.mjs', import.meta.url));
  const built = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}

/** Without `npm test`, which says where there is one: Debian's without a window, which is quicker, or with one. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

let shared: Promise<Browser> | undefined;

/** A browser. Tests that share a process share one, which ends with it; nothing of another file is left in it. */
export async function launchBrowser(): Promise<Browser> {
  if (!process.env['VITEST']) return launch();
  shared ??= keepBrowser();
  return untilClosed(await shared);
}

async function keepBrowser(): Promise<Browser> {
  const browser = await launch();
  browser.once('disconnected', () => {
    shared = undefined;
  });
  return browser;
}

/** The browser as a file sees it that shares it: to close it closes what was opened in it. */
function untilClosed(browser: Browser): Browser {
  const close = async () => void (await Promise.all(browser.contexts().map((context) => context.close())));
  return new Proxy(browser, {
    get(target, name) {
      if (name === 'close') return close;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['PHAROS_TEST_BROWSER'] ?? browsers.find((path) => existsSync(path)) ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Without a sandbox there is nothing for it to prepare.
      '--no-zygote',
      // The files of a run share two processors; threads beside the page's own cost more than they give.
      '--js-flags=--single-threaded',
    ],
  });
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The browser's complaints: script errors, the content policy, requests to other servers. */
  readonly complaints: string[];
}

/** A fresh browser profile with one page; of somebody who wants no animations, unless `hasMotion`. */
export async function visit(browser: Browser, origin: string, hasMotion = false): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1280, height: 860 },
    reducedMotion: hasMotion ? 'no-preference' : 'reduce',
  });
  await context.addInitScript(offersStay);
  const page = await context.newPage();
  // A busy machine may take long; a test that fails may take as long, too.
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // Chromium also notes each answer over 399 here; a refused input is one, and the page shows it.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRefusal && !isOfEditing(message))
      complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`);
  });
  return { page, context, complaints };
}

/**
 * What a message offers, such as *Undo*, is there for ten seconds (`use-action.ts`): on a busy machine it would be gone before it is clicked.
 */
const offersStay = `{
  const { setTimeout } = self;
  const offered = [10_001, 10_002];
  self.setTimeout = (work, ms, ...given) => (offered.includes(ms) ? 0 : setTimeout(work, ms, ...given));
}`;

/**
 * While a text is replaced in an editor, Chromium now and then gives what it inserts a style, and then refuses that
 * because of the page's policy. It reports the page's first line for it; for a script or markup it reports the real
 * place.
 */
function isOfEditing(message: ConsoleMessage): boolean {
  const { url, line } = message.location();
  return message.text().startsWith('Applying inline style') && line === 0 && !url.includes('/assets/');
}

/**
 * Shows another page of the console, with nothing known of what the service has answered before. From one page of it to
 * another it goes as a link does, since a load costs a second of processor time.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const { pathname, search } = new URL(page.url());
  const isElsewhere = pathname.startsWith('/console/') && path !== pathname + search;
  if (!isElsewhere || !(await page.evaluate(forgetAnswers))) return void (await page.goto(path));
  await page.evaluate(lead(path));
}

/** Leads to a page, until it is shown: what is looked for must not be found on the one before, nor in what it has said. */
const lead = (path: string) => `(async () => {
  const { state } = self.__TSR_ROUTER__;
  const said = '.mantine-Notifications-notification';
  history.pushState(null, '', ${JSON.stringify(path)});
  const isShown = () => {
    for (const close of document.querySelectorAll(said + ' .mantine-Notification-closeButton')) close.click();
    if (document.querySelector(said)) return false;
    const { resolvedLocation, location, status } = self.__TSR_ROUTER__.state;
    return status === 'idle' && resolvedLocation !== state.resolvedLocation && resolvedLocation?.href === location.href;
  };
  for (let turn = 0; turn < ${patienceMs / 25} && !isShown(); turn++) await new Promise((resolve) => setTimeout(resolve, 25));
})()`;

/** The cache of answers, which only React knows; not always in the first child of what is around it. */
const answers = `(() => {
  const root = document.getElementById('root');
  const key = root && Object.keys(root).find((name) => name.startsWith('__reactContainer$'));
  const waiting = key ? [root[key].stateNode.current] : [];
  for (let fiber = waiting.pop(); fiber; fiber = waiting.pop()) {
    const { client } = fiber.memoizedProps ?? {};
    if (client?.getQueryCache) return client;
    waiting.push(...[fiber.sibling, fiber.child].filter(Boolean));
  }
})()`;

/**
 * Empties the cache of answers; false where the console is not on screen. What is being asked is waited for: dropped in the
 * middle, it would count as an error of the page. So would be a page of somebody who is not signed in.
 */
const forgetAnswers = `(async () => {
  const client = ${answers};
  if (!client) return false;
  for (let turn = 0; turn < 40 && client.isFetching(); turn++) await new Promise((resolve) => setTimeout(resolve, 25));
  const cache = client.getQueryCache();
  for (const query of cache.getAll())
    if (query.state.fetchStatus === 'fetching' || query.queryKey[0] === 'session') query.invalidate();
    else cache.remove(query);
  return true;
})()`;

/** Has the page read everything again that it shows, as when somebody returns to its tab after a while. */
export async function readAgain(page: Page): Promise<void> {
  // What is on its way already may be from before, and would count as new.
  await becomes(() => page.evaluate(`${answers}.isFetching()`), 0);
  await page.evaluate(`${answers}.invalidateQueries()`);
}

/** The keys of what the page knows, of those that begin with a word. */
export async function knownAnswers(page: Page, word: string): Promise<readonly unknown[]> {
  const keys = (await page.evaluate(
    `${answers}.getQueryCache().getAll().filter(({ state }) => state.data).map(({ queryKey }) => queryKey)`,
  )) as readonly (readonly unknown[])[];
  return keys.filter(([first]) => first === word);
}

let people = 0;

interface Signing {
  readonly app: TestApp;
  readonly origin: string;
  readonly role: AdminRole;
}

/** A fresh browser profile in which a new administrator with the role is signed in. */
export async function openAs(browser: Browser, { app, origin, role }: Signing): Promise<Visit> {
  const account = { email: `${role}${++people}@museum.example`, password: 'a long enough secret' };
  await app.app.admins.create({ ...account, name: `Some ${role}`, role }, { name: 'test', address: null });
  const visited = await visit(browser, origin);
  const answer = await visited.context.request.post('/console/api/session', { data: account, headers: { origin } });
  if (answer.status() !== 201) throw new Error(`signing in failed: ${await answer.text()}`);
  return visited;
}

/** Until `read` gives what is expected: for what is shown or stored soon, and of which nothing else tells. */
export async function becomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const latest = Date.now() + patienceMs;
  for (;;) {
    const found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > latest) return assert.deepEqual(found, expected);
    // The clock of the services stands still here, so that their limits of requests are never lifted.
    await setTimeout(250);
  }
}

/** Watches what a page asks for; what it answers waits until that has been nothing for half a second, but for a live stream. */
export function watchRequests(page: Page): () => Promise<void> {
  const underWay = new Set<Request>();
  const isOver = (request: Request) => void underWay.delete(request);
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith('/stream')) underWay.add(request);
  });
  page.on('requestfinished', isOver);
  page.on('requestfailed', isOver);
  // What the page before it had asked for is given up.
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) underWay.clear();
  });
  return async () => {
    const latest = Date.now() + patienceMs;
    for (let calm = 0; calm < 10; calm = underWay.size > 0 ? 0 : calm + 1) {
      assert.ok(Date.now() < latest, [...underWay].map((request) => request.url()).join(' '));
      await setTimeout(50);
    }
  };
}

/** Reloads the page while something is running in it: the browser has to ask first, and is told to go on. */
export async function reloadInTheMiddle(page: Page): Promise<void> {
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  assert.deepEqual(asked, ['beforeunload']);
}
