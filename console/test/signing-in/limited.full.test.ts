import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { ScriptedSender } from '../../../server/test/fakes/scripted-sender.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

/** The tests are one story: each continues where the previous one stopped. */
describe('a role that holds for one venue, in a browser', () => {
  const provider = new ScriptedSender();
  let app: TestApp;
  let browser: Browser;
  let owner: Visit;
  let limited: Visit;
  let page: Page;
  beforeAll(async () => {
    app = await buildApp({ senders: [provider.definition('fcm')] });
    const started = { app, origin: await listenWithConsole(app) };
    await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    browser = await launchBrowser();
    const { headers } = await signInManager(app);
    for (const [minor, name] of ['North', 'South'].entries()) {
      const objectId = await create(app, '/api/v2/venues', { name: `${name} museum` }, headers);
      const venueId = { __type: 'Pointer', className: 'Venue', objectId };
      await create(app, '/api/v2/beacons', { name: `${name} door`, uuid, major: 1, minor, venueId }, headers);
    }
    owner = await openAs(browser, { ...started, role: 'owner' });
    limited = await openAs(browser, { ...started, role: 'manager' });
    page = limited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('an owner chooses the app and the venue', async () => {
    const own = owner.page;
    await own.goto('/console/administrators');
    await own.getByRole('button', { name: 'More about Some manager' }).click();
    await own.getByRole('menuitem', { name: 'Apps and venues' }).click();
    const dialog = own.getByRole('dialog', { name: /Apps of/ });
    await dialog.getByLabel('In chosen apps only').check();
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByRole('combobox', { name: /Venues of/ }).click();
    await own.getByRole('option', { name: 'North museum' }).click();
    await own.keyboard.press('Escape');
    await takePictures(own, 'apps-and-venues');
    await assertAccessible(own);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await own.getByText('in one app, in part only chosen venues').waitFor();
  });

  test('a limited administrator sees what belongs to the venue, and that this is not everything', async () => {
    await page.goto(`/console/apps/${app.appId}/home`);
    await page.getByText('You see and change what belongs to North museum.', { exact: false }).waitFor();
    await page.getByText('Live now').waitFor();
    const sections = page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link');
    assert.deepEqual(await sections.allTextContents(), ['Home', 'Messages', 'Visitors', 'Log', 'Places']);
    await assertAccessible(page);
    await takePictures(page, 'limited-home');
    await sections.filter({ hasText: 'Places' }).click();
    await page.getByRole('link', { name: 'Beacons' }).click();
    await page.getByRole('link', { name: 'North door' }).waitFor();
    assert.equal(await page.getByText('South door').count(), 0);
    await takePictures(page, 'limited-beacons');
  });

  test('a limited administrator finds by name and by id only what belongs to the venue, and nothing that was deleted', async () => {
    const { headers } = await signInManager(app);
    const beacons = (await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers })).body.results;
    const idOf = (name: string) => beacons.find((one: { name: string }) => one.name === name).objectId as string;
    const at = (name: string) => ({ __type: 'Pointer', className: 'Beacon', objectId: idOf(name) });
    const type = {
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hi', alertMessage: 'Come in.' },
      isEnabled: true,
    };
    for (const name of ['North', 'South'])
      await create(
        app,
        '/api/v2/notifications',
        { description: `${name} secret`, beaconId: at(`${name} door`), ...type },
        headers,
      );
    await create(app, '/api/v2/storylines', { title: 'Story secret', isEnabled: true }, headers);
    await create(app, '/api/v2/data/schema/secret', { column: { title: { type: 'String' } } }, headers);
    await create(app, '/api/v2/data/bucket/secret', { metadata: { title: 'Record secret' } }, headers);
    const venueId = beacons[0].venueId;
    const gone = await create(
      app,
      '/api/v2/beacons',
      { name: 'North secret gone', uuid, major: 1, minor: 9, venueId },
      headers,
    );
    assert.equal((await app.send({ method: 'DELETE', url: `/api/v2/beacons/${gone}`, headers })).status, 200);
    const asked: string[] = [];
    page.on('response', (answer) => asked.push(`${answer.status()} ${answer.url()}`));
    await page.getByRole('button', { name: /Search everything/ }).click();
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    const search = async (text: string, end: string | RegExp) => {
      await page.getByRole('combobox', { name: /Search pages/ }).fill(text);
      await page.getByRole('dialog').getByRole('status').filter({ hasText: end }).waitFor();
      return found.allInnerTexts();
    };
    await page.getByRole('combobox', { name: /Search pages/ }).fill('secret');
    await found.first().waitFor();
    assert.deepEqual(
      (await found.allInnerTexts()).map((text) => text.split('\n')[0]),
      ['North secret'],
    );
    await page.getByRole('combobox', { name: /Search pages/ }).fill(idOf('North door'));
    await found.first().waitFor();
    assert.deepEqual(
      (await found.allInnerTexts()).map((text) => text.split('\n')[0]),
      ['North door'],
    );
    for (const text of ['South', 'Story', 'Record', 'gone', idOf('South door'), gone])
      assert.deepEqual(await search(text, 'Nothing has this name or id.'), [], text);
    assert.deepEqual(
      asked.filter((one) => !one.startsWith('200')),
      [],
      'nothing is asked for that the role may not read',
    );
    await page.keyboard.press('Escape');
  });

  test('the limited tries a message of the venue on a phone of their own, and on no other', async () => {
    const secret = 'limited'.padEnd(43, 'x');
    await page.goto(`/console/apps/${app.appId}/messages/new`);
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Good morning');
    assert.equal(
      await page.getByRole('button', { name: 'Test on my own phone' }).count(),
      0,
      'it belongs to no venue yet',
    );
    await page.getByTestId('sentence').getByTitle('Place').click();
    await page.getByRole('combobox', { name: 'Beacon' }).fill('north');
    await page.getByRole('option', { name: /North door/ }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Test on my own phone' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pair a phone' }).click();
    const code = await dialog.getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/).innerText();
    assert.equal(await dialog.getByRole('button', { name: 'The app cannot scan a code' }).count(), 0);
    const headers = { 'installation-secret': secret };
    const phone = { installationId: 'own', deviceType: 'android', deviceModel: 'Pixel 8', deviceToken: 'own-token' };
    const made = await app.send({ method: 'POST', url: '/api/v2/installations', body: phone, headers });
    const url = `/api/v2/installations/${made.body.result.objectId}/pairing`;
    assert.equal((await app.send({ method: 'POST', url, body: { code }, headers })).status, 200);
    await dialog.getByRole('button', { name: 'Use this phone' }).click();
    await page.getByText('It goes to Pixel 8 alone.').waitFor();
    await page.getByRole('button', { name: 'Send to my phone' }).click();
    await page.getByRole('status').getByText('Firebase accepted it. Look at your phone.').waitFor();
    assert.deepEqual(
      provider.calls.map(({ message, target }) => [target.token, message.content.title]),
      [['own-token', 'Good morning']],
    );
    await assertAccessible(page);
    await takePictures(page, 'limited-test');
    assert.deepEqual(limited.complaints, []);
  });

  test('what the limited delete comes back by Undo, although the trash is shown to those who have the whole app', async () => {
    const { headers } = await signInManager(app);
    const { results } = (await app.send({ method: 'GET', url: '/api/v2/venues', headers })).body;
    const { objectId } = results.find(({ name }: { name: string }) => name === 'North museum');
    const venueId = { __type: 'Pointer', className: 'Venue', objectId };
    for (const [minor, name] of ['Cellar', 'Attic'].entries())
      await create(app, '/api/v2/beacons', { name, uuid, major: 2, minor, venueId }, headers);
    const idsOf = async (path: string): Promise<string> => {
      const listed = (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;
      return listed.map((one: { objectId: string }) => one.objectId).join();
    };
    const before = await idsOf('beacons');
    const toast = (text: string) => page.getByRole('alert').filter({ hasText: text });
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.goto(`/console/apps/${app.appId}/beacons`);
    await page.getByRole('checkbox', { name: 'Choose Cellar' }).check();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 beacon' }).click();
    await toast('1 beacon went into the trash.').waitFor();
    await undo.click();
    await becomes(() => idsOf('beacons'), before);
    await page.getByRole('link', { name: 'Attic' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete Attic' }).click();
    await toast('Attic was deleted.').waitFor();
    await undo.last().click();
    await becomes(() => idsOf('beacons'), before);

    const floor = await create(app, '/api/v2/floors', { venueId, name: 'Ground', level: 0 }, headers);
    const floorId = { __type: 'Pointer', className: 'Floor', objectId: floor };
    const polygon = [
      { x: 0, y: 0 },
      { x: 9, y: 0 },
      { x: 9, y: 9 },
    ];
    const zone = await create(app, '/api/v2/zones', { floorId, name: 'Hall', kind: 'room', polygon }, headers);
    await page.goto(`/console/apps/${app.appId}/beacons/venues/${objectId}/floors/${floor}`);
    await page.getByRole('button', { name: /^Hall/ }).first().click();
    await page.getByRole('button', { name: 'Delete the zone' }).click();
    await becomes(() => idsOf('zones'), '');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await becomes(() => idsOf('zones'), zone);
    assert.deepEqual(limited.complaints, []);
  });
});
