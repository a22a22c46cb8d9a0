import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { found } from '../../../server/test/support/sites/found.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('the condition of the beacons', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let venueId: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    const { headers } = await signInManager(app);
    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
    venueId = await make('venues', { name: 'Tower' });
    for (const [minor, [name, x]] of (
      [
        ['Far', 18],
        ['Door', 2],
        ['Hall', 9],
      ] as const
    ).entries())
      ids[name] = await make('beacons', {
        ...{ uuid, major: 1, minor, name, venueId: pointer('Venue', venueId) },
        location: { x, y: 2, floor: 0 },
      });
    const { Far = '', Door = '', Hall = '' } = ids;
    await found(app, [
      [Far, 'silent'],
      [Door, 'battery'],
      [Hall, 'moved'],
      [Hall, 'silent'],
    ]);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const items = () => page.getByRole('list', { name: 'Findings' }).getByRole('listitem');
  const named = () => items().getByRole('link').allInnerTexts();
  const view = (name: string) => page.getByText(name, { exact: true }).click();
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('lists what is wrong, in words, and the batteries in the order of a walk, also as a file', async () => {
    await goTo(page, `/console/apps/${app.appId}/beacons`);
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('heading', { name: 'Health of the beacons' }).waitFor();
    await becomes(() => items().count(), 4);
    await page.getByText('About 4 % are left.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'condition');
    await view('Batteries');
    await becomes(named, ['Door', 'Hall', 'Far']);
    await takePictures(page, 'condition-batteries');
    const saving = page.waitForEvent('download');
    await button('CSV').click();
    const rows = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.match(rows[1] ?? '', /^1,Door,Tower,0,2,2,Battery low,/);
    assert.equal(rows.length, 4);
  });

  test('the map says at its place what is wrong with a beacon', async () => {
    await goTo(page, `/console/apps/${app.appId}/beacons?view=map`);
    await page.getByRole('link', { name: /^Door · Battery low at 2, 2$/ }).waitFor();
    await page.getByRole('link', { name: /^Far · Silent at/ }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'condition-map');
    await goTo(page, `/console/apps/${app.appId}/beacons/condition?view=batteries`);
    await becomes(named, ['Door', 'Hall', 'Far']);
  });

  test('what is mended or muted is no more to do, and can be opened again', async () => {
    await button('Mended: Door').click();
    await becomes(named, ['Hall', 'Far']);
    await button('Mute: Far').click();
    await becomes(named, ['Hall']);
    await view('Mended and muted');
    await becomes(async () => (await named()).toSorted(), ['Door', 'Far']);
    await page.getByText(/^Mended by installer/).waitFor();
    await takePictures(page, 'condition-done');
    await button('Open again: Far').click();
    await becomes(named, ['Door']);
  });

  test('the round on a phone begins with the batteries', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/round`);
    await page.getByText('2 batteries to change').waitFor();
    await takePictures(page, 'round-batteries');
    await button('Changed: Hall').click();
    await page.getByText('1 battery to change').waitFor();
    await assertAccessible(page);
  });

  test('leads to the plan of the floor', async () => {
    const floor = {
      venueId: pointer('Venue', venueId),
      name: 'Ground floor',
      level: 0,
      size: { width: 20, height: 9 },
    };
    const { headers } = await signInManager(app);
    await create(app, '/api/v2/floors', floor, headers);
    await goTo(page, `/console/apps/${app.appId}/beacons/condition`);
    await items().filter({ hasText: 'Far' }).getByRole('link', { name: 'Ground floor' }).click();
    await page.getByRole('heading', { name: 'Ground floor, Tower' }).waitFor();
  });

  test('the page of a beacon says what is wrong, and draws what the beacon has told', async () => {
    const { headers } = await signInManager(app);
    const readings = [30, 20, 10].map((hours) => ({
      ...{ beaconId: ids['Far'], occurredAt: app.clock.now - hours * 3_600_000 },
      ...{ battery: 40 + hours, temperature: 21.5 },
    }));
    const told = await app.send({ method: 'POST', url: '/api/v2/telemetry', headers, body: { readings } });
    assert.deepEqual([told.status, told.body.result?.taken], [200, 3]);
    await goTo(page, `/console/apps/${app.appId}/beacons/${ids['Far']}`);
    await page.getByRole('status').getByText('Silent', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Battery: 50.0 % – 70.0 %' }).waitFor();
    await page.getByRole('img', { name: 'Temperature: 21.5 °C – 21.5 °C' }).waitFor();
    await takePictures(page, 'beacon-silent');
    await button('I know: Far').click();
    await button('I know: Far').waitFor({ state: 'detached' });
    assert.deepEqual(visited.complaints, []);
  });
});
