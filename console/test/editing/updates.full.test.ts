import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { type Gateway, openGateway } from '../gateway.ts';
import { takePictures } from '../pictures.ts';

/** The service really stops here, and its console really is another one. The tests are one session. */
describe('a service that stops or is updated under an open tab', () => {
  let app: TestApp;
  let gateway: Gateway;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signIn(app)).headers;
    gateway = await openGateway(started.origin);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin: gateway.origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const open = (rest: string) => page.goto(`/console/apps/${app.appId}/${rest}`);
  const beacons = async () => (await app.send({ method: 'GET', url: '/api/v2/beacons', headers })).body.results;

  async function write(name: string, minor: number): Promise<void> {
    await open('beacons/new');
    await field('Name').fill(name);
    await field('UUID').fill('AB');
    await field('Major').fill('1');
    await field('Minor').fill(String(minor));
  }

  test('while it is stopped that is said, what is typed stays, and it is saved once when the service is back', async () => {
    await write('Tower', 1);
    await gateway.stop();
    await button('Add the beacon').click();
    await page.getByText('The service does not answer.').first().waitFor();
    assert.equal(await field('Name').inputValue(), 'Tower');
    await assertAccessible(page);
    await takePictures(page, 'stopped');
    await gateway.start();
    await button('Add the beacon').click();
    await heading('Tower').waitFor();
    assert.deepEqual(
      (await beacons()).map(({ name }: { name: string }) => name),
      ['Tower'],
    );
  });

  test('without a network that is said, too, and what is typed is saved once when it is back', async () => {
    await write('Offline', 3);
    await visited.context.setOffline(true);
    await button('Add the beacon').click();
    await page.getByText('The service does not answer.').first().waitFor();
    assert.equal(await field('Name').inputValue(), 'Offline');
    await visited.context.setOffline(false);
    await button('Add the beacon').click();
    await heading('Offline').waitFor();
    const names = (await beacons()).map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), ['Offline', 'Tower']);
  });

  test('a form whose answer was lost is saved once, also if the page is loaded again before the next try', async () => {
    await write('Lost', 5);
    await page.route('**/v2/beacons', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await button('Add the beacon').click();
    await page.getByText('The service does not answer.').first().waitFor();
    await page.unroute('**/v2/beacons');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('It is not saved yet.', { exact: false }).waitFor();
    await button('Add the beacon').click();
    await heading('Lost').waitFor();
    const named = async () => (await beacons()).filter(({ name }: { name: string }) => name === 'Lost');
    assert.equal((await named()).length, 1);
    // What is typed anew is wanted anew.
    await write('Lost', 5);
    await button('Add the beacon').click();
    await button('Add a second one').click();
    await heading('Lost').waitFor();
    assert.equal((await named()).length, 2);
    for (const { objectId } of await named())
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${objectId}`, headers });
  });

  test('a deletion whose answer was lost is done when the button is pressed again', async () => {
    await create(app, '/api/v2/beacons', { name: 'Spare', uuid: 'AB', major: 1, minor: 9 }, headers);
    await open('beacons');
    await link('Spare').click();
    await button('Delete').click();
    await page.route('**/v2/beacons/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete Spare' });
    await confirm.click();
    await page.getByRole('dialog').getByText('The service does not answer.').waitFor();
    await page.unroute('**/v2/beacons/*');
    await confirm.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await heading('Beacons').waitFor();
    const names = (await beacons()).map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), ['Offline', 'Tower']);
  });

  test('a page that was never opened says that the service does not answer, and opens when it is back', async () => {
    await gateway.stop();
    await link('People').click();
    await heading('This page could not be loaded').waitFor();
    await page.getByText('The service does not answer. Is it running, and are you online?').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'stopped-page');
    await gateway.start();
    await button('Try again').click();
    await heading('Phones').waitFor();
  });

  test('after an update the open tab says so, and what was typed in it is there in the new version', async () => {
    await write('Crypt', 2);
    gateway.update();
    await link('Content').click();
    await button('Keep a draft and leave').click();
    await heading('A new version is here').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'updated');
    await button('Reload').click();
    await heading('Data').waitFor();
    const script = await page.evaluate(`document.querySelector('script[src*="/assets/"]').src`);
    assert.match(String(script), /x\.js$/, 'it is the other build');
    await open('beacons/new');
    await page.getByText(/^This is your draft of/).waitFor();
    assert.equal(await field('Name').inputValue(), 'Crypt');
    await button('Add the beacon').click();
    await heading('Crypt').waitFor();
    assert.equal((await beacons()).length, 3);
  });
});
