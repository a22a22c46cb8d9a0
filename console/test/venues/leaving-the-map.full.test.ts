import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

/** Lets a test hold back what waits for the next frame, and what waits for an animation to end. Read before Leaflet is, which keeps them. */
const patientWindow = `{
  const request = requestAnimationFrame.bind(window);
  const cancel = cancelAnimationFrame.bind(window);
  const later = setTimeout.bind(window);
  const waiting = new Map();
  let last = 1_000_000_000;
  window.asked = 0;
  const hold = (step) => {
    window.asked++;
    waiting.set(++last, step);
    return last;
  };
  window.requestAnimationFrame = (step) => (window.held === 'frames' ? hold(step) : request(step));
  window.cancelAnimationFrame = (id) => waiting.delete(id) || cancel(id);
  // Leaflet waits so long for the end of a zoom, in case the browser does not tell.
  window.setTimeout = (step, after, ...rest) =>
    window.held === 'zooms' && after === 250 ? hold(step) : later(step, after, ...rest);
  window.release = () => {
    window.held = undefined;
    const steps = [...waiting.values()];
    waiting.clear();
    for (const step of steps) request(step);
    return new Promise((resolve) => request(resolve));
  };
}`;

/** What happens between two frames, and must not take as long as a request from outside. */
const zoomAndGo = (path: string) => `(async () => {
  document.querySelector('.leaflet-control-zoom-in').click();
  while (!document.querySelector('.leaflet-zoom-anim')) await new Promise((resolve) => requestAnimationFrame(resolve));
  history.pushState(null, '', ${JSON.stringify(path)});
})()`;

describe('whoever leaves the plan of a floor in the middle of what it draws', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let [venue, floor] = ['', ''];

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    const { headers } = await signInManager(app);
    const venueId = await create(app, '/api/v2/venues', { name: 'House' }, headers);
    const of = { venueId: pointer('Venue', venueId), name: 'Ground floor', level: 0 };
    const floorId = await create(app, '/api/v2/floors', of, headers);
    const polygon = [
      { x: 1, y: 1 },
      { x: 9, y: 1 },
      { x: 9, y: 5 },
    ];
    const zone = { floorId: pointer('Floor', floorId), name: 'Hall', kind: 'room', polygon };
    await create(app, '/api/v2/zones', zone, headers);
    venue = `/console/apps/${app.appId}/beacons/venues/${venueId}`;
    floor = `${venue}/floors/${floorId}`;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await page.addInitScript(patientWindow);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(floor);
    await page.locator('.leaflet-container canvas').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** As a link does. */
  const go = (path: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  const hold = (what: 'frames' | 'zooms') => page.evaluate(`window.asked = 0; window.held = '${what}'`);
  const assertCalm = async () => {
    await page.locator('.leaflet-container').waitFor({ state: 'detached' });
    assert.ok(Number(await page.evaluate('window.asked')) > 0, 'nothing was to come');
    await page.evaluate('window.release()');
    assert.deepEqual(visited.complaints, []);
  };

  test('before it was drawn for the first time', async () => {
    await goTo(page, venue);
    await page.getByRole('link', { name: 'Ground floor' }).first().waitFor();
    await hold('frames');
    await go(floor);
    await page.locator('.leaflet-container canvas').waitFor();
    await page.getByText('Hall', { exact: true }).first().waitFor();
    await go(venue);
    await assertCalm();
  });

  test('while it zooms', async () => {
    await goTo(page, floor);
    await page.locator('.leaflet-container canvas').waitFor();
    await hold('zooms');
    await page.evaluate(zoomAndGo(venue));
    await assertCalm();
  });
});
