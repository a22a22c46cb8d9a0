import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('the reference of the interface in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let user: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    user = await signIn(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/api${rest}`);
  const answer = () => page.getByRole('region', { name: 'The answer' });
  const curl = () => page.getByRole('region', { name: 'Try it' }).locator('code').innerText();
  const body = () => page.getByRole('textbox', { name: 'Body' });
  const stored = async () =>
    (await app.send({ method: 'GET', url: '/api/v2/beacons', headers: user.headers })).body.results;

  test('every operation of the service is there, by tag, and found by a word', async () => {
    await open();
    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
    await links.first().waitFor();
    assert.equal(await links.count(), app.app.endpoints.length);
    await page.getByRole('searchbox', { name: 'Search the operations' }).fill('create a beacon');
    await links.filter({ hasText: 'Create a beacon' }).click();
    await page.getByRole('heading', { name: 'Create a beacon' }).waitFor();
    assert.match(page.url(), /op=createBeacon/);
    await page.reload();
    await page.getByRole('heading', { name: 'Create a beacon' }).waitFor();
    await takePictures(page, 'api');
    await assertAccessible(page);
  });

  test('what is sent arrives in the app, and what is refused is shown as the service says it', async () => {
    await body().fill('{"name": "It\'s a hall", "uuid": "u", "major": 70000, "minor": 1}');
    await button('Send').click();
    await answer().getByText('400', { exact: true }).waitFor();
    await answer().getByText('must be at most 65535', { exact: false }).first().waitFor();
    await body().fill('{"name": "It\'s a hall", "uuid": "u", "major": 1, "minor": 1}');
    await button('Send').click();
    await answer().getByText('201', { exact: true }).waitFor();
    await answer()
      .getByText(/^in \d+ ms$/)
      .waitFor();
    await takePictures(page, 'api-answer');
    assert.deepEqual(
      (await stored()).map(({ name }: { name: string }) => name),
      ["It's a hall"],
    );
  });

  test('the curl line does the same from a shell', async () => {
    const line = (await curl()).replace('YOUR-APP-KEY', app.appKey).replace('ACCESS-TOKEN', user.token);
    // The service runs in this process, so the shell must not block it.
    const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl', 'curl -s')]);
    assert.ok(JSON.parse(stdout).result.objectId);
    assert.equal((await stored()).length, 2);
  });

  test('parameters go into the address; what is missing is said', async () => {
    await open('?op=listBeacons');
    await page.getByRole('textbox', { name: 'where' }).fill('{"name": {"$regex": "^It\'s"}}');
    await page.getByRole('textbox', { name: 'limit' }).fill('1');
    await button('Send').click();
    await answer().getByText('200', { exact: true }).waitFor();
    assert.equal(JSON.parse(await answer().locator('pre').innerText()).results.length, 1);
    assert.match(await curl(), /\/api\/v2\/beacons\?where=.*&limit=1'/);
    await open('?op=getBeacon');
    await page.getByText('Fill in objectId first.').waitFor();
    assert.ok(await button('Send').isDisabled());
    await page.getByRole('textbox', { name: 'objectId' }).fill('no/such?beacon');
    await button('Send').click();
    await answer().getByText('404', { exact: true }).waitFor();
  });

  test('a delete is asked about first', async () => {
    const [{ objectId }] = await stored();
    await open('?op=deleteBeacon');
    await page.getByRole('textbox', { name: 'objectId' }).fill(objectId);
    await button('Send').click();
    await page.getByRole('dialog').getByText(`DELETE /beacons/${objectId}`).waitFor();
    assert.equal((await stored()).length, 2);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await answer().getByText('200', { exact: true }).waitFor();
    assert.equal((await stored()).length, 1);
  });

  test('what only apps may do, or the role does not include, is not sent but shown', async () => {
    for (const [operation, sentence] of [
      ['signIn', 'Only apps and their users can use this operation; the console cannot send it.'],
      ['createStoryline', 'Your role cannot send this; an app can.'],
    ] as const) {
      await open(`?op=${operation}`);
      await page.getByText(sentence).waitFor();
      assert.equal(await button('Send').count(), 0);
      assert.match(await curl(), /^curl -X POST/);
    }
    await open('?op=nothing');
    await page.getByRole('alert').filter({ hasText: 'There is no operation called nothing.' }).waitFor();
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
