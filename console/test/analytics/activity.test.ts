import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../../server/src/base/sql.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror=alert(1)>';

/** The tests are one session: each continues where the previous one stopped. */
describe('activity in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let cafe: string;

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'analyst' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const link = (name: string | RegExp) => page.getByRole('link', { name });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const rows = (plural: string) => page.getByRole('table', { name: plural }).locator('tbody tr');
  const first = (plural: string, column: number) => rows(plural).first().locator('td').nth(column).innerText();
  const open = (rest = '') => goTo(page, `/console/apps/${site.app.appId}/activity${rest}`);

  testInFull('where nothing has happened, each page says what would be there', async () => {
    for (const tab of ['', '/events', '/visits', '/deliveries', '/logs']) {
      await open(tab);
      await heading('Nothing has happened yet').waitFor();
    }
    await open('/analytics');
    await heading('No visits yet').waitFor();
    await assertAccessible(page);
  });

  test('events stand there with the newest first, in the time zone of the venue', async () => {
    await site.app.app.apps.change(
      site.app.appId,
      { policy: { timeZone: 'Asia/Tokyo' } },
      { name: 'test', address: null },
    );
    cafe = await site.beacon({ name: script });
    await site.notification({ description: 'Welcome' });
    await site.notification({ description: script, isEnabled: false });
    await site.notification({ description: 'Goodbye', event: 'EXIT' });
    await site.makeReachable();
    const start = site.now;
    await site.send([{ beacon: cafe, event: 'ENTER', occurredAt: start - 3 * 86_400_000 }]);
    await site.send([{ beacon: cafe, event: 'EXIT', occurredAt: start - 3 * 86_400_000 + 90_000 }]);
    // No phone reports that this one has left, so the service ends the visit after twelve hours.
    site.app.clock.now = start - 14 * 3_600_000;
    await site.installation({ installationId: 'phone-2' });
    await site.send([site.decided('ENTER')], { installationId: 'phone-2' });
    site.app.clock.now = start;
    await site.app.app.ticker.tick();
    await site.send([site.decided('ENTER', start)]);
    await site.app.app.idle();
    await open('/events');
    await page.getByText('1–5 of 5').waitFor();
    await link('Entered Hall').first().waitFor();
    assert.equal(await first('events', 0), 'Entered Hall');
    const shown = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Asia/Tokyo',
    }).format(start);
    assert.equal(await first('events', 1), shown);
    await page.getByText('Times are in Asia/Tokyo.').waitFor();
    await link(`Left ${script}`).waitFor();
    await assertAccessible(page);
  });

  test('the log has events and messages as one list, of one place, person or time, and says how long a visitor stayed', async () => {
    const entries = page.getByRole('list', { name: 'Log' }).getByRole('listitem');
    const titles = () => entries.getByRole('link').allInnerTexts();
    await page.getByLabel('View').selectOption('Everything');
    // What happened in the same moment stands in either order.
    const sorted = async () => (await titles()).toSorted();
    const others = [`Left ${script}`, `Entered ${script}`];
    await becomes(sorted, ['Entered Hall', 'Entered Hall', 'Left Hall', 'Welcome', 'Welcome', ...others].toSorted());
    assert.deepEqual((await titles()).slice(-2), others);
    assert.equal((await titles())[2], 'Left Hall');
    const row = await entries.first().boundingBox();
    assert.ok(row && row.height <= 44, `a row of ${row?.height} px`);
    await entries
      .filter({ hasText: `Left ${script}` })
      .getByText('after 2 min')
      .waitFor();
    await assertAccessible(page);
    await page.getByRole('combobox', { name: 'Beacon' }).fill('hal');
    await page.getByRole('option', { name: 'Hall' }).click();
    await becomes(titles, ['Entered Hall', 'Left Hall', 'Entered Hall']);
    await page.getByLabel('Range of time').selectOption('hour');
    await becomes(titles, ['Entered Hall']);
    const [{ installationId, occurredAt }] = await site.list('events', { order: '-objectId', limit: '1' });
    await page.getByRole('combobox', { name: 'Visitor' }).fill(installationId.objectId.slice(-6));
    await page.getByRole('option', { name: installationId.objectId.slice(-6) }).click();
    await page.getByLabel('Range of time').selectOption('All times');
    await becomes(titles, ['Entered Hall']);
    const shown = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Asia/Tokyo',
    });
    const [day, time] = shown.format(Date.parse(occurredAt)).split(', ');
    await heading(String(day)).waitFor();
    assert.equal(await entries.getByRole('time').innerText(), time);
    await page.getByLabel('View').selectOption('Events');
    await page.getByText('1–1 of 1').waitFor();
    await open('/events');
    await page.getByText('1–5 of 5').waitFor();
  });

  test('an event opens its why: what was shown with its push, and what stopped the others', async () => {
    await link('Entered Hall').first().click();
    await page.getByText('1 of 3 messages of this beacon was shown.').waitFor();
    const why = page.getByRole('list', { name: 'Messages that could have been shown' });
    await why.getByRole('link', { name: 'Welcome' }).waitFor();
    await why.getByRole('link', { name: script }).waitFor();
    const lines = await why.getByRole('listitem').allInnerTexts();
    assert.match(lines[0] ?? '', /^Shown\s+Welcome/);
    assert.ok(lines.some((line) => line.includes(script) && line.includes('It is switched off.')));
    assert.ok(
      lines.some((line) => line.includes('Goodbye') && line.includes('It waits until the visitor leaves the beacon')),
    );
    await assertAccessible(page);
    await link('sent').click();
    await heading('Delivery: sent').waitFor();
    await page.getByText('The push service accepted it.').waitFor();
    await assertAccessible(page);
    await link('an event at a beacon').click();
    await heading('Entered Hall').waitFor();
  });

  test('a delivery that was not sent says why, and nothing of what came after', async () => {
    await open('/deliveries');
    await rows('deliveries').filter({ hasText: 'No push address' }).first().getByRole('link').first().click();
    await heading('Delivery: no push address').waitFor();
    await page.getByText('There was no push address to send it to.', { exact: false }).waitFor();
    assert.equal(await page.getByText('unknown', { exact: true }).count(), 0);
  });

  test('a range, a kind and a beacon narrow the list, and the address keeps them', async () => {
    await open('/events');
    await page.getByLabel('Range of time').selectOption('hour');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Range of time').selectOption('week');
    await page.getByText('1–5 of 5').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('EXIT');
    await page.getByText('1–2 of 2').waitFor();
    await page.reload();
    await page.getByText('1–2 of 2').waitFor();
    await page.getByRole('combobox', { name: 'Beacon' }).fill('hal');
    await page.getByRole('option', { name: 'Hall' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Range of time').selectOption('hour');
    await page.getByText('No events match.').waitFor();
    await page.getByRole('button', { name: 'Show all events' }).click();
    await page.getByText('1–5 of 5').waitFor();
  });

  test('visits tell how long they were by what was heard later too, and whether the end was seen or inferred', async () => {
    await site.app.storage.db.run(raw('update visits set smoothed_dwell = 30 where dwell = 90'));
    await page.getByLabel('View').selectOption('Visits');
    await page.getByText('1–3 of 3').waitFor();
    assert.equal(await first('visits', 2), 'still here');
    const ended = async (row: number) => (await rows('visits').nth(row).locator('td').allInnerTexts()).slice(2, 4);
    assert.deepEqual(await ended(1), ['0 s', 'inferred: the end was not detected']);
    assert.deepEqual(await ended(2), ['30 s, corrected from 2 min', 'detected by the phone']);
    await rows('visits').first().locator('td').nth(1).click();
    await link('Entered Hall').waitFor();
    assert.match(page.url(), /visitId/);
  });

  testInFull('visits stand newest first until another order is chosen', async () => {
    const entered = page.getByRole('columnheader', { name: 'Entered' });
    await open('/visits');
    await rows('visits').first().getByText('still here').waitFor();
    assert.equal(await entered.getAttribute('aria-sort'), 'descending');
    await entered.getByRole('button').click();
    await rows('visits').first().getByText('2 min').waitFor();
    assert.equal(await entered.getAttribute('aria-sort'), 'ascending');
    assert.match(page.url(), /order=enteredAt/);
    // A phone has no table headers, but a link back.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel('Sort by').selectOption('Entered, descending');
    await rows('visits').first().getByText('still here').waitFor();
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('an export has what is filtered, and runs no formula', async () => {
    await open(`/events?beacon=${cafe}`);
    await page.getByText('1–2 of 2').waitFor();
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const lines = readFileSync(await (await waiting).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(lines.length, 3);
    assert.match(lines[0] ?? '', /^\uFEFFoccurredAt,event,beacon,/);
    assert.match(lines[1] ?? '', /,EXIT,<img src=x onerror=alert\(1\)>,/);
    await page.getByText('2 events are in events.csv.').waitFor();
  });

  test('the deliveries of one message are reached by a link', async () => {
    const [{ triggerId }] = await site.list('deliveries');
    await open(`/deliveries?where=${encodeURIComponent(JSON.stringify({ triggerId }))}`);
    await page.getByText('1–2 of 2').waitFor();
    await page.getByText('Welcome').first().waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('failed');
    await page.getByText('No deliveries match.').waitFor();
  });

  test('a filter that the service refuses says why', async () => {
    await open(`/events?where=${encodeURIComponent(JSON.stringify({ nonsense: 1 }))}`);
    await page.getByRole('alert').filter({ hasText: 'nonsense' }).waitFor();
  });

  test('logs are there in both kinds', async () => {
    await open('/logs?kind=STORYLINE');
    await page.getByText('No log records match.').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('PRESENCE');
    await rows('log records').first().waitFor();
  });

  testInFull('an installer sees who by an id only, and no way to the installation', async () => {
    const other = await openAs(browser, { app: site.app, origin, role: 'installer' });
    await goTo(other.page, `/console/apps/${site.app.appId}/activity/events`);
    await other.page.getByRole('link', { name: 'Entered Hall' }).first().click();
    await other.page.getByText('What happened').waitFor();
    assert.equal(await other.page.locator('a[href*="/installations/"]').count(), 0);
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('a message in the why leads to itself', async () => {
    await site.scenario({ alertTitle: 'Another tour' });
    const scenario = await site.scenario({ beacons: [cafe], alertTitle: 'Coffee is ready' });
    site.app.clock.now += 60_000;
    await site.send([{ beacon: cafe, event: 'ENTER', occurredAt: site.now }]);
    await open('/events');
    await link(`Entered ${script}`).first().click();
    await link('Coffee is ready').click();
    await heading('Tour').waitFor();
    assert.ok(page.url().endsWith(`/messages/${scenario}`), page.url());
    assert.equal(await page.getByRole('textbox', { name: 'Title', exact: true }).inputValue(), 'Coffee is ready');
  });

  test('the numbers of the page are those of the interface, and its address leads to them again', async () => {
    const { appId } = site.app;
    for (let n = 3; n < 9; n++) {
      await site.installation({ installationId: `phone-${n}` });
      await site.send([site.decided('ENTER')], { installationId: `phone-${n}` });
      site.app.clock.now += 60_000 * n;
      await site.send([site.decided('EXIT')], { installationId: `phone-${n}` });
    }
    await site.app.app.rollups.settle(appId);
    await open('/events');
    await link('Visitors').click();
    await page.locator('[data-drawn=true]').first().waitFor();
    const figures = page.getByRole('list', { name: 'Figures of the period' }).locator('b');
    const on = new Date(site.now + 9 * 3_600_000).toISOString().slice(0, 10);
    const ask = async (query: string) =>
      (await site.ask({ method: 'GET', url: `/api/v2/analytics/visits?${query}` })).body.result;
    await page.getByText('Year', { exact: true }).click();
    await heading(`Visitors in ${on.slice(0, 4)}`).waitFor();
    const year = `from=${on.slice(0, 4)}-01-01&until=${Number(on.slice(0, 4)) + 1}-01-01`;
    const told = await ask(`${year}&interval=month`);
    const { visitors, newVisitors, returningVisitors, visits } = told.total;
    assert.ok(visitors >= 8);
    // The heading is there before the numbers are.
    await becomes(
      async () => (await figures.allInnerTexts()).slice(0, 4),
      [visitors, newVisitors, returningVisitors, visits].map(String),
    );
    // Of a room nobody is told to be new: they were so at the door.
    const rooms = page.getByRole('table', { name: 'Beacons' });
    await rooms.waitFor();
    assert.deepEqual(await rooms.locator('thead th').allInnerTexts(), [
      'Beacon',
      'Visitors',
      'Visits',
      'Stay (median)',
      'Usually',
    ]);
    await page.locator('summary').first().click();
    const table = page.getByRole('table', { name: 'Visitors by month' });
    assert.deepEqual(
      await table.locator('tbody tr td:nth-child(2)').allInnerTexts(),
      told.rows.map((row: { visitors: number }) => String(row.visitors)),
    );
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Visitors by month: save as CSV' }).click(),
    ]);
    const lines = readFileSync(await csv.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(lines[0]?.split(',').slice(2, 5).join(), 'start,visitors,newVisitors');
    assert.equal(lines.length, 25, 'the months of this year and of the one before');
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Visitors by month: save as PNG' }).click(),
    ]);
    assert.equal(readFileSync(await picture.path()).toString('latin1', 1, 4), 'PNG');
    await page.reload();
    await heading(`Visitors in ${on.slice(0, 4)}`).waitFor();
    await page.locator('[data-drawn=true]').nth(1).waitFor();
    await page.getByRole('table', { name: 'Beacons' }).getByText('Hall').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'analytics');
    await page.setViewportSize({ width: 390, height: 860 });
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(wide, 390, 'a phone does not scroll sideways');
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  testInFull(
    'an editor reads what a visitor would be shown on a day and hour, and why not; nothing is recorded',
    async () => {
      await site.notification({ description: 'In the evening', delivery: { validFrom: '2026-11-25T18:00:00+09:00' } });
      await site.notification({
        description: 'Once a day',
        delivery: { coolDown: { seconds: 86_400, per: 'trigger' } },
      });
      const known = await site.installation({ installationId: 'phone-back' });
      await site.send([site.decided('ENTER')], { installationId: 'phone-back' });
      site.app.clock.now += 60_000;
      await site.send([site.decided('EXIT')], { installationId: 'phone-back' });
      const before = await site.rows('events');
      const other = await openAs(browser, { app: site.app, origin, role: 'editor' });
      const editor = other.page;
      await goTo(editor, `/console/apps/${site.app.appId}/beacons/${site.hall}`);
      await editor.getByRole('link', { name: 'See what would happen here' }).click();
      await editor.getByLabel('Day and time').fill('2026-11-25T09:30');
      await editor.getByRole('button', { name: 'Show what would happen' }).click();
      const happens = editor.getByRole('region', { name: 'What would happen', exact: true });
      const line = (name: string) => happens.getByRole('listitem').filter({ hasText: name });
      await line('Welcome').getByText('Would be shown').waitFor();
      await line('In the evening').getByText('Not shown').waitFor();
      await line('In the evening').getByText('It starts on 25 Nov 2026, 18:00 in Asia/Tokyo.').waitFor();
      await happens.getByText('25 Nov 2026, 09:30:00').waitFor();
      await takePictures(editor, 'what-if');
      await assertAccessible(editor);
      await editor.getByLabel('Day and time').fill('2026-11-25T18:30');
      await editor.getByRole('button', { name: 'Show what would happen' }).click();
      await line('In the evening').getByText('Would be shown').waitFor();

      // The same way of somebody who was here an hour ago.
      const hour = new Date(site.now + 10 * 3_600_000).toISOString().slice(0, 16);
      await editor.getByLabel('Day and time').fill(hour);
      await editor.getByRole('button', { name: 'Show what would happen' }).click();
      await line('Once a day').getByText('Would be shown').waitFor();
      await editor.getByRole('combobox', { name: 'Visitor' }).fill(known.slice(-6));
      await editor.getByRole('option', { name: known.slice(-6) }).click();
      await editor.getByRole('button', { name: 'Show what would happen' }).click();
      await line('Once a day').getByText('Not shown').waitFor();
      await line('Once a day')
        .getByText(/^It was shown .* before, and the pause is 1 day\.$/)
        .waitFor();
      await assertAccessible(editor);
      assert.equal((await site.rows('events')).length, before.length);
      assert.deepEqual(other.complaints, []);
      await other.context.close();
    },
  );

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
