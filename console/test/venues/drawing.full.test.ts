import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../../server/src/access/audit.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { script, venuePage } from './venue-page.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('what is drawn on the plan of a floor', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  const { button, heading, said, first, stored } = venuePage(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    const beacon = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1, name: script };
    await create(app, '/api/v2/beacons', beacon, headers);
    const venue = await create(app, '/api/v2/venues', { name: script }, headers);
    const venueId = pointer('Venue', venue);
    const type = { ...headers, 'content-type': 'image/png' };
    const picture = png(400, 200, (x) => [240, 240, Math.round(255 * x)]);
    const floor = await create(
      app,
      '/api/v2/floors',
      {
        venueId,
        name: 'Ground floor',
        level: 0,
        plan: { fileId: await create(app, '/api/v2/files/plan.png', picture, type), width: 400, height: 200 },
        scale: { from: { x: 0, y: 0 }, to: { x: 400, y: 0 }, metres: 20 },
      },
      headers,
    );
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floor}`);
    await page.locator('svg > image').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('a zone is drawn, a beacon is put into it and dragged, and each step is taken back', async () => {
    await page.getByText('Draw a zone', { exact: true }).click();
    await button('Add a rectangle').click();
    const zone = await stored('zones', () => true);
    assert.equal(zone.polygon.length, 4);
    await page.getByLabel('Name of the zone').fill('Shop');
    await page.getByLabel('Name of the zone').press('Enter');
    await stored('zones', ({ name }) => name === 'Shop');
    await page.getByLabel('Visitors at once, at most').fill('40');
    await page.getByLabel('Visitors at once, at most').press('Enter');
    await stored('zones', ({ capacity }) => capacity === 40);
    await page.getByRole('combobox', { name: 'Put a beacon on this floor' }).click();
    await page.getByRole('option', { name: script }).click();
    await said('In Shop.');
    const placed = await stored('beacons', ({ zoneId }) => zoneId !== undefined);
    assert.equal(placed.location.floor, 0);
    const marker = page.getByRole('button', { name: script }).first();
    // The page settles first: beside the beacon's panel the plan becomes narrower.
    await marker.hover();
    const box = await marker.boundingBox();
    assert.ok(box);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + 20, { steps: 4 });
    // The plan is drawn anew in the middle of it, as when a colleague's change arrives.
    await page.getByLabel('Snap').dispatchEvent('click');
    await page.mouse.move(box.x + 150, box.y + 30, { steps: 4 });
    await page.mouse.up();
    const moved = await stored('beacons', ({ zoneId }) => zoneId === undefined);
    assert.ok(moved.location.x > placed.location.x + 2, 'to the right');
    await said('In no zone.');
    await page.getByLabel('Snap').dispatchEvent('click');
    await page.keyboard.press('Control+z');
    await stored('beacons', ({ zoneId }) => zoneId !== undefined);
    // The page has to know it too, before it is moved from there.
    await said('In Shop.');
    await marker.focus();
    await marker.press('ArrowDown');
    const nudged = await stored('beacons', ({ location }) => (location as { y: number }).y !== placed.location.y);
    assert.equal(nudged.location.y, Math.round(100 * (placed.location.y + 0.1)) / 100);
    await assertAccessible(page);
    await takePictures(page, 'floor');
  });

  test('with a finger a beacon is dragged, and with two the plan is enlarged', async () => {
    const session = await visited.context.newCDPSession(page);
    const marker = page.getByRole('button', { name: script }).first();
    const picture = page.locator('svg > image');
    type Touched = readonly { readonly x: number; readonly y: number }[];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Touched) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
    const place = ({ location }: Record<string, unknown>) => (location as { x: number }).x;
    const before = place(await first('beacons'));
    await marker.hover();
    const box = await marker.boundingBox();
    assert.ok(box);
    const at = (step: number) => [{ x: box.x + box.width / 2 - 12 * step, y: box.y + box.height / 2 }];
    await touch('touchStart', at(0));
    for (let step = 1; step <= 5; step++) await touch('touchMove', at(step));
    await touch('touchEnd', []);
    await stored('beacons', (beacon) => place(beacon) < before - 1);
    await page.keyboard.press('Control+z');
    await stored('beacons', (beacon) => place(beacon) === before);
    const seen = await picture.boundingBox();
    assert.ok(seen);
    const fingers = (apart: number) =>
      [-1, 1].map((side, id) => ({ x: seen.x + seen.width / 2 + side * apart, y: seen.y + seen.height * 0.8, id }));
    await touch('touchStart', fingers(20));
    for (let step = 1; step <= 6; step++) await touch('touchMove', fingers(20 + 10 * step));
    await touch('touchEnd', []);
    await becomes(async () => ((await picture.boundingBox())?.width ?? 0) > 1.8 * seen.width, true);
    await page.reload();
    await marker.waitFor();
    await marker.click();
  });

  test('undo that is pressed while a change is being stored takes that change back, and no other', async () => {
    const place = ({ location }: Record<string, unknown>) => JSON.stringify(location);
    const before = await first('beacons');
    const marker = page.getByRole('button', { name: script }).first();
    const asked: string[] = [];
    const isHeld = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await page.route('**/v2/beacons/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      asked.push(place(route.request().postDataJSON()));
      isHeld.resolve();
      await gate.promise;
      return route.continue();
    });
    await marker.focus();
    await marker.press('ArrowDown');
    await isHeld.promise;
    await page.keyboard.press('Control+z');
    assert.equal(asked.length, 1);
    assert.equal(place(await first('beacons')), place(before));
    gate.resolve();
    await becomes(async () => asked.length, 2);
    await stored('beacons', (beacon) => place(beacon) === place(before));
    assert.notEqual(asked[0], place(before));
    assert.equal(asked[1], place(before));
    await page.unroute('**/v2/beacons/*');
  });

  test('a wall is drawn, snaps to a corner, is moved and taken back with the keyboard, and is in the list', async () => {
    const plan = page.getByRole('region', { name: 'Plan of Ground floor' });
    const [shop] = (await app.send({ method: 'GET', url: '/api/v2/zones', headers })).body.results;
    await page.getByText('Draw a wall', { exact: true }).click();
    assert.ok(await button('Finish the wall').isDisabled());
    // The plan is 20 m by 10 m; where a metre of it is on the screen is asked of the picture.
    await page.getByLabel('Snap').check();
    const box = await plan.locator('svg > image').boundingBox();
    assert.ok(box);
    const [corner] = shop.polygon;
    const click = (x: number, y: number) =>
      page.mouse.click(box.x + (x / 20) * box.width, box.y + (y / 10) * box.height);
    await click(corner.x + 0.15, corner.y - 0.1);
    await click(18, 2);
    await page.keyboard.press('Enter');
    const drawn = await stored('floors?where={"level":0}', ({ walls }) => walls !== undefined);
    const [start, end] = drawn.walls[0].points;
    assert.deepEqual(start, corner, 'it snapped to the corner of the shop');
    assert.ok(Math.hypot(end.x - 18, end.y - 2) < 0.3, JSON.stringify(end));
    await page.getByRole('button', { name: /^Wall 1/ }).click();
    await said('Walls are only drawn: positions do not take them into account.');
    await page.getByRole('button', { name: 'Corner 2 of Wall 1' }).press('Shift+ArrowDown');
    const wallIs = (x: number, y: number) =>
      stored('floors?where={"level":0}', ({ walls }) => {
        const [, to] = (walls as { points: { x: number; y: number }[] }[])[0]?.points ?? [];
        return to?.x === x && to.y === y;
      });
    const lower = Math.round((end.y + 1) * 100) / 100;
    await wallIs(end.x, lower);
    await page.getByText('Corners in numbers').click();
    await page.getByLabel('Corner 2, metres from the left').fill('17.5');
    await button('Use these corners').click();
    await wallIs(17.5, lower);
    // Somebody else draws one meanwhile: it stays.
    const walls = [
      {
        points: [
          { x: 0, y: 0 },
          { x: 1, y: 0 },
        ],
      },
      ...(await first('floors?where={"level":0}')).walls,
    ];
    const url = `/api/v2/floors/${drawn.objectId}`;
    assert.equal((await app.send({ method: 'PUT', url, headers, body: { walls } })).status, 200);
    await page.keyboard.press('Control+z');
    await stored('floors?where={"level":0}', ({ walls }) => (walls as typeof drawn.walls)[1]?.points[1].x === end.x);
    await page.getByRole('button', { name: /^Wall 2/ }).click();
    await assertAccessible(page);
    await takePictures(page, 'floor-wall');
    await button('Delete the wall').click();
    await stored('floors?where={"level":0}', ({ walls }) => (walls as unknown[]).length === 1);
  });

  test('a gateway is hung up, dragged, moved with the arrow keys, named, taken back and deleted', async () => {
    type Hung = readonly { readonly name: string; readonly x: number; readonly y: number }[];
    const plan = page.getByRole('region', { name: 'Plan of Ground floor' });
    const hung = (isSo: (gateways: Hung) => boolean) =>
      stored('floors?where={"level":0}', ({ gateways = [] }) => isSo(gateways as Hung));
    await button('Add a receiver (gateway)').click();
    const [added] = (await hung(({ length }) => length === 1)).gateways as Hung;
    assert.equal(added?.name, 'Gateway 1');
    const marker = plan.getByRole('button', { name: 'Gateway 1', exact: true });
    // The page settles first: beside the gateway's panel the plan becomes narrower.
    await marker.hover();
    const box = await marker.boundingBox();
    assert.ok(box);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.down();
    for (let step = 1; step <= 5; step++) await page.mouse.move(x + 14 * step, y - 6 * step);
    await page.mouse.up();
    const [dragged] = (await hung(([one]) => one !== undefined && one.x > added.x + 0.5 && one.y < added.y))
      .gateways as Hung;
    assert.ok(dragged);
    await marker.press('Shift+ArrowDown');
    const lower = Math.round((dragged.y + 1) * 100) / 100;
    await hung(([one]) => one?.x === dragged.x && one.y === lower);
    // Everything that is dragged is also in a list, with numbers.
    const list = page.getByRole('region', { name: 'Gateways' });
    await list.getByRole('button', { name: /^Gateway 1/ }).waitFor();
    await takePictures(page, 'gateway');
    await assertAccessible(page);
    await page.getByLabel('Name', { exact: true }).fill('By the door');
    await page.getByLabel('Metres from the left').fill('3.5');
    await page.getByLabel('Metres from the left').press('Enter');
    await hung(([one]) => one?.name === 'By the door' && one.x === 3.5 && one.y === lower);
    await button('Undo').click();
    await hung(([one]) => one?.name === 'Gateway 1' && one.x === dragged.x);
    await list.getByRole('button', { name: /^Gateway 1/ }).click();
    await button('Delete the receiver').click();
    await hung(({ length }) => length === 0);
    await button('Undo').click();
    await hung(([one]) => one?.name === 'Gateway 1');
    await marker.waitFor();
  });

  test('a gateway is tied to the secret key that it sends, and stays tied when it gets another name', async () => {
    type Tied = readonly { readonly name: string; readonly x: number; readonly keyId?: string }[];
    const floorPage = new URL(page.url()).pathname;
    const tied = (isSo: (gateways: Tied) => boolean) =>
      stored('floors?where={"level":0}', ({ gateways = [] }) => isSo(gateways as Tied));
    const scopes = [{ resource: 'sightings', verbs: ['create'] }];
    const { key } = await app.app.secretKeys.create(app.appId, { name: 'Ceiling', scopes }, commandLine);
    await page.reload();
    const list = page.getByRole('region', { name: 'Gateways' });
    await list.getByRole('button', { name: /^Gateway 1/ }).click();
    await page.getByRole('combobox', { name: 'Secret key' }).click();
    await page.getByRole('option', { name: /^Ceiling …/ }).click();
    await takePictures(page, 'gateway-key');
    await assertAccessible(page);
    await page.getByLabel('Metres from the left').press('Enter');
    await tied(([one]) => one?.keyId === key.keyId);
    await page.getByLabel('Name', { exact: true }).fill('By the door');
    await page.getByLabel('Metres from the left').press('Enter');
    await tied(([one]) => one?.name === 'By the door' && one.keyId === key.keyId);
    await goTo(page, `/console/apps/${app.appId}/keys`);
    await page.getByText(/^sent by By the door \(Ground floor\)$/).waitFor();
    await takePictures(page, 'gateway-of-key');
    await assertAccessible(page);
    await button('Revoke Ceiling').click();
    await page.getByText('Gateways that send it, as the plans say: By the door (Ground floor).').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await said('The secret key was revoked.');
    await goTo(page, floorPage);
    await list.getByRole('button', { name: /^By the door/ }).click();
    assert.equal(await page.getByRole('combobox', { name: 'Secret key' }).inputValue(), 'A key that was revoked');
    await page.getByLabel('Metres from the left').fill('4');
    await page.getByLabel('Metres from the left').press('Enter');
    await tied(([one]) => one?.x === 4 && one.keyId === key.keyId);
  });

  test('a floor with something on it stays, and says what is on it', async () => {
    await button('Delete').click();
    await button('Delete Ground floor').click();
    await said('On this floor there are still 1 zone and 1 beacon.');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button('Duplicate Ground floor').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('First floor');
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click();
    await heading(`First floor, ${script}`).waitFor();
    await page.getByRole('button', { name: /^Shop/ }).waitFor();
    await page.getByRole('button', { name: /^Wall 1/ }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a zone that is deleted and taken back is the same one', async () => {
    const ids = async (): Promise<string> => {
      const { body } = await app.send({ method: 'GET', url: '/api/v2/zones', headers });
      return body.results
        .map(({ objectId }: { objectId: string }) => objectId)
        .sort()
        .join();
    };
    const before = await ids();
    await page.getByRole('button', { name: /^Shop/ }).first().click();
    await button('Delete the zone').click();
    await becomes(async () => (await ids()).length < before.length, true);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await becomes(ids, before);
  });

  test('what a colleague has changed meanwhile stays: another corner of the zone, and where a beacon hangs', async () => {
    const put = async (path: string, body: object) => {
      const answer = await app.send({ method: 'PUT', url: `/api/v2/${path}`, headers, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const list = async (path: string) =>
      (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;
    await page.getByRole('button', { name: /^Shop/ }).first().click();
    await page.getByText('Corners in numbers').click();
    const own = page.getByLabel('Corner 1, metres from the left');
    const [x, y] = [
      Number(await own.inputValue()),
      Number(await page.getByLabel('Corner 1, metres from the top').inputValue()),
    ];
    const shop = (await list('zones')).find(({ floorId }: { floorId: { objectId: string } }) =>
      page.url().includes(floorId.objectId),
    );
    const theirs = shop.polygon.map((corner: { x: number; y: number }, at: number) =>
      at === 2 ? { x: corner.x, y: corner.y + 0.3 } : corner,
    );
    await put(`zones/${shop.objectId}`, { polygon: theirs });
    await own.fill(String(x + 0.2));
    await button('Use these corners').click();
    const both = [{ x: x + 0.2, y }, ...theirs.slice(1)];
    const now = async () =>
      (await list('zones')).find(({ objectId }: { objectId: string }) => objectId === shop.objectId);
    await becomes(async () => (await now()).polygon, both);
    // One's own step is taken back, and theirs is not.
    await page.getByRole('button', { name: /^Undo/ }).click();
    await becomes(async () => (await now()).polygon, theirs);
    // A beacon hangs at one place: whoever did not see where it is now is told.
    const [beacon] = await list('beacons');
    const floor = { ...beacon.location, floor: 1, x: 3, y: 3 };
    await put(`beacons/${beacon.objectId}`, { location: floor });
    await page.reload();
    const marker = page.getByRole('button', { name: script }).first();
    await marker.waitFor();
    await put(`beacons/${beacon.objectId}`, { location: { ...floor, y: 5 } });
    await marker.focus();
    await marker.press('ArrowRight');
    await said('has changed');
    const { location } = (await list('beacons'))[0];
    assert.deepEqual([location.x, location.y], [3, 5]);
    await put(`beacons/${beacon.objectId}`, { location: beacon.location });
  });

  test('of more beacons than can be dragged, the one that is clicked is chosen and can be moved', async () => {
    const make = (path: string, body: unknown, more = {}) =>
      create(app, `/api/v2/${path}`, body, { ...headers, ...more });
    const venue = { __type: 'Pointer', className: 'Venue', objectId: await make('venues', { name: 'Fair' }) };
    const type = { 'content-type': 'image/png' };
    const fileId = await make(
      'files/fair.png',
      png(400, 200, () => [250, 250, 250]),
      type,
    );
    const floor = {
      venueId: venue,
      name: 'Fair hall',
      level: 0,
      plan: { fileId, width: 400, height: 200 },
      scale: { from: { x: 0, y: 0 }, to: { x: 400, y: 0 }, metres: 40 },
    };
    const floorId = await make('floors', floor);
    for (let minor = 0; minor < 310; minor++) {
      const location = { x: 1 + (minor % 31) * 1.25, y: 1 + Math.floor(minor / 31) * 1.9, floor: 0 };
      await make('beacons', { uuid: 'A', major: 9, minor, name: `Stand ${minor}`, venueId: venue, location });
    }
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venue.objectId}/floors/${floorId}`);
    await page.getByRole('heading', { name: 'Beacons · 310' }).waitFor();
    const box = await page.locator('svg > image').boundingBox();
    assert.ok(box);
    // The 100th: the eighth of the fourth row.
    const [x, y] = [1 + 7 * 1.25, 1 + 3 * 1.9];
    await page.mouse.click(box.x + (x / 40) * box.width, box.y + (y / 20) * box.height);
    await heading('Stand 100').waitFor();
    await page.getByRole('button', { name: 'Stand 100', exact: true }).first().press('Shift+ArrowRight');
    await stored('beacons?where={"minor":100,"major":9}', ({ location }) => (location as { x: number }).x === x + 1);
    await assertAccessible(page);
    await takePictures(page, 'floor-crowded');
    assert.deepEqual(visited.complaints, []);
  });
});
