import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { venuePage } from './venue-page.ts';

describe('a floor on which there is nothing yet', () => {
  let started: Awaited<ReturnType<typeof startConsole>>;
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let venue = '';
  let floorPage = '';
  const { button, heading, stored } = venuePage(() => ({ page, app, headers }));
  const none = 'There are no beacons on this floor yet';

  beforeAll(async () => {
    started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    venue = await create(app, '/api/v2/venues', { name: 'Old mill' }, headers);
    const body = { venueId: pointer('Venue', venue), name: 'Ground floor', level: 0 };
    const floor = await create(app, '/api/v2/floors', body, headers);
    floorPage = `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floor}`;
    browser = await launchBrowser();
    ({ page } = await openAs(browser, { ...started, role: 'owner' }));
    await goTo(page, floorPage);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('says why nothing can be measured, and leads to the button for a picture', async () => {
    await page.getByText('To measure on the plan, give the floor a picture first.').waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Measure' }).isDisabled());
    await takePictures(page, 'empty-floor');
    await assertAccessible(page);
    await button('give the floor a picture').click();
    const focused = 'document.activeElement?.textContent';
    await becomes(() => page.evaluate(focused), 'Upload a picture or PDF');
  });

  test('says in a note above its tools what was refused', async () => {
    await page.route(/\/v2\/zones(\/|$)/, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.abort(),
    );
    await page.getByText('Draw a zone', { exact: true }).click();
    await button('Add a rectangle').click();
    const note = await page.getByRole('main').getByRole('alert').boundingBox();
    const tools = await page.getByRole('radiogroup', { name: 'Tool' }).boundingBox();
    await page.unrouteAll({ behavior: 'wait' });
    assert.ok(note && tools && tools.y - note.y - note.height >= 8, JSON.stringify([note, tools]));
  });

  test('tells an editor who adds beacons', async () => {
    const { page: editor, context } = await openAs(browser, { ...started, role: 'editor' });
    await goTo(editor, floorPage);
    await editor.getByText(`${none}. Owners, managers and installers add beacons.`).waitFor();
    assert.equal(await editor.getByRole('button', { name: 'Add a beacon here' }).count(), 0);
    await takePictures(editor, 'empty-floor-of-editor');
    await context.close();
  });

  test('takes a new beacon, which is then on its plan', async () => {
    await page.getByText(`${none}, and none without a place that could be put on it.`).waitFor();
    assert.ok(await page.getByRole('link', { name: 'Import beacons' }).isVisible());
    await button('Add a beacon here').click();
    await heading('Add a beacon').waitFor();
    assert.equal(await page.getByLabel('Floor').inputValue(), '0');
    await page.getByLabel('Name').fill('Door');
    await button('Make a UUID').click();
    await page.getByLabel('Major').fill('1');
    await page.getByLabel('Minor').fill('2');
    await takePictures(page, 'new-beacon-on-a-floor');
    await button('Add the beacon').click();
    await becomes(async () => new URL(page.url()).pathname, floorPage);
    await page.getByRole('region', { name: 'Plan of Ground floor' }).getByRole('button', { name: 'Door' }).waitFor();
    const beacon = await stored('beacons', () => true);
    assert.deepEqual([beacon.venueId.objectId, beacon.location.floor], [venue, 0]);
    assert.equal(await page.getByText(none).count(), 0);
  });
});
