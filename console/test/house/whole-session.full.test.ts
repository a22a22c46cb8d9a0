import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { launchBrowser, startConsole, type Visit, visit } from '../browser.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const shell = promisify(execFile);

/**
 * A new installation from the set-up link to the first message and its reason, as its owner experiences it. The tests
 * are one session: each continues where the previous one stopped.
 */
describe('from the set-up link to the why of a first message', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let appId = '';
  let appKey = '';
  let beaconId = '';

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    for (const { appId } of await app.app.apps.list()) await app.app.apps.remove(appId);
    browser = await launchBrowser();
    visited = await visit(browser, origin, true);
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const part = (name: string) => page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name });
  const events = () => page.getByRole('list', { name: 'Events of the last hour' }).getByRole('listitem');

  /** Sends as an app would: a shell, curl, and the credentials that the console has shown. */
  async function curl(path: string, body: object): Promise<Record<string, unknown>> {
    const headers = [`X-Service-AppId: ${appId}`, `X-Service-AppKey: ${appKey}`, 'Content-Type: application/json'];
    const { stdout } = await shell('curl', [
      '-sS',
      '--fail-with-body',
      ...headers.flatMap((header) => ['-H', header]),
      '-d',
      JSON.stringify(body),
      `${origin}/api/v2${path}`,
    ]);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  test('the set-up link makes the first owner', async () => {
    const token = await app.app.admins.makeSetupToken();
    await page.goto(`/console/setup#${token}`);
    await page.getByLabel('Your name').fill('Ada Example');
    await page.getByLabel('E-mail').fill('ada@museum.example');
    await page.getByLabel('Password').first().fill('a long enough secret');
    await button('Create the account').click();
    await heading('No apps yet').waitFor();
  });

  test('an app is made, and its credentials are shown', async () => {
    await button('Create an app').click();
    await dialog().getByLabel('Name').fill('Museum guide');
    await dialog().getByLabel('As the interface specification describes').check();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await heading('Your app is ready').waitFor();
    [appId = '', appKey = ''] = await dialog().locator('code').allInnerTexts();
    await button('I have stored the key').click();
    await page.getByRole('button', { name: /Museum guide/ }).waitFor();
  });

  test('an owner sees every section without scrolling, on a small laptop too', async () => {
    const known = page.viewportSize();
    for (const height of [1297, 1049, 1025, 1000, 945, 921, 900, 825, 800, 720]) {
      await page.setViewportSize({ width: 1280, height });
      const last = await part('Settings').boundingBox();
      const account = await page.getByRole('button', { name: 'Account of Ada Example' }).boundingBox();
      assert.ok(
        last && account && last.y + last.height <= account.y,
        `at ${height}: ${JSON.stringify([last, account])}`,
      );
      const sections = 'document.querySelector("nav[aria-label=\\"Parts of the app\\"]")';
      const cut = await page.evaluate(`${sections}.scrollHeight - ${sections}.clientHeight`);
      assert.equal(cut, 0, `at ${height}`);
    }
    if (known) await page.setViewportSize(known);
  });

  test('a beacon comes in as CSV', async () => {
    await page.goto(`/console/apps/${appId}/beacons/import`);
    const csv = `name,uuid,major,minor,x,y\nMain hall,${uuid},1,12,4.2,7.5\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'beacons.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await button('Import 1').click();
    await page.getByText('1 of 1 rows are in.').waitFor();
    await page.getByRole('link', { name: 'All beacons' }).click();
    await page.getByRole('link', { name: 'Main hall' }).click();
    await heading('Main hall').waitFor();
    beaconId = page.url().split('/').at(-1) ?? '';
  });

  test('a message for that beacon is written and switched on', async () => {
    await part('Messages').click();
    await link('New message').click();
    await field('Title').fill('Welcome');
    await field('Text').fill('The tour starts on your left.');
    const sentence = page.getByTestId('sentence');
    await sentence.getByTitle('Place').click();
    await page.getByRole('combobox', { name: 'Beacons', exact: true }).fill('main');
    await page.getByRole('option', { name: 'Main hall' }).click();
    await button('Done').click();
    await sentence.filter({ hasText: 'When a visitor enters Main hall: once a visit, every day' }).waitFor();
    await button('Switch on …').click();
    await dialog().getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('switch', { name: 'Welcome is on', checked: true }).waitFor();
  });

  test('a phone says by curl that it has entered, is told what to show, and the home screen shows it live', async () => {
    const isListening = page.waitForResponse((answer) => answer.url().includes('/v2/events?'));
    await part('Home').click();
    await link('Try it with a pretend phone').waitFor();
    await isListening;
    await curl('/installations', { installationId: 'phone-1', deviceType: 'ios' });
    const said = await curl('/sightings', {
      installationId: 'phone-1',
      sightings: [{ beacon: beaconId, event: 'ENTER', eventId: 'first' }],
    });
    assert.match(JSON.stringify(said), /The tour starts on your left\./);
    await heading('Live now').waitFor();
    await page.getByText('1 visitor at 1 beacon').waitFor();
    assert.equal(await events().count(), 1);
  });

  test('its why is opened: the message was shown', async () => {
    await part('Log').click();
    await link('Entered Main hall').click();
    await heading('Entered Main hall').waitFor();
    await page.getByText('The message of this beacon was shown.').waitFor();
    const why = page.getByRole('list', { name: 'Messages that could have been shown' }).getByRole('listitem');
    await why.getByText('Welcome').waitFor();
    assert.match(await why.innerText(), /^Shown\s+Welcome\s*notification/);
  });

  test('the beacon has its visitor, and the audit who made it possible', async () => {
    await page.goto(`/console/apps/${appId}/beacons/${beaconId}`);
    await page.getByRole('region', { name: 'Events' }).getByText('Entered').waitFor();
    await page.getByText('still here').waitFor();
    await page.goto('/console/audit?kind=data');
    await page.getByText('added the notification Welcome in Museum guide.').waitFor();
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
