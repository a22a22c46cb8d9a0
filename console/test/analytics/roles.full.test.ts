import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import type { AppGrant } from '../../../server/src/access/reach.ts';
import type { AdminRole } from '../../../server/src/access/roles.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { png } from '../../../server/test/support/png.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, startConsole, type Visit, visit } from '../browser.ts';

/** What somebody sees who opens an address: a heading or another text of the page, or why not. */
type Seen = string | RegExp;

interface PageOf {
  readonly name: string;
  /** Below the app. */
  readonly path: (ids: Ids) => string;
  readonly works: Seen;
  /** Where nothing has been made and nobody has been. */
  readonly empty?: Seen;
  /** For whom it is not, in words. */
  readonly refused?: Partial<Record<Who, Seen>>;
}

type Ids = Readonly<Record<'venue' | 'floor' | 'report', string>>;

const people = {
  owner: { role: 'owner' },
  manager: { role: 'manager' },
  editor: { role: 'editor' },
  installer: { role: 'installer' },
  analyst: { role: 'analyst' },
  /** A manager of one of the venues. */
  limited: { role: 'manager' },
  /** A manager of another app. */
  stranger: { role: 'manager' },
} as const satisfies Readonly<Record<string, { readonly role: AdminRole }>>;
type Who = keyof typeof people;

const notForRole = 'Your role does not include this page';
const wholeApp = /This page is about the app as a whole/;
const analytics = (rest: string) => () => `activity/analytics${rest}`;
const inVenue =
  (rest = '') =>
  ({ venue }: Ids) =>
    `beacons/venues/${venue}${rest}`;

const pages: readonly PageOf[] = [
  { name: 'Numbers', path: analytics(''), works: /^Visitors in /, empty: 'No visits yet' },
  {
    name: 'Time on the plan',
    path: analytics('/plan'),
    works: /^Time that visitors spent on /,
    empty: 'No floor plan yet',
  },
  { name: 'Visits on the plan', path: analytics('/plan?show=visits'), works: /^Visits on / },
  { name: 'Ways on the plan', path: analytics('/plan?show=ways'), works: /^Ways on / },
  { name: 'Now on the plan', path: analytics('/plan?show=now'), works: /^Visitors on .* now$/ },
  { name: 'Ways', path: analytics('/ways'), works: 'From zone to zone', empty: 'No ways to show' },
  { name: 'Peaks', path: analytics('/peaks'), works: 'Most at once', empty: 'Nobody was there' },
  {
    name: 'Messages',
    path: () => 'activity/messages',
    works: 'All messages',
    empty: /^No message reached anybody/,
    refused: { limited: wholeApp },
  },
  {
    name: 'Reports',
    path: analytics('/reports'),
    works: /^Every Monday/,
    empty: 'No reports yet',
    refused: { installer: notForRole },
  },
  {
    name: 'A report',
    path: ({ report }) => `activity/analytics/reports/${report}`,
    works: 'Download the PDF',
    refused: { installer: notForRole },
  },
  {
    name: 'A new report',
    path: analytics('/reports/new'),
    works: 'Set up the report',
    empty: 'Set up the report',
    refused: { editor: notForRole, installer: notForRole, analyst: notForRole },
  },
  {
    name: 'Rehearsal',
    path: () => 'activity/walk',
    works: 'Start the walk',
    empty: 'No floor to walk over yet',
    refused: { analyst: notForRole },
  },
  { name: 'Venues', path: () => 'beacons/venues', works: 'North museum', empty: 'No venues yet' },
  {
    name: 'A new venue',
    path: () => 'beacons/venues/new',
    works: 'Add a venue',
    refused: { analyst: notForRole, limited: wholeApp },
  },
  {
    name: 'A new beacon',
    path: () => 'beacons/new',
    works: 'Add a beacon',
    refused: { editor: notForRole, analyst: notForRole },
  },
  {
    name: 'A new message',
    path: () => 'messages/new',
    works: 'New message',
    refused: { installer: notForRole, analyst: notForRole },
  },
  {
    name: 'Senders',
    path: () => 'senders',
    works: 'Firebase Cloud Messaging',
    refused: { editor: notForRole, installer: notForRole, analyst: notForRole, limited: wholeApp },
  },
  { name: 'A venue', path: inVenue(), works: 'Floors' },
  { name: 'A floor', path: (ids) => `${inVenue()(ids)}/floors/${ids.floor}`, works: /^Plan of North floor/ },
  {
    name: 'An install round',
    path: inVenue('/round'),
    works: /beacons verified/,
    refused: { editor: notForRole, analyst: notForRole },
  },
  { name: 'Labels', path: inVenue('/labels'), works: /^QR code of/ },
];

