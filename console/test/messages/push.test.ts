import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { ScriptedSender } from '../../../server/test/fakes/scripted-sender.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror="document.title=1">';

/** The tests are one session: each continues where the previous one stopped. */
describe('push in the console', () => {
  const fcm = new ScriptedSender();
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    app = await buildApp({ senders: [fcm.definition('fcm')] });
    origin = await listenWithConsole(app);
    headers = (await signInManager(app)).headers;
    await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const preview = () => page.getByRole('figure', { name: 'Preview on a phone' });
  const recipients = () => page.getByRole('table', { name: 'recipients' }).locator('tbody tr');
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/push${rest}`);
  const pushes = async () =>
    (await app.send({ method: 'GET', url: '/api/v2/push/notifications', headers })).body.results;
  const register = (n: number, more: object = {}) =>
    app.send({
      method: 'POST',
      url: '/api/v2/installations',
      body: { installationId: `p${n}`, deviceType: 'android', deviceToken: `token-${n}`, ...more },
    });

  test('an app that has sent nothing says what to do next', async () => {
    await open();
    await heading('Nothing sent yet').waitFor();
    await link('Write a message').click();
    await heading('Write a push message').waitFor();
  });

  test('the preview follows, and refused input is said at its field', async () => {
    await field('Title').fill('Tonight');
    await field('Text').fill('Open until 22:00');
    await field('Link').fill('example.org');
    await button('Send …').click();
    await page.getByText('Must be an address such as https://example.org', { exact: false }).waitFor();
    await field('Link').fill('museum://tonight');
    await preview().getByText('Tonight', { exact: true }).waitFor();
    await preview().getByText('A tap opens museum://tonight').waitFor();
    await page.getByText('How it appears').click();
    await field('Number on the icon').fill('3');
    await page.getByLabel('Importance').selectOption({ label: 'Quiet: without a sound, into the list' });
    await field('Takes the place of earlier ones called').fill('tonight');
    await page.getByText('Technical details').click();
    await field('Additional data for the app').fill('{"hall":');
    await button('Send …').click();
    await page.getByText('Must be a JSON object, such as {"hall": 2}.').waitFor();
    await field('Additional data for the app').fill(`{"long": "${'x'.repeat(4100)}"}`);
    await button('Send …').click();
    await page.getByText(/bytes; the limit is 4096/).waitFor();
    await field('Additional data for the app').fill('{"hall": 2}');
    await field('Send at').fill('2020-01-01T10:00');
    await button('Schedule …').click();
    await page.getByText('Is in the past; leave it empty to send immediately.').waitFor();
    await field('Send at').fill('2090-01-01T10:00');
    await button('Schedule …').click();
    await dialog()
      .getByRole('button', { name: /^Schedule to/ })
      .click();
    await page.getByText('Must be at most a year ahead.').waitFor();
    await field('Send at').fill('');
    assert.deepEqual(await pushes(), []);
  });

  test('a condition is counted while it is written, and one that is not finished cannot be sent', async () => {
    for (let n = 0; n < 12; n++) await register(n, { channels: [n < 3 ? 'news' : 'other'] });
    await register(12, { deviceToken: undefined, channels: ['news'] });
    await page.getByRole('radio', { name: 'Only some of them' }).check();
    await page.getByText('Complete the condition, or choose everyone.').waitFor();
    assert.equal(await button('Send …').isDisabled(), true);
    await page.getByLabel('Value').fill('news');
    await page.getByText('4 phones').waitFor();
    await button('Edit as JSON').click();
    await page.getByLabel('Condition as JSON').fill('{"channel": "news"}');
    await page.getByRole('alert').filter({ hasText: 'channel' }).waitFor();
    await page.getByLabel('Condition as JSON').fill('{}');
    assert.equal(await button('Send …').isDisabled(), true);
    await page.getByLabel('Condition as JSON').fill('{"channels": "news"}');
    await page.getByText('4 phones').waitFor();
    await assertAccessible(page);
  });

  test('the confirmation says how many, and the message goes to them alone', async () => {
    await button('Send …').click();
    await dialog().getByText('Tonight goes to 3 of 4 phones now.').waitFor();
    await dialog().getByText('1 not: The phone has no push address.').waitFor();
    await button('Send to 3 of 4 phones').click();
    await link('Tonight').waitFor();
    await app.app.idle();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('img', { name: '3 sent, 1 not reachable' }).waitFor();
    await assertAccessible(page);
    assert.deepEqual(fcm.calls.map(({ target }) => target.token).sort(), ['token-0', 'token-1', 'token-2']);
    const [{ data, options, where }] = await pushes();
    assert.deepEqual(options, { level: 'passive', replaces: 'tonight' });
    assert.deepEqual(
      [data, where],
      [
        { hall: 2, title: 'Tonight', alert: 'Open until 22:00', uri: 'museum://tonight', badge: 3 },
        { channels: 'news' },
      ],
    );
  });

  for (const isReloaded of [false, true])
    (isReloaded ? testInFull : test)(
      `one whose answer was lost is sent once, also when it is sent again${isReloaded ? ' after a reload' : ''}`,
      () => sendLost(isReloaded),
    );

  async function sendLost(isReloaded: boolean) {
    const title = isReloaded ? 'Closing very early' : 'Closing early';
    const before = (await pushes()).length;
    const calls = fcm.calls.length;
    await page.route('**/push/notification', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await open('/new');
    await field('Title').fill(title);
    await button('Send …').click();
    await dialog()
      .getByRole('button', { name: /^Send to/ })
      .click();
    await page.getByText('The service does not answer. Is it running, and are you online?').first().waitFor();
    await page.unroute('**/push/notification');
    if (isReloaded) {
      page.once('dialog', (asked) => void asked.accept());
      await page.reload();
      await page.getByText('It is not saved yet.', { exact: false }).waitFor();
    }
    if (!(await dialog().isVisible())) await button('Send …').click();
    await dialog()
      .getByRole('button', { name: /^Send to/ })
      .click();
    await link(title).waitFor();
    assert.deepEqual(visited.complaints.splice(0), ['Failed to load resource: net::ERR_FAILED']);
    await app.app.idle();
    assert.equal((await pushes()).length, before + 1);
    const sent = fcm.calls.slice(calls).map(({ target }) => target.token);
    assert.ok(sent.length > 0 && new Set(sent).size === sent.length, sent.join());
    await open();
  }

  test('its page tells why, for each recipient', async () => {
    await link('Tonight').click();
    await page.getByText('The phone has no push address.').first().waitFor();
    await page.getByText('1–4 of 4').waitFor();
    assert.equal(await recipients().count(), 4);
    await button(/^Sent 3/).click();
    await page.getByText('1–3 of 3').waitFor();
    assert.match(page.url(), /state=sent/);
    await page.reload();
    await page.getByText('1–3 of 3').waitFor();
    await page.getByRole('list', { name: 'Reasons' }).getByRole('button').click();
    await page.getByText('1–1 of 1').waitFor();
    await assertAccessible(page);
    await button('Show all recipients').click();
    await page.getByText('1–4 of 4').waitFor();
    await recipients().filter({ hasText: 'Firebase' }).first().getByRole('link').click();
    await heading('Delivery: sent').waitFor();
  });

  test('a push in progress is counted live, survives a reload, and is cancelled', async () => {
    // Pushes of one millisecond are in no order.
    app.clock.now += 1_000;
    const gate = Promise.withResolvers<void>();
    let sent = 0;
    fcm.script = async () => {
      if (++sent > 5) await gate.promise;
      return { outcome: 'sent' };
    };
    await open('/new');
    await field('Title').fill(script);
    await button('Send …').click();
    await dialog().getByRole('button', { name: 'Send to 12 of 13 phones' }).click();
    await link(script).click();
    await button('Cancel the message').waitFor();
    await page.reload();
    await button('Cancel the message').click();
    await dialog().getByText(script).waitFor();
    await button('Stop sending').click();
    await page.getByText('The push message was cancelled.').waitFor();
    gate.resolve();
    await app.app.idle();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    await button('Cancel the message').waitFor({ state: 'detached' });
    assert.match(await page.title(), /Pharos/);
    const cancelled = (await pushes()).find(({ data }: { data: { title: string } }) => data.title === script);
    assert.equal(cancelled.state, 'cancelled');
  });

  test('a scheduled one waits, and says for when', async () => {
    app.clock.now += 1_000;
    await open('/new');
    await field('Title').fill('Tomorrow');
    const tomorrow = new Date(app.clock.now + 86_400_000).toISOString().slice(0, 16);
    await field('Send at').fill(tomorrow);
    await button('Schedule …').click();
    await dialog().getByText('(UTC)').waitFor();
    await button('Schedule to 12 of 13 phones').click();
    await link('Tomorrow').waitFor();
    await page.getByRole('row', { name: 'Tomorrow' }).getByText('Scheduled for', { exact: false }).waitFor();
    assert.equal((await pushes()).find(({ sendAt }: { sendAt?: string }) => sendAt)?.sendAt, `${tomorrow}:00.000Z`);
    await link('Tomorrow').click();
    await page.getByText('Scheduled for').waitFor();
    await page
      .getByText('to everyone who matches at that time. Until then it can be changed and cancelled.', { exact: false })
      .waitFor();
    await page.getByText('No recipients yet.', { exact: false }).waitFor();
  });

  testInFull('an analyst reads the history and sends nothing', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/push`);
    await analyst.page.getByRole('link', { name: 'Tomorrow' }).waitFor();
    assert.equal(await analyst.page.getByRole('link', { name: 'Write a message' }).count(), 0);
    await analyst.page.getByRole('link', { name: 'Tomorrow' }).click();
    await analyst.page.getByText('Scheduled for').waitFor();
    assert.equal(await analyst.page.getByRole('button', { name: 'Cancel the message' }).count(), 0);
    await goTo(analyst.page, `/console/apps/${app.appId}/push/new`);
    await analyst.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    await analyst.context.close();
  });

  testInFull('an editor sees how many it reaches, too', async () => {
    const editor = await openAs(browser, { app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${app.appId}/push/new`);
    const reached = '12 of 13 phones can be reached: 12 by Google (FCM).';
    await editor.page.getByRole('status').filter({ hasText: '13 phones can be' }).waitFor();
    assert.equal(
      await editor.page.getByRole('status').filter({ hasText: '13 phones can be' }).locator('p').innerText(),
      reached,
    );
    await editor.page.getByRole('textbox', { name: 'Title', exact: true }).fill('From an editor');
    await editor.page.getByRole('button', { name: 'Send …' }).click();
    await editor.page.getByRole('button', { name: 'Send to 12 of 13 phones' }).click();
    await editor.page.getByRole('link', { name: 'From an editor' }).waitFor();
    await editor.context.close();
  });

  testInFull('an audience is saved under a name, and chosen for the next message', async () => {
    await open('/new');
    await page.getByRole('radio', { name: 'Only some of them' }).check();
    await page.getByLabel('Field').selectOption('deviceType');
    await page.getByLabel('Value').selectOption('ios');
    await button('Saved audiences').click();
    await field('Save this audience as').fill('iPhones');
    await page.keyboard.press('Enter');
    await open('/new');
    await button('Saved audiences').click();
    await button('iPhones').click();
    await page.getByLabel('Value').waitFor();
    assert.deepEqual(
      [await page.getByLabel('Field').inputValue(), await page.getByLabel('Value').inputValue()],
      ['deviceType', 'ios'],
    );
  });

  test('a push to many waits until a second person has read it, who may not be its author', async () => {
    await app.app.apps.change(app.appId, { policy: { approval: { enabled: true, above: 5 } } });
    const editor = await openAs(browser, { app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${app.appId}/push/new`);
    await editor.page.getByRole('textbox', { name: 'Title', exact: true }).fill('To many');
    await editor.page.getByRole('button', { name: 'Send …' }).click();
    await editor.page.getByRole('dialog').getByText('Somebody else has to approve it').waitFor();
    const sent = fcm.calls.length;
    await editor.page.getByRole('button', { name: 'Send to 12 of 13 phones' }).click();
    await editor.page.getByRole('link', { name: 'To many' }).click();
    await editor.page.getByRole('button', { name: 'Approve it' }).click();
    await editor.page
      .getByRole('alert')
      .filter({ hasText: /written|wrote/ })
      .waitFor();
    await app.app.idle();
    assert.equal(fcm.calls.length, sent);
    await goTo(page, new URL(editor.page.url()).pathname);
    await page.getByText('somebody who has not written it has to read and approve it', { exact: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'push-approval');
    await button('Approve it').click();
    await page.getByText('It is approved and is being sent.').waitFor();
    await app.app.idle();
    assert.equal(fcm.calls.length, sent + 12);
    await editor.context.close();
    await app.app.apps.change(app.appId, { policy: { approval: { enabled: false, above: 5 } } });
  });

  testInFull('a push to nobody is called so before and after, and everybody sees what stops messages', async () => {
    await app.app.senders.remove({ appId: app.appId, kind: 'fcm' }, service);
    const editor = await openAs(browser, { app, origin, role: 'editor' });
    const { page: desk } = editor;
    await goTo(desk, `/console/apps/${app.appId}/home`);
    await desk.getByRole('list', { name: 'Needs attention' }).getByText('No push service is set up').waitFor();
    await desk.getByText('Ask an owner or manager to enter them.').waitFor();
    await goTo(desk, `/console/apps/${app.appId}/push/new`);
    await desk.getByText('0 of 13 phones can be reached.').waitFor();
    await desk.getByText('12 not: Google’s push service is not set up for this app.').waitFor();
    await desk.getByRole('textbox', { name: 'Title', exact: true }).fill('Into the void');
    await desk.getByRole('button', { name: 'Send …' }).click();
    await desk.getByRole('dialog').getByText('It would reach nobody').waitFor();
    await assertAccessible(desk);
    await takePictures(desk, 'push-nobody');
    await desk.getByRole('button', { name: 'Send to nobody' }).click();
    await desk.getByRole('link', { name: 'Into the void' }).waitFor();
    await app.app.idle();
    await desk
      .getByRole('row', { name: /Into the void/ })
      .getByText('Nobody reached')
      .waitFor();
    await desk.getByRole('link', { name: 'Into the void' }).click();
    await desk.getByText('No phone was reached. The reasons are below.').waitFor();
    await takePictures(desk, 'push-nobody-page');
    await editor.context.close();
  });

  testInFull(
    "a draft is sent only to the administrator's own phone, which is remembered, with its actual result",
    async () => {
      const { appId, appKey } = await app.app.apps.create('My own');
      const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
      const phone = (installationId: string, more: object) =>
        app.send({
          method: 'POST',
          url: '/api/v2/installations',
          headers: credentials,
          body: { installationId, deviceType: 'android', ...more },
        });
      await app.app.senders.save({ appId, kind: 'fcm' }, {}, service);
      await phone('somebody-else', { deviceToken: 'other' });
      await phone('mine', { deviceToken: 'mine' });
      const openAppOnMine = async () => {
        await page.getByRole('dialog').getByText('Open the app on your phone now', { exact: false }).waitFor();
        app.clock.now += 1_000;
        await phone('mine', { deviceToken: 'mine' });
        await page.getByRole('dialog').getByLabel('Your phone').waitFor();
      };
      const sentBefore = fcm.calls.length;
      fcm.script = () => ({ outcome: 'sent' });
      await goTo(page, `/console/apps/${appId}/notifications/new`);
      await page.getByRole('textbox', { name: 'Title', exact: true }).fill('A draft');
      await button('Test on my own phone').click();
      await button('The app cannot scan a code').click();
      // Without room on the device it counts for this page.
      await page.evaluate(`Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    }`);
      await openAppOnMine();
      assert.equal(await page.getByRole('dialog').getByLabel('Your phone').getByRole('option').count(), 1);
      await button('This is mine').click();
      await button('Send to my phone').waitFor();
      page.once('dialog', (asked) => void asked.accept());
      await page.reload();
      await button('Test on my own phone').click();
      await button('The app cannot scan a code').click();
      await openAppOnMine();
      await button('This is mine').click();
      await button('Send to my phone').click();
      await page.getByText('Firebase accepted it. Look at your phone.').waitFor();
      const sent = fcm.calls.slice(sentBefore);
      assert.deepEqual(
        sent.map(({ target, message }) => [target.token, message.content.title]),
        [['mine', 'A draft']],
      );
      await takePictures(page, 'my-phone');
      await assertAccessible(page);
      fcm.script = () => ({ outcome: 'dead', reason: 'UNREGISTERED' });
      await goTo(page, `/console/apps/${appId}/push/new`);
      await field('Text').fill('Another draft');
      await button('Send to my phone').click();
      await page.getByText('It did not reach the phone. UNREGISTERED', { exact: false }).waitFor();

      fcm.script = () => ({ outcome: 'sent' });
      await phone('mine', { deviceToken: 'mine again' });
      const { headers: manager } = await signInManager(app, credentials);
      const story = { method: 'POST', url: '/api/v2/storylines', body: { title: 'A day', isEnabled: true } } as const;
      const made = await app.send({ ...story, headers: { ...credentials, ...manager } });
      await goTo(page, `/console/apps/${appId}/storylines/${made.body.result.objectId}/scenarios/new`);
      await field('Title').fill('A scene');
      await button('Send to my phone').click();
      await page.getByText('Firebase accepted it. Look at your phone.').waitFor();
      const last = fcm.calls.at(-1);
      assert.deepEqual([last?.target.token, last?.message.content.title], ['mine again', 'A scene']);
    },
  );

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
