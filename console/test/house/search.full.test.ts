import assert from 'node:assert/strict';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What is typed, and the name that it has to find. */
const odd = [
  ['100 % wool', '100 % WOOL'],
  ['hall_3', 'hall_3'],
  ['Café "Zur Post"', 'café "zur'],
  ["L'été", "L'ÉTÉ"],
  ['Straße 7', 'straße'],
  ['Back\\slash', 'k\\s'],
  ['Owl 🦉 room', '🦉'],
  ['שלום', 'שלום'],
  ['[a-z]+ (x)', '[A-Z]+ ('],
] as const;

describe('the search over everything', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    const { headers } = await signIn(app);
    for (const [index, [name]] of odd.entries())
      await create(app, '/api/v2/beacons', { name, uuid: 'AA', major: 1, minor: index }, headers);
    await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 2, minor: 1 }, headers);
    await create(app, '/api/v2/storylines', { title: 'Gatehouse', isEnabled: true }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
    await page.goto(`/console/apps/${app.appId}/push`);
    await page.getByRole('heading', { name: 'Push' }).first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const field = () => page.getByRole('combobox', { name: 'Search pages, actions and records' });
  const option = (name: string) => page.getByRole('option', { name, exact: true });
  const said = (text: string | RegExp) => page.getByRole('dialog').getByText(text);
  const type = async (text: string) => {
    if (!(await field().isVisible())) await page.keyboard.press('Control+k');
    await field().fill(text);
  };

  test('says so if it cannot be loaded, and opens as it should once it can', async () => {
    const opener = page.getByRole('button', { name: 'Search everything (Ctrl K)' });
    const isAway = /\/console\/$|\/assets\//;
    await page.route(isAway, (route) => route.abort());
    await opener.click();
    await page.getByText('The service does not answer. Is it running, and are you online?').waitFor();
    await page.unroute(isAway);
    await opener.click();
    await field().waitFor();
    const overflow = (one: unknown) => Reflect.get(globalThis, 'getComputedStyle')(one).overflowY;
    assert.equal(await page.getByRole('listbox').evaluate(overflow), 'auto', 'with its styles');
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    const hasFocus = (one: unknown) => one === Reflect.get(globalThis, 'document').activeElement;
    await becomes(() => opener.evaluate(hasFocus), true);
  });

  test('opens with what was typed before the page or the search itself was there', async () => {
    const early = await visited.context.newPage();
    const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
    await early.route(/palette-dialogs/, hold);
    const session = /\/api\/session\/present$/;
    const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
    await early.route(session, async (route) => {
      await pressed;
      await route.continue();
    });
    const asked = early.waitForRequest(session);
    await early.goto(`/console/apps/${app.appId}/push`, { waitUntil: 'commit' });
    await asked;
    await early.keyboard.press('Control+k');
    await early.keyboard.type('ga');
    press();
    const found = await held;
    await early.keyboard.type('te');
    await found.continue();
    const typed = early.getByRole('combobox', { name: 'Search pages, actions and records' });
    await early.getByRole('option', { name: 'Gatehouse' }).waitFor();
    await early.keyboard.type('ho');
    assert.equal(await typed.inputValue(), 'gateho');
    await early.close();
  });

  for (const [name, text] of odd)
    test(`finds ${name} by ${text}`, async () => {
      await type(`  ${text} `);
      await page.getByRole('option').filter({ hasText: name }).waitFor();
      assert.equal(await page.getByRole('option').count(), 1);
    });

  test('finds by the id that somebody has copied whatever has a page', async () => {
    const { headers } = await signInManager(app);
    const make = (url: string, body: object) => create(app, `/api/v2/${url}`, body as never, headers);
    const of = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
    const venue = await make('venues', { name: 'Castle' });
    const floor = await make('floors', { venueId: of('Venue', venue), name: 'Cellar', level: -1 });
    const polygon = [
      { x: 0, y: 0 },
      { x: 9, y: 0 },
      { x: 9, y: 9 },
    ];
    const zone = await make('zones', { floorId: of('Floor', floor), name: 'Vault', kind: 'room', polygon });
    const beacon = await make('beacons', { name: 'Door', uuid: 'AA', major: 3, minor: 1 });
    const storyline = await make('storylines', { title: 'Night', isEnabled: true });
    const device = await make('device', { deviceName: 'Gateway 1', manufacture: 'Acme', topic: 'gates/1' });
    const unowned = { installationId: '6f0d-phone', deviceType: 'ios' };
    const phone = await create(app, '/api/v2/installations', unowned);
    await app.app.buckets.createBucket(app.appId, 'art');
    const record = await make('data/bucket/art', { metadata: { height: 2 } });
    const floors = `beacons/venues/${venue}/floors/${floor}`;
    for (const [id, label, place] of [
      [venue, 'Castle', `beacons/venues/${venue}`],
      [floor, 'Cellar', floors],
      [zone, 'Vault', floors],
      [beacon, 'Door', `beacons/${beacon}`],
      [storyline, 'Night', `messages/${storyline}`],
      [device, 'Gateway 1', `devices/${device}`],
      [phone, `iOS ${phone}`, `installations/${phone}`],
      [phone.slice(-6), `iOS ${phone.slice(-6)}`, `installations/${phone}`],
      ['6f0d-phone', 'iOS 6f0d-phone', `installations/${phone}`],
      [record, record, `buckets/art/records/${record}`],
    ] as const) {
      await type(` ${id}\n`);
      await page.getByRole('option').filter({ hasText: label }).waitFor();
      assert.equal(await page.getByRole('option').count(), 1, label);
      if (id === zone) {
        await takePictures(page, 'search-by-id');
        await assertAccessible(page);
      }
      await field().press('Enter');
      await becomes(async () => new URL(page.url()).pathname, `/console/apps/${app.appId}/${place}`);
    }
    await type(venue.slice(0, -1));
    await said('Nothing has this name or id.').waitFor();
  });

  test('says that nothing has a name of any length', async () => {
    await type('x'.repeat(5_000));
    await said('Nothing has this name or id.').waitFor();
  });

  test('says which buckets it has not searched, before it says that there is nothing', async () => {
    const { headers } = await signInManager(app);
    const names = ['alpacas', 'bees', 'cranes', 'doves', 'eagles', 'foxes'];
    for (const name of names) {
      await app.app.buckets.createBucket(app.appId, name);
      await create(app, `/api/v2/data/schema/${name}`, { column: { title: { type: 'String' } } }, headers);
    }
    await create(app, '/api/v2/data/bucket/foxes', { metadata: { title: 'Zerda' } }, headers);
    await goTo(page, `/console/apps/${app.appId}/push`);
    await page.reload();
    await page.getByRole('heading', { name: 'Push' }).first().waitFor();
    await type('zerda');
    await said(/^Nothing found\. The records of some buckets .* such as foxes: search there\.$/).waitFor();
    assert.equal(await said('Nothing has this name or id.').count(), 0);
    await type('zq');
    await said(/such as alpacas, bees, cranes, doves, eagles: search there\.$/).waitFor();
    await takePictures(page, 'search-unsearched');
  });

  test('finds floors, zones, devices and files by name, and says that there are more of a kind than it shows', async () => {
    const { headers } = await signInManager(app);
    await app.send({ method: 'POST', url: '/api/v2/files/harbour.txt', headers, body: 'A harbour.' });
    for (const [name, kind] of [
      ['Cellar', 'Floor'],
      ['Vault', 'Zone'],
      ['Gateway 1', 'Device'],
      ['harbour.txt', 'File'],
    ] as const) {
      await type(name.slice(1));
      await option(`${name} ${kind}`).waitFor();
    }
    assert.equal(await said('There are more.').count(), 0);
    for (let n = 1; n <= 6; n++)
      await create(app, '/api/v2/beacons', { name: `Case ${n}`, uuid: 'AA', major: 4, minor: n }, headers);
    await type('case');
    await option('Case 5 Beacon').waitFor();
    await said('There are more. Type to find them.').waitFor();
    assert.equal(await option('Case 6 Beacon').count(), 0);
    await type('case 6');
    await option('Case 6 Beacon').waitFor();
    assert.equal(await said('There are more.').count(), 0);
  });

  test('says that it could not search everything, shows the rest, and searches again by itself', async () => {
    await page.route(/\/beacons\?/, (route) => route.abort());
    await type('gat');
    await option('Gatehouse Message').waitFor();
    await said(/^Not everything could be searched\. /).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'search-incomplete');
    await type('nowhere');
    await said(/^Not everything could be searched\. /).waitFor();
    assert.equal(await said('Nothing has this name or id.').count(), 0);
    await type('gat');
    await page.unroute(/\/beacons\?/);
    await option('Gate Beacon').waitFor();
    assert.equal(await said(/^Not everything could be searched\. /).count(), 0);
  });

  test('Enter opens nothing that the text no longer names, and a late answer shows nothing', async () => {
    await type('gate');
    await option('Gate Beacon').waitFor();
    const before = page.url();
    await field().press('h');
    await field().press('Enter');
    assert.equal(await option('Gate Beacon').count(), 0);
    await becomes(async () => page.url().split('/').at(-2), 'messages');
    await goTo(page, before.replace(origin, ''));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/beacons\?.*owl/i, async (route) => {
      await held;
      await route.continue();
    });
    await type('owl');
    await page.waitForRequest(/\/beacons\?.*owl/i);
    await type('gateh');
    await option('Gatehouse Message').waitFor();
    release();
    await page.waitForResponse(/\/beacons\?.*owl/i);
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['Gatehouse\nMessage']);
    await page.unroute(/\/beacons\?.*owl/i);
  });

  test('asks to sign in again when the session has ended', async () => {
    assert.deepEqual(
      visited.complaints.filter((one) => !one.includes('net::ERR_FAILED')),
      [],
    );
    await visited.context.request.delete('/console/api/session', { headers: { origin } });
    await type('straße');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  });
});
