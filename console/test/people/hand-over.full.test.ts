import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { notificationExample } from '../../../server/src/features/messages/notifications/resource.ts';
import { create } from '../../../server/test/support/cases.ts';
import { openSite, pointer, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror=alert(1)>';

describe('an owner in the console', () => {
  let site: Site;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let vera: string;

  beforeAll(async () => {
    site = await openSite('sqlite');
    const origin = await listenWithConsole(site.app);
    const account = { firstname: 'Vera', lastname: script, email: 'vera@example.com', password: 'correct horse' };
    vera = await create(site.app, '/api/v2/users', account);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('what belongs to one user is handed over to another, who is searched for', async () => {
    const { appId } = site.app;
    await site.app.app.buckets.createBucket(appId, 'notes');
    const record = await create(
      site.app,
      '/api/v2/data/bucket/notes',
      { metadata: { title: 'A note' } },
      site.user.headers,
    );
    const makerOf = async (path: string) =>
      (await site.ask({ method: 'GET', url: `/api/v2/${path}` })).body.result.createdBy.objectId;
    const { headers } = site.user;
    const venue = await create(site.app, '/api/v2/venues', { name: 'East house' }, headers);
    const device = { deviceName: 'Gate', manufacture: 'Acme', topic: 'a/b' };
    const gate = await create(site.app, '/api/v2/device', device, headers);
    const storyline = await create(site.app, '/api/v2/storylines', { title: 'A tour', isEnabled: true }, headers);
    const message = { ...notificationExample, beaconId: pointer('Beacon', site.hall) };
    const notification = await create(site.app, '/api/v2/notifications', message, headers);
    const details = `storylines/${storyline}/detail`;
    const words = { beacons: [site.hall], campaign: 'TEXT', event: 'ENTER', showOn: [], alertTitle: 'Hi' };
    const scenario = await create(site.app, `/api/v2/${details}`, words, headers);
    const floor = await create(
      site.app,
      '/api/v2/floors',
      { name: 'Ground', level: 0, venueId: pointer('Venue', venue) },
      headers,
    );
    const upload = { method: 'POST', url: '/api/v2/files/hall.png', body: 'hall' } as const;
    const file = await site.app.send({ ...upload, headers: { ...headers, 'content-type': 'image/png' } });
    const asked = page.getByRole('dialog', { name: 'Hand over to another user' });
    const owner = page.getByRole('region', { name: 'Owner in the app' });
    for (const [at, path] of [
      [`beacons/${site.hall}`, `beacons/${site.hall}`],
      [`beacons/venues/${venue}`, `venues/${venue}`],
      [`devices/${gate}`, `device/${gate}`],
      [`storylines/${storyline}`, `storylines/${storyline}`],
      [`notifications/${notification}`, `notifications/${notification}`],
      [`storylines/${storyline}/scenarios/${scenario}`, `${details}/${scenario}`],
      [`beacons/venues/${venue}/floors/${floor}`, `floors/${floor}`],
      [`files?file=${file.body.objectId}`, `files/${file.body.objectId}`],
      [`buckets/notes/records/${record}`, `data/bucket/notes/${record}`],
    ] as const) {
      assert.equal(await makerOf(path), site.user.userId);
      await goTo(page, `/console/apps/${appId}/${at}`);
      await owner.getByRole('button', { name: 'Hand over to …' }).click();
      await asked.getByRole('button', { name: 'Hand over', exact: true }).click();
      await asked.getByText('Choose a user.').waitFor();
      await asked.getByRole('combobox', { name: 'New owner' }).fill('VERA@');
      await page.getByRole('option', { name: /vera@example\.com/ }).click();
      if (at.startsWith('beacons/')) await takePictures(page, 'hand-over');
      await asked.getByRole('button', { name: 'Hand over', exact: true }).click();
      await owner.getByRole('link', { name: `Vera ${script}` }).waitFor();
      assert.equal(await makerOf(path), vera);
      await takePictures(page, `owner-${path.split('/').at(-2)}`);
      await page.locator('#undo').getByRole('button', { name: 'Undo' }).click();
      await owner.getByRole('link', { name: `Vera ${script}` }).waitFor({ state: 'detached' });
      assert.equal(await makerOf(path), site.user.userId);
    }
    const { metadata } = (await site.ask({ method: 'GET', url: `/api/v2/data/bucket/notes/${record}` })).body.result;
    assert.deepEqual(metadata, { title: 'A note' });
    // A zone has no page of its own: it is chosen on its floor.
    const polygon = [
      { x: 0, y: 0 },
      { x: 5, y: 0 },
      { x: 5, y: 5 },
    ];
    const room = { name: 'Shop', kind: 'room', floorId: pointer('Floor', floor), polygon };
    const zone = await create(site.app, '/api/v2/zones', room, headers);
    await goTo(page, `/console/apps/${appId}/beacons/venues/${venue}/floors/${floor}`);
    await page.getByRole('list', { name: 'Zones' }).getByRole('button', { name: /Shop/ }).click();
    const ofZone = page.getByRole('region', { name: 'Owner of the zone' });
    await ofZone.getByRole('button', { name: 'Hand over to …' }).click();
    await asked.getByText('Shop belongs to the new owner').waitFor();
    await asked.getByRole('combobox', { name: 'New owner' }).fill('VERA@');
    await page.getByRole('option', { name: /vera@example\.com/ }).click();
    await asked.getByRole('button', { name: 'Hand over', exact: true }).click();
    await ofZone.getByRole('link', { name: `Vera ${script}` }).waitFor();
    assert.equal(await makerOf(`zones/${zone}`), vera);
    assert.equal(await makerOf(`floors/${floor}`), site.user.userId);
    await assertAccessible(page);
    await goTo(page, '/console/audit');
    await page
      .getByText(/gave the beacon .+ in Test app to another user\./)
      .first()
      .waitFor();
    assert.deepEqual(visited.complaints, []);
  });
});
