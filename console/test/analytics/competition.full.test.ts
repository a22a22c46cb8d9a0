import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openSite, type Site, uuid } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** A phone stands beside the second of three beacons, whose places are known. */
const corners = [
  { x: 0, y: 0, z: 2 },
  { x: 8, y: 0, z: 2 },
  { x: 4, y: 7, z: 2 },
] as const;
const phone = { x: 7.5, y: 1 };

describe('the competition between beacons in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;

  beforeAll(async () => {
    site = await openSite('sqlite');
    for (const [index, location] of corners.entries())
      await site.beacon({ name: `Corner ${index + 1}`, minor: 11 + index, location });
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'analyst' });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /** Two reports a second of every beacon. */
  const heard = (seconds: number): object[] =>
    Array.from({ length: 2 * seconds }, (_, half) =>
      corners.map(({ x, y }, index) => ({
        uuid,
        major: 1,
        minor: 11 + index,
        rssi: Math.round(-59 - 20 * Math.log10(Math.hypot(x - phone.x, y - phone.y, 0.7))),
        occurredAt: site.now - 60_000 + half * 500 + index,
      })),
    ).flat();

  test('the page of an event says which beacons competed, how sure it is of each, and how far away each was', async () => {
    const { events } = await site.send(heard(15));
    const enter = events.find(({ event }: { event: string }) => event === 'ENTER');
    const { page } = visited;
    await goTo(page, `/console/apps/${site.app.appId}/activity/events/${enter.objectId}`);
    await page.getByRole('heading', { name: 'Entered Corner 2', exact: true }).waitFor();
    await page.getByText('Beacons that competed').click();
    const competitors = page.getByRole('list', { name: 'Beacons that competed' }).getByRole('listitem');
    await competitors.first().waitFor();
    const lines = (await competitors.allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' '));
    const told = enter.rivals.map(
      ({ confidence, distance }: { confidence: number; distance: number }) =>
        `${Math.round(100 * confidence)} % sure, ${(Math.round(10 * distance) / 10).toFixed(1)} m from the estimated position`,
    );
    assert.deepEqual(
      lines.map((line) => line.replace(/ ?Corner \d ?/, '')),
      told,
    );
    assert.match(lines[0] ?? '', /Corner 2/);
    assert.equal(lines.length, corners.length);
    await assertAccessible(page);
    await takePictures(page, 'event-competition');
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
