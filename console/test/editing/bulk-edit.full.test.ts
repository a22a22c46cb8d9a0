import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('one field of many records', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let venueId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    headers = (await signInManager(app)).headers;
    venueId = await create(app, '/api/v2/venues', { name: 'Old mill' }, headers);
    const beacon = (name: string, minor: number, more: object) =>
      create(app, '/api/v2/beacons', { name, uuid: 'AA', major: 1, minor, ...more }, headers);
    ids = [
      await beacon('Gate', 1, { radius: 4, location: { x: 1, y: 1, floor: 0 } }),
      await beacon('Hall', 2, { radius: 2 }),
      await beacon('Shop', 3, {}),
    ];
    await app.app.buckets.createBucket(app.appId, 'birds');
    await create(app, '/api/v2/data/schema/birds', { column: { species: { type: 'String' } } }, headers);
    for (const species of ['kite', 'owl'])
      await create(app, '/api/v2/data/bucket/birds', { metadata: { species, ringed: false } }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const hasFocus = (wanted: Locator) => wanted.and(page.locator(':focus')).waitFor();
  const told = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const get = async (path: string) => (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.result;
  const beacons = (member: string) => Promise.all(ids.map(async (id) => (await get(`beacons/${id}`))[member]));
  const chooseAll = () => page.getByRole('checkbox', { name: 'Choose all on this page' }).check();

  test('it is shown what will change and what has the value already; one click takes it back', async () => {
    app.clock.now += 1_000;
    await open('beacons');
    await chooseAll();
    await button('Edit …').click();
    await hasFocus(dialog().getByLabel('Field'));
    await page.keyboard.press('Escape');
    await hasFocus(button('Edit …'));
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Field').selectOption('Radius');
    await dialog().getByLabel('Radius', { exact: true }).fill('4');
    await dialog().getByText('2 beacons will change, 1 has this value already.').waitFor();
    const hall = dialog().getByRole('listitem').filter({ hasText: 'Hall' });
    assert.match((await hall.innerText()).replaceAll(/\s+/g, ' '), /Hall 2 → 4/);
    await assertAccessible(page);
    await takePictures(page, 'bulk-edit');
    await dialog().getByRole('button', { name: 'Change 2 beacons' }).click();
    await told('2 beacons changed.').waitFor();
    // With the choice its buttons have gone.
    await hasFocus(page.getByRole('heading', { level: 1 }));
    assert.deepEqual(await beacons('radius'), [4, 4, 4]);
    await button('Undo').click();
    await becomes(() => beacons('radius'), [4, 2, undefined]);
    const owner = await openAs(browser, { app, origin: new URL(page.url()).origin, role: 'owner' });
    await owner.page.goto('/console/audit');
    await owner.page.getByText('changed 2 of Beacons in Test app at once.').nth(1).waitFor();
    assert.equal(await owner.page.getByText('of Beacons in Test app at once.').count(), 2, 'one for each of the two');
  });

  test('what a colleague has changed since is not overwritten; what is refused is named', async () => {
    app.clock.now += 1_000;
    await open('beacons');
    await page.getByRole('link', { name: 'Hall' }).waitFor();
    await chooseAll();
    app.clock.now += 1_000;
    const url = `/api/v2/beacons/${ids[2]}`;
    await app.send({ method: 'PATCH', url, headers, body: { metadata: { by: 'colleague' } } });
    app.clock.now += 1_000;
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Floor');
    await dialog().getByLabel('Floor', { exact: true }).fill('2');
    await dialog().getByText('3 beacons will change, none has this value already.').waitFor();
    await dialog().getByRole('button', { name: 'Change 3 beacons' }).click();
    await told('1 beacon was changed by somebody else after you chose it').getByText('Shop').waitFor();
    // It has no place, so that it can have no floor.
    await told('1 beacon was refused, and stayed as before:').getByText('Hall').waitFor();
    await page.getByText('1 beacon chosen').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'bulk-refused');
    assert.deepEqual(await beacons('location'), [{ x: 1, y: 1, floor: 2 }, undefined, undefined]);
    assert.deepEqual((await get(`beacons/${ids[2]}`)).metadata, { by: 'colleague' });
  });

  test('a venue is chosen by name, and removed from all selected beacons', async () => {
    app.clock.now += 1_000;
    await open('beacons');
    await page.getByRole('link', { name: 'Hall' }).waitFor();
    await chooseAll();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Venue');
    await dialog().getByLabel('Venue', { exact: true }).selectOption('Old mill');
    await dialog().getByText('Old mill').nth(1).waitFor();
    await dialog().getByRole('button', { name: 'Change 3 beacons' }).click();
    await told('3 beacons changed.').waitFor();
    const pointers = (await beacons('venueId')).map((pointer) => pointer?.objectId);
    assert.deepEqual(pointers, [venueId, venueId, venueId]);
    app.clock.now += 1_000;
    await chooseAll();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Venue');
    await dialog().getByLabel('Leave it empty in all of them').check();
    await dialog().getByRole('button', { name: 'Change 3 beacons' }).click();
    await becomes(() => beacons('venueId'), [undefined, undefined, undefined]);
  });

  test('an undo leaves alone what somebody has changed after it, and names it', async () => {
    app.clock.now += 1_000;
    await open('beacons');
    await page.getByRole('link', { name: 'Hall' }).waitFor();
    await chooseAll();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Measured power');
    await dialog().getByLabel('Measured power', { exact: true }).fill('-60');
    await dialog().getByRole('button', { name: 'Change 3 beacons' }).click();
    await told('3 beacons changed.').waitFor();
    app.clock.now += 1_000;
    const url = `/api/v2/beacons/${ids[1]}`;
    await app.send({ method: 'PATCH', url, headers, body: { measuredPower: -70 } });
    app.clock.now += 1_000;
    await button('Undo').click();
    await told('These stay as they are, because they were changed since: Hall.').waitFor();
    assert.deepEqual(await beacons('measuredPower'), [undefined, -70, undefined]);
  });

  test('what a colleague has changed since it was chosen is not deleted', async () => {
    const spare = async (name: string, minor: number) =>
      create(app, '/api/v2/beacons', { name, uuid: 'AB', major: 1, minor }, headers);
    const [one, two] = [await spare('Spare one', 1), await spare('Spare two', 2)];
    app.clock.now += 1_000;
    await open('beacons?q=Spare');
    await page.getByRole('link', { name: 'Spare two' }).waitFor();
    await chooseAll();
    await app.send({ method: 'PATCH', url: `/api/v2/beacons/${two}`, headers, body: { radius: 3 } });
    await button('Delete …').click();
    await dialog().getByRole('button', { name: 'Delete 2 beacons' }).click();
    await told('1 beacon was changed by somebody else after you chose it').getByText('Spare two').waitFor();
    await told('1 beacon went into the trash.').waitFor();
    const status = async (id: string) =>
      (await app.send({ method: 'GET', url: `/api/v2/beacons/${id}`, headers })).status;
    assert.deepEqual([await status(one), await status(two)], [404, 200]);
    await button('Undo').click();
    await becomes(() => status(one), 200);
    for (const id of [one, two]) await app.send({ method: 'DELETE', url: `/api/v2/beacons/${id}`, headers });
  });

  test('venues get one time zone, and are not deleted together', async () => {
    const shed = await create(app, '/api/v2/venues', { name: 'Shed', timeZone: 'Asia/Jakarta' }, headers);
    app.clock.now += 1_000;
    await open('beacons/venues');
    await page.getByRole('link', { name: 'Shed' }).waitFor();
    await chooseAll();
    assert.equal(await button('Delete …').count(), 0);
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Time zone');
    await dialog().getByLabel('Time zone', { exact: true }).selectOption('Europe/Vienna');
    await dialog().getByRole('button', { name: 'Change 2 venues' }).click();
    await told('2 venues changed.').waitFor();
    const zones = () => Promise.all([venueId, shed].map(async (id) => (await get(`venues/${id}`)).timeZone));
    assert.deepEqual(await zones(), ['Europe/Vienna', 'Europe/Vienna']);
    await button('Undo').click();
    await becomes(zones, [undefined, 'Asia/Jakarta']);
    await page.getByRole('cell', { name: 'Asia/Jakarta' }).waitFor();
    await assertAccessible(page);
  });

  test('users are switched off together, except those that a colleague has changed in between', async () => {
    const person = async (firstname: string) =>
      create(
        app,
        '/api/v2/users',
        { firstname, lastname: 'Bulk', email: `${firstname}@example.org`, password: 'a long secret' },
        headers,
      );
    const [ana, ben] = [await person('ana'), await person('ben')];
    const isOff = (userId: string) => async () => {
      const answer = await visited.context.request.get(`/console/api/apps/${app.appId}/users/${userId}`);
      return ((await answer.json()) as { result: { disabledAt?: string } }).result.disabledAt !== undefined;
    };
    await open('users?q=Bulk');
    await page.getByRole('link', { name: 'ben Bulk' }).waitFor();
    await chooseAll();
    await app.app.users.changeUser({ appId: app.appId, userId: ben }, { disabled: true }, { by: undefined });
    await app.app.users.changeUser({ appId: app.appId, userId: ben }, { disabled: false }, { by: undefined });
    await button('Switch off …').click();
    await dialog().getByText('They cannot sign in until they are switched on again').waitFor();
    await dialog().getByRole('button', { name: 'Switch off 2 users' }).click();
    await told('2 users changed.').waitFor();
    assert.deepEqual([await isOff(ana)(), await isOff(ben)()], [true, true]);
    await app.app.users.changeUser({ appId: app.appId, userId: ben }, { disabled: false }, { by: undefined });
    await button('Undo').click();
    await told('These stay as they are, because they were changed since: ben Bulk.').waitFor();
    assert.equal(await isOff(ana)(), false);
    await page.reload();
    await page.getByRole('link', { name: 'ben Bulk' }).waitFor();
    await chooseAll();
    await app.app.users.changeUser({ appId: app.appId, userId: ben }, { role: 'manager' }, { by: undefined });
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Role');
    await dialog().getByLabel('Role', { exact: true }).selectOption('Manager');
    await dialog().getByRole('button', { name: 'Change 2 users' }).click();
    await told('1 user was changed by somebody else after you chose it').getByText('ben Bulk').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'bulk-users');
  });

  test('files are chosen and go into the trash together', async () => {
    const png = { ...headers, 'content-type': 'image/png' };
    for (const name of ['one', 'two'])
      await app.send({ method: 'POST', url: `/api/v2/files/${name}.png`, headers: png, body: name });
    const count = async () => (await app.send({ method: 'GET', url: '/api/v2/files', headers })).body.results.length;
    await open('files');
    await page.getByRole('checkbox', { name: 'Choose one.png' }).check();
    await page.getByRole('checkbox', { name: 'Choose two.png' }).check();
    await assertAccessible(page);
    await takePictures(page, 'bulk-files');
    await button('Delete …').click();
    await dialog().getByRole('button', { name: 'Delete 2 files' }).click();
    await told('2 files went into the trash.').waitFor();
    assert.equal(await count(), 0);
    await button('Undo').click();
    await becomes(count, 2);
    // Of both: one entry each.
    await goTo(page, '/console/audit');
    const entries = page.getByRole('main').getByText('2 of Files', { exact: false });
    await entries.first().waitFor();
    assert.deepEqual(
      (await entries.allInnerTexts()).map((text) => /(restored|deleted) 2 of Files/.exec(text)?.[1]),
      ['restored', 'deleted'],
    );
    assert.equal(await page.getByText('one.png', { exact: false }).count(), 0);
  });

  test('records have the fields of their bucket', async () => {
    app.clock.now += 1_000;
    await open('buckets/birds');
    await page.getByRole('link', { name: 'owl' }).waitFor();
    await chooseAll();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('ringed');
    await dialog().getByRole('radiogroup', { name: 'ringed' }).getByText('Yes').click();
    await dialog().getByRole('button', { name: 'Change 2 records' }).click();
    await told('2 records changed.').waitFor();
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/data/bucket/birds', headers })).body;
    assert.deepEqual(
      results.map(({ metadata }: { metadata: { ringed: boolean } }) => metadata.ringed),
      [true, true],
    );
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));

  test('what was done although the answer was lost is not said to be the work of somebody else', async () => {
    app.clock.now += 1_000;
    await open('beacons');
    const lost = async () => {
      let isLost = false;
      await page.route(/\/bulk$/, async (route) => {
        if (isLost) return route.continue();
        isLost = true;
        await route.fetch();
        await route.abort();
      });
    };
    await lost();
    await chooseAll();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Radius');
    await dialog().getByLabel('Radius', { exact: true }).fill('7');
    const change = dialog().getByRole('button', { name: /^Change/ });
    await change.click();
    await becomes(() => beacons('radius'), [7, 7, 7]);
    await dialog().getByText('does not answer', { exact: false }).waitFor();
    await change.click();
    await told(
      '3 beacons were already as you wanted. If an earlier try got no answer, it was done all the same.',
    ).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'bulk-already');
    assert.equal(await told('changed by somebody else').count(), 0);
    await page.unroute(/\/bulk$/);
    await lost();
    await chooseAll();
    // Where none is left, the page says what to do next instead.
    await page.getByRole('checkbox', { name: 'Choose Hall', exact: true }).uncheck();
    await button('Delete …').click();
    const remove = dialog().getByRole('button', { name: /^Delete/ });
    await remove.click();
    await dialog().getByText('does not answer', { exact: false }).waitFor();
    await remove.click();
    await told('2 beacons were already as you wanted.').waitFor();
    assert.equal(await told('refused').count(), 0);
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/beacons', headers })).body;
    assert.deepEqual(
      results.map(({ name }: { name: string }) => name),
      ['Hall'],
    );
    await page.unroute(/\/bulk$/);
  });
});
