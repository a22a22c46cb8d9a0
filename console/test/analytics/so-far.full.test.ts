import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { houseOf } from './house.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('a day that goes on', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let headers: Readonly<Record<string, string>>;
  const { make, makeHouse, open, report } = houseOf(() => ({ page: visited.page, app, headers }));

  /** Three came this morning, three yesterday morning, and four more in the afternoon. */
  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    const now = Date.now();
    // A zone in which it is about noon.
    const east = 12 - new Date(now).getUTCHours();
    const timeZone = `Etc/GMT${east < 0 ? '+' : '-'}${Math.abs(east)}`;
    await app.app.apps.change(app.appId, { policy: { timeZone } }, service);
    await makeHouse();
    const [beacon] = (await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers })).body.results;
    for (let phone = 0; phone < 7; phone++)
      await make('/installations', { installationId: `p${phone}`, deviceType: 'android' });
    for (const [at, phones] of [
      [now - day - 2 * hour, [0, 1, 2]],
      [now - day + 4 * hour, [3, 4, 5, 6]],
      [now - 2 * hour, [0, 1, 2]],
    ] as const)
      for (const event of ['ENTER', 'EXIT'])
        for (const phone of phones) {
          app.clock.now = event === 'EXIT' ? at + 600_000 : at;
          await report(`p${phone}`, [{ beacon: beacon.objectId, event, occurredAt: app.clock.now }]);
        }
    app.clock.now = now;
    await app.app.rollups.settle(app.appId);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const visitors = async () => {
    const figures = visited.page.getByRole('list', { name: 'Figures of the period' }).getByRole('listitem');
    return figures.filter({ hasText: /^Visitors/ }).innerText();
  };

  test('is compared with as much of the day before, and the page says so', async () => {
    await open('?unit=day');
    await visited.page.getByText(/^Not over yet: .+ “Before” is as much of .+, until \d+ \w+, \d+:00\.$/).waitFor();
    assert.match(await visitors(), /3\s+as many as .+ \(3\)/);
    await assertAccessible(visited.page);
  });

  test('is compared with all of another one once it is over', async () => {
    const yesterday = new Date(app.clock.now - day).toISOString().slice(0, 10);
    await open(`?unit=day&on=${yesterday}`);
    await visited.page.getByRole('list', { name: 'Figures of the period' }).waitFor();
    assert.equal(await visited.page.getByText('Not over yet').count(), 0);
  });

  test('is one click away from a day that is still to come', async () => {
    const { page } = visited;
    await open(`?unit=day&on=${new Date(app.clock.now + 200 * day).toISOString().slice(0, 10)}`);
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await page.getByText(/^Not over yet/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Now', exact: true }).count(), 0);
  });

  test('is not said to have fewer than a whole day where small groups are protected', async () => {
    await app.app.apps.change(app.appId, { policy: { smallGroups: 'protected' } }, service);
    await open('?unit=day');
    await visited.page.getByText(/^Not over yet: .+ “Before” is all of /).waitFor();
    assert.ok(!(await visitors()).includes('%'));
  });
});
