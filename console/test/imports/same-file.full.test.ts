import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

/** Both have looked, and found nothing, before either of them adds anything. */
describe('two people who take in the same file at the same moment', () => {
  let app: TestApp;
  let browser: Browser;
  let people: readonly Visit[];
  let headers: Readonly<Record<string, string>>;
  let venueId: string;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    await app.app.buckets.createBucket(app.appId, 'birds');
    venueId = await create(app, '/api/v2/venues', { name: 'House' }, headers);
    await create(app, '/api/v2/floors', { venueId: pointer('Venue', venueId), name: 'G', level: 0 }, headers);
    browser = await launchBrowser();
    people = [
      await openAs(browser, { ...started, role: 'manager' }),
      await openAs(browser, { ...started, role: 'manager' }),
    ];
    for (const { page } of people) await page.goto(`/console/apps/${app.appId}/beacons`);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const stored = async (path: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;

  /** Each has chosen the file, and what each adds waits until the other adds it as well. */
  async function importTogether(path: string, file: { readonly name: string; readonly text: string }, adds: RegExp) {
    const waiting: (() => void)[] = [];
    const prepare = async ({ page }: Visit) => {
      await goTo(page, `/console/apps/${app.appId}/${path}`);
      await page.route(adds, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await new Promise<void>((go) => {
          waiting.push(go);
          if (waiting.length === people.length) for (const each of waiting.splice(0)) each();
        });
        await route.continue();
      });
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: file.name, mimeType: 'text/csv', buffer: Buffer.from(file.text) });
      await page.getByRole('button', { name: 'Import 1' }).waitFor();
    };
    await Promise.all(people.map(prepare));
    await Promise.all(
      people.map(async ({ page }) => {
        await page.getByRole('button', { name: 'Import 1' }).click();
        await page.getByText('1 of 1 rows are in.').waitFor();
        await page.unroute(adds);
      }),
    );
  }

  test('have a beacon once', async () => {
    const text = 'name,uuid,major,minor\nGate,B9407F30-F5F8-466E-AFF9-25556B57FE6D,1,1\n';
    await importTogether('beacons/import', { name: 'beacons.csv', text }, /\/v2\/beacons$/);
    assert.equal((await stored('beacons')).length, 1);
  });

  test('have a record once, and again what was deleted since', async () => {
    const file = { name: 'birds.csv', text: 'species\nMerlin\n' };
    await importTogether('buckets/birds/import', file, /\/v2\/data\/bucket\/birds$/);
    const [one, ...others] = await stored('data/bucket/birds');
    assert.deepEqual(others, []);
    await app.send({ method: 'DELETE', url: `/api/v2/data/bucket/birds/${one.objectId}`, headers });
    await importTogether('buckets/birds/import', file, /\/v2\/data\/bucket\/birds$/);
    assert.equal((await stored('data/bucket/birds')).length, 1);
  });

  test('have a zone once', async () => {
    const file = { name: 'house.csv', text: 'type;objectId;name;level;corners\nzone;;Hall;0;"0 0; 4 0; 4 3"\n' };
    await importTogether(`beacons/venues/${venueId}/import`, file, /\/v2\/zones$/);
    assert.equal((await stored('zones')).length, 1);
  });
});
