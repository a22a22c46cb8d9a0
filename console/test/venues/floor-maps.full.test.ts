import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Two floors with beacons at the same places, in one house; a third beacon hangs on the same level of another house. */
describe('a map shows the beacons of its own floor', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let venueId: string;
  const floors: Record<string, string> = {};

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    const { headers } = await signInManager(app);
    const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, headers);
    venueId = await make('venues', { name: 'Old mill' });
    const other = await make('venues', { name: 'New mill' });
    for (const [name, level] of [
      ['Ground', 0],
      ['Attic', 1],
      ['Tower', 2],
    ] as const)
      floors[name] = await make('floors', { venueId: pointer('Venue', venueId), name, level });
    const beacon = (name: string, minor: number, floor: number, venue: string) =>
      make('beacons', {
        name,
        uuid: 'AA',
        major: 1,
        minor,
        location: { x: 4, y: 3, floor },
        venueId: pointer('Venue', venue),
      });
    for (const [name, left] of [
      ['Chamber of wonders', 0],
      ['Cabinet of curiosities', 8],
      ['Barn', 50],
    ] as const)
      await make('zones', {
        floorId: pointer('Floor', floors['Ground'] ?? ''),
        name,
        kind: 'room',
        polygon: [0, 8, 8, 0].map((x, at) => ({ x: left + x, y: at < 2 ? 0 : 6 })),
      });
    // It fills the map on a phone, with rooms in its corners.
    for (const [name, left, top] of [
      ['Stairs', 0, 0],
      ['Bells', 9, 0],
      ['Clockwork', 0, 9],
    ] as const)
      await make('zones', {
        floorId: pointer('Floor', floors['Tower'] ?? ''),
        name,
        kind: 'room',
        polygon: [0, 3, 3, 0].map((x, at) => ({ x: left + x, y: top + (at < 2 ? 0 : 4) })),
      });
    await beacon('Gate', 1, 0, venueId);
    await beacon('Loft', 2, 1, venueId);
    await beacon('Elsewhere', 3, 0, other);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/beacons${path}`);
  const dots = async () =>
    (await page.getByRole('link', { name: /at 4, 3$/ }).all()).length === 0
      ? []
      : Promise.all(
          (await page.getByRole('link', { name: /at 4, 3$/ }).all()).map((dot) => dot.getAttribute('aria-label')),
        );

  test('the map of all beacons, floor by floor', async () => {
    await open('?view=map');
    await page.getByRole('link', { name: 'Gate at 4, 3' }).waitFor();
    assert.deepEqual(await dots(), ['Gate at 4, 3']);
    await page.getByRole('combobox', { name: 'Floor' }).selectOption(floors['Attic'] ?? '');
    await page.getByRole('link', { name: 'Loft at 4, 3' }).waitFor();
    assert.deepEqual(await dots(), ['Loft at 4, 3']);
  });

  for (const [floor, own] of [
    ['Ground', 'Gate'],
    ['Attic', 'Loft'],
  ] as const)
    test(`the plan of the floor ${floor}: its own beacon, as a mark and in the list`, async () => {
      await open(`/venues/${venueId}/floors/${floors[floor]}`);
      const list = page.getByRole('list', { name: 'Beacons' });
      await list.getByRole('button', { name: own }).waitFor();
      assert.equal(await list.getByRole('listitem').count(), 1);
      const plan = page.getByRole('region', { name: `Plan of ${floor}` }).or(page.getByLabel(`Plan of ${floor}`));
      await plan.first().getByRole('button', { name: own }).waitFor();
      for (const name of ['Gate', 'Loft', 'Elsewhere'])
        if (name !== own) assert.equal(await plan.first().getByText(name).count(), 0, name);
    });

  test('on a phone the names of rooms are whole, and do not run into each other', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    await open(`/venues/${venueId}/floors/${floors['Ground']}`);
    const boxOf = (name: string) => page.locator('svg text', { hasText: name }).boundingBox();
    const between = async () => {
      const [one, other] = [await boxOf('Chamber of wonders'), await boxOf('Cabinet of curiosities')];
      return one && other ? other.x - one.x - one.width : -1;
    };
    await becomes(async () => (await between()) >= -1, true);
    await page.setViewportSize(known);
  });

  test('on a phone the buttons for the zoom cover no name of a room', async () => {
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ width: 390, height: 860 });
    const zoomIn = page.getByRole('button', { name: 'Zoom in' });
    const zoomOut = page.getByRole('button', { name: 'Zoom out' });
    /** Whether both buttons are beside what is found. */
    const areBeside = async (found: Locator) => {
      const [name, ...buttons] = await Promise.all([found, zoomIn, zoomOut].map((one) => one.boundingBox()));
      return buttons.every(
        (one) =>
          one &&
          name &&
          (one.x >= name.x + name.width ||
            one.x + one.width <= name.x ||
            one.y >= name.y + name.height ||
            one.y + one.height <= name.y),
      );
    };
    await open(`/venues/${venueId}/floors/${floors['Tower']}`);
    await becomes(() => areBeside(page.locator('svg text', { hasText: 'Stairs' })), true);
    await takePictures(page, 'floor-tower');
    await page.setViewportSize({ width: 390, height: 860 });
    await goTo(page, `/console/apps/${app.appId}/activity/analytics/plan?show=now`);
    await page.getByLabel('Floor', { exact: true }).selectOption({ label: 'Tower' });
    await becomes(() => areBeside(page.getByRole('region', { name: /: the part that is shown$/ })), true);
    await takePictures(page, 'plan-tower');
    await page.setViewportSize(known);
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
