import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('a message of a campaign for a zone', () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let storyline = '';
  const beacons: string[] = [];

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
    const venueId = pointer('Venue', await make('venues', { name: 'Old mill' }));
    const floorId = pointer('Floor', await make('floors', { venueId, name: 'Ground floor', level: 0 }));
    for (const [name, left] of [
      ['Shop', 0],
      ['Hall', 20],
    ] as const) {
      const polygon = [0, 9, 9, 0].map((side, at) => ({ x: left + side, y: at < 2 ? 0 : 9 }));
      await make('zones', { floorId, name, kind: 'room', polygon });
    }
    for (const [minor, x] of [2, 6, 40].entries()) {
      const location = { x, y: 3, floor: 0 };
      beacons.push(await make('beacons', { name: `Beacon ${minor}`, uuid, major: 1, minor, venueId, location }));
    }
    storyline = await make('storylines', { title: 'Christmas', isEnabled: true });
    browser = await launchBrowser();
    ({ page } = await openAs(browser, { ...started, role: 'editor' }));
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  async function addZone(name: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Add the beacons of a zone' }).click();
    await page.getByRole('option', { name: `${name}, Old mill` }).click();
  }

  test('has the beacons of the zone at one choice, beside those that were chosen', async () => {
    await goTo(page, `/console/apps/${app.appId}/storylines/${storyline}/scenarios/new`);
    await page.getByRole('combobox', { name: 'Beacons' }).click();
    await page.getByRole('option', { name: 'Beacon 2' }).click();
    await page.keyboard.press('Escape');
    await addZone('Hall');
    await page.getByText('Hall: no beacon is in this zone yet.').waitFor();
    await addZone('Shop');
    await page.getByText('Shop: 2 beacons.').waitFor();
    await takePictures(page, 'beacons-of-a-zone');
    await assertAccessible(page);
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Half price today');
    await page.getByRole('button', { name: 'Add the scenario' }).click();
    await becomes(async () => {
      const { body } = await app.send({ method: 'GET', url: '/api/v2/storylines/details', headers });
      return body.results[0]?.beacons.toSorted();
    }, beacons.toSorted());
    assert.equal(beacons.length, 3);
  });
});
