import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { pointer, stay, uuid, walk } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const minuteMs = 60_000;

interface House {
  readonly venueId: string;
  readonly hall: string;
  readonly shop: string;
}

/** Two houses with two rooms each, in which visitors were within the last two hours. */
describe('the live plan', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let headers: Readonly<Record<string, string>>;
  let north: House;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signInManager(app)).headers;
    north = await house('North', 1);
    await house('South', 11);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const make = (path: string, body: object) => create(app, `/api/v2${path}`, body, headers);
  const open = (page: Page) => goTo(page, `/console/apps/${app.appId}/activity/analytics/plan?show=now`);
  const said = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const inZone = (page: Page, zone: string) =>
    page
      .getByRole('table', { name: 'Visitors by zone' })
      .getByRole('row')
      .filter({ hasText: zone })
      .getByRole('cell')
      .first();
  async function report(installationId: string, sightings: readonly object[]) {
    const answer = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  /** A house with a plan, a hall around x 20 and a shop around x 40, each with a beacon. */
  async function house(name: string, minor: number): Promise<House> {
    const venueId = await make('/venues', { name: `${name} museum` });
    const picture = png(600, 200, () => [250, 248, 240]);
    const type = { ...headers, 'content-type': 'image/png' };
    const fileId = await create(app, `/api/v2/files/${name}.png`, picture, type);
    const plan = { fileId, width: 600, height: 200 };
    const scale = { from: { x: 0, y: 0 }, to: { x: 600, y: 0 }, metres: 60 };
    const of = pointer('Venue', venueId);
    const gateways = [{ name: `${name} ceiling`, x: 30, y: 3 }];
    const floorId = await make('/floors', {
      venueId: of,
      name: `${name} ground floor`,
      level: 0,
      plan,
      scale,
      gateways,
    });
    const rooms: string[] = [];
    for (const [index, room] of ['hall', 'shop'].entries()) {
      const x = 20 * (index + 1);
      const polygon = [
        { x: x - 8, y: 0 },
        { x: x + 8, y: 0 },
        { x: x + 8, y: 12 },
        { x: x - 8, y: 12 },
      ];
      await make('/zones', { floorId: pointer('Floor', floorId), name: `${name} ${room}`, kind: 'room', polygon });
      const location = { x, y: 6, floor: 0 };
      rooms.push(
        await make('/beacons', {
          uuid,
          major: 1,
          minor: minor + index,
          name: `${name} ${room}`,
          venueId: of,
          location,
        }),
      );
    }
    return { venueId, hall: rooms[0] ?? '', shop: rooms[1] ?? '' };
  }

  /** Some phones at a beacon, from and until minutes before now. */
  async function were(beacon: string, phones: readonly string[], from: number, until: number) {
    const now = Date.now();
    for (const [event, minutes] of [
      ['ENTER', from],
      ['EXIT', until],
    ] as const) {
      app.clock.now = now - minutes * minuteMs;
      for (const phone of phones) await report(phone, [{ beacon, event, occurredAt: app.clock.now }]);
    }
    app.clock.now = now;
  }

  test('the last two hours are walked through by minutes, with the keyboard, and played until now', async () => {
    const phones = ['a', 'b', 'c', 'd', 'e'];
    for (const installationId of phones) await make('/installations', { installationId, deviceType: 'ios' });
    await were(north.hall, phones.slice(0, 3), 40, 30);
    await were(north.shop, phones.slice(3), 6, 2);
    const { page, complaints } = await openAs(browser, { app, origin, role: 'owner' });
    await open(page);
    await page.getByLabel('Floor', { exact: true }).selectOption({ label: 'North ground floor' });
    await said(page, '0 visitors in the zones of this floor now.');
    // Who hears nobody may be why nobody is there.
    await page.getByText('Receivers (gateways, drawn as squares): North ceiling.').waitFor();
    assert.equal(
      await page.locator('[data-id="North ceiling"] title').textContent(),
      'Receiver (gateway): North ceiling',
    );
    await takePictures(page, 'plan-nobody');
    const slider = page.getByRole('slider', { name: 'Minutes before now' });
    await slider.focus();
    for (let minute = 0; minute < 4; minute++) await page.keyboard.press('ArrowLeft');
    await said(page, '2 visitors in the zones of this floor at');
    assert.equal(await inZone(page, 'North shop').textContent(), '2');
    await takePictures(page, 'plan-scrubber');
    await assertAccessible(page);
    await slider.focus();
    for (let minute = 4; minute < 35; minute++) await page.keyboard.press('ArrowLeft');
    await said(page, '3 visitors in the zones of this floor at');
    assert.equal(await inZone(page, 'North hall').textContent(), '3');
    assert.equal(await inZone(page, 'North shop').textContent(), '0');
    await page.keyboard.press('Home');
    await said(page, '0 visitors in the zones of this floor at');
    await page.keyboard.press('End');
    for (let minute = 0; minute < 4; minute++) await page.keyboard.press('ArrowLeft');
    await said(page, '2 visitors in the zones of this floor at');
    await page.getByRole('button', { name: 'Play' }).click();
    await said(page, '0 visitors in the zones of this floor now.');
    assert.ok(await page.getByRole('button', { name: 'Play' }).isDisabled(), 'now is the end');
    // Going back does not play on, and neither does going somewhere while it is played.
    const back = async (minutes: number) => {
      await slider.focus();
      for (let minute = 0; minute < minutes; minute++) await page.keyboard.press('ArrowLeft');
    };
    /** Nothing moves it while the page's clock runs on for a second. */
    const staysForASecond = async (minutes: number) => {
      for (let look = 0; look < 4; look++) {
        assert.equal(await slider.getAttribute('aria-valuenow'), String(-minutes));
        await page.waitForTimeout(250);
      }
    };
    await back(35);
    await staysForASecond(35);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await slider.press('Home');
    await staysForASecond(120);
    // On another floor it is the same moment.
    await page.getByLabel('Floor', { exact: true }).selectOption({ label: 'South ground floor' });
    await page.getByRole('img', { name: /^Visitors on South ground floor at / }).waitFor();
    await staysForASecond(120);
    assert.deepEqual(complaints, []);
  });

  test('the past reveals no more about small groups than the present', async () => {
    await app.app.apps.change(app.appId, { policy: { smallGroups: 'protected' } }, service);
    const { page } = await openAs(browser, { app, origin, role: 'owner' });
    await open(page);
    await page.getByLabel('Floor', { exact: true }).selectOption({ label: 'North ground floor' });
    await page.getByRole('slider', { name: 'Minutes before now' }).focus();
    for (let minute = 0; minute < 4; minute++) await page.keyboard.press('ArrowLeft');
    await said(page, '1–4 visitors in the zones of this floor at');
    assert.equal(await inZone(page, 'North shop').textContent(), '1–4');
    // Six and one were seven: from an exact total the six could be subtracted, and from how dark a room is the one could be read.
    const many = ['f', 'g', 'h', 'i', 'j', 'k'];
    for (const installationId of many) await make('/installations', { installationId, deviceType: 'ios' });
    await were(north.hall, many, 20, 10);
    await were(north.shop, ['a'], 20, 10);
    await page.reload();
    await page.getByRole('slider', { name: 'Minutes before now' }).focus();
    for (let minute = 0; minute < 15; minute++) await page.keyboard.press('ArrowLeft');
    await said(page, '10 visitors in the zones of this floor at');
    assert.deepEqual(
      [await inZone(page, 'North hall').textContent(), await inZone(page, 'North shop').textContent()],
      ['5', '1–4'],
    );
    const shades = (await page.evaluate(
      "[...document.querySelectorAll('polygon')].map((zone) => zone.getAttribute('fill-opacity'))",
    )) as readonly string[];
    assert.deepEqual(shades.map((shade) => Number(shade).toFixed(2)).sort(), ['0.24', '0.44']);
  });

  test('an administrator limited to a venue sees its plan with its visitors, without the stream and without other venues', async () => {
    await app.app.apps.change(app.appId, { policy: { oneZone: true, smallGroups: 'shown' } }, service);
    const now = Date.now();
    app.clock.now = now;
    for (const [phone, minor] of [
      ['north-phone', 1],
      ['south-phone', 11],
    ] as const) {
      await make('/installations', { installationId: phone, deviceType: 'ios' });
      await report(phone, walk(stay(1, 20), now - 30_000, minor));
    }
    const account = { email: 'limited@museum.example', password: 'a long enough secret' };
    const apps = [{ appId: app.appId, venues: [north.venueId] }];
    const admin = { ...account, name: 'Limited', role: 'manager' as const, apps };
    await app.app.admins.create(admin, { name: 'test', address: null });
    const limited = await visit(browser, origin);
    const signed = await limited.context.request.post('/console/api/session', { data: account, headers: { origin } });
    assert.equal(signed.status(), 201);
    const { page } = limited;
    await page.goto(`/console/apps/${app.appId}/activity/analytics/plan?show=now`);
    await said(page, '1 visitor in the zones of this floor now.');
    assert.equal(await inZone(page, 'North hall').textContent(), '1');
    const plan = page.getByRole('img', { name: 'Visitors on North ground floor now' });
    const picture = await plan.locator('image').getAttribute('href');
    assert.ok(picture, 'the picture of the plan');
    assert.equal((await limited.context.request.get(picture)).status(), 200);
    assert.equal(await page.getByText('South').count(), 0);
    await takePictures(page, 'plan-limited');
    await assertAccessible(page);
    // There is no stream for her: somebody who comes is seen when the page asks again.
    app.clock.now = Date.now();
    await make('/installations', { installationId: 'another', deviceType: 'ios' });
    await report('another', walk(stay(1, 20), app.clock.now - 30_000, 2));
    await said(page, '2 visitors in the zones of this floor now.');
    assert.equal(await inZone(page, 'North shop').textContent(), '1');
  });
});
