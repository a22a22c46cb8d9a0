import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../../server/src/base/sql.ts';
import { openSite, type Site, stay, uuid, walk } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit, watchRequests } from '../browser.ts';

const script = '<img src=x onerror=alert(1)>';

/** The tests are one session: each continues where the previous one stopped. */
describe('installations in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let hers: string;

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const heading = (name: RegExp | string) => page.getByRole('heading', { name });
  const dialog = () => page.getByRole('dialog');
  const rows = () => page.getByRole('table', { name: 'phones' }).locator('tbody tr');
  const open = (rest = '') => goTo(page, `/console/apps/${site.app.appId}/installations${rest}`);

  test('an app without installations says where they come from', async () => {
    const { appId } = await site.app.app.apps.create('Another app');
    await goTo(page, `/console/apps/${appId}/installations`);
    await heading('No phones yet').waitFor();
    await assertAccessible(page);
  });

  test('the table shows device, app, channels, user and whether a push can arrive', async () => {
    site.app.clock.now += 1000;
    hers = await site.installation({
      installationId: script,
      deviceType: 'ios',
      deviceToken: 'a secret token',
      channels: ['news', script],
      appName: 'Museum',
      appVersion: '2.4.1',
      metadata: { likes: script },
    });
    site.app.clock.now += 1000;
    const dead = await site.installation({ installationId: 'dead', deviceType: 'android', deviceToken: 'gone' });
    await site.app.storage.db.run(
      sql`update installations set token_dead_at = ${site.now}, token_dead_reason = 'UNREGISTERED.' where object_id = ${dead}`,
    );
    await open();
    await page.getByText('1–3 of 3').waitFor();
    const [first, second, third] = await rows().allInnerTexts();
    assert.match(first ?? '', /^Android \w{6}\s+invalid/);
    assert.match(second ?? '', /^iOS \w{6}\s+Museum 2\.4\.1\s+news, <img src=x onerror=alert\(1\)>\s+valid/);
    assert.match(third ?? '', /no address/);
    await assertAccessible(page);
    await open(`?where=${encodeURIComponent(JSON.stringify({ tokenDeadAt: { $exists: true } }))}`);
    await page.getByText('Push address is invalid is set').waitFor();
    await page.getByText('1–1 of 1').waitFor();
    await rows().first().click();
    await page.getByText('Pushes have not reached it since').waitFor();
    await page.getByText('Has not been near a beacon yet, and was sent no message.').waitFor();
    await assertAccessible(page);
  });

  test('the page of one shows its visits, events and deliveries, and leads to them', async () => {
    await site.notification({ description: 'Welcome' });
    site.app.clock.now += 1000;
    await site.send([site.decided('ENTER')], { installationId: script });
    await site.app.app.idle();
    const half = { n: 10, r: 110 };
    const heard = JSON.stringify({ heard: [half, half] });
    await site.app.storage.db.run(
      sql`insert into hearing (app_id, installation_id, model, hearing, updated_at)
        values (${site.app.appId}, ${hers}, '', ${heard}, ${site.now})`,
    );
    await open(`/${hers}`);
    const happened = page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
    await happened.filter({ hasText: 'Entered Hall' }).getByText('Shown').waitFor();
    await page.getByText('Technical details').click();
    await page.locator('pre').getByText(script).waitFor();
    assert.ok(!(await page.content()).includes('a secret token'));
    await page.getByText('9.2 dB less than expected, learned from 20 passed beacons').waitFor();
    await assertAccessible(page);
    await button('Forget').click();
    await dialog().getByRole('button', { name: 'Forget' }).click();
    await page.getByText('9.2 dB less than expected').waitFor({ state: 'detached' });
    await happened.getByRole('link', { name: 'Entered Hall' }).click();
    await page.getByText('The message of this beacon was shown.').waitFor();
  });

  test('the page of one that hears nothing says why and what helps, and the list counts how many', async () => {
    const body = { installationId: script, deviceType: 'ios', sensing: { location: 'whenInUse', bluetoothOn: false } };
    await site.app.send({ method: 'POST', url: '/api/v2/installations', body });
    await open(`/${hers}`);
    await page
      .getByText('Bluetooth is switched off, so the phone hears no beacon. Ask the visitor to switch')
      .waitFor();
    await page.getByText('no, or not always').waitFor();
    await assertAccessible(page);
    await open();
    const counted = page.getByRole('region', { name: 'How phones hear beacons' });
    await counted.getByText('100% (1)').waitFor();
    await counted.getByText('Bluetooth is switched off, so the phone hears no beacon.').waitFor();
    await assertAccessible(page);
    await site.app.send({
      method: 'POST',
      url: '/api/v2/installations',
      body: { ...body, sensing: { bluetoothOn: true } },
    });
    const heard = [{ uuid, major: 1, minor: 1, rssi: -60, motion: 'still', occurredAt: site.now }];
    await site.send(heard, { installationId: script });
    await open(`/${hers}`);
    await page.getByText('yes; if nothing comes, no beacon was near').waitFor();
    await page.getByText(/^still since /).waitFor();
  });

  test('a test message goes to this one alone', async () => {
    const before = site.provider.calls.length;
    await open(`/${hers}`);
    await button('Send a test message').click();
    const title = dialog().getByRole('textbox', { name: 'Title' });
    const text = dialog().getByRole('textbox', { name: 'Text' });
    await title.fill('');
    await text.fill('');
    await dialog().getByRole('button', { name: 'Send' }).click();
    await dialog().getByText('Write something to send.').waitFor();
    await text.fill('x'.repeat(5000));
    await dialog().getByRole('button', { name: 'Send' }).click();
    await dialog().getByText('at most 4096').waitFor();
    await text.fill('Hello, phone');
    await assertAccessible(page);
    await dialog().getByRole('button', { name: 'Send' }).click();
    await page.getByText('The message is being sent.').waitFor();
    const pushes = await site.pushes();
    assert.deepEqual(
      pushes.slice(before).map(({ target }) => target.token),
      ['a secret token'],
    );
    assert.match(JSON.stringify(pushes.at(-1)?.message), /Hello, phone/);
    await open(`/${hers}`);
    await page.getByRole('list', { name: 'What happened' }).getByRole('link', { name: 'Hello, phone' }).waitFor();
    await goTo(page, `/console/apps/${site.app.appId}/activity?visitor=${hers}`);
    await page.getByRole('list', { name: 'Log' }).getByRole('link', { name: 'Hello, phone' }).waitFor();
    await open(`/${hers}`);
  });

  test('an export holds everything that is known', async () => {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const all = JSON.parse(readFileSync(await (await waiting).path(), 'utf8'));
    assert.equal(all.installations[0].objectId, hers);
    const counts = ['visits', 'events', 'verdicts', 'logs', 'deliveries'].map((name) => all[name].length);
    assert.deepEqual(counts, [1, 1, 1, 1, 2]);
  });

  test('erasing names what goes, and it goes', async () => {
    await button('Erase').click();
    await dialog().getByText('with its visits, events, log records and deliveries').waitFor();
    await dialog()
      .getByRole('button', { name: /^Erase iOS/ })
      .click();
    await page.getByText('was erased.').waitFor();
    await site.app.app.idle();
    assert.equal((await site.list('installations')).length, 2);
    assert.deepEqual(await site.list('visits'), []);
    await page.getByText('1–2 of 2').waitFor();
  });

  test('the table can be taken along as a file', async () => {
    const waiting = page.waitForEvent('download');
    await button('Export').click();
    const lines = readFileSync(await (await waiting).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(lines.length, 3);
    assert.match(lines[1] ?? '', /,dead,UNREGISTERED\./);
  });

  test('an analyst sees no person behind it and changes nothing; an installer does not come here', async () => {
    const analyst = await openAs(browser, { app: site.app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${site.app.appId}/installations/${site.phone}`);
    await analyst.page.getByText('Push address').waitFor();
    assert.equal(await analyst.page.getByText('installationId').count(), 0);
    for (const name of ['Erase', 'Send a test message'])
      assert.equal(await analyst.page.getByRole('button', { name }).count(), 0);
    assert.deepEqual(analyst.complaints, []);
    await analyst.context.close();
    const installer = await openAs(browser, { app: site.app, origin, role: 'installer' });
    await goTo(installer.page, `/console/apps/${site.app.appId}`);
    await installer.page.getByRole('link', { name: 'Log' }).waitFor();
    assert.equal(await installer.page.getByRole('link', { name: 'Phones' }).count(), 0);
    await installer.context.close();
  });

  test('under pseudonyms no page says that nothing was there, and none fails', async () => {
    const { app } = site;
    await app.app.apps.change(app.appId, { policy: { pseudonyms: 'daily' } });
    app.clock.now += 60_000;
    const phone = await site.installation({ installationId: 'under pseudonyms', deviceType: 'android' });
    await site.send(walk(stay(1, 20), site.now), { installationId: 'under pseudonyms' });
    app.clock.now += 120_000;
    await app.app.ticker.tick();
    await app.app.idle();
    await open(`/${phone}`);
    await page.getByText('phones have pseudonyms that change every day, so that nothing tells').waitFor();
    assert.equal(await page.getByText('Has not been near a beacon yet').count(), 0);
    await assertAccessible(page);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const all = JSON.parse(readFileSync(await (await waiting).path(), 'utf8'));
    assert.equal(all.visits.length, 1, 'her own export names her');

    for (const role of ['manager', 'analyst'] as const) {
      const { page, context, complaints } = await openAs(browser, { app, origin, role });
      const isLoaded = watchRequests(page);
      const at = (rest: string) => goTo(page, `/console/apps/${app.appId}${rest}`);
      const paths = [
        '',
        ...['visits', 'events', 'deliveries', 'logs', 'analytics', 'analytics/plan'].map((tab) => `/activity/${tab}`),
      ];
      for (const path of paths) {
        await at(path);
        await page.getByRole('heading').first().waitFor();
        await isLoaded();
        const text = await page.getByRole('main').innerText();
        assert.ok(!text.includes(phone) && !text.includes(phone.slice(-6)), `${role} ${path}: ${text}`);
        assert.equal(await page.getByRole('alert').count(), 0, `${role} ${path}: ${text}`);
      }
      await at('/installations');
      if (role === 'manager') await page.getByText('of 3', { exact: false }).waitFor();
      else {
        await page.getByRole('heading', { name: '3 phones' }).waitFor();
        await page.getByText('Your role may know how many there are').waitFor();
        await assertAccessible(page);
      }
      assert.deepEqual(complaints, [], role);
      await context.close();
    }
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
