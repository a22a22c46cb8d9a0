import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { becomes, goTo } from '../browser.ts';

interface Visited {
  readonly page: Page;
  readonly app: TestApp;
  readonly headers: Readonly<Record<string, string>>;
}

/** A house with two rooms, and what is done and looked at on the pages of its analytics. */
export function houseOf(visited: () => Visited) {
  const make = (path: string, body: object) => create(visited().app, `/api/v2${path}`, body, visited().headers);
  const open = (path: string) => goTo(visited().page, `/console/apps/${visited().app.appId}/activity/analytics${path}`);
  const cell = (table: string, row: string, column: number) => {
    const lines = visited().page.getByRole('table', { name: table }).getByRole('row');
    return lines.filter({ hasText: row }).getByRole('cell').nth(column);
  };
  const report = async (installationId: string, sightings: object[]) => {
    const body = { installationId, sightings };
    const answer = await visited().app.send({ method: 'POST', url: '/api/v2/sightings', body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  const savedBy = async (button: string) => {
    const [saved] = await Promise.all([
      visited().page.waitForEvent('download'),
      visited().page.getByRole('button', { name: button, exact: true }).click(),
    ]);
    return readFileSync(await saved.path());
  };

  /** On a phone nothing is wider than the screen, and no table has to be pushed sideways. */
  async function assertFitsPhone(what: string): Promise<void> {
    const { page } = visited();
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ ...known, width: 390 });
    await becomes(async () => [what, await page.evaluate('document.documentElement.scrollWidth')], [what, 390]);
    const wide = await page.evaluate(`[...document.querySelectorAll('#page table')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > 390)
      .map((one) => one.ariaLabel)`);
    assert.deepEqual([what, wide], [what, []]);
    await page.setViewportSize(known);
  }

  /** A floor with a wall between the hall and the shop, and a beacon in each. */
  async function makeHouse() {
    const venueId = pointer('Venue', await make('/venues', { name: 'House' }));
    const between = {
      points: [
        { x: 30, y: 0 },
        { x: 30, y: 12 },
      ],
    };
    const floor = { venueId, name: 'Ground floor', level: 0, walls: [between] };
    const floorId = pointer('Floor', await make('/floors', floor));
    for (const [minor, name] of [
      [1, 'Hall'],
      [2, 'Shop'],
    ] as const) {
      const x = minor * 20;
      const corners = [
        { x: x - 8, y: 0 },
        { x: x + 8, y: 0 },
        { x: x + 8, y: 12 },
        { x: x - 8, y: 12 },
      ];
      await make('/zones', { floorId, name, kind: 'room', polygon: corners });
      await make('/beacons', {
        uuid,
        major: 1,
        minor,
        name: `${name} beacon`,
        venueId,
        location: { x, y: 6, floor: 0 },
      });
    }
    return { venueId, floorId };
  }

  return { make, open, cell, report, savedBy, assertFitsPhone, makeHouse };
}
