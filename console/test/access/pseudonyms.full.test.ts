import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { atOneDay } from '../../../server/test/support/build-app.ts';
import { openSite, type Site, stay, walk } from '../../../server/test/support/site.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';

/** Under pseudonyms that change daily: what the console writes into files, and what it shows as it happens, names no phone. */
describe('pseudonyms in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    site = await openSite('sqlite', {}, atOneDay(1_800_000));
    const { app } = site;
    await app.app.apps.change(app.appId, { policy: { pseudonyms: 'daily', oneZone: true } });
    // The switch takes effect when every node has heard of it.
    app.clock.now += 60_000;
    await site.notification();
    await site.makeReachable();
    await walkThrough();
    const log = {
      event: 'ENTER',
      moduleType: 'PRESENCE',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: site.hall },
      installationId: { __type: 'Pointer', className: '_Installation', objectId: site.phone },
    };
    assert.equal((await app.send({ method: 'POST', url: '/api/v2/logs', body: log })).status, 201);
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  async function walkThrough(): Promise<void> {
    const start = site.now;
    site.app.clock.now += 41_000;
    await site.send(walk(stay(1, 40), start));
    site.app.clock.now += 600_000;
    await site.app.app.ticker.tick();
    await site.app.app.idle();
  }
  const namesNobody = (text: string, what: string) => {
    for (const id of [site.phone, 'phone-1']) assert.ok(!text.includes(id), `${what}: ${text}`);
  };
  const pseudonyms = (text: string) => new Set(text.match(/\b[0-9a-f]{32}\b/g) ?? []);

  test('files of visits, events, deliveries and log records', async () => {
    const found = new Set<string>();
    for (const list of ['visits', 'events', 'deliveries', 'logs']) {
      await goTo(page, `/console/apps/${site.app.appId}/activity/${list}`);
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const text = readFileSync(await (await waiting).path(), 'utf8');
      assert.ok(text.trim().split('\n').length > 1, `${list}: ${text}`);
      namesNobody(text, list);
      if (list === 'visits' || list === 'events') for (const one of pseudonyms(text)) found.add(one);
    }
    assert.equal(found.size, 1, `one name of the day: ${[...found].join()}`);
  });

  test('what happens while somebody looks on, and what the pages say', async () => {
    const answers: string[] = [];
    page.on('response', (response) => {
      // The list of phones is for those who support them, and is about nothing else.
      if (/\/v2\/installations/.test(response.url())) return;
      response.text().then(
        (text) => void answers.push(text),
        () => undefined,
      );
    });
    await goTo(page, `/console/apps/${site.app.appId}/home`);
    await page.getByText('live', { exact: true }).waitFor();
    await walkThrough();
    const events = page.getByRole('list', { name: 'Events of the last hour' }).getByRole('listitem');
    await events.first().waitFor();
    for (const path of ['home', 'activity/visits', 'activity/events', 'activity/deliveries', 'activity/logs']) {
      await goTo(page, `/console/apps/${site.app.appId}/${path}`);
      await page.getByRole('heading').first().waitFor();
      namesNobody(await page.content(), path);
    }
    namesNobody(answers.join('\n'), 'what the pages were answered');
    assert.deepEqual(visited.complaints, []);
  });
});
