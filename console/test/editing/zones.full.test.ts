import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** A museum in Jakarta, seven hours before UTC; the browser is in another zone. */
describe('dates are in the zone of the app', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  /** The day at the venue on which the beacon was made; in UTC it is the day before. */
  let day: string;
  let beaconId: string;
  let startedAt: number;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    startedAt = app.clock.now;
    await app.app.apps.change(app.appId, { policy: { timeZone: 'Asia/Jakarta' } });
    app.clock.now = Math.floor(app.clock.now / 86_400_000) * 86_400_000 + 20 * 3_600_000;
    day = new Date(app.clock.now + 7 * 3_600_000).toISOString().slice(0, 10);
    headers = (await signIn(app)).headers;
    await app.app.buckets.createBucket(app.appId, 'shows');
    await create(app, '/api/v2/data/schema/shows', { column: { at: { type: 'Date' } } }, headers);
    await create(app, '/api/v2/data/bucket/shows', { metadata: { title: 'Opening', at: '2026-05-04' } }, headers);
    beaconId = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    const phone = { installationId: 'p1', deviceType: 'android', deviceToken: 'token-1' };
    await app.send({ method: 'POST', url: '/api/v2/installations', body: phone });
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (rest: string) => goTo(page, `/console/apps/${app.appId}/${rest}`);
  const before1 = (date: string) => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);

  test('a list is filtered by days of the venue, and the chip says the day', async () => {
    await open('beacons');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('createdAt');
    await page.getByLabel('Operator').selectOption('before');
    await page.getByLabel('Value').fill(day);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No beacons match.').waitFor();
    await page.goto(`/console/apps/${app.appId}/beacons`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('createdAt');
    await page.getByLabel('Value').fill(day);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: 'Gate', exact: true }).waitFor();
    const said = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day));
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText(`Created is from ${said}`).waitFor();
    await page.reload();
    await page.getByText(`Created is from ${said}`).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    assert.equal(await page.getByLabel('Value').inputValue(), day);
  });

  test('a page has one zone: a record says when it was made at the venue, a form when its draft was', async () => {
    const at = (time: number) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Jakarta' }).format(
        time,
      );
    await open(`beacons/${beaconId}`);
    await page.getByText('Technical details').click();
    await page
      .getByText(at(app.clock.now).split(',')[0] ?? '', { exact: false })
      .first()
      .waitFor();
    await open('beacons/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop');
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    const before = Date.now();
    await page.getByRole('button', { name: 'Keep a draft and leave' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    // The app, which says the zone, comes after the form.
    const slow = (url: URL) => url.pathname.endsWith(`/apps/${app.appId}`);
    const formIsThere = Promise.withResolvers<void>();
    await page.route(slow, async (route) => {
      await formIsThere.promise;
      await route.continue();
    });
    await open('beacons/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
    formIsThere.resolve();
    const said = await page.getByText(/^This is your draft of/).innerText();
    assert.ok(
      [before, before - 60_000].some((time) => said.includes(at(time))),
      said,
    );
    await page.unroute(slow);
    await page.getByRole('button', { name: 'Throw the draft away' }).click();
  });

  test('the audience of a push is chosen by days of the venue', async () => {
    await open('push/new');
    await page.getByRole('radio', { name: 'Only some of them' }).check();
    await page.getByLabel('Field').selectOption('createdAt');
    await page.getByLabel('Operator').selectOption('before');
    await page.getByLabel('Value').fill(day);
    await page.getByText('of 0 phones can be reached').waitFor();
    await page.getByLabel('Operator').selectOption('from');
    await page.getByLabel('Value').fill(day);
    await page.getByText('of 1 phone can be reached').waitFor();
    await page.getByLabel('Value').fill(before1(day));
    await page.getByText('of 1 phone can be reached').waitFor();
  });

  test('a date without a time shows no time and stays that day', async () => {
    await open('buckets/shows');
    const row = page.getByRole('row', { name: /Opening/ });
    await row.waitFor();
    assert.match(await row.innerText(), /4 May 2026(?!,)/);
    assert.doesNotMatch(await row.innerText(), /4 May 2026, \d\d:/);
  });

  test('a page above the apps has one zone, too: its rows and its days are in it, and it can be chosen', async () => {
    // 20:00 in UTC is the next day in Tokyo, and the same one in the zone of this browser.
    const owner = await openAs(browser, { app, origin: new URL(page.url()).origin, role: 'owner' });
    const own = owner.page;
    const service = Intl.DateTimeFormat().resolvedOptions().timeZone;
    await own.goto('/console/audit');
    await own.getByText(`Times are in ${service}.`, { exact: false }).waitFor();
    await own.goto('/console/account');
    const zone = own.getByRole('combobox', { name: 'Time zone of the console' });
    await zone.click();
    await zone.fill('Tokyo');
    await assertAccessible(own);
    await own.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await own.waitForLoadState();
    await own.goto('/console/audit');
    await own.getByText('Times are in Asia/Tokyo.', { exact: false }).waitFor();
    const at = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' });
    const made = own.getByRole('listitem').filter({ hasText: 'signed in.' }).first();
    await made.getByText(at.format(app.clock.now)).waitFor();
    await takePictures(own, 'audit-zone');
    const inTokyo = new Date(app.clock.now + 9 * 3_600_000).toISOString().slice(0, 10);
    await own.getByLabel('Kind').selectOption('Sign-ins');
    await own.getByLabel('From').fill(inTokyo);
    await made.waitFor();
    await own.getByLabel('Until').fill(before1(inTokyo));
    await own.getByLabel('From').fill('');
    await own.getByText('No changes match.').waitFor();
    for (const above of ['apps', 'administrators']) {
      await own.goto(`/console/${above}`);
      await own.getByText('Times are in Asia/Tokyo.', { exact: false }).waitFor();
    }
    await own.goto('/console/system');
    await own.getByText('Times are in Asia/Tokyo.', { exact: false }).waitFor();
    await own.getByText(at.format(startedAt)).first().waitFor();
    assert.deepEqual(owner.complaints, []);
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
