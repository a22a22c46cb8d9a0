import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine, service } from '../../../server/src/access/audit.ts';
import { sql } from '../../../server/src/base/sql.ts';
import { ScriptedSender } from '../../../server/test/fakes/scripted-sender.ts';
import { atOneDay, buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { kindsOf, Site, stay, uuid, walk } from '../../../server/test/support/site.ts';
import { found } from '../../../server/test/support/sites/found.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, openAs, readAgain, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror=alert(1)>';

/** The tests are one session: each continues where the previous one stopped. */
describe('the home of an app', () => {
  const provider = new ScriptedSender();
  let app: TestApp;
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await buildApp({ senders: [provider.definition('fcm')], startsAt: atOneDay(1_800_000) });
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const current = () => page.locator('[aria-current=step] h3').innerText();
  const finding = (text: string) => page.getByRole('list', { name: 'Needs attention' }).getByText(text);
  const events = () => page.getByRole('list', { name: 'Events of the last hour' }).getByRole('listitem');
  /** The count after a step's name. */
  const step = (name: string) =>
    page
      .getByRole('list', { name: 'The funnel of today' })
      .getByRole('listitem')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('b')
      .innerText();

  test('a new app opens with three steps to the first message', async () => {
    await goTo(page, `/console/apps/${app.appId}`);
    await heading('Add a beacon').waitFor();
    assert.match(page.url(), /\/home$/);
    assert.equal(await current(), 'Add a beacon');
    await assertAccessible(page);
    await link('Add a beacon').click();
    await heading('Add a beacon').waitFor();
    assert.match(page.url(), /\/beacons\/new\?next=home$/);
  });

  test('the steps go on as the app does, and the first event turns the page by itself', async () => {
    const user = await signInManager(app);
    const hall = await create(app, '/api/v2/beacons', { name: script, uuid, major: 1, minor: 1 }, user.headers);
    const phone = await create(app, '/api/v2/installations', { installationId: 'phone-1', deviceType: 'android' });
    site = new Site({ app, user, provider }, { hall, phone });
    await goTo(page, `/console/apps/${app.appId}/home`);
    await page.locator('[aria-current=step]').waitFor();
    await becomes(current, 'Write what visitors see there');
    await site.notification({ description: 'Welcome' });
    await readAgain(page);
    await link('Try it with a pretend phone').waitFor();
    await assertAccessible(page);
    const isListening = page.waitForResponse((answer) => answer.url().includes('/v2/events?'));
    await page.reload();
    await isListening;
    await site.send([site.decided('ENTER')]);
    await heading('Live now').waitFor();
    await link(`Entered ${script}`).waitFor();
    assert.equal(await events().count(), 1);
  });

  test('the first ten minutes of an app for visitors: no terminal, 8 clicks and 4 fields to the first message', async () => {
    const { appId } = await app.app.apps.create('For visitors', commandLine, 'visitors');
    // The clock of the service stands still, and each report is a second later.
    await page.route('**/api/v2/sightings', (route) => {
      app.clock.now += 1_000;
      return route.continue();
    });
    await goTo(page, `/console/apps/${appId}/home`);
    let [clicks, fields] = [0, 0];
    const click = async (role: 'button' | 'link', name: string) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).first().click();
    };
    const fill = async (name: string, text: string) => {
      fields += 1;
      await page.getByRole('textbox', { name, exact: true }).fill(text);
    };
    await click('link', 'Add a beacon');
    await fill('Name', 'Hall');
    await click('button', 'Make a UUID');
    await fill('Major', '1');
    await fill('Minor', '1');
    // On a slow connection the next step is not offered before it knows the beacon.
    await page.route('**/v2/beacons?*limit=1&*', (route) =>
      new Promise((go) => setTimeout(go, 300)).then(() => route.continue()),
    );
    await click('button', 'Add the beacon');
    await click('link', 'Write a message');
    await fill('Text', 'The tour starts on your left.');
    await page.getByTestId('sentence').getByText('Hall').waitFor();
    await click('button', 'Switch on …');
    await page.getByRole('dialog').getByText('It would have sent', { exact: false }).waitFor();
    clicks += 1;
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('switch', { checked: true }).waitFor();
    await click('link', 'Home');
    await click('link', 'Try it with a pretend phone');
    const phone = page.getByRole('figure', { name: 'Preview on a phone' });
    await phone.getByText('The tour starts on your left.').waitFor();
    assert.deepEqual([clicks, fields], [8, 4]);
    await page.getByRole('list', { name: 'What the service noticed' }).getByText('Entered').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'pretend-phone');
    await page.getByRole('button', { name: 'Walk away' }).click();
    await page.getByText('The phone is gone.').waitFor();
    // On one's own phone, where nobody is signed in.
    await page.getByRole('button', { name: 'On your own phone' }).click();
    await page.getByRole('img', { name: 'QR code of the page for your phone' }).waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/api/v2/sightings');
    await app.app.apps.remove(appId);
    await goTo(page, `/console/apps/${app.appId}/home`);
  });

  test('visitors by beacon and events come without a reload', async () => {
    await page.getByText('1 visitor at 1 beacon').waitFor();
    const cafe = await site.beacon({ name: 'Cafe' });
    await site.installation({ installationId: 'phone-2' });
    site.app.clock.now += 1000;
    await site.send([{ beacon: cafe, event: 'ENTER' }], { installationId: 'phone-2' });
    await page.getByText('2 visitors at 2 beacons').waitFor();
    await events().first().getByText('Entered Cafe').waitFor();
    site.app.clock.now += 1000;
    await site.send([{ beacon: cafe, event: 'EXIT' }], { installationId: 'phone-2' });
    await page.getByText('1 visitor at 1 beacon').waitFor();
    // The count and the events come by two ways, one of them first.
    await events().first().getByText('Left Cafe').waitFor();
    await assertAccessible(page);
  });

  test('in a hidden tab nothing is listened to, and it goes on where one comes back', async () => {
    const show = (state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await show('hidden');
    await page.getByText('paused', { exact: true }).waitFor();
    site.app.clock.now += 1000;
    await site.send([site.decided('EXIT')]);
    await show('visible');
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('No visitor is near a beacon at the moment.').waitFor();
    await becomes(() => events().count(), 4);
  });

  test('what needs a person stands first, with the way to it', async () => {
    await finding('No push service is set up').waitFor();
    assert.match((await link('Open the push services').getAttribute('href')) ?? '', /\/senders$/);
    await finding('The app is open to strangers').waitFor();
    await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    await site.makeReachable();
    provider.script = () => ({ outcome: 'dead', reason: 'UNREGISTERED' });
    // Sooner, it would be the visit that has just ended.
    site.app.clock.now += 31_000;
    await site.send([site.decided('ENTER')]);
    await app.app.idle();
    await readAgain(page);
    await finding('1 message failed in the last 24 hours').waitFor();
    await finding('1 phone of 2 can no longer be reached').waitFor();
    assert.equal(await finding('No push service is set up').count(), 0);
    await assertAccessible(page);
  });

  test('an app that is open to strangers is closed, after saying what that would have refused', async () => {
    assert.equal((await app.send({ method: 'GET', url: '/api/v2/users' })).status, 200);
    await readAgain(page);
    await finding('Anyone with the app can read the names and e-mail addresses of all users').waitFor();
    await page.getByRole('button', { name: 'Close it …' }).click();
    const dialog = page.getByRole('dialog');
    const refused = dialog.getByRole('list', { name: 'What would have been refused' }).getByRole('listitem');
    await refused.filter({ hasText: 'List accounts, without signing in' }).filter({ hasText: '1 refused' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'home-close');
    await dialog.getByRole('button', { name: 'Close it', exact: true }).click();
    await page.getByText('The app is closed to strangers.').waitFor();
    await finding('The app is open to strangers').waitFor({ state: 'detached' });
    assert.equal((await app.send({ method: 'GET', url: '/api/v2/users' })).status, 403);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await finding('The app is open to strangers').waitFor();
    assert.equal((await app.send({ method: 'GET', url: '/api/v2/users' })).status, 200);
  });

  testInFull(
    'what is open is one sentence in a quiet app, and comes first and in red after days of real use',
    async () => {
      await takePictures(page, 'home-open');
      const items = () => page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem');
      const about = (title: string) => items().filter({ has: page.getByText(title, { exact: true }) });
      const colourOf = (title: string) =>
        about(title)
          .locator('span')
          .first()
          .evaluate(
            (icon) =>
              (globalThis as unknown as { getComputedStyle: (of: unknown) => { color: string } }).getComputedStyle(icon)
                .color,
          );
      const [quiet, loud] = ['The app is open to strangers', 'The app is in use and open to strangers'];
      const dayMs = 86_400_000;
      const dayBefore = (days: number) => app.clock.now - (app.clock.now % dayMs) - days * dayMs;
      /** So many on each of some days; requests are counted by day. */
      const requests = async (each: number, daysAgo: readonly number[]) => {
        await app.app.idle();
        await app.storage.db.run(sql`delete from dry_run_counts where app_id = ${app.appId}`);
        for (const days of daysAgo)
          await app.storage.db.run(sql`insert into dry_run_counts (app_id, day, subject, verb, caller, outcome, requests)
          values (${app.appId}, ${dayBefore(days)}, '', '', 'app', 'checked', ${each})`);
        await page.reload();
      };
      await requests(400, [1, 2]);
      await about(quiet).waitFor();
      assert.equal(await about(quiet).locator('p').count(), 1);
      const sentence = (await about(quiet).locator('p').innerText()).split('Review the rules')[0]?.trim() ?? '';
      assert.match(sentence, /^Anyone with the app [^.]+\.$/, 'one sentence, which says what is open and to whom');
      const mild = await colourOf(quiet);
      assert.notEqual(mild, await colourOf('1 message failed in the last 24 hours'));
      await requests(400, [1, 3, 6]);
      await about(loud).waitFor();
      const colours = await items()
        .locator('span:first-child')
        .evaluateAll((icons) =>
          icons.map(
            (icon) =>
              (globalThis as unknown as { getComputedStyle: (of: unknown) => { color: string } }).getComputedStyle(icon)
                .color,
          ),
        );
      const place = (await items().allInnerTexts()).findIndex((text) => text.startsWith(loud));
      assert.ok(place < colours.indexOf(mild), 'before all that can wait');
      assert.equal((await about(loud).locator('p').innerText()).split('Review the rules')[0]?.trim(), sentence);
      assert.equal(await colourOf(loud), await colourOf('1 message failed in the last 24 hours'));
      assert.equal(await about(quiet).count(), 0, 'it is said once');
      await assertAccessible(page);
      await requests(2_000, [9]);
      await about(quiet).waitFor();
      assert.equal(await colourOf(quiet), mild, 'what was longer ago does not count');
      // And as it comes about by itself.
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      for (let n = 0; n < 1000; n++) await app.send({ method: 'GET', url: '/api/v2/users?limit=0' });
      await page.reload();
      await about(loud).waitFor();
    },
  );

  test('a beacon that fell silent is named', async () => {
    const old = await site.beacon({ name: 'Cloakroom', minor: 7 });
    await found(app, [[old, 'silent']]);
    await readAgain(page);
    await finding('1 beacon fell silent').waitFor();
    const item = page.getByRole('listitem').filter({ hasText: '1 beacon fell silent' });
    await item.getByText('No longer heard in the usual hours. A battery may be empty: Cloakroom.').waitFor();
    await item.getByRole('link', { name: 'Show them' }).click();
    await link('Cloakroom').click();
    await heading('Cloakroom').waitFor();
  });

  test('the funnel of today leads from events to what failed', async () => {
    await goTo(page, `/console/apps/${app.appId}/home`);
    await heading('Today').waitFor();
    await page.getByRole('list', { name: 'The funnel of today' }).waitFor();
    const counts = [];
    for (const name of ['Events', 'Could be shown', 'Shown', 'Sent by push', 'Failed']) counts.push(await step(name));
    assert.deepEqual(counts, ['5', '2', '2', '0', '1']);
    await page.getByText('1 only by the open app, without a push.').waitFor();
    await page.getByRole('list', { name: 'The funnel of today' }).getByRole('link', { name: 'Show them' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByText('UNREGISTERED').waitFor();
  });

  test('who moved away comes after all others, however new', async () => {
    await site.beacon({ name: 'Garden', minor: 9 });
    await site.installation({ installationId: 'phone-3' });
    const start = site.now;
    site.app.clock.now += 60_000;
    const { events: happened } = await site.send(walk(stay(10, 12), start, 9), { installationId: 'phone-3' });
    assert.deepEqual(kindsOf(happened), ['FAR']);
    await goTo(page, `/console/apps/${app.appId}/home`);
    const moved = events().filter({ hasText: 'Moved away from Garden' });
    await moved.waitFor();
    const said = await events().allInnerTexts();
    const times = [];
    for (const time of await events().locator('time').all()) times.push(await time.getAttribute('datetime'));
    assert.ok(said.length > 3, said.join());
    assert.match(said.at(-1) ?? '', /Moved away from Garden/);
    assert.equal(times.at(-1), times.toSorted().at(-1), 'it is the newest');
    await takePictures(page, 'home-moved-away');
  });

  test('nothing moves under the pointer while the page loads and turns', async () => {
    // A load: what has moved before, some time after a click, is of other pages.
    await page.goto(`/console/apps/${app.appId}/home`);
    await page.evaluate(`
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries()))
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.getByRole('list', { name: 'The funnel of today' }).waitFor();
    for (let turn = 2; turn < 5; turn++) {
      const here = await site.beacon({ name: `Room ${turn}` });
      site.app.clock.now += 1000;
      await site.send([{ beacon: here, event: 'ENTER' }], { installationId: 'phone-2' });
      await page
        .getByText(new RegExp(`^Entered Room ${turn}`))
        .first()
        .waitFor();
    }
    // Chromium reports a shift after the frame in which it happened.
    const moved = (await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
      resolve(window.shifts.filter((shift) => !shift.hadRecentInput).map(({ value, sources }) => ({
        value,
        what: sources.map(({ node }) => node?.outerHTML?.slice(0, 160) ?? '?'),
      }))), 100)))`)) as readonly { readonly value: number; readonly what: readonly string[] }[];
    const sum = moved.reduce((all, { value }) => all + value, 0);
    assert.ok(sum <= 0.05, `${sum}: ${JSON.stringify(moved)}`);
  });

  testInFull('the events stand still while they are paused or pointed at', async () => {
    const here = page.getByRole('region', { name: 'Live now' });
    const enter = async (name: string) => {
      const beacon = await site.beacon({ name });
      site.app.clock.now += 1000;
      await site.send([{ beacon, event: 'ENTER' }], { installationId: 'phone-2' });
      await here.getByText(name).waitFor();
    };
    const first = async (name: string) => events().first().getByText(`Entered ${name}`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await enter('Annex');
    await first('Room 4');
    await page.getByRole('button', { name: 'Go on' }).click();
    await first('Annex');
    await events().first().hover();
    await enter('Attic');
    await first('Annex');
    await page.mouse.move(0, 0);
    await first('Attic');
  });

  testInFull('where nothing is wrong, a calm line says so; a role sees what it can act on', async () => {
    await found(app, []);
    await app.storage.db.run(sql`delete from deliveries`);
    await app.storage.db.run(sql`delete from visits where beacon_id <> ${site.hall}`);
    await app.storage.db.run(sql`update installations set token_dead_at = null, token_dead_reason = null`);
    const other = await openAs(browser, { app, origin, role: 'editor' });
    await goTo(other.page, `/console/apps/${app.appId}/home`);
    await other.page.getByText('All is well. Nothing needs your attention.').waitFor();
    await other.page.setViewportSize({ width: 390, height: 800 });
    assert.equal(
      await other.page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
      true,
      'nothing sticks out on a phone',
    );
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  testInFull('another app has none of it', async () => {
    const { appId } = await app.app.apps.create('Another app');
    await goTo(page, `/console/apps/${appId}/home`);
    await heading('Add a beacon').waitFor();
    await goTo(page, `/console/apps/${appId}/activity/what-if`);
    await heading('No beacons yet').waitFor();
    await link('Add a beacon').click();
    await heading('Add a beacon').waitFor();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
