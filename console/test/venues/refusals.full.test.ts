import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { venuePage } from './venue-page.ts';

/** What cannot be part of a floor is refused with a sentence, and what was there stays. */
describe('plans and zones that cannot be', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let folder: string;
  const { button, said, first, stored } = venuePage(() => ({ page, app, headers }));
  const polygon = [
    { x: 1, y: 1 },
    { x: 9, y: 1 },
    { x: 9, y: 5 },
    { x: 1, y: 5 },
  ];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pharos-plans-'));
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const venue = await create(app, '/api/v2/venues', { name: 'House' }, headers);
    const type = { ...headers, 'content-type': 'image/png' };
    const fileId = await create(
      app,
      '/api/v2/files/plan.png',
      png(400, 200, () => [240, 240, 240]),
      type,
    );
    const floor = {
      venueId: pointer('Venue', venue),
      name: 'Ground floor',
      level: 0,
      plan: { fileId, width: 400, height: 200 },
      scale: { from: { x: 0, y: 0 }, to: { x: 400, y: 0 }, metres: 20 },
    };
    const floorId = await create(app, '/api/v2/floors', floor, headers);
    const zone = { floorId: pointer('Floor', floorId), name: 'Shop', kind: 'shop', polygon };
    await create(app, '/api/v2/zones', zone, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'editor' });
    page = visited.page;
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floorId}`);
    await page.locator('svg > image').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function choose(name: string): Promise<void> {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Replace the plan').click()]);
    await chooser.setFiles(join(folder, name));
  }

  test('a picture whose pixels no memory holds is refused by what its head says', async () => {
    const { plan } = await first('floors');
    const huge = png(1, 1, () => [0, 0, 0]);
    huge.writeUInt32BE(30_000, 16);
    huge.writeUInt32BE(30_000, 20);
    await writeFile(join(folder, 'huge.png'), huge);
    await choose('huge.png');
    await said('huge.png has 30000 × 30000 pixels. A plan may have 8000 on each side.');
    await writeFile(join(folder, 'huge.webp'), webp(16_383, 16_383));
    await choose('huge.webp');
    await said('huge.webp has 16383 × 16383 pixels. A plan may have 8000 on each side.');
    assert.deepEqual((await first('floors')).plan, plan);
  });

  test('a picture of 60 MB, and one of 20,000 pixels; the plan stays', async () => {
    const { plan } = await first('floors');
    await writeFile(
      join(folder, 'large.png'),
      png(400, 200, () => [200, 200, 200]),
    );
    await truncate(join(folder, 'large.png'), 60 * 1024 * 1024);
    await choose('large.png');
    await said('large.png has 60 MB. A plan may have 20 MB.');
    await assertAccessible(page);
    await takePictures(page, 'plan-too-large');
    await writeFile(
      join(folder, 'wide.png'),
      png(20_000, 10, () => [200, 200, 200]),
    );
    await choose('wide.png');
    await said('wide.png has 20000 × 10 pixels. A plan may have 8000 on each side.');
    assert.deepEqual((await first('floors')).plan, plan);
  });

  test('a zone that would cross itself; it stays as it was drawn', async () => {
    await page.getByRole('button', { name: /^Shop/ }).first().click();
    await page.getByText('Corners in numbers').click();
    // The first corner beyond the second one and below: the last side meets the second.
    await page.getByLabel('Corner 1, metres from the left').fill('12');
    await page.getByLabel('Corner 1, metres from the top').fill('3');
    await button('Use these corners').click();
    await said('crosses itself: side ');
    await takePictures(page, 'zone-crosses');
    await assertAccessible(page);
    assert.deepEqual((await first('zones')).polygon, polygon);
    // The plan shows what is stored again, and what was typed is there to be mended.
    await page.locator('#page').getByText('32.0 m²').first().waitFor();
    assert.equal(await page.getByLabel('Corner 1, metres from the left').inputValue(), '12');
    assert.equal(await page.getByLabel('Corner 1, metres from the top').inputValue(), '3');
    await page.getByLabel('Corner 1, metres from the left').fill('2');
    await page.getByLabel('Corner 1, metres from the top').fill('2');
    await button('Use these corners').click();
    await stored('zones', ({ polygon: moved }) => (moved as typeof polygon)[0]?.x === 2);
    assert.equal(await page.getByLabel('Corner 1, metres from the left').inputValue(), '2');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await becomes(() => page.getByLabel('Corner 1, metres from the left').inputValue(), '1');
    assert.deepEqual(visited.complaints, []);
  });
});

/** The head of a WebP picture, without pixels. */
function webp(width: number, height: number): Buffer {
  const head = Buffer.alloc(64);
  head.write('RIFF', 0);
  head.writeUInt32LE(56, 4);
  head.write('WEBPVP8X', 8);
  head.writeUInt32LE(10, 16);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return head;
}
