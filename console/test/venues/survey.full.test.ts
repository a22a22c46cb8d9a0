import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const corners = [
  { x: 0, y: 0 },
  { x: 20, y: 0 },
  { x: 20, y: 10 },
  { x: 0, y: 10 },
  { x: 0, y: 0 },
];

/** The tests are one session: each continues where the previous one stopped. */
describe('the survey of a floor with a phone', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let floorPath: string;
  let headers: Readonly<Record<string, string>>;
  let surveys: string;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
    const venueId = await make('venues', { name: 'Fair' });
    const of = pointer('Venue', venueId);
    const hall = { venueId: of, name: 'Hall', level: 0, size: { width: 20, height: 10 }, walls: [{ points: corners }] };
    const floorId = await make('floors', hall);
    for (const [minor, x] of [2, 10, 18].entries())
      await make('beacons', { uuid, major: 1, minor, name: `Stand ${minor}`, venueId: of, location: { x, y: 1 } });
    floorPath = `/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`;
    surveys = `/api/v2/floors/${floorId}/surveys`;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'installer' });
    page = visited.page;
    await page.setViewportSize({ width: 390, height: 844 });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const said = (text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const proof = { 'installation-secret': 'surveyor'.padEnd(43, 'x') };
  async function send(url: string, body: object) {
    const answer = await app.send({ method: 'POST', url: `/api/v2${url}`, body, headers: proof });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.result;
  }
  /** The phone stands before a beacon for a while, some seconds after what was before. */
  async function hears(minor: number) {
    app.clock.now += 5_000;
    const sightings = Array.from({ length: 12 }, (_, index) => ({
      ...{ uuid, major: 1, minor, rssi: -60 - (index % 3) },
      occurredAt: app.clock.now - 100 * index,
    }));
    await send('/sightings', { installationId: 'surveyor', sightings });
  }

  test('an installer pairs a phone, taps the plan, and saves what the phone hears there', async () => {
    await goTo(page, floorPath);
    await said('Nobody has surveyed this floor yet.');
    await page.getByRole('link', { name: 'Survey this floor' }).click();
    await said('Pair your phone first.');
    await button('Pair your phone').click();
    await button('Pair a phone').click();
    const dialog = page.getByRole('dialog');
    const code = await dialog.getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/).innerText();
    const phone = { installationId: 'surveyor', deviceType: 'android', deviceModel: 'Pixel 8' };
    const { objectId } = await send('/installations', phone);
    await send(`/installations/${objectId}/pairing`, { code });
    await button('Use this phone').click();
    await said('Tap the plan where you stand.');
    await page.getByRole('region', { name: 'Plan of Hall' }).click();
    await said('1 point, 0 signals of 0 beacons');
    await hears(1);
    await said('1 point, 12 signals of 1 beacon');
    await takePictures(page, 'survey');
    await assertAccessible(page);
    await button('Save the survey').click();
    await said('The survey is saved.');
    await said('Tap the plan where you stand.');
    const { body } = await app.send({ method: 'GET', url: surveys, headers });
    const [{ way, sampleCount, deviceModel, surveyedBy }] = body.results;
    assert.deepEqual([way.length, sampleCount, deviceModel], [1, 12, 'Pixel 8']);
    assert.match(surveyedBy, /^installer/);
  });

  test('the floor lists it and says what is missing; two make a figure, and one is deleted', async () => {
    await page.getByRole('region', { name: 'Plan of Hall' }).click();
    await hears(2);
    await said('1 point, 12 signals of 1 beacon');
    await button('Save the survey').click();
    await said('Tap the plan where you stand.');
    await app.app.idle();
    await goTo(page, floorPath);
    const list = page.getByRole('list', { name: 'Surveys' });
    await list.getByText('One spot').nth(1).waitFor();
    await takePictures(page, 'surveyed-floor');
    await assertAccessible(page);
    await list
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the survey' }).click();
    await said('The survey was deleted.');
    await said('After more surveys');
    assert.equal(await list.getByText('One spot').count(), 1);
  });
});
