import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { sql } from '../../../server/src/base/sql.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { stay, uuid, walk } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { houseOf } from './house.ts';

/** Six visitors walk through two rooms. Each test continues where the previous one stopped. */
describe('where visitors were and are, on the plan of a floor', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { make, open, cell, report, savedBy, assertFitsPhone, makeHouse } = houseOf(() => ({ page, app, headers }));

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

  /** What a phone hears there in twenty seconds (ms, metres). */
  const standing = (at: { readonly x: number; readonly y: number }, from: number) =>
    Object.entries({ 1: [20, 6], 2: [40, 6], 3: [30, 14] }).flatMap(([minor, [x = 0, y = 0]]) =>
      walk(stay(Math.hypot(x - at.x, y - at.y, 0.7), 20), from + Number(minor), Number(minor)),
    );

  /** What was counted of the shop on so many days that are weeks before tomorrow. `east`: hours of the zone. */
  async function wereInShop(weeks: number, east: number): Promise<void> {
    const [dayMs, hourMs] = [86_400_000, 3_600_000];
    const { db } = app.storage;
    const places = sql`select object_id, venue_id from zones where app_id = ${app.appId} and name = 'Shop'`;
    const zone = await db.one<{ object_id: string; venue_id: string }>(places);
    const tomorrow = (Math.floor((app.clock.now + east * hourMs) / dayMs) + 1) * dayMs - east * hourMs;
    for (let week = 1; week <= weeks; week++) {
      const at = tomorrow - 7 * week * dayMs;
      await db.run(sql`insert into way_rollups (app_id, kind, span, started_at, venue_id, place, tours, times, visitors)
        values (${app.appId}, 'peak', 'hour', ${at + 10 * hourMs}, ${zone?.venue_id ?? ''}, ${`z${zone?.object_id}`},
          ${[12, 13, 11][week % 3] ?? 0}, '', '')`);
      await db.run(sql`insert into visit_rollups (app_id, span, started_at, beacon_id, visits, newcomers, ended, dwell_ms, dwells,
        visitors) values (${app.appId}, 'zoneDay', ${at}, ${zone?.object_id ?? ''}, 5, 0, 5, 2100000, '70:5', '')`);
    }
  }

  test('without a plan it is said what there has to be', async () => {
    await open('/plan');
    await page.getByRole('heading', { name: 'No floor plan yet' }).waitFor();
    await open('/ways');
    await page.getByRole('heading', { name: 'No ways to show' }).waitFor();
    await assertAccessible(page);
  });

  test('shows time and visits of each room, the ways between them, and how many were there at once', async () => {
    // A zone in which it is about noon, so that no day ends in the middle, and in which the clocks never change.
    const east = 12 - new Date().getUTCHours();
    const timeZone = `Etc/GMT${east < 0 ? '+' : '-'}${Math.abs(east)}`;
    await app.app.apps.change(app.appId, { policy: { timeZone, oneZone: true } }, service);
    const { floorId } = await makeHouse();
    // Names come out of spreadsheets, with whatever is in them.
    const nook = [
      { x: 40, y: 0 },
      { x: 42, y: 0 },
      { x: 42, y: 2 },
    ];
    await make('/zones', { floorId, name: 'Nook\u0001', kind: 'room', polygon: nook });
    const now = Date.now();
    app.clock.now = now;
    for (let index = 0; index < 6; index++) {
      const installationId = `phone-${index}`;
      await make('/installations', { installationId, deviceType: 'ios' });
      await report(installationId, [
        ...walk(stay(1, 40), now - 400_000, 1),
        ...walk(stay(1, 60), now - 300_000, 2),
        ...walk(stay(30, 40), now - 100_000, 2),
      ]);
    }
    await app.app.ticker.tick();
    await app.app.rollups.settle(app.appId);

    // Until the numbers are there, no room is said to have been empty.
    const numbers = Promise.withResolvers<void>();
    const asked = /\/analytics\/visits\?.*floorId/;
    await page.route(asked, async (route) => {
      await numbers.promise;
      await route.continue();
    });
    await open('/plan?show=visits');
    const visits = page.getByRole('img', { name: /^Visits on Ground floor/ });
    await visits.getByText('Hall', { exact: true }).waitFor();
    await visits.getByText('–', { exact: true }).first().waitFor();
    assert.equal(await visits.getByText('0', { exact: true }).count(), 0);
    numbers.resolve();
    await visits.getByText('6', { exact: true }).first().waitFor();
    await page.unroute(asked);
    assert.equal(await cell('Zones of the floor', 'Hall', 1).textContent(), '6');
    assert.equal(await page.locator('g[data-id="wall 0"] polyline').first().getAttribute('points'), '30,0 30,12');
    await takePictures(page, 'plan-visits');
    await assertFitsPhone('plan-visits');
    const picture = await savedBy('PNG');
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    assert.equal(Math.max(picture.readUInt32BE(16), picture.readUInt32BE(20)), 2_400);
    await assertAccessible(page);
    // The ways on the plan, as numbers and as a drawing of all of it, however near one looks.
    await page.getByText('Ways', { exact: true }).last().click();
    const arrows = page.getByRole('img', { name: /^Ways on Ground floor/ });
    await arrows.getByText('in 6').first().waitFor();
    const whole = (await arrows.boundingBox())?.width ?? 0;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok(((await arrows.boundingBox())?.width ?? 0) > 1.4 * whole);
    assert.match(
      (await savedBy('CSV')).toString(),
      /^periodFrom,periodUntil,from,fromName,to,toName,tours,.*,Hall,[^,]+,Shop,6,6,/s,
    );
    const svg = (await savedBy('SVG')).toString();
    assert.match(svg, /Hall → Shop: 6/);
    assert.doesNotMatch(svg, /150%/);
    await page.getByRole('combobox', { name: 'Comparison' }).selectOption({ label: 'Compared with a year before' });
    const row = page
      .getByRole('table', { name: 'Ways of the floor' })
      .getByRole('row')
      .filter({ hasText: 'Hall → Shop' });
    await becomes(async () => (await row.getByRole('cell').allTextContents()).join(), '6,6,0');
    assert.match(page.url(), /compare=year/);
    await takePictures(page, 'plan-ways');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    assert.equal((await arrows.boundingBox())?.width, whole);

    await open('/ways');
    const move = page
      .getByRole('table', { name: 'Times between zones' })
      .getByRole('row')
      .filter({ hasText: 'Hall → Shop' });
    assert.match((await move.textContent()) ?? '', /6/);
    assert.match((await page.getByText('Hall → Shop').first().textContent()) ?? '', /Hall → Shop/);
    assert.equal(await cell('Where visitors come in', 'Hall', 0).textContent(), '6');
    assert.equal(await cell('Where visitors leave', 'Shop', 0).textContent(), '6');
    await page.locator('[data-drawn="true"]').first().waitFor();
    await takePictures(page, 'ways');
    await assertFitsPhone('ways');
    await assertAccessible(page);

    await open('/peaks?unit=day');
    await page.getByText('As a table').click();
    assert.equal(await cell('Most visitors at once by place', 'Shop', 0).textContent(), '6');
    await page.getByText('yet: that takes eight days like it').waitFor();
    await wereInShop(10, east);
    await open('/peaks?unit=week');
    const full = 'How full zones may be on';
    // 12, 13, 11 and so on: 12 in the middle, and never off by more than 1.
    assert.equal(await cell(full, 'Shop', 0).textContent(), '12 ± 1');
    assert.match((await cell(full, 'Shop', 1).textContent()) ?? '', /^7 min .*± 0 s$/);
    assert.equal(
      await page.getByRole('table', { name: full }).getByRole('row').count(),
      2,
      'of the hall too little is known',
    );
    await takePictures(page, 'peaks');
    await assertFitsPhone('peaks');
    await assertAccessible(page);

    await open('');
    await page.getByRole('combobox', { name: 'Place' }).selectOption({ label: 'Ground floor' });
    assert.equal(await cell('Zones', 'Shop', 0).textContent(), '6');
    assert.match(page.url(), /floor=/);
  });

  test('counts a visitor who arrives in the right room, by the live stream', async () => {
    const listening = page.waitForRequest((request) => request.url().includes('/stream?'));
    await open('/plan?show=now');
    assert.match((await listening).url(), /kinds=position\.changed/);
    await page.getByText('0 visitors in the zones of this floor now.').waitFor();
    // A position takes three beacons; this one is in no zone.
    await make('/beacons', { uuid, major: 1, minor: 3, name: 'Stairs beacon', location: { x: 30, y: 14, floor: 0 } });
    const now = Date.now();
    app.clock.now = now;
    await make('/installations', { installationId: 'newcomer', deviceType: 'ios' });
    await report('newcomer', standing({ x: 39, y: 6 }, now - 40_000));
    await page.getByText('1 visitor in the zones of this floor now.').waitFor();
    assert.equal(await cell('Visitors by zone', 'Shop', 0).textContent(), '1');
    // The list is read when the stream begins; from then on only the stream can move her.
    await page.locator('[data-visitor]').waitFor();
    const before = Number(await page.locator('[data-visitor]').getAttribute('cx'));
    await report('newcomer', standing({ x: 21, y: 6 }, now - 19_000));
    await becomes(async () => Number(await page.locator('[data-visitor]').getAttribute('cx')) < before - 5, true);
    const [numbers, drawn, picture] = [await savedBy('CSV'), await savedBy('SVG'), await savedBy('PNG')];
    assert.match(numbers.toString(), /^zoneId,zone,visitors,capacity\r?\n(.*\n)*[^,]+,Hall,1,/);
    assert.match(drawn.toString(), /data-visitor/);
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    await takePictures(page, 'plan-now');
    await assertFitsPhone('plan-now');
    await assertAccessible(page);
  });

  test('marks a zone in which there are more than may be', async () => {
    const { body } = await app.send({ method: 'GET', url: '/api/v2/zones?order=name', headers });
    const url = `/api/v2/zones/${body.results[0].objectId}`;
    assert.equal((await app.send({ method: 'PUT', url, headers, body: { capacity: 1 } })).status, 200);
    app.clock.now = Date.now();
    await report('newcomer', standing({ x: 21, y: 6 }, app.clock.now - 20_000));
    await report('phone-1', standing({ x: 22, y: 6 }, app.clock.now - 20_000));
    await app.app.checkOccupancy();
    app.clock.now += 20_000;
    await app.app.checkOccupancy();
    await open('/plan?show=now');
    await page.getByRole('alert').filter({ hasText: 'Hall: more than 1' }).waitFor();
    await page.getByRole('img', { name: 'Visitors on Ground floor now' }).getByText('2 / 1').waitFor();
    await takePictures(page, 'plan-crowded');
    await assertAccessible(page);
    await goTo(page, `/console/apps/${app.appId}/home`);
    await page.getByText('More than 1 visitor in Hall').waitFor();
    await page.getByRole('link', { name: 'Look at the plan' }).click();
    await page.getByText('Too many visitors').waitFor();
    assert.deepEqual(visited.complaints, []);
  });
});
