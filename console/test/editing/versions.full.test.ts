import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

/** What has a history: of each, one member that a colleague changes. */
interface Kept {
  readonly kind: string;
  /** The address of the record in the interface of the console, below the app. */
  readonly url: () => string;
  /** The page that has its history. */
  readonly page: () => string;
  readonly change: object;
  readonly label: string;
  readonly was: string;
  readonly is: string;
  readonly read: (record: never) => unknown;
}

describe('each record says who changed what and when, and goes back with one click', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let ana: Visit;
  let ben: Visit;
  let page: Page;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    app.clock.now = Date.UTC(2026, 4, 6, 17, 30);
    await app.app.apps.change(app.appId, { name: 'Museum guide', policy: { timeZone: 'Asia/Tokyo' } });
    const { headers } = await signInManager(app);
    const beacon = { name: 'Gate', uuid: 'AA', major: 1, minor: 1 };
    const beaconId = await create(app, '/api/v2/beacons', beacon, headers);
    const storylineId = await create(app, '/api/v2/storylines', { title: 'A morning', isEnabled: true }, headers);
    const showOn = [{ dayName: 'Mon', checked: true }];
    const scenario = { beacons: [beaconId], campaign: 'TEXT', event: 'ENTER', showOn, alertTitle: 'Coffee' };
    const scenarioId = await create(app, `/api/v2/storylines/${storylineId}/detail`, scenario, headers);
    const device = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
    const deviceId = await create(app, '/api/v2/device', device, headers);
    await app.app.buckets.createBucket(app.appId, 'birds');
    const recordId = await create(app, '/api/v2/data/bucket/birds', { metadata: { species: 'Owl' } }, headers);
    Object.assign(ids, { beaconId, storylineId, scenarioId, deviceId, recordId });
    browser = await launchBrowser();
    ana = await openAs(browser, { app, origin, role: 'owner' });
    ben = await openAs(browser, { app, origin, role: 'owner' });
    page = ana.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const kinds: readonly Kept[] = [
    {
      kind: 'a scenario',
      url: () => `v2/storylines/${ids['storylineId']}/detail/${ids['scenarioId']}`,
      page: () => `storylines/${ids['storylineId']}/scenarios/${ids['scenarioId']}`,
      change: { alertTitle: 'Tea' },
      label: 'Title',
      was: 'Coffee',
      is: 'Tea',
      read: ({ alertTitle }: { alertTitle: string }) => alertTitle,
    },
    {
      kind: 'a beacon',
      url: () => `v2/beacons/${ids['beaconId']}`,
      page: () => `beacons/${ids['beaconId']}`,
      change: { name: 'North gate' },
      label: 'Name',
      was: 'Gate',
      is: 'North gate',
      read: ({ name }: { name: string }) => name,
    },
    {
      kind: 'a device',
      url: () => `v2/device/${ids['deviceId']}`,
      page: () => `devices/${ids['deviceId']}`,
      change: { deviceName: 'Lamp' },
      label: 'Name',
      was: 'Sign',
      is: 'Lamp',
      read: ({ deviceName }: { deviceName: string }) => deviceName,
    },
    {
      kind: 'a record',
      url: () => `v2/data/bucket/birds/${ids['recordId']}`,
      page: () => `buckets/birds/records/${ids['recordId']}`,
      change: { species: 'Kite' },
      label: 'species',
      was: 'Owl',
      is: 'Kite',
      read: ({ metadata }: { metadata: { species: string } }) => metadata.species,
    },
    {
      kind: 'the settings of the app',
      url: () => '',
      page: () => 'settings',
      change: { name: 'City guide' },
      label: 'Name',
      was: 'Museum guide',
      is: 'City guide',
      read: ({ name }: { name: string }) => name,
    },
  ];

  for (const { kind, url, page: path, change, label, was, is, read } of kinds)
    test(kind, async () => {
      const address = `/console/api/apps/${app.appId}/${url()}`.replace(/\/$/, '');
      const now = async () => {
        const { result } = (await (await ana.context.request.get(address)).json()) as { result: never };
        return read(result);
      };
      app.clock.now += 60_000;
      const changed = await ben.context.request.fetch(address, { method: 'PUT', data: change, headers: { origin } });
      assert.ok(changed.ok(), await changed.text());
      await goTo(page, `/console/apps/${app.appId}/${path()}`);
      await page.getByRole('button', { name: 'History', exact: true }).click();
      const entry = page.getByRole('list', { name: 'Changes' }).locator(':scope > li').first();
      const said = await entry.innerText();
      const by = ((await (await ben.context.request.get('/console/api/session')).json()) as Session).result.email;
      const at = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Tokyo' }).format(app.clock.now);
      assert.ok(said.includes(by), `who: ${said}`);
      assert.ok(said.includes(`7 May 2026, ${at}`), `when, in the zone of the app: ${said}`);
      assert.match(said, new RegExp(`${label}\\s+${was} → ${is}`), 'what');
      app.clock.now += 60_000;
      await entry.getByRole('button', { name: 'Go back to before this' }).click();
      await becomes(now, was);
      await page.getByRole('alert').filter({ hasText: 'It is as it was before that change.' }).waitFor();
      app.clock.now += 60_000;
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await becomes(now, is);
      // A message stays while it is pointed at.
      await page.mouse.move(0, 0);
      await page.getByRole('alert').first().waitFor({ state: 'detached' });
    });

  /** A colleague changes the device, and Ana goes back to before the change of `which`. */
  async function goBack(title: string, which = 0): Promise<void> {
    const response = await ben.context.request.fetch(device(), {
      method: 'PUT',
      data: { deviceName: title },
      headers: { origin },
    });
    assert.ok(response.ok(), await response.text());
    app.clock.now += 60_000;
    await goTo(page, `/console/apps/${app.appId}/devices/${ids['deviceId']}`);
    await page.getByRole('button', { name: 'History', exact: true }).click();
    const entry = page.getByRole('list', { name: 'Changes' }).locator(':scope > li').nth(which);
    await entry.getByRole('button', { name: 'Go back to before this' }).click();
    await page.getByRole('alert').filter({ hasText: 'It is as it was before that change.' }).waitFor();
    app.clock.now += 60_000;
  }
  const device = () => `/console/api/apps/${app.appId}/v2/device/${ids['deviceId']}`;
  const title = async () =>
    ((await (await ana.context.request.get(device())).json()) as { result: { deviceName: string } }).result.deviceName;
  const undo = async (said: string) => {
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: said }).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
  };

  test('what a colleague has changed since is not taken back by Undo', async () => {
    await goBack('An afternoon');
    await ben.context.request.fetch(device(), { method: 'PUT', data: { deviceName: 'A night' }, headers: { origin } });
    await undo('Somebody has changed it since, so it stays as it is now.');
    assert.equal(await title(), 'A night');
  });

  test('where going back changed nothing, Undo takes no other change back', async () => {
    const before = await title();
    await goBack('A dawn');
    await undo('The change was undone.');
    await ben.context.request.fetch(device(), { method: 'PUT', data: { deviceName: before }, headers: { origin } });
    app.clock.now += 60_000;
    // Before the change to the dawn it was as it is now.
    const entries = page.getByRole('list', { name: 'Changes' }).locator(':scope > li');
    await goTo(page, `/console/apps/${app.appId}/devices/${ids['deviceId']}`);
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await entries
      .filter({ hasText: `${before} → A dawn` })
      .last()
      .getByRole('button')
      .click();
    await page.getByRole('alert').filter({ hasText: 'It is as it was before that change.' }).waitFor();
    await undo('The change was undone.');
    assert.equal(await title(), before);
  });

  interface Session {
    readonly result: { readonly email: string };
  }

  test('the browser had nothing to complain about', () => assert.deepEqual(ana.complaints, []));
});
