import assert from 'node:assert/strict';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('on the plan of a floor, Undo', () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let floorPage = '';

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const venue = await create(app, '/api/v2/venues', { name: 'Old mill' }, headers);
    const body = { venueId: pointer('Venue', venue), name: 'Ground floor', level: 0 };
    const floor = await create(app, '/api/v2/floors', body, headers);
    floorPage = `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floor}`;
    browser = await launchBrowser();
    ({ page } = await openAs(browser, { ...started, role: 'owner' }));
    await goTo(page, floorPage);
    await status('').waitFor({ state: 'attached' });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const undo = () => page.getByRole('main').getByRole('button', { name: 'Undo', exact: true });
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).first();
  const zones = async (): Promise<readonly string[]> =>
    (await app.send({ method: 'GET', url: '/api/v2/zones?order=createdAt', headers })).body.results.map(
      ({ name }: { name: string }) => name,
    );
  async function addZone(): Promise<void> {
    const count = (await zones()).length;
    await page.getByText('Draw a zone', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a rectangle' }).click();
    await becomes(async () => (await zones()).length, count + 1);
    await status(`Saved: Zone ${count + 1} added`).waitFor();
  }
  /** Holds back what is sent to the zones until `go`. */
  async function hold(answer: (route: Route) => Promise<void> = (route) => route.continue()) {
    const { promise, resolve: go } = Promise.withResolvers<void>();
    let sent = 0;
    await page.route(/\/v2\/zones(\/|$)/, async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      sent += 1;
      await promise;
      return answer(route);
    });
    return { go, sent: async () => sent };
  }

  test('that is pressed again while one is being stored takes back the step before, too, and says so', async () => {
    for (let zone = 1; zone <= 3; zone++) await addZone();
    const held = await hold();
    await undo().click();
    await becomes(held.sent, 1);
    await status('Undoing …').waitFor();
    await takePictures(page, 'undoing');
    await undo().click();
    held.go();
    await status('Undone: Zone 2 added').waitFor();
    assert.deepEqual(await zones(), ['Zone 1']);
    await page.unrouteAll({ behavior: 'wait' });
    await undo().click();
    await status('Undone: Zone 1 added').waitFor();
    assert.deepEqual(await zones(), []);
    assert.ok(await undo().isDisabled());
  });

  test('for a change that is then refused leaves the one before as it is', async () => {
    await addZone();
    const held = await hold((route) => route.abort());
    await page.getByText('Draw a zone', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a rectangle' }).click();
    await becomes(held.sent, 1);
    await undo().click();
    held.go();
    await page.getByRole('main').getByRole('alert').first().waitFor();
    await status('Undoing …').waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
    assert.deepEqual(await zones(), ['Zone 1']);
    assert.equal(await undo().getAttribute('title'), 'Zone 1 added');
  });

  test('that could not be carried out holds back the one after it, and both can be tried again', async () => {
    await addZone();
    const held = await hold((route) => route.abort());
    await undo().click();
    await becomes(held.sent, 1);
    await undo().click();
    held.go();
    await page.getByRole('main').getByRole('alert').first().waitFor();
    await becomes(() => undo().getAttribute('title'), 'Zone 2 added');
    await page.unrouteAll({ behavior: 'wait' });
    assert.deepEqual(await zones(), ['Zone 1', 'Zone 2']);
    assert.equal(await status('Undone').count(), 0);
    await takePictures(page, 'undo-failed');
    await undo().click();
    await undo().click();
    await status('Undone: Zone 1 added').waitFor();
    assert.deepEqual(await zones(), []);
    assert.equal(await page.getByRole('main').getByRole('alert').count(), 0);
  });
});
