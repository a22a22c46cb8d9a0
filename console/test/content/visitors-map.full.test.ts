import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
/** In metres. */
const places = [
  { name: 'Gate', x: 0, y: 0 },
  { name: 'Hall', x: 8, y: 0 },
  { name: 'Café', x: 0, y: 8 },
  { name: 'Shop', x: 8, y: 8 },
] as const;

describe('the map of an app whose visitors have positions', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    let origin: string;
    ({ app, origin } = await startConsole());
    const { headers } = await signInManager(app);
    for (const [index, { name, x, y }] of places.entries())
      await create(app, '/api/v2/beacons', { name, uuid, major: 1, minor: index, location: { x, y } }, headers);
    const above = { name: 'Attic', uuid, major: 1, minor: 9, location: { x: 4, y: 4, floor: 2 } };
    await create(app, '/api/v2/beacons', above, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** What a phone has heard in the last 15 seconds, standing there. */
  async function stand(installationId: string, at: { readonly x: number; readonly y: number }) {
    app.clock.now = Date.now();
    const sightings = Array.from({ length: 30 }, (_, half) =>
      places.map(({ x, y }, minor) => ({
        uuid,
        major: 1,
        minor,
        rssi: Math.round(-59 - 20 * Math.log10(Math.hypot(x - at.x, y - at.y, 0.7))),
        occurredAt: app.clock.now - 15_000 + half * 500 + minor,
      })),
    ).flat();
    const sent = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
  }

  const open = () => goTo(page, `/console/apps/${app.appId}/beacons?view=map`);
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const drawn = () => page.locator('svg[aria-label="Map of the beacons"] title', { hasText: 'A visitor' });

  test('says why nobody is drawn where visitors have no position', async () => {
    await app.app.apps.change(app.appId, { policy: { oneZone: false } });
    await open();
    await page.getByText('Visitors are not drawn: this app does not decide').waitFor();
    await app.app.apps.change(app.appId, { policy: { oneZone: true } });
  });

  test('shows the beacons of one floor at a time', async () => {
    const floor = page.getByRole('combobox', { name: 'Floor' });
    const drawn = async () => {
      const titles = await page.locator('svg[aria-label="Map of the beacons"] title').allTextContents();
      return titles.filter((title) => [...places.map(({ name }) => name), 'Attic'].includes(title)).sort();
    };
    await becomes(drawn, ['Café', 'Gate', 'Hall', 'Shop']);
    await floor.selectOption({ label: 'Floor 2' });
    await becomes(drawn, ['Attic']);
    await floor.selectOption({ label: 'Without a floor' });
    await becomes(drawn, ['Café', 'Gate', 'Hall', 'Shop']);
  });

  test('shows visitors within seconds, and removes those who have left', async () => {
    await open();
    await status('0 visitors here in the last minute');
    for (const phone of ['phone-1', 'phone-2'])
      await create(app, '/api/v2/installations', { installationId: phone, deviceType: 'ios' });
    await stand('phone-1', { x: 7, y: 1 });
    await status('1 visitor here in the last minute');
    await stand('phone-2', { x: 1, y: 7 });
    await status('2 visitors here in the last minute');
    await becomes(() => drawn().count(), 2);
    const titles = await drawn().allTextContents();
    assert.equal(titles.length, 2);
    for (const title of titles) assert.match(title, /^A visitor \d+ s ago, within \d\.\d m$/);
    await takePictures(page, 'map-visitors');
    await assertAccessible(page);
    // A minute later, by the clock of the browser.
    await page.clock.install({ time: Date.now() + 90_000 });
    await open();
    await status('0 visitors here in the last minute');
    assert.equal(await drawn().count(), 0);
    assert.deepEqual(visited.complaints, []);
  });
});
