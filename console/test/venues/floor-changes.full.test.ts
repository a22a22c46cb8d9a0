import assert from 'node:assert/strict';
import type { Beacon, Floor } from '@pharos/sdk';
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

/** What was drawn and hung up on a floor stays on it, whatever becomes of its plan, its level and its copies. */
describe('a floor that is changed when it has zones and beacons', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let [venueId, floorId] = ['', ''];
  const { button, said, first, stored, choose } = venuePage(() => ({ page, app, headers }));
  const picture = (name: string, width: number, height: number) => ({
    name,
    mimeType: 'image/png',
    buffer: png(width, height, (x) => [230, 240, Math.round(255 * x)]),
  });
  const open = () => goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`);

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    venueId = await create(app, '/api/v2/venues', { name: 'House' }, headers);
    const type = { ...headers, 'content-type': 'image/png' };
    const fileId = await create(app, '/api/v2/files/plan.png', picture('', 400, 200).buffer, type);
    const floor = {
      venueId: pointer('Venue', venueId),
      name: 'Ground floor',
      level: 0,
      plan: { fileId, width: 400, height: 200 },
      scale: { from: { x: 100, y: 50 }, to: { x: 300, y: 50 }, metres: 10 },
      origin: { x: 20, y: 10 },
    };
    floorId = await create(app, '/api/v2/floors', floor, headers);
    for (const name of ['Shop', 'Hall', 'Café']) {
      const polygon = [
        { x: 1, y: 1 },
        { x: 9, y: 1 },
        { x: 9, y: 5 },
      ];
      await create(app, '/api/v2/zones', { floorId: pointer('Floor', floorId), name, kind: 'room', polygon }, headers);
    }
    const numbers = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1 };
    for (const [minor, level] of [0, 0, 7].entries()) {
      const place = { venueId: pointer('Venue', venueId), location: { x: 8, y: 2, floor: level } };
      await create(app, '/api/v2/beacons', { name: `Beacon ${minor}`, ...numbers, minor, ...place }, headers);
    }
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await open();
    await page.locator('svg > image').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('the same plan with more pixels lies where the one before did, and can be taken back', async () => {
    const before = (await first('floors')) as Floor;
    await choose('Replace the plan', picture('sharper.png', 1600, 800));
    await said('The plan is stored.');
    const sharper = (await stored('floors', (floor) => (floor as unknown as Floor).plan?.width === 1600)) as Floor;
    assert.deepEqual(
      [sharper.scale, sharper.origin],
      [
        { from: { x: 400, y: 200 }, to: { x: 1200, y: 200 }, metres: 10 },
        { x: 80, y: 40 },
      ],
      'it is 20 metres wide as before, and begins one metre to the left',
    );
    await becomes(() => page.getByLabel('Width of the picture').inputValue(), '20');
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    const laid = ({ plan, scale, origin }: Floor) => ({ plan, scale, origin });
    await becomes(async () => laid((await first('floors')) as Floor), laid(before));
  });

  test('of a picture with another shape it is said that zones may not fit', async () => {
    await choose('Replace the plan', picture('cut.png', 800, 300));
    await said('it has another shape. See whether the zones still fit');
    // A long sentence does not squeeze the button beside it.
    const undo = await page.getByRole('alert').getByRole('button', { name: 'Undo' }).boundingBox();
    assert.ok((undo?.width ?? 0) > 45, `${undo?.width} pixels`);
    await takePictures(page, 'plan-of-another-shape');
    await assertAccessible(page);
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await stored('floors', (floor) => (floor as unknown as Floor).plan?.height === 200);
    // The form has read it again, so that it is not taken for somebody else's change.
    await becomes(() => page.getByLabel('Zero point, from the left').inputValue(), '20');
  });

  test('its beacons come along to another level, and back', async () => {
    const levels = async () => {
      const { body } = await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers });
      return (body.results as Beacon[]).map(({ location, zoneId }) => {
        const { floor } = location as unknown as { readonly floor: unknown };
        return [floor, zoneId !== undefined];
      });
    };
    const before = [
      [0, true],
      [0, true],
      [7, false],
    ];
    assert.deepEqual(await levels(), before);
    await page.getByLabel('Level', { exact: true }).fill('2');
    await page.locator('form').filter({ hasText: 'Name of the floor' }).getByRole('button', { name: 'Save' }).click();
    await said('Ground floor is saved.');
    assert.deepEqual(await levels(), [
      [2, true],
      [2, true],
      [7, false],
    ]);
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await becomes(levels, before);
  });

  test('whoever may not change beacons cannot take the floor away from them', async () => {
    const editor = await openAs(browser, { app, origin: new URL(page.url()).origin, role: 'editor' });
    await editor.page.goto(`/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`);
    await editor.page.getByLabel('Level', { exact: true }).fill('3');
    await editor.page.getByRole('button', { name: 'Save' }).click();
    await editor.page.getByText('2 beacons are on Ground floor by its level or name, and your role').waitFor();
    assert.equal((await first('floors')).level, 0);
    await editor.page.getByLabel('Level', { exact: true }).fill('0');
    await editor.page.getByLabel('North', { exact: false }).fill('90');
    await editor.page.getByRole('button', { name: 'Save' }).click();
    await stored('floors', ({ north }) => north === 90);
    await editor.context.close();
  });

  test('a beacon at a level that no floor has is not out of reach', async () => {
    await page.getByRole('combobox', { name: 'Put a beacon on this floor' }).click();
    await page.getByRole('option', { name: 'Beacon 2' }).click();
    await becomes(async () => {
      const { body } = await app.send({ method: 'GET', url: '/api/v2/beacons?where={"minor":2}', headers });
      return body.results[0].location.floor;
    }, 0);
  });

  test('of floors from pictures of one scale, those that were refused have it at the next try, too', async () => {
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}`);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add floors from pictures').click()]);
    await chooser.setFiles([picture('1 Wide.png', 400, 200), picture('2 Narrow.png', 200, 200)]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Width of the widest picture').fill('40');
    await dialog.getByLabel('Level of floor 1').fill('5');
    await dialog.getByLabel('Level of floor 2').fill('0');
    await dialog.getByRole('button', { name: 'Add 2 floors' }).click();
    await dialog.getByText('is already at level 0', { exact: false }).waitFor();
    await dialog.getByLabel('Level of floor 1').fill('6');
    await dialog.getByRole('button', { name: 'Add 1 floor' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/floors?where={"level":{"$gt":4}}', headers }))
      .body;
    assert.deepEqual((results as Floor[]).map(({ name, scale }) => [name, scale?.to.x, scale?.metres]).sort(), [
      ['1 Wide', 400, 40],
      ['2 Narrow', 200, 20],
    ]);
    for (const { objectId } of results)
      await app.send({ method: 'DELETE', url: `/api/v2/floors/${objectId}`, headers });
    await open();
  });

  test('a copy that the network has cut short is finished by the next try', async () => {
    let count = 0;
    await page.route(/\/zones$/, (route) =>
      route.request().method() === 'POST' && ++count > 1 ? route.abort() : route.continue(),
    );
    await button('Duplicate Ground floor').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('First floor');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await dialog.getByText('1 of 3 zones are copied so far.', { exact: false }).waitFor();
    await page.unroute(/\/zones$/);
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'First floor, House' }).waitFor();
    const { body } = await app.send({ method: 'GET', url: '/api/v2/zones?order=name', headers });
    const names = (body.results as { name: string; floorId: { objectId: string } }[])
      .filter((zone) => zone.floorId.objectId !== floorId)
      .map(({ name }) => name);
    assert.deepEqual(names, ['Café', 'Hall', 'Shop']);
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/floors?order=level', headers })).body;
    assert.deepEqual(
      (results as Floor[]).map(({ name, level, plan }) => [name, level, plan?.width]),
      [
        ['Ground floor', 0, 400],
        ['First floor', 1, 400],
      ],
    );
  });

  test('without a network the plan shows what is stored, and what could not be taken back is taken back later', async () => {
    await open();
    const marker = page.getByRole('button', { name: 'Beacon 2' }).first();
    const seen = async () => Math.round((await marker.boundingBox())?.x ?? 0);
    const beacon = async () =>
      (await app.send({ method: 'GET', url: '/api/v2/beacons?where={"minor":2}', headers })).body.results[0].location.x;
    await marker.focus();
    const [before, there] = [await seen(), await beacon()];
    await visited.context.setOffline(true);
    await marker.press('Shift+ArrowRight');
    await page.getByRole('alert').first().waitFor();
    await becomes(seen, before);
    assert.equal(await beacon(), there);
    await visited.context.setOffline(false);
    await marker.focus();
    await marker.press('Shift+ArrowRight');
    await becomes(beacon, there + 1);
    await said('Saved: Beacon 2 moved');
    await visited.context.setOffline(true);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByRole('alert').first().waitFor();
    assert.equal(await beacon(), there + 1);
    await visited.context.setOffline(false);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await becomes(beacon, there);
    await becomes(seen, before);
  });

  test('a key that is pressed again while its move is being stored, or before the plan is drawn anew, counts each time', async () => {
    await open();
    const marker = page.getByRole('button', { name: 'Beacon 2' }).first();
    const beacon = async () =>
      (await app.send({ method: 'GET', url: '/api/v2/beacons?where={"minor":2}', headers })).body.results[0].location.x;
    const there = await beacon();
    let goOn = () => {};
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isHeld = false;
    await page.route('**/v2/beacons/*', async (route) => {
      isHeld = true;
      await mayGoOn;
      await route.continue();
    });
    await marker.press('Shift+ArrowRight');
    await becomes(async () => isHeld, true);
    await marker.press('Shift+ArrowRight');
    await page.evaluate(`(() => {
      const key = { key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true };
      const focused = document.activeElement;
      for (let times = 0; times < 3; times++) focused.dispatchEvent(new KeyboardEvent('keydown', key));
    })()`);
    goOn();
    await becomes(async () => Math.round(100 * ((await beacon()) - there)) / 100, 5);
    await page.unrouteAll();
    assert.equal(await page.getByText('Somebody else', { exact: false }).count(), 0);
    await page.keyboard.press('Control+z');
    await becomes(async () => Math.round(100 * ((await beacon()) - there)) / 100, 4);
  });

  test('buttons of the page are pressed with the Enter key, too', async () => {
    await open();
    const zones = async () => (await app.send({ method: 'GET', url: '/api/v2/zones', headers })).body.results.length;
    const before = await zones();
    await page.getByText('Draw a zone', { exact: true }).click();
    await button('Add a rectangle').press('Enter');
    await becomes(zones, before + 1);
    await button('Undo').press('Enter');
    await becomes(zones, before);
  });

  test('of the file of its plan it is said where it is used, and of a floor that its picture was deleted', async () => {
    const { fileId } = ((await first('floors')) as Floor).plan ?? {};
    await goTo(page, `/console/apps/${app.appId}/files?file=${fileId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the plan of Ground floor').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await said('It is used in the plan of Ground floor and First floor; they will show nothing in its place.');
    await button('Delete plan.png').click();
    await said('plan.png was deleted.');
    await open();
    await said('The picture of this plan was deleted.');
    await assertAccessible(page);
    await takePictures(page, 'plan-deleted');
    await button('Duplicate Ground floor').click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Attic');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Attic, House' }).waitFor();
    await page.getByText('Zones · 3').waitFor();
    const complaints = visited.complaints.filter((text) => !/ERR_FAILED|ERR_INTERNET_DISCONNECTED/.test(text));
    assert.deepEqual(complaints, []);
  });
});
