import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { service } from '../../server/src/access/audit.ts';
import { sql } from '../../server/src/base/sql.ts';
import { signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { pointer, stay, uuid, walk } from '../../server/test/support/site.ts';
import { type SmtpSink, startSmtpSink } from '../../server/test/support/smtp-sink.ts';
import { assertAccessible } from './axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from './browser.ts';
import { takePictures } from './pictures.ts';

/** A house with two rooms, through which six visitors walk. */
describe('where visitors were and are, on the plan of a floor', () => {
  let app: TestApp;
  let browser: Browser;
  let smtp: SmtpSink;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  before(async () => {
    smtp = await startSmtpSink();
    const started = await startConsole({ PHAROS_SMTP_URL: smtp.url });
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    await smtp?.close();
  });

  const make = (path: string, body: object) => create(app, `/api/v2${path}`, body, headers);
  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/activity/analytics${path}`);
  const cell = (table: string, row: string, column: number) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: row }).getByRole('cell').nth(column);
  const report = async (installationId: string, sightings: object[]) => {
    const answer = await app.send({ method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };

  const savedBy = async (button: string) => {
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button, exact: true }).click(),
    ]);
    return readFileSync(await saved.path());
  };

  /** On a phone nothing is wider than the screen. */
  async function assertFitsPhone(what: string): Promise<void> {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    await becomes(async () => [what, await page.evaluate('document.documentElement.scrollWidth')], [what, 390]);
    await page.setViewportSize(known);
  }

  /** What a phone hears there in twenty seconds (ms, metres). */
  const standing = (at: { readonly x: number; readonly y: number }, from: number) =>
    Object.entries({ 1: [20, 6], 2: [40, 6], 3: [30, 14] }).flatMap(([minor, [x = 0, y = 0]]) =>
      walk(stay(Math.hypot(x - at.x, y - at.y, 0.7), 20), from + Number(minor), Number(minor)),
    );

  /** What was counted of the shop on so many days that are weeks before tomorrow. `east`: hours of the zone. */
  async function wereInShop(weeks: number, east: number): Promise<void> {
    const [dayMs, hourMs] = [86_400_000, 3_600_000];
    const { db } = app.storage;
    const places = sql`select object_id, venue_id from zones where app_id = ${app.appId} and name = 'Shop'`;
    const zone = await db.one<{ object_id: string; venue_id: string }>(places);
    const tomorrow = (Math.floor((app.clock.now + east * hourMs) / dayMs) + 1) * dayMs - east * hourMs;
    for (let week = 1; week <= weeks; week++) {
      const at = tomorrow - 7 * week * dayMs;
      await db.run(sql`insert into way_rollups (app_id, kind, span, started_at, venue_id, place, tours, times, visitors)
        values (${app.appId}, 'peak', 'hour', ${at + 10 * hourMs}, ${zone?.venue_id ?? ''}, ${`z${zone?.object_id}`},
          ${[12, 13, 11][week % 3] ?? 0}, '', '')`);
      await db.run(sql`insert into visit_rollups (app_id, span, started_at, beacon_id, visits, newcomers, ended, dwell_ms, dwells,
        visitors) values (${app.appId}, 'zoneDay', ${at}, ${zone?.object_id ?? ''}, 5, 0, 5, 2100000, '70:5', '')`);
    }
  }

  test('without a plan it is said what there has to be', async () => {
    await open('/plan');
    await page.getByRole('heading', { name: 'No floor plan yet' }).waitFor();
    await open('/ways');
    await page.getByRole('heading', { name: 'No ways to show' }).waitFor();
    await assertAccessible(page);
  });

  test('shows time and visits of each room, the ways between them, and how many were there at once', async () => {
    // A zone in which it is about noon, so that no day ends in the middle, and in which the clocks never change.
    const east = 12 - new Date().getUTCHours();
    const timeZone = `Etc/GMT${east < 0 ? '+' : '-'}${Math.abs(east)}`;
    await app.app.apps.change(app.appId, { policy: { timeZone, oneZone: true } }, service);
    const venueId = pointer('Venue', await make('/venues', { name: 'House' }));
    const between = {
      points: [
        { x: 30, y: 0 },
        { x: 30, y: 12 },
      ],
    };
    const floor = { venueId, name: 'Ground floor', level: 0, walls: [between] };
    const floorId = pointer('Floor', await make('/floors', floor));
    for (const [minor, name] of [
      [1, 'Hall'],
      [2, 'Shop'],
    ] as const) {
      const x = minor * 20;
      const corners = [
        { x: x - 8, y: 0 },
        { x: x + 8, y: 0 },
        { x: x + 8, y: 12 },
        { x: x - 8, y: 12 },
      ];
      await make('/zones', { floorId, name, kind: 'room', polygon: corners });
      await make('/beacons', {
        uuid,
        major: 1,
        minor,
        name: `${name} beacon`,
        venueId,
        location: { x, y: 6, floor: 0 },
      });
    }
    // Names come out of spreadsheets, with whatever is in them.
    const nook = [
      { x: 40, y: 0 },
      { x: 42, y: 0 },
      { x: 42, y: 2 },
    ];
    await make('/zones', { floorId, name: 'Nook\u0001', kind: 'room', polygon: nook });
    const now = Date.now();
    app.clock.now = now;
    for (let index = 0; index < 6; index++) {
      const installationId = `phone-${index}`;
      await make('/installations', { installationId, deviceType: 'ios' });
      await report(installationId, [
        ...walk(stay(1, 40), now - 400_000, 1),
        ...walk(stay(1, 60), now - 300_000, 2),
        ...walk(stay(30, 40), now - 100_000, 2),
      ]);
    }
    await app.app.ticker.tick();
    await app.app.rollups.settle(app.appId);

    await open('/plan?show=visits');
    await page.getByRole('img', { name: /^Visits on Ground floor/ }).waitFor();
    assert.equal(await cell('Zones of the floor', 'Hall', 1).textContent(), '6');
    assert.equal(await page.locator('polyline[data-wall]').getAttribute('points'), '30,0 30,12');
    await takePictures(page, 'plan-visits');
    await assertFitsPhone('plan-visits');
    const picture = await savedBy('PNG');
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    assert.equal(Math.max(picture.readUInt32BE(16), picture.readUInt32BE(20)), 2_400);
    await assertAccessible(page);
    // The ways on the plan, as numbers and as a drawing of all of it, however near one looks.
    await page.getByText('Ways', { exact: true }).last().click();
    const arrows = page.getByRole('img', { name: /^Ways on Ground floor/ });
    await arrows.getByText('in 6').first().waitFor();
    const whole = (await arrows.boundingBox())?.width ?? 0;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok(((await arrows.boundingBox())?.width ?? 0) > 1.4 * whole);
    assert.match((await savedBy('CSV')).toString(), /^from,fromName,to,toName,tours,.*,Hall,[^,]+,Shop,6,6,/s);
    const svg = (await savedBy('SVG')).toString();
    assert.match(svg, /Hall → Shop: 6/);
    assert.doesNotMatch(svg, /150%/);
    await takePictures(page, 'plan-ways');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    assert.equal((await arrows.boundingBox())?.width, whole);

    await open('/ways');
    const move = page
      .getByRole('table', { name: 'Times between zones' })
      .getByRole('row')
      .filter({ hasText: 'Hall → Shop' });
    assert.match((await move.textContent()) ?? '', /6/);
    assert.match((await page.getByText('Hall → Shop').first().textContent()) ?? '', /Hall → Shop/);
    assert.equal(await cell('Where visitors come in', 'Hall', 0).textContent(), '6');
    assert.equal(await cell('Where visitors leave', 'Shop', 0).textContent(), '6');
    await page.locator('[data-drawn="true"]').first().waitFor();
    await takePictures(page, 'ways');
    await assertFitsPhone('ways');
    await assertAccessible(page);

    await open('/peaks?unit=day');
    await page.getByText('As a table').click();
    assert.equal(await cell('Most visitors at once by place', 'Shop', 0).textContent(), '6');
    await page.getByText('yet: that takes eight days like it').waitFor();
    await wereInShop(10, east);
    await open('/peaks?unit=week');
    const full = 'How full zones may be on';
    // 12, 13, 11 and so on: 12 in the middle, and never off by more than 1.
    assert.equal(await cell(full, 'Shop', 0).textContent(), '12 ± 1');
    assert.match((await cell(full, 'Shop', 1).textContent()) ?? '', /^7 min .*± 0 s$/);
    assert.equal(
      await page.getByRole('table', { name: full }).getByRole('row').count(),
      2,
      'of the hall too little is known',
    );
    await takePictures(page, 'peaks');
    await assertFitsPhone('peaks');
    await assertAccessible(page);

    await open('');
    await page.getByRole('combobox', { name: 'Place' }).selectOption({ label: 'Ground floor' });
    assert.equal(await cell('Zones', 'Shop', 0).textContent(), '6');
    assert.match(page.url(), /floor=/);
  });

  test('counts somebody who comes in her room, as the live stream tells it', async () => {
    const listening = page.waitForRequest((request) => request.url().includes('/stream?'));
    await open('/plan?show=now');
    assert.match((await listening).url(), /kinds=position\.changed/);
    await page.getByText('0 visitors in the zones of this floor now.').waitFor();
    // A position takes three beacons; this one is in no zone.
    await make('/beacons', { uuid, major: 1, minor: 3, name: 'Stairs beacon', location: { x: 30, y: 14, floor: 0 } });
    const now = Date.now();
    app.clock.now = now;
    await make('/installations', { installationId: 'newcomer', deviceType: 'ios' });
    await report('newcomer', standing({ x: 39, y: 6 }, now - 40_000));
    await page.getByText('1 visitor in the zones of this floor now.').waitFor();
    assert.equal(await cell('Visitors by zone', 'Shop', 0).textContent(), '1');
    // The list is read when the stream begins; from then on only the stream can move her.
    await page.locator('[data-visitor]').waitFor();
    const before = Number(await page.locator('[data-visitor]').getAttribute('cx'));
    await report('newcomer', standing({ x: 21, y: 6 }, now - 19_000));
    await becomes(async () => Number(await page.locator('[data-visitor]').getAttribute('cx')) < before - 5, true);
    await takePictures(page, 'plan-now');
    await assertFitsPhone('plan-now');
    await assertAccessible(page);
  });

  test('marks a zone in which there are more than may be', async () => {
    const { body } = await app.send({ method: 'GET', url: '/api/v2/zones?order=name', headers });
    const url = `/api/v2/zones/${body.results[0].objectId}`;
    assert.equal((await app.send({ method: 'PUT', url, headers, body: { capacity: 1 } })).status, 200);
    app.clock.now = Date.now();
    await report('newcomer', standing({ x: 21, y: 6 }, app.clock.now - 20_000));
    await report('phone-1', standing({ x: 22, y: 6 }, app.clock.now - 20_000));
    await app.app.lookInside();
    app.clock.now += 20_000;
    await app.app.lookInside();
    await open('/plan?show=now');
    await page.getByRole('alert').filter({ hasText: 'Hall: more than 1' }).waitFor();
    await page.getByRole('img', { name: 'Visitors on Ground floor now' }).getByText('2 / 1').waitFor();
    await takePictures(page, 'plan-crowded');
    await assertAccessible(page);
    await goTo(page, `/console/apps/${app.appId}/home`);
    await page.getByText('More than 1 visitor in Hall').waitFor();
    await page.getByRole('link', { name: 'Look at the plan' }).click();
    await page.getByText('Too many visitors').waitFor();
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
    const plan = page.getByRole('img', { name: 'Plan of Ground floor' });
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
    await page.getByRole('img', { name: 'Plan of Upper floor' }).locator('[data-walker="1"]').waitFor();
    await takePictures(page, 'walk-stairs');
    await assertAccessible(page);
  });

  test('says what the next open day may bring, with its error', async () => {
    const annex = await make('/beacons', { uuid, major: 1, minor: 4, name: 'Annex' });
    const now = Date.now();
    const phones = ['past-0', 'past-1', 'past-2', 'past-3'];
    for (const installationId of phones) await make('/installations', { installationId, deviceType: 'ios' });
    // Every week at this time yesterday's tomorrow: three visitors, and four every other week.
    for (let weeks = 12; weeks > 0; weeks--)
      for (const [minute, event] of (['ENTER', 'EXIT'] as const).entries()) {
        app.clock.now = now + 86_400_000 * (1 - 7 * weeks) + minute * 60_000;
        const sightings = [{ beacon: annex, event, occurredAt: app.clock.now }];
        await Promise.all(phones.slice(weeks % 2).map((phone) => report(phone, sightings)));
      }
    app.clock.now = Date.now();
    await app.app.rollups.settle(app.appId);
    // One is valid from today on, the other ended before this month.
    const lamps = { beaconId: pointer('Beacon', annex), event: 'ENTER', type: 'TEXT', isEnabled: true };
    const message = { alertTitle: 'Lamps', alertMessage: 'Now on the first floor.' };
    const today = new Date(app.clock.now).toISOString();
    await make('/notifications', { ...lamps, message, description: 'Lamps', delivery: { validFrom: today } });
    const over = { validUntil: new Date(app.clock.now - 40 * 86_400_000).toISOString() };
    await make('/notifications', { ...lamps, message, description: 'Ships', delivery: over });
    await open('');
    await page.getByRole('heading', { name: 'The next open day' }).waitFor();
    await page.getByText(/: about 4 visitors$/).waitFor();
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\)\.$/).waitFor();
    await page
      .getByText('On 8 of the 8 days on which this was tried, it would have been off by one visitor at most.')
      .waitFor();
    await takePictures(page, 'forecast');
    await assertAccessible(page);
  });

  test('marks holidays and campaigns above the bars of visitors, and in their table', async () => {
    const today = new Date(app.clock.now + (12 - new Date(app.clock.now).getUTCHours()) * 3_600_000).toISOString();
    const [venue] = (await app.send({ method: 'GET', url: '/api/v2/venues', headers })).body.results;
    const openingHours = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((dayName) => ({
      dayName,
      from: '00:00',
      until: '23:59',
    }));
    const exceptions = [{ date: today.slice(0, 10), name: 'Jubilee', hours: [] }];
    const url = `/api/v2/venues/${venue.objectId}`;
    const changed = await app.send({ method: 'PUT', url, headers, body: { openingHours, exceptions } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));

    await open('');
    await page.getByText('Campaigns in this time: Lamps').waitFor();
    await page.getByText('Marked above the bars:').getByText('Holidays and other days').waitFor();
    await page.locator('summary').first().click();
    const table = page.getByRole('table', { name: 'Visitors by day' });
    await table.getByRole('columnheader', { name: 'Holidays and campaigns' }).waitFor();
    const marks = await table.locator('tbody tr td:last-child').allInnerTexts();
    const at = Number(today.slice(8, 10)) - 1;
    assert.deepEqual(
      marks,
      marks.map((_, day) => (day < at ? '' : day === at ? 'Jubilee; Lamps' : 'Lamps')),
    );
    await takePictures(page, 'marks-month');
    await assertAccessible(page);

    await page.getByText('Year', { exact: true }).click();
    await page.getByRole('heading', { name: `Visitors in ${today.slice(0, 4)}` }).waitFor();
    // Another plot, whose table is closed.
    await page.getByRole('img', { name: 'Visitors by month' }).waitFor();
    await page.locator('summary').first().click();
    await page.getByRole('table', { name: 'Visitors by month' }).getByText('Jubilee; Lamps').waitFor();
    const drawing = (await savedBy('Visitors by month: save as SVG')).toString();
    for (const name of ['Jubilee', 'Lamps']) assert.ok(drawing.includes(`>${name}<`), `${name} is in the plot`);
    await assertFitsPhone('marks');
    await takePictures(page, 'marks-year');
  });

  test('names of a place only the campaigns at its beacons, those of scenarios among them', async () => {
    const [venue] = (await app.send({ method: 'GET', url: '/api/v2/venues', headers })).body.results;
    const validFrom = new Date(app.clock.now).toISOString();
    const foyer = await make('/beacons', {
      uuid,
      major: 1,
      minor: 77,
      name: 'Foyer',
      venueId: pointer('Venue', venue.objectId),
    });
    const showOn = [{ dayName: 'Mon', checked: true }];
    const scenario = { beacons: [foyer], campaign: 'TEXT', event: 'ENTER', showOn, delivery: { validFrom } };
    const shown = await make('/storylines', { title: 'Night', isEnabled: true });
    await make(`/storylines/${shown}/detail`, { ...scenario, alertTitle: 'Torches' });
    const off = await make('/storylines', { title: 'Morning', isEnabled: false });
    await make(`/storylines/${off}/detail`, scenario);
    const on = validFrom.slice(0, 10);
    await open(`?on=${on}`);
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\) and Night: Torches \(from .*\)\.$/).waitFor();
    await open(`?on=${on}&venue=${venue.objectId}`);
    await page.getByText(/^Campaigns in this time: Night: Torches \(from .*\)\.$/).waitFor();
    await open(`?on=${on}&beacon=${foyer}`);
    await page.getByText(/^Campaigns in this time: Night: Torches \(from .*\)\.$/).waitFor();
    const [annex] = (await app.send({ method: 'GET', url: '/api/v2/beacons?where={"name":"Annex"}', headers })).body
      .results;
    await open(`?on=${on}&beacon=${annex.objectId}`);
    await page.getByText(/^Campaigns in this time: Lamps \(from .*\)\.$/).waitFor();
  });

  test('sets up a report by mail, shows it as it comes, and sends it', async () => {
    await open('/reports');
    await page.getByRole('heading', { name: 'No reports yet' }).waitFor();
    await takePictures(page, 'reports-empty');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Set up a report' }).click();
    await page.getByRole('combobox', { name: 'About' }).selectOption({ label: 'The whole app' });
    await page.getByRole('radio', { name: 'Weekly, on Monday' }).check();
    await page.getByRole('button', { name: 'Set up the report' }).click();
    await page.getByText('Name at least one person who gets the report.').waitFor();
    await page.getByRole('checkbox').first().check();
    await takePictures(page, 'report-form');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Set up the report' }).click();
    const mail = page.getByRole('document', { name: /^The mail about/ });
    await mail.getByText(/^There were [34] visitors/).waitFor();
    // Its styles hold although the content policy ignores those in its text.
    const edge = await mail
      .getByRole('heading', { name: 'Test app' })
      .evaluate(
        (heading) =>
          (globalThis as unknown as { getComputedStyle: (of: unknown) => { fontSize: string } }).getComputedStyle(
            heading,
          ).fontSize,
      );
    assert.equal(edge, '24px');
    const [pdf] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the PDF' }).click(),
    ]);
    assert.equal(
      readFileSync(await pdf.path())
        .subarray(0, 5)
        .toString(),
      '%PDF-',
    );
    await page.getByRole('button', { name: 'Send it to me now' }).click();
    await page.getByText(/^The mail server took the mail to /).waitFor();
    assert.match(smtp.mails.at(-1)?.data ?? '', /Content-Type: application\/pdf/);
    await takePictures(page, 'report');
    await assertFitsPhone('report');
    await assertAccessible(page);
    // Each plot opens where it can be looked at closer.
    const closer = new URL((await mail.getByRole('link').first().getAttribute('href')) ?? '');
    assert.equal(closer.searchParams.get('unit'), 'week');
    await goTo(page, `${closer.pathname}${closer.search}`);
    await page.getByRole('heading', { name: /^Visitors in / }).waitFor();
    await open('/reports');
    await page.getByText(/^Every Monday at 07:00/).waitFor();
    await takePictures(page, 'reports');
    await assertAccessible(page);
    assert.deepEqual(visited.complaints, []);
  });
});
