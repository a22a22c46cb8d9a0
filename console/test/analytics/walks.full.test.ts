import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { houseOf } from './house.ts';

/** Each test continues where the previous one stopped. */
/** Plays a walk from its beginning. Seconds of it that pass while one second does, by the page's own clock: a busy machine makes no difference. */
const paceOfPlaying = `(async () => {
  const slider = document.querySelector('[role="slider"][aria-label="Moment of the walk"]');
  const moment = () => Number(slider.getAttribute('aria-valuenow'));
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Play').click();
  const began = performance.now();
  while (moment() < 2 && performance.now() - began < 20_000) await new Promise(requestAnimationFrame);
  return (moment() * 1000) / (performance.now() - began);
})()`;

describe('simulated walks in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { make, assertFitsPhone, makeHouse } = houseOf(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await makeHouse();
    await make('/beacons', { uuid, major: 1, minor: 3, name: 'Stairs beacon', location: { x: 30, y: 14, floor: 0 } });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('lets simulated visitors walk over the floor, and says what they would be shown; nothing is recorded', async () => {
    const [shop] = (
      await app.send({ method: 'GET', url: '/api/v2/beacons?order=-minor', headers })
    ).body.results.filter(({ name }: { name: string }) => name === 'Shop beacon');
    await make('/notifications', {
      description: 'Ten percent',
      beaconId: pointer('Beacon', shop.objectId),
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Today in the shop', alertMessage: 'Ten percent off.' },
      isEnabled: true,
    });
    const visits = async () =>
      (await app.send({ method: 'GET', url: '/api/v2/visits?count=1&limit=0', headers })).body.count;
    const before = await visits();
    await goTo(page, `/console/apps/${app.appId}/activity/walk`);
    await page.getByRole('button', { name: 'Start the walk' }).click();
    await page.getByRole('alert').filter({ hasText: 'A way has at least two points' }).waitFor();
    await takePictures(page, 'walk-refused');
    // One point with the mouse, the others as numbers.
    const plan = page.getByRole('group', { name: 'Plan of Ground floor' });
    const box = await plan.boundingBox();
    await plan.click({ position: { x: (box?.width ?? 0) * 0.1, y: (box?.height ?? 0) * 0.5 } });
    await page.getByRole('button', { name: 'Add a point' }).click();
    await page.getByRole('textbox', { name: 'Metres to the right, point 2' }).fill('40');
    await page.getByRole('textbox', { name: 'Metres down, point 2' }).fill('7');
    await page.getByRole('textbox', { name: 'Seconds at point 2' }).fill('40');
    await page.getByRole('button', { name: 'Start the walk' }).click();
    await page.getByText('Today in the shop').first().waitFor();
    const entered = page.getByRole('listitem').filter({ hasText: 'Entered Shop beacon' }).first();
    await entered.getByText('Would be shown').waitFor();
    await entered.getByText('Ten percent off.').waitFor();
    // The moment on the plan, and another one with the keyboard.
    await entered.getByRole('button').click();
    await page.getByText('The visitor is: Shop. The service believes: Shop').waitFor();
    const there = await page.locator('[data-walker="1"]').getAttribute('cx');
    await page.getByRole('slider', { name: 'Moment of the walk' }).press('Home');
    await page.getByText('The visitor is: not in the house').waitFor();
    await entered.getByRole('button').click();
    assert.equal(await page.locator('[data-walker="1"]').getAttribute('cx'), there, 'back at the same moment');
    await takePictures(page, 'walk');
    for (const [speed, least, most] of [
      ['1×', 0.1, 2],
      ['60×', 4, 90],
    ] as const) {
      await page.getByRole('slider', { name: 'Moment of the walk' }).press('Home');
      await page.getByText(speed, { exact: true }).click();
      const pace = Number(await page.evaluate(paceOfPlaying));
      assert.ok(pace > least && pace < most, `${speed}: ${pace} seconds of the walk in one`);
    }
    // Stops it.
    await page.getByRole('slider', { name: 'Moment of the walk' }).press('Home');
    await assertFitsPhone('walk');
    await assertAccessible(page);
    await page.getByText('Let visitors roam').click();
    await page.getByRole('textbox', { name: 'Visitors' }).fill('2');
    await page.getByRole('textbox', { name: 'Minutes' }).fill('1');
    await page.getByRole('button', { name: 'Start the walk' }).click();
    await page.getByText(/visitors? (is|are) in the house/).waitFor();
    await page.getByRole('slider', { name: 'Moment of the walk' }).press('End');
    await page.getByText('2 visitors are in the house, 2 noticed.').waitFor();
    await takePictures(page, 'walk-roam');
    await assertAccessible(page);
    assert.equal(await visits(), before);
  });

  test('somebody takes the stairs and is followed to the other floor; a walk that takes long can be cancelled', async () => {
    const { body } = await app.send({ method: 'GET', url: '/api/v2/venues', headers });
    const venueId = pointer('Venue', body.results[0].objectId);
    await make('/floors', { venueId, name: 'Upper floor', level: 1 });
    const location = { x: 20, y: 6, floor: 1 };
    await make('/beacons', { uuid, major: 1, minor: 5, name: 'Gallery beacon', venueId, location });
    await page.reload();
    await page.getByRole('button', { name: 'Suggest a way' }).click();
    await page.getByRole('combobox', { name: 'Floor', exact: true }).selectOption({ label: 'Upper floor' });
    await page.getByRole('button', { name: 'Add a point' }).click();
    const last = (await page.getByRole('table', { name: 'Points of the way' }).getByRole('row').count()) - 1;
    await page.getByRole('textbox', { name: `Metres to the right, point ${last}` }).fill('20');
    await page.getByRole('textbox', { name: `Metres down, point ${last}` }).fill('7');
    await page.getByRole('textbox', { name: `Seconds at point ${last}` }).fill('60');
    await page.getByRole('combobox', { name: `Floor of point ${last}` }).selectOption({ label: 'Upper floor' });
    await page.getByRole('combobox', { name: 'Floor', exact: true }).selectOption({ label: 'Ground floor' });
    // A service that answers only when it is let.
    let answers: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answers = resolve;
    });
    const address = '**/simulations/walks';
    await page.route(address, (route) => held.then(() => route.continue()).catch(() => undefined));
    await page.getByRole('button', { name: 'Start the walk' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(await page.getByRole('slider', { name: 'Moment of the walk' }).count(), 0);
    answers();
    await page.unroute(address);
    await page.getByRole('button', { name: 'Start the walk' }).click();
    const entered = page.getByRole('listitem').filter({ hasText: 'Entered Gallery beacon' }).last();
    await entered.getByRole('button').click();
    await page.getByText('The visitor is: outside of all zones (Upper floor).').waitFor();
    await page.getByRole('group', { name: 'Plan of Upper floor' }).locator('[data-walker="1"]').waitFor();
    await takePictures(page, 'walk-stairs');
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
  });
});
