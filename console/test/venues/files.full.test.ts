import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { script, venuePage } from './venue-page.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('a venue from and to files', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { button, heading, said, first, stored } = venuePage(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    const venue = await create(app, '/api/v2/venues', { name: script }, headers);
    const venueId = pointer('Venue', venue);
    const corners = [
      { x: 2, y: 2 },
      { x: 8, y: 2 },
      { x: 8, y: 6 },
      { x: 2, y: 6 },
    ];
    for (const [level, name] of ['Ground floor', 'First floor'].entries()) {
      const floor = { venueId, name, level, walls: [{ points: corners.slice(0, 2) }] };
      const floorId = pointer('Floor', await create(app, '/api/v2/floors', floor, headers));
      await create(app, '/api/v2/zones', { floorId, name: 'Shop', kind: 'shop', polygon: corners }, headers);
    }
    await goTo(page, `/console/apps/${app.appId}/beacons/venues`);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('an IMDF archive is refused until the venue knows where it is, and is read again', async () => {
    const venue = await first('venues');
    await page.getByRole('link', { name: script }).first().click();
    await button('Export for indoor maps (IMDF)').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The venue does not say where it is on earth.').waitFor();
    await dialog.getByText('First floor does not say where north is.').waitFor();
    await takePictures(page, 'imdf-refused');
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const put = async (path: string, body: object) =>
      assert.equal((await app.send({ method: 'PUT', url: `/api/v2/${path}`, headers, body })).status, 200);
    await put(`venues/${venue.objectId}`, { location: { latitude: 57.72, longitude: 10.58 } });
    const floors = (await app.send({ method: 'GET', url: '/api/v2/floors', headers })).body.results;
    for (const { objectId } of floors) await put(`floors/${objectId}`, { north: 15 });
    await page.reload();
    await button('Export for indoor maps (IMDF)').click();
    await dialog.getByRole('button', { name: 'Save the archive' }).click();
    await dialog.getByText('must be two letters, such as AT').waitFor();
    await dialog.getByLabel('Town').fill('Skagen');
    await dialog.getByLabel('Country').fill('DK');
    await takePictures(page, 'imdf');
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save the archive' }).click(),
    ]);
    assert.match(archive.suggestedFilename(), /\.zip$/);
    const [table] = await Promise.all([page.waitForEvent('download'), button('Export as a table (CSV)').click()]);
    assert.match(table.suggestedFilename(), /\.csv$/);
    await page.getByRole('link', { name: 'Import from a file' }).click();
    // The page before has files to choose, too.
    await heading('Import from a file').waitFor();
    const chosen = page.locator('input[type=file]');
    await chosen.setInputFiles({ name: 'x.zip', mimeType: 'application/zip', buffer: Buffer.from('PK nothing') });
    await said('This is no ZIP archive that can be read.');
    await chosen.setInputFiles(await archive.path());
    // With the venue and its hours.
    await said('5 unchanged');
    await takePictures(page, 'imdf-import');
    // The table has the venue and the walls as well.
    const text = readFileSync(await table.path(), 'utf8');
    const things = text.trimEnd().split('\r\n').length - 1;
    const csv = (content: string) => ({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await chosen.setInputFiles(csv(text));
    await said(`${things} unchanged`);
    await chosen.setInputFiles(csv(`${text}zone,,Kiosk,1,shop,12,,0 0; 3 0; 3 2,,\r\nzone,,Nowhere,1,shop,,,,,\r\n`));
    await said('It needs corners: 3 or more pairs of metres, such as 0 0; 4.5 0; 4.5 3.');
    await takePictures(page, 'csv-import');
    await assertAccessible(page);
    await page.getByRole('button', { name: /^Import 1/ }).click();
    await stored('zones?where={"name":"Kiosk"}', ({ capacity }) => capacity === 12);
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
  });
});
