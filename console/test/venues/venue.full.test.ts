import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { png } from '../../../server/test/support/png.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { script, venuePage } from './venue-page.ts';

/** Next year, so that no day of it is over. */
const year = new Date().getUTCFullYear() + 1;
const calendar = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//test//EN
BEGIN:VEVENT
UID:1
DTSTART;VALUE=DATE:${year}1224
DTEND;VALUE=DATE:${year}1227
SUMMARY:Christmas
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20200501
RRULE:FREQ=YEARLY
SUMMARY:Labour Day
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n');

/** The tests are one session: each continues where the previous one stopped. */
describe('a venue and the plan of its floor', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { button, heading, said, first, stored, choose } = venuePage(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('a venue gets hours, and holidays from a calendar after they were shown', async () => {
    await goTo(page, `/console/apps/${app.appId}/beacons`);
    await heading('No beacons yet').waitFor();
    // The building comes first, also where there is no beacon.
    await page.getByText('Venues', { exact: true }).click();
    await heading('No venues yet').waitFor();
    await page.getByRole('link', { name: 'Add a venue' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(script);
    await page.getByRole('switch', { name: 'The opening hours are known' }).click();
    await button('Open on Monday').click();
    await page.getByLabel('Monday, opens').fill('20:00');
    await page.getByLabel('Monday, closes').fill('11:00');
    const ics = (buffer: Buffer) => ({ name: 'days.ics', mimeType: 'text/calendar', buffer });
    await choose('Import a calendar', ics(Buffer.from('no calendar')));
    await said('This is no calendar.');
    await choose('Import a calendar', ics(Buffer.from(calendar)));
    await page.getByRole('dialog').getByText(`24 Dec ${year}`).waitFor();
    await button('Add them').click();
    await assertAccessible(page);
    await button('Add the venue').click();
    await said('Overlaps: Mon 20:00 to 11:00 and Tue 10:00 to 18:00.');
    await page.getByLabel('Monday, closes').fill('03:00');
    await button('Add the venue').click();
    await heading('Floors').waitFor();
    const venue = await first('venues');
    assert.equal(venue.name, script);
    assert.deepEqual(venue.openingHours[0], { dayName: 'Mon', from: '20:00', until: '03:00' });
    const dates = venue.exceptions.map(({ date }: { date: string }) => date);
    for (const day of [`${year}-12-24`, `${year}-12-26`, `${year}-05-01`]) assert.ok(dates.includes(day), day);
    assert.ok(!dates.includes(`${year}-12-27`), 'the end of an event is the day behind it');
    await takePictures(page, 'venue');
  });

  test('a floor takes a picture and refuses what is none', async () => {
    await button('Add a floor').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Ground floor');
    await page.getByRole('dialog').getByRole('button', { name: 'Add the floor' }).click();
    await heading('Plan').waitFor();
    const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });
    const replace = (one: ReturnType<typeof file>) => choose('Upload a picture or PDF', one);
    await replace(file('plan.svg', 'image/svg+xml', Buffer.from('<svg><script>alert(1)</script></svg>')));
    await said('plan.svg is an SVG drawing, which may run scripts.');
    await replace(file('plan.png', 'image/png', Buffer.from('no picture')));
    await said('plan.png cannot be read as a picture.');
    await replace(
      file(
        'plan.png',
        'image/png',
        png(400, 200, (x) => [240, 240, Math.round(255 * x)]),
      ),
    );
    await button('Replace the plan').waitFor();
    await page.getByLabel('Width of the picture').fill('20');
    await button('Save').click();
    const floor = await stored('floors', ({ scale }) => scale !== undefined);
    assert.deepEqual(floor.plan.width, 400);
    assert.deepEqual(floor.scale, { from: { x: 0, y: 0 }, to: { x: 400, y: 0 }, metres: 20 });
    await page.locator('svg > image').waitFor();
  });

  test('the scale of a plan is two points that somebody clicks, and the metres between them', async () => {
    // What is stored later has another time.
    app.clock.now += 1_000;
    await page.getByText('Measure', { exact: true }).click();
    const box = await page.locator('svg > image').boundingBox();
    assert.ok(box);
    for (const share of [0.25, 0.75]) await page.mouse.click(box.x + share * box.width, box.y + 0.5 * box.height);
    await page.getByLabel('Metres between the two points').fill('8');
    await button('Set the scale').click();
    await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 8);
    const told = page.getByRole('alert').filter({ hasText: 'The scale is set.' });
    await told.getByRole('button', { name: 'Undo' }).click();
    await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 20);
    await becomes(() => page.getByLabel('Width of the picture').inputValue(), '20');
    await page.getByText('Measure', { exact: true }).click();
    for (const share of [0.25, 0.75]) await page.mouse.click(box.x + share * box.width, box.y + 0.5 * box.height);
    await page.getByLabel('Metres between the two points').fill('8');
    await button('Set the scale').click();
    const { scale } = await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 8);
    const pixels = [scale.from.x - 100, scale.from.y - 100, scale.to.x - 300, scale.to.y - 100];
    assert.ok(
      pixels.every((off) => Math.abs(off) < 3),
      JSON.stringify(scale),
    );
    await becomes(() => page.getByLabel('Width of the picture').inputValue(), '16');
    await page.getByLabel('Width of the picture').fill('20');
    await button('Save').click();
    await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 20);
  });

  test('the whole plan stays in sight when the window changes, until somebody zooms', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    const map = page.getByRole('region', { name: 'Plan of ' });
    const picture = page.locator('svg > image');
    const boxes = async () => [await map.boundingBox(), await picture.boundingBox()] as const;
    const isFitted = async () => {
      const [room, plan] = await boxes();
      if (!room || !plan) return false;
      const isInside = plan.x >= room.x - 1 && plan.x + plan.width <= room.x + room.width + 1;
      return isInside && Math.max(plan.width / room.width, plan.height / room.height) > 0.7;
    };
    for (const width of [800, 420, 1_500]) {
      await page.setViewportSize({ ...known, width });
      await becomes(isFitted, true);
    }
    const before = (await boxes())[1]?.width ?? 0;
    for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Zoom in' }).click();
    await becomes(async () => ((await boxes())[1]?.width ?? 0) > 1.8 * before, true);
    await page.setViewportSize(known);
    await page.reload();
    await picture.waitFor();
    await becomes(isFitted, true);
    assert.deepEqual(visited.complaints, []);
  });
});
