import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { becomes, launchBrowser, patienceMs } from '../../console/test/browser.ts';
import { buildApp, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';

const password = 'correct horse';
let people = 0;

/** An app's page, with the source of the client as modules of the browser's. */
async function serveApp(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((asked, answer) => {
    const [, name] = /^\/sdk\/([\w/-]+\.ts)$/.exec(asked.url ?? '') ?? [];
    answer.setHeader('Content-Type', name ? 'text/javascript' : 'text/html');
    if (!name) return void answer.end('<!doctype html><title>Tour</title>');
    const source = readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8');
    answer.end(stripTypeScriptTypes(source));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('tabs of one browser, whose tokens are in localStorage', () => {
  let app: TestApp;
  let service: string;
  let page: Awaited<ReturnType<typeof serveApp>>;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    service = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    page = await serveApp();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    page.server.close();
    page.server.closeAllConnections();
    await app.close();
  });
  beforeEach(async () => {
    await context?.close();
    context = await browser.newContext({ baseURL: page.origin });
    await context.clock.install({ time: app.clock.now });
  });

  /** `asked` are the paths of the service that it asked for. */
  async function openTab(): Promise<{ readonly tab: Page; readonly asked: string[] }> {
    const tab = await context.newPage();
    tab.setDefaultTimeout(patienceMs);
    const asked: string[] = [];
    const start = `${service}/api/v2`;
    tab.on('request', (request) => {
      if (request.method() !== 'OPTIONS' && request.url().startsWith(start))
        asked.push(request.url().slice(start.length));
    });
    await tab.goto('/');
    await begin(tab);
    return { tab, asked };
  }
  const begin = (tab: Page) =>
    tab.evaluate(`(async () => {
      const { PharosClient, SightingQueue } = await import('/sdk/index.ts');
      const storageOf = (key) => ({
        load: () => localStorage.getItem(key),
        save: (text) => localStorage.setItem(key, text),
      });
      self.client = new PharosClient({
        ...${JSON.stringify({ baseUrl: service, appId: app.appId, appKey: app.appKey })},
        tokenStorage: storageOf('tokens'),
        retry: false,
      });
      self.queue = new SightingQueue(self.client, { installationId: 'phone', storage: storageOf('sightings') });
    })()`);

  async function person(): Promise<string> {
    const email = `tab${++people}@example.org`;
    await app.app.server.inject({
      method: 'POST',
      url: '/api/v2/users',
      headers: { 'x-service-appid': app.appId, 'x-service-appkey': app.appKey },
      payload: { firstname: 'Vera', lastname: 'Visitor', email, password },
    });
    return email;
  }
  const signIn = (tab: Page, email: string) =>
    tab.evaluate(`client.users.signIn(${JSON.stringify({ email, password, refresh: true })})`);
  /** The address of whoever is signed in, or the name of the error. */
  const me = (tab: Page) =>
    tab.evaluate('client.users.me().then((me) => me.validemail, (error) => error.name)') as Promise<string>;
  async function pass(ms: number) {
    app.clock.now += ms;
    for (const tab of context.pages()) await tab.clock.setSystemTime(app.clock.now);
  }

  test('all renew at once, and one does so for all', async () => {
    const email = await person();
    const [one, other] = [await openTab(), await openTab()];
    await signIn(one.tab, email);
    assert.equal(await me(other.tab), email);
    await pass(1_000_000);
    assert.deepEqual(await Promise.all([me(one.tab), me(other.tab)]), [email, email]);
    const renewals = [...one.asked, ...other.asked].filter((path) => path === '/users/token');
    assert.equal(renewals.length, 1);
  });

  test('a tab that has learned of a sign-out learns of the next sign-in, without being loaded again', async () => {
    const [anas, bens] = [await person(), await person()];
    const [one, other] = [await openTab(), await openTab()];
    await signIn(one.tab, anas);
    assert.equal(await me(other.tab), anas);
    await one.tab.evaluate('client.users.signOut()');
    assert.equal(await me(other.tab), 'InvalidSessionToken');
    assert.equal(await other.tab.evaluate('client.isSignedIn()'), false);
    await signIn(one.tab, anas);
    assert.equal(await other.tab.evaluate('client.isSignedIn()'), true);
    assert.equal(await me(other.tab), anas);
    await one.tab.evaluate('client.users.signOut()');
    assert.equal(await me(other.tab), 'InvalidSessionToken');
    await signIn(one.tab, bens);
    const change = "client.users.updateMe({ firstname: 'Ana' }).then(() => 'done', (error) => error.name)";
    assert.equal(await other.tab.evaluate(change), 'InvalidSessionToken', 'what Ana has begun is not Ben’s');
    assert.equal(await me(other.tab), bens);
  });

  test('what both tabs have waiting is counted once, although both are back at the same moment', async () => {
    const { headers } = await signInManager(app);
    const places: string[] = [];
    for (const minor of [1, 2, 3, 4])
      places.push(await create(app, '/api/v2/beacons', { name: `Hall ${minor}`, uuid: 'u', major: 1, minor }, headers));
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'web' });
    const tabs = [(await openTab()).tab, (await openTab()).tab];
    await context.setOffline(true);
    for (const [at, beacon] of places.entries())
      await tabs[at % 2]?.evaluate(`queue.add(${JSON.stringify({ beacon, event: 'ENTER' })})`);
    const flush = "queue.flush().then(() => 'sent', (error) => error.name)";
    assert.deepEqual(await Promise.all(tabs.map((tab) => tab.evaluate(flush))), ['Unreachable', 'Unreachable']);
    await context.setOffline(false);
    assert.deepEqual(await Promise.all(tabs.map((tab) => tab.evaluate(flush))), ['sent', 'sent']);
    const { count } = (await app.send({ method: 'GET', url: '/api/v2/events?limit=0&count=1', headers })).body;
    assert.equal(count, 4);
    for (const tab of tabs)
      assert.deepEqual(await tab.evaluate("[queue.size, localStorage.getItem('sightings')]"), [0, '[]']);
  });

  test('a page that comes back from the cache of the back button, hours later, goes on with the tokens of the others', async () => {
    const email = await person();
    const [one, other] = [await openTab(), await openTab()];
    await signIn(one.tab, email);
    assert.equal(await me(other.tab), email);
    await other.tab.goto('/elsewhere');
    for (let time = 0; time < 3; time++) {
      await pass(3_600_000);
      assert.equal(await me(one.tab), email);
    }
    await other.tab.goBack();
    if (!(await other.tab.evaluate('self.client !== undefined'))) await begin(other.tab);
    assert.equal(await me(other.tab), email);
    await pass(3_600_000);
    assert.deepEqual([await me(other.tab), await me(one.tab)], [email, email]);
  });

  test('a tab that stands still in the middle of a renewal holds up no other for ever', async () => {
    const email = await person();
    const [one, other] = [await openTab(), await openTab()];
    await signIn(one.tab, email);
    assert.equal(await me(other.tab), email);
    await pass(1_000_000);
    // As where it stands still in the middle of a renewal, whose timers stand still as well.
    await one.tab.evaluate("void navigator.locks.request('pharos-tokens', () => new Promise(() => {}))");
    const asked = me(other.tab);
    await becomes(() => other.tab.evaluate('navigator.locks.query().then(({ pending }) => pending.length)'), 1);
    await other.tab.clock.runFor(31_000);
    assert.equal(await asked, 'TimedOut');
    await one.tab.close();
    assert.equal(await me(other.tab), email);
  });
});
