import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { beaconOf } from '../../src/features/venues/round/match.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

test('a label means the beacon that it names, by its page or by its numbers', () => {
  const beacons = [
    { objectId: '0VnZxSfm4kQ7uLw2PzRt', uuid, major: 1, minor: 12 },
    { objectId: '0VnZxSfn9cB3dEfGhJkM', uuid, major: 11, minor: 2 },
  ];
  const meant = (text: string) => beacons.indexOf(beaconOf(text, beacons) as never);
  assert.deepEqual(
    [
      'https://pharos.example/console/apps/a/beacons/0VnZxSfn9cB3dEfGhJkM',
      '0VnZxSfm4kQ7uLw2PzRt',
      `${uuid} / 1 / 12`,
      `uuid=${uuid.replaceAll('-', '').toLowerCase()}&major=11&minor=2`,
      `${uuid}:1:2`,
      'https://example.org/',
    ].map(meant),
    [1, 0, 0, 1, -1, -1],
  );
});

/** The tests are one session: each continues where the previous one stopped. */
describe('an install round on a phone', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let venueId: string;
  const beacons: Record<string, string> = {};

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    // What is done on the phone is not ahead of the service, whose clock stands still.
    app.clock.now = Date.now() + 600_000;
    headers = (await signInManager(app)).headers;
    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
    venueId = await make('venues', { name: 'Tower' });
    const of = pointer('Venue', venueId);
    await make('floors', {
      venueId: of,
      name: 'Ground floor',
      level: 0,
      size: { width: 20, height: 10 },
      walls: [box],
    });
    await make('floors', { venueId: of, name: 'Gallery', level: 1, walls: [box] });
    for (const [minor, name] of ['Door', 'Hall', 'Stairs'].entries())
      beacons[name] = await make('beacons', { uuid, major: 1, minor, name, venueId: of });
    await make('beacons', { uuid, major: 1, minor: 9, name: 'Elsewhere' });
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'installer' });
    page = visited.page;
    await page.setViewportSize({ width: 390, height: 800 });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** So that the plan has a size without a picture. */
  const box = {
    points: [
      { x: 0, y: 0 },
      { x: 20, y: 0 },
      { x: 20, y: 10 },
      { x: 0, y: 10 },
      { x: 0, y: 0 },
    ],
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const said = (text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const row = (name: string) => page.getByRole('list', { name: 'Beacons' }).getByRole('button', { name });
  const place = (name: string) => page.getByRole('region', { name: `Place ${name}` });
  const path = (rest: string) => `/console/apps/${app.appId}/beacons${rest}`;
  const beacon = async (name: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/beacons/${beacons[name]}`, headers })).body.result;
  const placements = async () =>
    (await app.send({ method: 'GET', url: `/api/v2/placements?venueId=${venueId}`, headers })).body.results;
  /** To be refused by what its head says. */
  const huge = png(1, 1, () => [0, 0, 0]);
  huge.writeUInt32BE(30_000, 16);
  huge.writeUInt32BE(30_000, 20);
  async function choose(name: string, buffer: Buffer) {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(name).click()]);
    await chooser.setFiles({ name: 'picture.png', mimeType: 'image/png', buffer });
  }
  async function type(x: number, y: number) {
    await page.getByLabel('Metres from the left').fill(String(x));
    await page.getByLabel('Metres from the top').fill(String(y));
    await button('It is here: verified').click();
  }

  test('the label of a beacon is printed, and its picture finds the beacon', async () => {
    await goTo(page, path(`/venues/${venueId}`));
    await page.getByRole('link', { name: 'Install round' }).click();
    await said('0 of 3 beacons verified');
    await page.getByRole('link', { name: 'Labels to print' }).click();
    const codes = page.getByRole('img', { name: /^QR code of/ });
    await becomes(() => codes.count(), 3);
    await takePictures(page, 'labels');
    await assertAccessible(page);
    const label = await page.getByRole('img', { name: 'QR code of Hall' }).screenshot();
    await page.getByRole('link', { name: 'Tower' }).click();
    await page.getByRole('link', { name: 'Install round' }).click();
    await row('Hall').waitFor();
    await takePictures(page, 'round');
    await choose(
      'Label from a picture',
      png(300, 300, () => [255, 255, 255]),
    );
    await said('There is no QR code in this picture.');
    await choose('Label from a picture', huge);
    await said('picture.png has 30000 × 30000 pixels. A photograph may have 120 million.');
    await button('Scan a label').click();
    await said('The page gets no camera.');
    await choose('Label from a picture', label);
    await place('Hall').waitFor();
    await assertAccessible(page);
  });

  test('without a label, one’s own phone says which beacon of the venue is the nearest', async () => {
    await button('Cancel').click();
    await button('Find the nearest by its signal').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Then this page says which beacon the phone is nearest to.', { exact: false }).waitFor();
    await button('Pair a phone').click();
    const code = await dialog.getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/).innerText();
    await assertAccessible(page);
    const proof = { 'installation-secret': 'installer'.padEnd(43, 'x') };
    const send = async (url: string, body: object) => {
      const answer = await app.send({ method: 'POST', url: `/api/v2${url}`, body, headers: proof });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body.result;
    };
    const phone = { installationId: 'ladder', deviceType: 'android', deviceModel: 'Pixel 8' };
    const { objectId } = await send('/installations', phone);
    await send(`/installations/${objectId}/pairing`, { code });
    await button('Use this phone').click();
    await said('Your phone hears no beacon of this venue.');
    const hear = (rssis: Readonly<Record<number, number>>) => {
      const sightings = Object.entries(rssis).flatMap(([minor, rssi]) =>
        [0, 1, 2].map((n) => ({
          uuid,
          major: 1,
          minor: Number(minor),
          rssi,
          occurredAt: app.clock.now - 900 + n * 300,
        })),
      );
      return send('/sightings', { installationId: 'ladder', sightings });
    };
    // The loudest belongs to no venue.
    await hear({ 0: -70, 1: -52, 9: -40 });
    const near = page.getByRole('list', { name: 'Beacons near you' });
    await near.getByText('nearest, -52 dBm').waitFor();
    assert.match(await near.innerText(), /Hall\s+nearest, -52 dBm\s+Door\s+-70 dBm/);
    await assertAccessible(page);
    await takePictures(page, 'round-nearest');
    app.clock.now += 11_000;
    await hear({ 0: -49, 1: -66 });
    await near.getByText('nearest, -49 dBm').waitFor();
    await hear({ 1: -45 });
    await near.getByRole('button', { name: /^Hall/ }).click();
    await place('Hall').waitFor();
  });

  test('a tap on the plan and a photograph, and it is known by whom and when', async () => {
    await page.getByLabel('Floor').selectOption('Gallery');
    const plan = page.getByRole('region', { name: 'Plan of Gallery' });
    const seen = await plan.boundingBox();
    assert.ok(seen);
    // The middle of what is shown is the middle of the walls.
    await page.mouse.click(seen.x + seen.width / 2, seen.y + seen.height / 2);
    await becomes(async () => Math.round(Number(await page.getByLabel('Metres from the left').inputValue())), 10);
    await choose('Take a photograph', Buffer.from('no picture'));
    await said('picture.png cannot be read as a picture.');
    await choose('Take a photograph', huge);
    await said('picture.png has 30000 × 30000 pixels. A photograph may have 120 million.');
    await choose(
      'Take a photograph',
      png(3000, 2000, (x) => [200, Math.round(255 * x), 90]),
    );
    await said('Photograph taken');
    await takePictures(page, 'round-place');
    await button('It is here: verified').click();
    await said('1 of 3 beacons verified');
    await becomes(async () => (await placements()).length, 1);
    const [{ verifiedBy, photoId, location, isMoved }] = await placements();
    assert.match(verifiedBy, /^installer.*@museum\.example$/);
    assert.deepEqual([isMoved, location.floor, Math.round(location.y)], [false, 1, 5]);
    assert.ok(photoId);
    assert.equal((await beacon('Hall')).location.floor, 1);
    await row('Hall').getByText(verifiedBy).waitFor();
  });

  test('without a network it is kept on the device, also over a reload, and sent later; nobody is overwritten unasked', async () => {
    await row('Door').waitFor();
    await visited.context.setOffline(true);
    await row('Door').click();
    await type(3, 4);
    await row('Stairs').click();
    await type(6, 7);
    await said('2 beacons are kept on this device and sent when there is a network.');
    await said('1 of 3 beacons verified');
    await takePictures(page, 'round-offline');
    const url = `/api/v2/beacons/${beacons['Stairs']}`;
    const theirs = { x: 1, y: 1, floor: 1 };
    assert.equal((await app.send({ method: 'PUT', url, headers, body: { location: theirs } })).status, 200);
    assert.equal((await beacon('Door')).location, undefined);
    await visited.context.setOffline(false);
    await said('Somebody else has moved it meanwhile.');
    await said('You: 6, 7 on floor 1. They: 1, 1 on floor 1.');
    assert.deepEqual((await beacon('Door')).location, { x: 3, y: 4, floor: 1 });
    assert.deepEqual((await beacon('Stairs')).location, theirs);
    await said('2 of 3 beacons verified');
    await page.reload();
    await said('Somebody else has moved it meanwhile.');
    await assertAccessible(page);
    await takePictures(page, 'round-conflict');
    await button('Use mine').click();
    await becomes(async () => (await placements()).length, 3);
    assert.deepEqual((await beacon('Stairs')).location, { x: 6, y: 7, floor: 1 });
    await button('Use mine').waitFor({ state: 'detached' });
    await said('3 of 3 beacons verified');
  });

  test('what is placed again while the photograph is still being sent is not lost', async () => {
    let letGo = () => {};
    const isHeld = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let count = 0;
    await page.route(/\/photo$/, async (route) => {
      count++;
      await isHeld;
      await route.continue();
    });
    await row('Door').click();
    await choose(
      'Take a photograph',
      png(300, 200, (x) => [90, Math.round(255 * x), 90]),
    );
    await said('Photograph taken');
    await type(3, 4);
    await becomes(async () => count, 1);
    // A step back, and another look.
    await row('Door').click();
    await type(5, 6);
    await row('Door').waitFor();
    letGo();
    await becomes(async () => (await beacon('Door')).location, { x: 5, y: 6, floor: 1 });
    await becomes(async () => (await placements()).every(({ isMoved }: { isMoved: boolean }) => !isMoved), true);
    await said('3 of 3 beacons verified');
    const found = (await placements()).find(
      (one: { beaconId: { objectId: string } }) => one.beaconId.objectId === beacons['Door'],
    );
    assert.ok(found?.photoId, 'nor is the photograph');
    assert.equal(count, 1, 'which is sent once');
    await page.unroute(/\/photo$/);
  });

  test('the page of the beacon and the list say who verified it', async () => {
    await goTo(page, path(`/${beacons['Hall']}`));
    await page.getByRole('img', { name: 'Where the beacon is' }).waitFor();
    await said('installer');
    await takePictures(page, 'beacon-verified');
    const url = `/api/v2/beacons/${beacons['Hall']}`;
    await app.send({ method: 'PUT', url, headers, body: { location: { x: 1, y: 1, floor: 0 } } });
    await goTo(page, path(''));
    await page.getByRole('row', { name: /Hall/ }).getByText('moved since').waitFor();
    const offline = /ERR_INTERNET_DISCONNECTED/;
    assert.deepEqual(
      visited.complaints.filter((complaint) => !offline.test(complaint)),
      [],
    );
  });
});
