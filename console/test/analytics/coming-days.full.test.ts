import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { houseOf } from './house.ts';

/** Each test continues where the previous one stopped. */
describe('what the coming days may bring, and what marks them', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { make, open, report, savedBy, assertFitsPhone } = houseOf(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await make('/venues', { name: 'House' });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('says what the next open day may bring, with its error', async () => {
    const annex = await make('/beacons', { uuid, major: 1, minor: 4, name: 'Annex' });
    const now = Date.now();
    const phones = ['past-0', 'past-1', 'past-2', 'past-3'];
    for (const installationId of phones) await make('/installations', { installationId, deviceType: 'ios' });
    // Every week at this time yesterday's tomorrow: three visitors, and four every other week.
    for (let weeks = 12; weeks > 0; weeks--)
      for (const [minute, event] of (['ENTER', 'EXIT'] as const).entries()) {
        app.clock.now = now + 86_400_000 * (1 - 7 * weeks) + minute * 60_000;
        const sightings = [{ beacon: annex, event, occurredAt: app.clock.now }];
        await Promise.all(phones.slice(weeks % 2).map((phone) => report(phone, sightings)));
      }
    app.clock.now = Date.now();
    await app.app.rollups.settle(app.appId);
    // One is valid from today on, the other ended before this month.
    const lamps = { beaconId: pointer('Beacon', annex), event: 'ENTER', type: 'TEXT', isEnabled: true };
    const message = { alertTitle: 'Lamps', alertMessage: 'Now on the first floor.' };
    const today = new Date(app.clock.now).toISOString();
    await make('/notifications', { ...lamps, message, description: 'Lamps', delivery: { validFrom: today } });
    const over = { validUntil: new Date(app.clock.now - 40 * 86_400_000).toISOString() };
    await make('/notifications', { ...lamps, message, description: 'Ships', delivery: over });
    await open('');
    await page.getByRole('heading', { name: 'The next open day' }).waitFor();
    await page.getByText(/: about 4 visitors$/).waitFor();
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\)\.$/).waitFor();
    await page
      .getByText('On 8 of the 8 days on which this was tried, it would have been off by one visitor at most.')
      .waitFor();
    await takePictures(page, 'forecast');
    await assertAccessible(page);
  });

  test('marks holidays and campaigns above the bars of visitors, and in their table', async () => {
    const today = new Date(app.clock.now + (12 - new Date(app.clock.now).getUTCHours()) * 3_600_000).toISOString();
    const [venue] = (await app.send({ method: 'GET', url: '/api/v2/venues', headers })).body.results;
    const openingHours = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((dayName) => ({
      dayName,
      from: '00:00',
      until: '23:59',
    }));
    const exceptions = [{ date: today.slice(0, 10), name: 'Jubilee', hours: [] }];
    const url = `/api/v2/venues/${venue.objectId}`;
    const changed = await app.send({ method: 'PUT', url, headers, body: { openingHours, exceptions } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));

    await open('');
    await page.getByText('Campaigns in this time: Lamps').waitFor();
    await page.getByText('Marked above the bars:').getByText('Holidays and other days').waitFor();
    await page.locator('summary').first().click();
    const table = page.getByRole('table', { name: 'Visitors by day' });
    await table.getByRole('columnheader', { name: 'Holidays and campaigns' }).waitFor();
    const marks = await table.locator('tbody tr td:last-child').allInnerTexts();
    const at = Number(today.slice(8, 10)) - 1;
    assert.deepEqual(
      marks,
      marks.map((_, day) => (day < at ? '' : day === at ? 'Jubilee; Lamps' : 'Lamps')),
    );
    await takePictures(page, 'marks-month');
    await assertAccessible(page);

    await page.getByText('Year', { exact: true }).click();
    await page.getByRole('heading', { name: `Visitors in ${today.slice(0, 4)}` }).waitFor();
    // Another plot, whose table is closed.
    await page.getByRole('img', { name: 'Visitors by month' }).waitFor();
    await page.locator('summary').first().click();
    await page.getByRole('table', { name: 'Visitors by month' }).getByText('Jubilee; Lamps').waitFor();
    const drawing = (await savedBy('Visitors by month: save as SVG')).toString();
    for (const name of ['Jubilee', 'Lamps']) assert.ok(drawing.includes(`>${name}<`), `${name} is in the plot`);
    await assertFitsPhone('marks');
    await takePictures(page, 'marks-year');
  });

  test('names of a place only the campaigns at its beacons, those of scenarios among them', async () => {
    const [venue] = (await app.send({ method: 'GET', url: '/api/v2/venues', headers })).body.results;
    const validFrom = new Date(app.clock.now).toISOString();
    const foyer = await make('/beacons', {
      uuid,
      major: 1,
      minor: 77,
      name: 'Foyer',
      venueId: pointer('Venue', venue.objectId),
    });
    const showOn = [{ dayName: 'Mon', checked: true }];
    const scenario = { beacons: [foyer], campaign: 'TEXT', event: 'ENTER', showOn, delivery: { validFrom } };
    const shown = await make('/storylines', { title: 'Night', isEnabled: true });
    await make(`/storylines/${shown}/detail`, { ...scenario, alertTitle: 'Torches' });
    const off = await make('/storylines', { title: 'Morning', isEnabled: false });
    await make(`/storylines/${off}/detail`, scenario);
    const on = validFrom.slice(0, 10);
    await open(`?on=${on}`);
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\) and Night: Torches \(from .*\)\.$/).waitFor();
    await open(`?on=${on}&venue=${venue.objectId}`);
    await page.getByText(/^Campaigns in this time: Night: Torches \(from .*\)\.$/).waitFor();
    await open(`?on=${on}&beacon=${foyer}`);
    await page.getByText(/^Campaigns in this time: Night: Torches \(from .*\)\.$/).waitFor();
    const [annex] = (await app.send({ method: 'GET', url: '/api/v2/beacons?where={"name":"Annex"}', headers })).body
      .results;
    await open(`?on=${on}&beacon=${annex.objectId}`);
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\)\.$/).waitFor();
    assert.deepEqual(visited.complaints, []);
  });
});
