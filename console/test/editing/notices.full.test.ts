import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What can be used and lies beneath a notice; what is folded has a place, too, but cannot be seen. */
const beneath = `(() => {
  const notice = document.querySelector('.mantine-Notifications-notification');
  const over = notice.getBoundingClientRect();
  return [...document.querySelectorAll('a, button, input, select, textarea')].filter((one) => {
    const under = one.getBoundingClientRect();
    const isCovered = under.left < over.right && under.right > over.left && under.top < over.bottom && under.bottom > over.top;
    return isCovered && !notice.contains(one) && one.checkVisibility();
  }).map((one) => one.textContent || one.getAttribute('aria-label') || one.tagName);
})()`;

/** What has the focus, if it lies beneath a notice. */
const focusBeneath = `(() => {
  const over = document.querySelector('.mantine-Notifications-notification')?.getBoundingClientRect();
  const { activeElement } = document;
  const under = activeElement.getBoundingClientRect();
  const isCovered = over && activeElement.closest('#page') && under.left < over.right && under.right > over.left && under.top < over.bottom && under.bottom > over.top;
  return isCovered ? activeElement.outerHTML : undefined;
})()`;

/** As far down in the window as can be seen, whatever lies there. */
const toLowerEdge = (one: unknown) => {
  const element = one as { getBoundingClientRect(): { bottom: number } };
  const view = globalThis as unknown as { innerHeight: number; scrollBy(x: number, y: number): void };
  view.scrollBy(0, element.getBoundingClientRect().bottom - view.innerHeight);
};

/** As a page does that puts the focus somewhere and leaves it where it is. */
const focusAtLowerEdge = (one: unknown) => {
  const element = one as { getBoundingClientRect(): { bottom: number }; focus(how: object): void };
  const view = globalThis as unknown as { innerHeight: number; scrollBy(x: number, y: number): void };
  view.scrollBy(0, element.getBoundingClientRect().bottom - view.innerHeight);
  element.focus({ preventScroll: true });
};

for (const [device, size] of [
  ['on a desk', { width: 1280, height: 860 }],
  ['on a phone', { width: 390, height: 844 }],
] as const)
  describe(`${device} a notice covers nothing that somebody wants next`, () => {
    let app: TestApp;
    let browser: Browser;
    let page: Page;
    let beaconId = '';

    beforeAll(async () => {
      const started = await startConsole();
      app = started.app;
      const { headers } = await signInManager(app);
      const beacon = { name: 'Gate', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
      beaconId = await create(app, '/api/v2/beacons', beacon, headers);
      browser = await launchBrowser();
      ({ page } = await openAs(browser, { ...started, role: 'owner' }));
      await page.setViewportSize(size);
    });
    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    const open = (rest: string) => goTo(page, `/console/apps/${app.appId}/${rest}`);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const notice = () => page.locator('.mantine-Notifications-notification');
    const isFree = () => becomes(() => page.evaluate(beneath), []);

    test('the page that is shown after a form was saved', async () => {
      await open(`beacons/${beaconId}/edit`);
      await page.getByLabel('Name').fill('Great gate');
      await button('Save').click();
      await page.getByRole('heading', { name: 'Great gate', exact: true }).waitFor();
      await notice().getByText('Great gate is saved.').waitFor();
      await takePictures(page, `notice-${size.width}`);
      // The end of the page can be scrolled above it.
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await isFree();
      await notice().getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('heading', { name: 'Gate', exact: true }).waitFor();
    });

    test('the bar with which the next change is saved', async () => {
      await open('policy');
      const oneZone = page.getByLabel('One zone at a time');
      await oneZone.click();
      await button('Save the limits').click();
      await notice().getByText('The limits are saved.').waitFor();
      await oneZone.click();
      await button('Discard them').waitFor();
      const isCovered = async () =>
        ((await page.evaluate(beneath)) as string[]).some((one) => ['Save the limits', 'Discard them'].includes(one));
      await becomes(isCovered, false);
      await takePictures(page, `notice-and-bar-${size.width}`);
    });

    test('what was just pressed at the bottom of the window', async () => {
      await open('settings');
      await page.setViewportSize({ width: size.width, height: 420 });
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('Guide');
      const save = button('Save').first();
      // At the lower edge, as far down as can be pressed.
      await save.evaluate((one: unknown) => (one as { scrollIntoView(align: boolean): void }).scrollIntoView(false));
      await save.click();
      await notice().waitFor();
      await becomes(async () => ((await page.evaluate(beneath)) as string[]).includes('Save'), false);
      await page.setViewportSize(size);
    });

    test('the last button of a dialog', async () => {
      await open(`beacons/${beaconId}/edit`);
      await page.setViewportSize({ width: size.width, height: 320 });
      await page.getByLabel('Name').fill('Gate of the garden');
      await button('Save').click();
      await notice().getByText('Gate of the garden is saved.').waitFor();
      await button('Delete').click();
      const last = page.getByRole('dialog').getByRole('button').last();
      await last.scrollIntoViewIfNeeded();
      const isCovered = async () =>
        ((await page.evaluate(beneath)) as string[]).includes((await last.textContent()) ?? '');
      await becomes(isCovered, false);
      await notice().waitFor();
      await takePictures(page, `notice-and-dialog-${size.width}`);
      await page.keyboard.press('Escape');
      await page.setViewportSize(size);
    });

    test('what has the focus, or takes it, in the middle of a long page', async () => {
      await open('settings');
      await page.setViewportSize({ width: size.width, height: 420 });
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('Guide to the garden');
      await name.evaluate(toLowerEdge);
      await name.press('Enter');
      await notice().waitFor();
      await becomes(() => page.evaluate(focusBeneath), undefined);
      // From one to the next with the keyboard, and where a page puts it.
      for (const key of [...Array(12).fill('Tab'), ...Array(6).fill('Shift+Tab')]) {
        await page.keyboard.press(key);
        await becomes(() => page.evaluate(focusBeneath), undefined);
      }
      await page.locator('#page button:enabled').last().evaluate(focusAtLowerEdge);
      assert.ok(await page.evaluate("document.activeElement.matches('#page button')"));
      await becomes(() => page.evaluate(focusBeneath), undefined);
      await notice().waitFor();
      await page.setViewportSize(size);
    });

    test('the offer to undo lasts ten seconds, also in the place of another offer', async () => {
      await page.clock.install();
      await open('settings');
      const undo = notice().getByRole('button', { name: 'Undo' });
      for (const name of ['Guide to the tower', 'Guide to the harbour']) {
        await page.getByLabel('Name', { exact: true }).fill(name);
        await button('Save').first().click();
        await becomes(async () => (await page.title()).includes(name), true);
        await undo.waitFor();
        await page.mouse.move(0, 0);
        await page.clock.fastForward(7_000);
      }
      assert.equal(await undo.count(), 1);
      await page.clock.fastForward(5_000);
      await undo.waitFor({ state: 'hidden' });
    });
  });
