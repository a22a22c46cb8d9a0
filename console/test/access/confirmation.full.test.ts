import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { password } from '../../../server/test/support/console.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

describe('the password is asked for before keys and administrators are changed', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
    ({ page } = await openAs(browser, { app, origin, role: 'owner' }));
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const asked = () => page.getByRole('dialog', { name: 'Confirm that it is you' });
  const own = () => asked().getByLabel('Your password');
  const add = () => page.getByRole('dialog', { name: 'Add an administrator' });

  test('in the middle of what was begun, which then goes on', async () => {
    app.clock.now += 3_600_000;
    await page.goto('/console/administrators');
    await page.getByRole('button', { name: 'Add an administrator' }).click();
    await add().getByLabel('Name').fill('Eve');
    await add().getByLabel('E-mail').fill('eve@museum.example');
    await add().getByLabel('First password').fill('another long secret');
    await add().getByRole('button', { name: 'Add' }).click();
    await asked().waitFor();
    await assertAccessible(page);
    await takePictures(page, 'confirmation');
    await own().fill('not the password');
    await asked().getByRole('button', { name: 'Confirm' }).click();
    await asked().getByText('The current password is wrong.').waitFor();
    assert.equal((await app.app.admins.list()).length, 1);
    await own().fill(password);
    await asked().getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Eve can sign in now.').waitFor();
    await asked().waitFor({ state: 'detached' });
    await add().waitFor({ state: 'detached' });
    assert.equal((await app.app.admins.list()).length, 2);
  });

  test('whoever cancels has changed nothing, and can go on', async () => {
    app.clock.now += 3_600_000;
    await page.getByRole('button', { name: 'Add an administrator' }).click();
    await add().getByLabel('Name').fill('Mo');
    await add().getByLabel('E-mail').fill('mo@museum.example');
    await add().getByLabel('First password').fill('another long secret');
    await add().getByRole('button', { name: 'Add' }).click();
    await asked().getByRole('button', { name: 'Cancel' }).click();
    await add().getByText('Nothing was changed because the password was not confirmed.').waitFor();
    assert.equal((await app.app.admins.list()).length, 2);
  });

  test('and before a file with all about somebody is saved, which then is', async () => {
    const vera = await signIn(app);
    app.clock.now += 3_600_000;
    await page.goto(`/console/apps/${app.appId}/users/${vera.userId}`);
    await page.getByRole('button', { name: 'Export' }).click();
    await asked().getByText('to save all about somebody', { exact: false }).waitFor();
    await asked().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing was changed because the password was not confirmed.').first().waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await own().fill(password);
    const waiting = page.waitForEvent('download');
    await asked().getByRole('button', { name: 'Confirm' }).click();
    assert.equal((await waiting).suggestedFilename(), `user-${vera.userId}.json`);
  });
});
