import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const beacon = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };

describe('calibrating a beacon in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let beaconId: string;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    app.clock.now = Date.now();
    headers = (await signIn(app)).headers;
    beaconId = await create(app, '/api/v2/beacons', { name: 'Main hall', ...beacon }, headers);
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'ios' }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** The phone hears the beacon for a quarter of a minute from now on, by the clock of the browser. */
  async function hear(rssi: number) {
    const from = (await page.evaluate('Date.now()')) as number;
    app.clock.now = from + 15_000;
    const sightings = Array.from({ length: 30 }, (_, half) => ({
      ...beacon,
      rssi: rssi + (half % 3) - 1,
      occurredAt: from + half * 500,
    }));
    const body = { installationId: 'phone', sightings };
    const sent = await app.send({ method: 'POST', url: '/api/v2/sightings', body });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
  }

  const block = () => page.getByRole('region', { name: 'Calibration' });
  const press = (name: string | RegExp) => block().getByRole('button', { name }).click();

  test('a phone that stands at one metre says how loud it is there, and that is saved', async () => {
    await page.clock.install({ time: app.clock.now });
    await page.goto(`/console/apps/${app.appId}/beacons/${beaconId}`);
    await page.getByText('Technical details').click();
    await block().getByText('No phone is at this beacon now.', { exact: false }).waitFor();
    await assertAccessible(page);
    await hear(-66);
    await page.clock.runFor(16_000);
    await block().getByLabel('Phone').waitFor();
    await press('Measure');
    await block().getByText('The phone has sensed nothing yet.', { exact: false }).waitFor();
    assert.equal(await block().getByRole('button', { name: 'Save' }).isDisabled(), true);
    await hear(-66);
    await page.clock.runFor(2_000);
    await block()
      .getByText(/readings, -66 dBm in the middle\. Stay where you are\./)
      .waitFor();
    await assertAccessible(page);
    await takePictures(page, 'calibration');
    await page.clock.runFor(30_000);
    await block().getByText('That is enough.', { exact: false }).waitFor();
    await press('Save -66 dBm');
    await page.getByText('Main hall is calibrated: -66 dBm at one metre.').waitFor();
    await page.getByText('-66 dBm at 1 m').waitFor();
    const { body } = await app.send({ method: 'GET', url: `/api/v2/beacons/${beaconId}`, headers });
    assert.equal(body.result.measuredPower, -66);
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
