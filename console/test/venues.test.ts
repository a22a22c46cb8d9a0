import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { png } from '../../server/src/demo/pictures.ts';
import { signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { assertAccessible } from './axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from './browser.ts';
import { takePictures } from './pictures.ts';

const script = '<img src=x onerror=alert(1)>';

/** Next year, so that no day of it is over. */
const year = new Date().getUTCFullYear() + 1;
const calendar = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//test//EN
BEGIN:VEVENT
UID:1
DTSTART;VALUE=DATE:${year}1224
DTEND;VALUE=DATE:${year}1227
SUMMARY:Christmas
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20200501
RRULE:FREQ=YEARLY
SUMMARY:Labour Day
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n');

/** The tests are one session: each continues where the previous one stopped. */
describe('venues in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  before(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const hall = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1 };
    await create(app, '/api/v2/beacons', { ...hall, name: script, minor: 1 }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const said = (text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const first = async (path: string) => {
    const answer = await app.send({ method: 'GET', url: `/api/v2/${path}`, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.results[0];
  };
  /** Until the service has what the page shows. */
  async function stored(path: string, isThere: (record: Record<string, unknown>) => boolean) {
    let record: Awaited<ReturnType<typeof first>>;
    await becomes(async () => {
      record = await first(path);
      return record !== undefined && isThere(record);
    }, true);
    return record;
  }
  const choose = (name: string, file: { name: string; mimeType: string; buffer: Buffer }) =>
    Promise.all([page.waitForEvent('filechooser'), button(name).click()]).then(([chooser]) => chooser.setFiles(file));

  test('a venue gets hours, and holidays from a calendar after they were shown', async () => {
    await goTo(page, `/console/apps/${app.appId}/beacons`);
    await page.getByText('Venues', { exact: true }).click();
    await heading('No venues yet').waitFor();
    await page.getByRole('link', { name: 'Add a venue' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(script);
    await page.getByRole('switch', { name: 'The opening hours are known' }).click();
    await button('Open on Monday').click();
    await page.getByLabel('Monday, opens').fill('20:00');
    await page.getByLabel('Monday, closes').fill('11:00');
    const ics = (buffer: Buffer) => ({ name: 'days.ics', mimeType: 'text/calendar', buffer });
    await choose('Import a calendar', ics(Buffer.from('no calendar')));
    await said('This is no calendar.');
    await choose('Import a calendar', ics(Buffer.from(calendar)));
    await page.getByRole('dialog').getByText(`24 Dec ${year}`).waitFor();
    await button('Add them').click();
    await assertAccessible(page);
    await button('Add the venue').click();
    await said('Overlaps: Mon 20:00 to 11:00 and Tue 10:00 to 18:00.');
    await page.getByLabel('Monday, closes').fill('03:00');
    await button('Add the venue').click();
    await heading('Floors').waitFor();
    const venue = await first('venues');
    assert.equal(venue.name, script);
    assert.deepEqual(venue.openingHours[0], { dayName: 'Mon', from: '20:00', until: '03:00' });
    const dates = venue.exceptions.map(({ date }: { date: string }) => date);
    for (const day of [`${year}-12-24`, `${year}-12-26`, `${year}-05-01`]) assert.ok(dates.includes(day), day);
    assert.ok(!dates.includes(`${year}-12-27`), 'the end of an event is the day behind it');
    await takePictures(page, 'venue');
  });

  test('a floor takes a picture and refuses what is none', async () => {
    await button('Add a floor').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Ground floor');
    await page.getByRole('dialog').getByRole('button', { name: 'Add the floor' }).click();
    await heading('Plan').waitFor();
    const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });
    const replace = (one: ReturnType<typeof file>) => choose('Upload a picture or PDF', one);
    await replace(file('plan.svg', 'image/svg+xml', Buffer.from('<svg><script>alert(1)</script></svg>')));
    await said('plan.svg is an SVG drawing, which may run scripts.');
    await replace(file('plan.png', 'image/png', Buffer.from('no picture')));
    await said('plan.png cannot be read as a picture.');
    await replace(
      file(
        'plan.png',
        'image/png',
        png(400, 200, (x) => [240, 240, Math.round(255 * x)]),
      ),
    );
    await button('Replace the plan').waitFor();
    await page.getByLabel('Width of the picture').fill('20');
    await button('Save').click();
    const floor = await stored('floors', ({ scale }) => scale !== undefined);
    assert.deepEqual(floor.plan.width, 400);
    assert.deepEqual(floor.scale, { from: { x: 0, y: 0 }, to: { x: 400, y: 0 }, metres: 20 });
    await page.locator('img.leaflet-image-layer').waitFor();
  });

  test('the scale of a plan is two points that somebody clicks, and the metres between them', async () => {
    // What is stored later has another time.
    app.clock.now += 1_000;
    await page.getByText('Measure', { exact: true }).click();
    const box = await page.locator('img.leaflet-image-layer').boundingBox();
    assert.ok(box);
    for (const share of [0.25, 0.75]) await page.mouse.click(box.x + share * box.width, box.y + 0.5 * box.height);
    await page.getByLabel('Metres between the two points').fill('8');
    await button('Set the scale').click();
    const { scale } = await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 8);
    const pixels = [scale.from.x - 100, scale.from.y - 100, scale.to.x - 300, scale.to.y - 100];
    assert.ok(
      pixels.every((off) => Math.abs(off) < 3),
      JSON.stringify(scale),
    );
    await becomes(() => page.getByLabel('Width of the picture').inputValue(), '16');
    await page.getByLabel('Width of the picture').fill('20');
    await button('Save').click();
    await stored('floors', ({ scale }) => (scale as { metres: number }).metres === 20);
  });

  test('the whole plan stays in sight when the window changes, until somebody zooms', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    const map = page.locator('section.leaflet-container');
    const picture = page.locator('img.leaflet-image-layer');
    const boxes = async () => [await map.boundingBox(), await picture.boundingBox()] as const;
    const isFitted = async () => {
      const [room, plan] = await boxes();
      if (!room || !plan) return false;
      const isInside = plan.x >= room.x - 1 && plan.x + plan.width <= room.x + room.width + 1;
      return isInside && Math.max(plan.width / room.width, plan.height / room.height) > 0.7;
    };
    for (const width of [800, 420, 1_500]) {
      await page.setViewportSize({ ...known, width });
      await becomes(isFitted, true);
    }
    const before = (await boxes())[1]?.width ?? 0;
    await page.locator('.leaflet-control-zoom-in').click();
    await becomes(async () => ((await boxes())[1]?.width ?? 0) > 1.8 * before, true);
    const [wide, zoomed] = await boxes();
    await page.setViewportSize({ ...known, width: 800 });
    await becomes(async () => ((await boxes())[0]?.width ?? 0) < (wide?.width ?? 0) - 200, true);
    assert.equal(
      Math.round((await boxes())[1]?.width ?? 0),
      Math.round(zoomed?.width ?? 0),
      'it is as large as before',
    );
    await page.setViewportSize(known);
    await page.reload();
    await picture.waitFor();
    await becomes(isFitted, true);
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
    const picture = page.locator('img.leaflet-image-layer');
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
    const box = await plan.locator('img.leaflet-image-layer').boundingBox();
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
    await page.getByText('Corners in metres').click();
    await page.getByLabel('x of corner 2').fill('17.5');
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
    await button('Add a gateway').click();
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
    await page.getByLabel('x, metres').fill('3.5');
    await page.getByLabel('x, metres').press('Enter');
    await hung(([one]) => one?.name === 'By the door' && one.x === 3.5 && one.y === lower);
    await button('Undo').click();
    await hung(([one]) => one?.name === 'Gateway 1' && one.x === dragged.x);
    await list.getByRole('button', { name: /^Gateway 1/ }).click();
    await button('Delete the gateway').click();
    await hung(({ length }) => length === 0);
    await button('Undo').click();
    await hung(([one]) => one?.name === 'Gateway 1');
    await marker.waitFor();
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

  test('an IMDF archive is refused until the venue knows where it is, and is read again', async () => {
    const venue = await first('venues');
    await page.getByRole('link', { name: script }).first().click();
    await button('Export IMDF').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The venue does not say where it is on earth.').waitFor();
    await dialog.getByText('First floor does not say where north is.').waitFor();
    await takePictures(page, 'imdf-refused');
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const put = async (path: string, body: object) =>
      assert.equal((await app.send({ method: 'PUT', url: `/api/v2/${path}`, headers, body })).status, 200);
    await put(`venues/${venue.objectId}`, { location: { latitude: 57.72, longitude: 10.58 } });
    const floors = (await app.send({ method: 'GET', url: '/api/v2/floors', headers })).body.results;
    for (const { objectId } of floors) await put(`floors/${objectId}`, { north: 15 });
    await page.reload();
    await button('Export IMDF').click();
    await dialog.getByRole('button', { name: 'Save the archive' }).click();
    await dialog.getByText('must be two letters, such as AT').waitFor();
    await dialog.getByLabel('Town').fill('Skagen');
    await dialog.getByLabel('Country').fill('DK');
    await takePictures(page, 'imdf');
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save the archive' }).click(),
    ]);
    assert.match(archive.suggestedFilename(), /\.zip$/);
    const [table] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()]);
    assert.match(table.suggestedFilename(), /\.csv$/);
    await page.getByRole('link', { name: 'Import GeoJSON, IMDF or CSV' }).click();
    // The page before has files to choose, too.
    await heading('Import GeoJSON, IMDF or CSV').waitFor();
    const chosen = page.locator('input[type=file]');
    await chosen.setInputFiles({ name: 'x.zip', mimeType: 'application/zip', buffer: Buffer.from('PK nothing') });
    await said('This is no ZIP archive that can be read.');
    await chosen.setInputFiles(await archive.path());
    await said('4 unchanged');
    await takePictures(page, 'imdf-import');
    // The table has the venue and the walls as well.
    const text = readFileSync(await table.path(), 'utf8');
    const things = text.trimEnd().split('\r\n').length - 1;
    const csv = (content: string) => ({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await chosen.setInputFiles(csv(text));
    await said(`${things} unchanged`);
    await chosen.setInputFiles(csv(`${text}zone,,Kiosk,1,shop,12,,0 0; 3 0; 3 2,,\r\nzone,,Nowhere,1,shop,,,,,\r\n`));
    await said('It needs corners: 3 or more pairs of metres, such as 0 0; 4.5 0; 4.5 3.');
    await takePictures(page, 'csv-import');
    await assertAccessible(page);
    await page.getByRole('button', { name: /^Import 1/ }).click();
    await stored('zones?where={"name":"Kiosk"}', ({ capacity }) => capacity === 12);
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
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
    const box = await page.locator('img.leaflet-image-layer').boundingBox();
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
