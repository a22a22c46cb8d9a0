import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** One session: a message is given a goal, and its page is read. */
describe('what messages lead to, in the console', () => {
  let site: Site;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    site = await openSite('sqlite');
    site.app.app.ticker.stop();
    // Noon, so that all of it is on one day.
    site.app.clock.now = Math.floor(site.now / 86_400_000) * 86_400_000 + 43_200_000;
    const origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  const open = (path: string) => goTo(page, `/console/apps/${site.app.appId}/${path}`);

  test('without messages the page says how to find out', async () => {
    await open('activity/messages');
    await page.getByRole('heading', { name: /^No message reached anybody/ }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'effects-empty');
  });

  test('an editor says what a message is for, who gets nothing, and two wordings', async () => {
    const shop = await site.beacon({ name: 'Shop' });
    const id = await site.notification({ description: 'Ten percent off' });
    await open(`messages/${id}`);
    await page.getByRole('button', { name: 'Name, goal and comparison' }).click();
    await page.getByLabel('Goal', { exact: true }).selectOption({ label: 'Comes back, anywhere' });
    await page.getByLabel('Within how many hours').fill('3');
    await page.getByRole('switch', { name: 'Some visitors get nothing, to compare' }).click();
    await page.getByLabel('Percent of visitors who get nothing').fill('50');
    await page.getByRole('switch', { name: 'Try several wordings' }).click();
    await page.getByLabel('Its title').last().fill('Only today');
    await assertAccessible(page);
    await takePictures(page, 'effects-form');
    await page.getByRole('button', { name: 'What it would have sent' }).click();
    await page.getByText('It would have sent 0 messages to 0 visitors, instead of 0 to 0 visitors.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ten percent off is saved.').waitFor();
    const { goal, holdout, variants } = await site.get(`notifications/${id}`);
    assert.deepEqual(
      { goal, holdout, variants },
      {
        goal: { kind: 'visit', withinHours: 3 },
        holdout: 50,
        variants: [{ name: 'A' }, { name: 'B', message: { alertTitle: 'Only today' } }],
      },
    );
    for (let place = 0; place < 100; place++) {
      const installationId = `phone ${place}`;
      await site.installation({ installationId });
      const send = (beacon: string, event: string) =>
        site.send([{ beacon, event, occurredAt: site.now }], { installationId });
      const { messages } = await send(site.hall, 'ENTER');
      site.app.clock.now += 1_000;
      await send(site.hall, 'EXIT');
      if (messages.length > 0 || place % 5 === 0) await send(shop, 'ENTER');
    }
    await site.app.app.rollups.settle(site.app.appId);
  });

  test('the page says in a sentence what may be concluded, with the numbers of the interface', async () => {
    await open(`activity/messages?on=${new Date(site.now).toISOString().slice(0, 10)}`);
    await page.getByRole('heading', { name: 'Ten percent off' }).waitFor();
    const { messages } = await site.get(`analytics/messages?from=${new Date(site.now).toISOString().slice(0, 10)}`);
    const texts = messages[0].comparisons.map(({ text }: { text: string }) => text);
    // Chance puts the phones into their groups, and two comparisons may have to say the same.
    for (const text of new Set<string>(texts)) {
      const shown = page.getByText(text, { exact: true });
      await shown.first().waitFor();
      assert.equal(await shown.count(), texts.filter((one: string) => one === text).length, text);
    }
    const held = page.getByRole('table', { name: 'All messages' }).getByRole('row', { name: /got nothing/ });
    const group = messages[0].groups.find((one: { group: string }) => one.group === 'holdout');
    const cells = await held.getByRole('cell').allInnerTexts();
    assert.deepEqual(cells.slice(0, 2), [String(group.reached), '0']);
    await page.locator('[data-drawn="true"]').first().waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'All messages: save as CSV' }).click();
    assert.match((await saving).suggestedFilename(), /^messages-.*\.csv$/);
    await assertAccessible(page);
    await takePictures(page, 'effects');
  });
});