describe('pages of venues and analytics, for each role, on a screen and on a phone', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let headers: Readonly<Record<string, string>>;
  let ids: Ids;
  let south: Ids;
  let emptyApp: string;
  let owner = '';
  const visits = new Map<Who, Visit>();

  const make = (path: string, body: object) => create(app, `/api/v2${path}`, body, headers);

  /** A house with two rooms in which five visitors were, one after the other. */
  async function house(name: string, minor: number): Promise<Omit<Ids, 'report'>> {
    const venue = await make('/venues', { name: `${name} museum` });
    const of = pointer('Venue', venue);
    const type = { ...headers, 'content-type': 'image/png' };
    const picture = png(600, 200, () => [250, 248, 240]);
    const fileId = await create(app, `/api/v2/files/${name}.png`, picture, type);
    const scale = { from: { x: 0, y: 0 }, to: { x: 600, y: 0 }, metres: 60 };
    const plan = { fileId, width: 600, height: 200 };
    const floor = await make('/floors', { venueId: of, name: `${name} floor`, level: 0, plan, scale });
    const beacons: string[] = [];
    for (const [index, room] of ['hall', 'shop'].entries()) {
      const x = 20 * (index + 1);
      const polygon = [-8, 8, 8, -8].map((side, at) => ({ x: x + side, y: at < 2 ? 0 : 12 }));
      await make('/zones', { floorId: pointer('Floor', floor), name: `${name} ${room}`, kind: 'room', polygon });
      const location = { x, y: 6, floor: 0 };
      const beacon = { uuid, major: 1, minor: minor + index, name: `${name} ${room}`, venueId: of, location };
      beacons.push(await make('/beacons', beacon));
    }
    const message = { alertTitle: `${name} posters`, alertMessage: 'In the shop.' };
    const about = { beaconId: pointer('Beacon', beacons[0] ?? ''), event: 'ENTER', type: 'TEXT', isEnabled: true };
    await make('/notifications', { ...about, description: `${name} posters`, message });
    for (let n = 0; n < 5; n++) {
      const installationId = `${name}-${n}`;
      const deviceToken = installationId.padEnd(140, 'y');
      await make('/installations', { installationId, deviceType: 'android', deviceToken });
      for (const beacon of beacons)
        for (const event of ['ENTER', 'EXIT']) {
          app.clock.now += 1_000;
          const sightings = [{ beacon, event, occurredAt: app.clock.now }];
          const sent = { method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings } } as const;
          assert.equal((await app.send(sent)).status, 200);
        }
    }
    return { venue, floor };
  }

  async function signIn(who: Who): Promise<Visit> {
    const account = { email: `${who}@museum.example`, password: 'a long enough secret' };
    const grants: Partial<Record<Who, readonly AppGrant[]>> = {
      limited: [{ appId: app.appId, venues: [ids.venue] }, { appId: emptyApp }],
      stranger: [{ appId: emptyApp, venues: ['none'] }],
    };
    const reach = grants[who] ?? null;
    const { adminId } = await app.app.admins.create({ ...account, name: who, ...people[who], apps: reach }, service);
    if (who === 'owner') owner = adminId;
    const made = await visit(browser, origin);
    const answer = await made.context.request.post('/console/api/session', { data: account, headers: { origin } });
    assert.equal(answer.status(), 201, await answer.text());
    visits.set(who, made);
    return made;
  }

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    // Noon of today, so that all of it is on one day.
    app.clock.now = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 60_000;
    headers = (await signInManager(app)).headers;
    const north = await house('North', 1);
    south = { ...(await house('South', 11)), report: '' };
    await app.app.rollups.settle(app.appId);
    emptyApp = (await app.app.apps.create('Empty')).appId;
    browser = await launchBrowser();
    ids = { ...north, report: '' };
    const { context } = await signIn('owner');
    const body = { venueId: north.venue, every: 'week', isOn: true, administrators: [owner], addresses: [] };
    const url = `/console/api/apps/${app.appId}/reports`;
    const made = await context.request.post(url, { data: body, headers: { origin } });
    assert.equal(made.status(), 201, await made.text());
    ids = { ...north, report: (await made.json()).result.reportId };
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** A heading, a button, a picture or another text that says so. */
  const shown = (page: Page, seen: Seen) =>
    page
      .getByRole('heading', { name: seen, exact: true })
      .or(page.getByRole('button', { name: seen, exact: true }))
      .or(page.getByRole('img', { name: seen }))
      .or(page.getByLabel(seen))
      .or(page.getByRole('link', { name: seen, exact: true }))
      .or(page.getByText(seen))
      .filter({ visible: true })
      .first();

  /** On both screens it says this, and is as wide as the screen. */
  async function assertSays(page: Page, seen: Seen, what: string): Promise<void> {
    await shown(page, seen)
      .waitFor()
      .catch(async () => assert.fail(`${what}: ${seen} is not in: ${await page.locator('#page').innerText()}`));
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    for (const width of [390, known.width]) {
      await page.setViewportSize({ ...known, width });
      await becomes(async () => [what, await page.evaluate('document.documentElement.scrollWidth')], [what, width]);
      assert.ok(await shown(page, seen).isVisible(), `${what}, ${width} pixels wide`);
    }
  }

  for (const who of Object.keys(people) as Who[])
    test(`${who}: every page works, or says why not`, async () => {
      const { page, complaints } = visits.get(who) ?? (await signIn(who));
      for (const { name, path, works, empty, refused } of pages) {
        const what = `${who}: ${name}`;
        await goTo(page, `/console/apps/${app.appId}/${path(ids)}`);
        if (who === 'stranger') await assertSays(page, `There is no app ${app.appId}.`, what);
        else await assertSays(page, refused?.[who] ?? works, what);
        const isRefused = who === 'stranger' || refused?.[who] !== undefined;
        const alerts = await page.locator('#page').getByRole('alert').allInnerTexts();
        if (!isRefused)
          assert.deepEqual(
            alerts.filter((text) => !/no mail server/.test(text)),
            [],
            what,
          );
        // Of one role: the others see the same, or less.
        if (who === 'owner') await assertAccessible(page);
        const text = `${await page.locator('#page').innerText()} ${await page.locator('#page').innerHTML()}`;
        if (who === 'limited') assert.doesNotMatch(text, /South/, what);
        if (who === 'stranger') assert.doesNotMatch(text, /North|South/, what);
        if (empty === undefined || who === 'stranger') continue;
        await goTo(page, `/console/apps/${emptyApp}/${path(ids)}`);
        // The limited has the role for all of the other app.
        const of = who === 'limited' ? undefined : refused?.[who];
        await assertSays(page, of ?? empty, `${what}, of an empty app`);
      }
      assert.deepEqual(complaints, [], who);
    });

  test('who is limited to a venue is told what is at its beacons, but for what storylines add', async () => {
    const [beacon] = (await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers })).body.results;
    const storyline = await make('/storylines', { title: 'Tour', isEnabled: true });
    const showOn = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].map((dayName) => ({ dayName, checked: true }));
    const scenario = { beacons: [beacon.objectId], campaign: 'TEXT', event: 'ENTER', showOn, alertTitle: 'Tour' };
    await make(`/storylines/${storyline}/detail`, scenario);
    app.clock.now += 60_000;
    const sightings = [{ beacon: beacon.objectId, event: 'ENTER', occurredAt: app.clock.now }];
    const body = { installationId: 'North-0', sightings };
    assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', body })).status, 200);
    const { page, complaints } = visits.get('limited') ?? (await signIn('limited'));
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    const of = `/console/apps/${app.appId}`;
    await goTo(page, `${of}/beacons/${beacon.objectId}`);
    await page.getByText('Messages of the whole app are shown to those who have all of it.').waitFor();
    await page.getByRole('link', { name: 'North posters' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('Used by', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, `${of}/activity/walk`);
    await page.getByText('What other rules would have sent', { exact: false }).waitFor();
    assert.equal(await page.locator('#page').getByRole('link', { name: 'storyline', exact: true }).count(), 0);
    await goTo(page, `${of}/messages/new`);
    await page.getByRole('tablist', { name: 'Languages' }).waitFor();
    assert.deepEqual(refused, []);
    // A new venue would be none of hers.
    for (const [who, offered] of [
      ['limited', 0],
      ['manager', 1],
    ] as const) {
      const { page } = visits.get(who) ?? (await signIn(who));
      await goTo(page, `${of}/beacons/venues`);
      await page.getByRole('link', { name: 'North museum' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Add a venue' }).count(), offered, who);
      await goTo(page, `${of}/beacons/venues/${ids.venue}`);
      await page.locator('#page').getByRole('link', { name: 'Edit', exact: true }).waitFor();
      assert.equal(
        await page.locator('#page').getByRole('link', { name: 'Duplicate', exact: true }).count(),
        offered,
        who,
      );
    }
    // An event of which a notification was pushed, and a scenario shown.
    await goTo(page, `${of}/activity/events`);
    await page.getByRole('link', { name: 'Entered North hall' }).first().click();
    await page.getByText('a message of the whole app, or a deleted one').waitFor();
    await page.locator('#page').getByRole('link', { name: 'North posters' }).waitFor();
    complaints.length = 0;
  });

  test('who is limited to a venue finds nothing of another one at its addresses', async () => {
    const { page } = visits.get('limited') ?? (await signIn('limited'));
    for (const [path, seen] of [
      [inVenue(), /There is no venue/],
      [inVenue('/round'), /There is no venue/],
      [inVenue('/labels'), /There is no venue/],
      [(other: Ids) => `${inVenue()(other)}/floors/${other.floor}`, /no longer there/],
      [({ venue }: Ids) => `activity/analytics?venue=${venue}`, 'Nobody was there'],
      [({ venue }: Ids) => `activity/analytics/ways?venue=${venue}`, 'No ways to show'],
      [({ venue }: Ids) => `activity/analytics/peaks?venue=${venue}`, 'Nobody was there'],
      // The plan of another floor is not shown, but one's own.
      [({ floor }: Ids) => `activity/analytics/plan?floor=${floor}`, /on North floor/],
    ] as const) {
      const address = `/console/apps/${app.appId}/${path(south)}`;
      await goTo(page, address);
      await assertSays(page, seen, address);
      assert.doesNotMatch(await page.locator('#page').innerHTML(), /South/, address);
    }
  });
});
