import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { build, serve } from '../../../examples/web/serve.ts';
import { openSite, pointer, type Site } from '../../../server/test/support/site.ts';
import { launchBrowser, visit } from '../browser.ts';

/** The example of a web app, as a visitor meets it. The service's clock is right: the browser has the real time. */

let browser: Browser;
let site: Site;
let files: ReadonlyMap<string, string>;
let baseUrl: string;
let welcome: string;
let picture: string;
let guide: Server | undefined;
let port = 0;

async function openGuide(): Promise<void> {
  guide = serve(files).listen(port, '127.0.0.1');
  await once(guide, 'listening');
  port = (guide.address() as AddressInfo).port;
}

async function closeGuide(): Promise<void> {
  guide?.closeAllConnections();
  await new Promise((resolve) => (guide ? guide.close(resolve) : resolve(undefined)));
  guide = undefined;
}

beforeAll(async () => {
  browser = await launchBrowser();
  site = await openSite('sqlite', {}, Date.now());
  const { app } = site;
  await app.app.apps.change(app.appId, { policy: { readContent: 'app', consent: 'required' } as never });
  await app.app.server.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
  picture = await site.beacon({ name: 'Picture', minor: 9 });
  welcome = await site.notification();
  await site.notification({
    beaconId: pointer('Beacon', picture),
    message: { alertTitle: 'The picture', alertMessage: 'Painted in 1672.' },
  });
  files = await build({
    baseUrl,
    appId: app.appId,
    appKey: app.appKey,
    publicKey: 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U',
  });
  await openGuide();
});
afterAll(async () => {
  await browser.close();
  await closeGuide();
  await site.close();
});

test('a visitor scans codes, with a network and without one, and asks for pushes', async () => {
  const origin = `http://127.0.0.1:${port}`;
  const { page, context } = await visit(browser, origin);
  // A browser without a window asks nobody, and its push service is out of reach: the subscription is all that the page gets of it.
  await page.addInitScript(`Object.defineProperty(Notification, 'permission', { value: 'granted' });
    PushManager.prototype.subscribe = async () =>
    ({ toJSON: () => ({ endpoint: 'https://push.example.org/one', keys: { p256dh: 'key', auth: 'auth' } }) });`);
  const messages = page.getByRole('list', { name: 'Messages' });
  const state = page.getByRole('status');
  const seen = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('#messages li')].map((one) => one.dataset.offline + ' ' + one.textContent)`,
    );

  await page.goto('/');
  await state.getByText('up to date').waitFor();
  await Promise.all([page.waitForResponse(/installations/), page.getByRole('checkbox').check()]);
  await page.goto(`/?beacon=${site.hall}`);
  await messages.getByText('Welcome').waitFor();
  assert.deepEqual(await seen(), ['false WelcomeThe tour starts here.']);

  await closeGuide();
  await context.route(`${baseUrl}/**`, (route) => route.abort());
  await page.goto(`/?beacon=${picture}`);
  await messages.getByText('Painted in 1672.').waitFor();
  assert.deepEqual(await seen(), ['true The picturePainted in 1672.', 'false WelcomeThe tour starts here.']);
  await page.getByText('There is no network').waitFor();

  await context.unroute(`${baseUrl}/**`);
  await openGuide();
  const fired = async () => (await site.list('verdicts', { where: '{"outcome":"fired"}' })).length;
  assert.equal(await fired(), 1);
  const told = page.waitForResponse(/sightings/);
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  await told;
  await state.getByText('up to date').waitFor();
  assert.equal(await fired(), 2);
  assert.deepEqual((await site.rows('firings')).map((row) => row['trigger_id']).includes(welcome), true);

  const registered = page.waitForRequest((request) => request.url().endsWith('/installations'));
  await page.getByRole('button').click();
  assert.equal(JSON.parse((await registered).postDataJSON().deviceToken).endpoint, 'https://push.example.org/one');
  await page.getByText('You will be notified.').waitFor();
});
