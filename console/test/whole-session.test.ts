import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../server/test/build-app.ts';
import { launchBrowser, startConsole, type Visit, visit } from './browser.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const shell = promisify(execFile);

/**
 * A new installation from the set-up link to the first message and its reason, as its owner lives it. The tests are one
 * session: each goes on where the one before has stopped.
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

  before(async () => {
    ({ app, origin } = await startConsole());
    for (const { appId } of await app.app.apps.list()) await app.app.apps.remove(appId);
    browser = await launchBrowser();
    visited = await visit(browser, origin);
    page = visited.page;
    page.setDefaultTimeout(15_000);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const answer = () => page.getByRole('region', { name: 'The answer' });

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

  /** Sends from the reference in the console, as the signed-in owner. */
  async function send(operation: string, fill: () => Promise<void>): Promise<Record<string, unknown>> {
    await page.goto(`/console/apps/${appId}/api?op=${operation}`);
    await fill();
    await button('Send').click();
    await answer()
      .getByText(/^20[01]$/)
      .waitFor();
    return JSON.parse(await answer().locator('pre').innerText()) as Record<string, unknown>;
  }

  test('the set-up link makes the first owner', async () => {
    const token = await app.app.admins.makeSetupToken();
    await page.goto(`/console/setup#${token}`);
    await page.getByLabel('Your name').fill('Ada Example');
    await page.getByLabel('E-mail').fill('ada@museum.example');
    await page.getByLabel('Password').first().fill('a long enough secret');
    await button('Create the account').click();
    await heading('No app yet').waitFor();
  });

  test('an app is made, and its credentials are shown', async () => {
    await button('Create an app').click();
    await dialog().getByLabel('Name').fill('Museum guide');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await heading('Your app is ready').waitFor();
    [appId = '', appKey = ''] = await dialog().locator('code').allInnerTexts();
    await button('I have stored the key').click();
    await heading('Museum guide').waitFor();
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

  test('a storyline with a scenario for that beacon is written', async () => {
    const body = () => page.getByRole('textbox', { name: 'Body' });
    const storyline = await send('createStoryline', () =>
      body().fill(JSON.stringify({ title: 'A morning in the museum', isEnabled: true })),
    );
    const { objectId } = storyline['result'] as { objectId: string };
    const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
    const scenario = {
      beacons: [beaconId],
      campaign: 'TEXT',
      event: 'ENTER',
      showOn: days.map((dayName) => ({ dayName, checked: true })),
      alertTitle: 'Welcome',
      alertMessage: 'The tour starts on your left.',
    };
    await send('createStorylineDetail', async () => {
      const parameter = page.getByRole('region', { name: 'Try it' }).locator('input').first();
      await parameter.fill(objectId);
      await body().fill(JSON.stringify(scenario));
    });
  });

  test('a phone says by curl that it has entered, and is told what to show', async () => {
    await curl('/installations', { installationId: 'phone-1', deviceType: 'ios' });
    const said = await curl('/sightings', {
      installationId: 'phone-1',
      sightings: [{ beacon: beaconId, event: 'ENTER', eventId: 'first' }],
    });
    assert.match(JSON.stringify(said), /The tour starts on your left\./);
  });

  test('the console shows the ENTER at the beacon, and the audit who made it possible', async () => {
    await page.goto(`/console/apps/${appId}/beacons/${beaconId}`);
    await page.getByRole('region', { name: 'Events' }).getByText('ENTER').waitFor();
    await page.getByText('still here').waitFor();
    await page.goto('/console/audit?kind=data');
    await page.getByText('added the storyline A morning in the museum in Museum guide.').waitFor();
  });

  test('its why can be read: the scenario fired', async () => {
    const { results } = (await send('listVerdicts', async () => undefined)) as {
      results: readonly { readonly outcome: string; readonly kind: string; readonly text: string }[];
    };
    assert.deepEqual(
      results.map(({ outcome, kind }) => [outcome, kind]),
      [['fired', 'scenario']],
    );
    assert.ok((results[0]?.text ?? '').length > 0);
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
