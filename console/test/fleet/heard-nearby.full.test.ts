import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('what gateways hear nearby', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Record<string, string>;
  let origin: string;
  beforeAll(async () => {
    const started = await startConsole();
    ({ app, origin } = started);
    ({ headers } = await signInManager(app));
    const venueId = await create(app, '/api/v2/venues', { name: 'Tower' }, headers);
    const floor = {
      venueId: pointer('Venue', venueId),
      name: 'Ground floor',
      level: 0,
      size: { width: 20, height: 10 },
    };
    await create(app, '/api/v2/floors', floor, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const beacon = (minor: number, rssi: number) => ({
    ...{ type: 'iBeacon', mac: `C30000${String(minor).padStart(6, '0')}`, ibeaconUuid: uuid.replaceAll('-', '') },
    ...{ ibeaconMajor: 7, ibeaconMinor: minor, rssi, timestamp: new Date(app.clock.now).toISOString() },
  });
  const report = async (heard: object) => {
    app.clock.now += 1_000;
    const url = '/api/v2/gateways/ac233fc03641/report';
    const { status, body } = await app.send({ method: 'POST', url, headers, body: heard });
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const list = async (path: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;
  const view = (name: string) => page.getByText(name, { exact: true }).click();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const items = () => page.getByRole('list', { name: 'Heard nearby' }).getByRole('listitem');
  const save = () => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const name = (minor: number) => `Beacon 7/${minor}`;
  /** Looks again at once. */
  const again = () => page.reload();

  test('three clicks make a gateway of a floor of one that has only reported', async () => {
    await report([beacon(1, -48), beacon(2, -60), beacon(3, -70), beacon(4, -80)]);
    await goTo(page, `/console/apps/${app.appId}/gateways`);
    await button('Put on a floor: ac233fc03641').click();
    // There is only one.
    await becomes(() => page.getByRole('combobox', { name: 'Floor' }).inputValue(), 'Tower · Ground floor');
    await assertAccessible(page);
    await takePictures(page, 'gateway-place');
    await save();
    await page.getByRole('link', { name: 'ac233fc03641' }).waitFor();
    await takePictures(page, 'gateways');
    const sendsTooMuch = page.getByText('Sends too much', { exact: true });
    assert.equal(await sendsTooMuch.count(), 0);
    await app.storage.db.run(sql`update gateway_states set refused_at = ${Date.now()}`);
    await again();
    await sendsTooMuch.waitFor();
    const [made] = await list('beacons');
    assert.deepEqual([made.metadata, made.location], [{ gatewayId: 'ac233fc03641' }, { x: 10, y: 5, floor: 0 }]);
  });

  test('technical details say whose messages a gateway sends', async () => {
    // Addresses that change are not listed as heard nearby.
    const stray = { mac: '400000000009', rssi: -60 };
    assert.equal((await report(stray)).problems[0].code, 'unknown_format');
    await page.getByText('Technical details', { exact: true }).click();
    const format = page.getByRole('combobox', { name: 'Format of its messages' });
    assert.equal(await format.inputValue(), 'Found automatically');
    await format.click();
    await page.getByRole('option', { name: 'OpenMQTTGateway, Theengs' }).click();
    await page.getByText('Saved. It counts within ten seconds.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'gateway-format');
    assert.equal((await report(stray)).format, 'openmqttgateway');
    await becomes(() => format.inputValue(), 'OpenMQTTGateway, Theengs');
    await format.click();
    await page.getByRole('option', { name: 'Found automatically' }).click();
    await becomes(async () => (await report(stray)).format, null);
  });

  test('three clicks make a beacon, a tag of a person, or a tag on a thing', async () => {
    await view('Heard nearby');
    await becomes(() => items().count(), 4);
    await assertAccessible(page);
    await takePictures(page, 'heard');
    for (const [minor, choice] of [
      [1, 'as a beacon'],
      [2, 'as a tag that somebody wears'],
      [3, 'as a tag on a thing'],
    ] as const) {
      await button(`Take over: ${name(minor)}`).click();
      await page.getByRole('menuitem', { name: choice }).click();
      await takePictures(page, `take-over-${minor}`);
      await save();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await becomes(() => items().count(), 4 - minor);
    }
    // What was taken over counts at once.
    const { taken, beacon: beacons, unknown } = await report([1, 2, 3, 4].map((minor) => beacon(minor, -60)));
    assert.deepEqual([taken, beacons, unknown], [2, 1, 1]);
  });

  test('what is ignored stays so, until somebody shows it again', async () => {
    await button(`Ignore: ${name(4)}`).click();
    await page.getByText('Nothing unknown nearby').waitFor();
    await report([beacon(4, -40)]);
    await again();
    await page.getByText('Nothing unknown nearby').waitFor();
    await view('Ignored');
    await button(`Show again: iBeacon:${uuid}-7-4`).click();
    await page.getByText('Nothing is ignored').waitFor();
    await view('Heard nearby');
    await becomes(() => items().count(), 1);
  });

  test('a rule from the dialog adds the others with the UUID automatically, and can be stopped', async () => {
    await button(`Take over: ${name(4)}`).click();
    await page.getByRole('menuitem', { name: 'as a beacon' }).click();
    await page.getByRole('checkbox', { name: 'Add all others with this UUID automatically' }).check();
    await save();
    await page.getByText('up to 200 beacons').waitFor();
    await takePictures(page, 'adoption-rules');
    await report([beacon(5, -60)]);
    await again();
    await page.getByText('Nothing unknown nearby').waitFor();
    await becomes(async () => (await list('beacons')).length, 4);
    await button(`Stop: ${uuid}`).click();
    await page.getByRole('heading', { name: 'Added automatically' }).waitFor({ state: 'detached' });
  });

  test('three taps on a phone are as good', async () => {
    const context = await browser.newContext({
      ...{ baseURL: origin, storageState: await visited.context.storageState(), reducedMotion: 'reduce' },
      ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    });
    const phone = await context.newPage();
    await report([{ ...beacon(6, -45), ibeaconUuid: 'F7826DA64FA24E988024BC5B71E0893E' }]);
    await goTo(phone, `/console/apps/${app.appId}/gateways?view=heard`);
    await phone.getByRole('button', { name: `Take over: ${name(6)}` }).tap();
    await phone.getByRole('menuitem', { name: 'as a beacon' }).tap();
    const dialog = phone.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    assert.ok(await phone.evaluate('document.documentElement.scrollWidth <= window.innerWidth'));
    await takePictures(phone, 'take-over-by-touch');
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await phone.getByText('Nothing unknown nearby').waitFor();
    assert.ok((await list('beacons')).some(({ minor }: { minor: number }) => minor === 6));
    await context.close();
  });

  test('a long list is whole on a wide and on a narrow screen, in light and dark', async () => {
    await report(Array.from({ length: 200 }, (_, index) => beacon(100 + index, -40 - (index % 60))));
    await again();
    await becomes(() => items().count(), 100);
    const folder = process.env['PHAROS_TEST_PICTURES'];
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'));
        if (folder) await page.screenshot({ path: `${folder}/heard-${width}-${colorScheme}.png` });
      }
  });

  test('a gateway looks like a receiver on the plan of its floor', async () => {
    const [{ objectId, venueId }] = await list('floors');
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId.objectId}/floors/${objectId}`);
    const plan = page.getByRole('region', { name: 'Plan of Ground floor' });
    // Beacons are round.
    await plan.getByRole('button', { name: 'ac233fc03641', exact: true }).locator('rect').waitFor();
  });
});
