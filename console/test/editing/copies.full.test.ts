import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Messages and records are copied in the tests of their own pages. */
describe('what there is one of is copied', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let origin: string;
  let ids: Readonly<Record<'beacon' | 'device' | 'venue' | 'webhook', string>>;

  const beacon = {
    name: 'Gate',
    uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
    major: 7,
    minor: 1,
    measuredPower: -61,
    location: { x: 1, y: 2, floor: 0 },
    metadata: { side: 'west' },
  };
  const device = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
  const venue = {
    name: 'Old mill',
    timeZone: 'Europe/Vienna',
    capacity: 40,
    openingHours: [{ dayName: 'Mon', from: '10:00', until: '18:00' }],
  };
  const webhook = { url: 'http://127.0.0.1:9/hook', description: 'Counter', events: ['visit.opened', 'visit.closed'] };

  beforeAll(async () => {
    const started = await startConsole({
      PHAROS_PRIVATE_TARGETS: '127.0.0.1',
      PHAROS_SMTP_URL: 'smtp://127.0.0.1:9',
      PHAROS_MAIL_FROM: 'pharos@museum.example',
    });
    ({ app, origin } = started);
    const { headers } = await signInManager(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    const url = `/console/api/apps/${app.appId}/webhooks`;
    const made = await visited.context.request.post(url, { data: webhook, headers: { origin: started.origin } });
    ids = {
      beacon: await create(app, '/api/v2/beacons', beacon, headers),
      device: await create(app, '/api/v2/device', device, headers),
      venue: await create(app, '/api/v2/venues', venue, headers),
      webhook: ((await made.json()) as { result: { objectId: string } }).result.objectId,
    };
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const consoleGet = async (path: string) =>
    (await visited.context.request.get(`/console/api/apps/${app.appId}/${path}`)).json();
  type Listed = Readonly<Record<string, unknown>> & { readonly objectId: string };
  async function all(path: string): Promise<readonly Listed[]> {
    const answer = await visited.context.request.get(`/console/api/apps/${app.appId}/${path}`);
    return ((await answer.json()) as { results: readonly Listed[] }).results;
  }

  interface Copied {
    readonly kind: keyof typeof ids;
    readonly page: string;
    readonly list: string;
    /** What the form asks for before it can be saved. */
    readonly fill?: () => Promise<unknown>;
    readonly save: string;
    readonly expected: object;
  }
  const cases: readonly Copied[] = [
    {
      kind: 'beacon',
      page: 'beacons',
      list: 'v2/beacons',
      fill: () => page.getByLabel('Minor', { exact: false }).fill('2'),
      save: 'Add the beacon',
      // Where it hangs is its own.
      expected: { ...beacon, name: 'Gate (copy)', minor: 2, location: undefined },
    },
    {
      kind: 'device',
      page: 'devices',
      list: 'v2/device',
      save: 'Add the device',
      expected: { ...device, deviceName: 'Sign (copy)' },
    },
    {
      kind: 'venue',
      page: 'beacons/venues',
      list: 'v2/venues',
      save: 'Add the venue',
      expected: { ...venue, name: 'Old mill (copy)' },
    },
    {
      kind: 'webhook',
      page: 'webhooks',
      list: 'webhooks',
      save: 'Add the webhook',
      expected: { ...webhook, description: 'Counter (copy)' },
    },
  ];
  for (const { kind, page: path, list, fill, save, expected } of cases)
    test(`a ${kind} begins as the other one is, and is one of its own`, async () => {
      const [before] = await all(list);
      await page.goto(`/console/apps/${app.appId}/${path}/${ids[kind]}`);
      await page.getByRole('link', { name: 'Duplicate', exact: true }).click();
      await page.getByRole('button', { name: save }).waitFor();
      await fill?.();
      await assertAccessible(page);
      await page.getByRole('button', { name: save }).click();
      await becomes(async () => (await all(list)).length, 2);
      const records = await all(list);
      assert.deepEqual(
        records.find(({ objectId }) => objectId === ids[kind]),
        before,
      );
      const copy = records.find(({ objectId }) => objectId !== ids[kind]) ?? {};
      const found = Object.fromEntries(Object.keys(expected).map((name) => [name, (copy as Listed)[name]]));
      assert.deepEqual(found, expected);
    });

  const consolePost = async (path: string, data: object) => {
    const url = `/console/api/apps/${app.appId}/${path}`;
    const answer = await visited.context.request.post(url, { data, headers: { origin } });
    assert.equal(answer.status(), 201, await answer.text());
    return ((await answer.json()) as { result: Readonly<Record<string, string>> }).result;
  };
  const duplicate = () => page.getByRole('link', { name: 'Duplicate', exact: true }).click();
  const isCopy = (text: string) => page.getByRole('note').filter({ hasText: text }).waitFor();

  test('a report is copied with its recipients, who must confirm again', async () => {
    const [me] = (await all('reports').then(() => consoleGet('reports'))).candidates;
    const report = await consolePost('reports', {
      venueId: null,
      every: 'month',
      isOn: true,
      administrators: [me.adminId],
      addresses: ['press@paper.example'],
    });
    await page.goto(`/console/apps/${app.appId}/activity/analytics/reports/${report['reportId']}`);
    await duplicate();
    await isCopy('Addresses outside the console have to confirm this report, too.');
    await assertAccessible(page);
    await takePictures(page, 'copy-report');
    await page.getByRole('radio', { name: 'Weekly, on Monday' }).check();
    await page.getByRole('button', { name: 'Set up the report' }).click();
    await becomes(async () => (await all('reports')).length, 2);
    const copy = (await all('reports')).find(({ every }) => every === 'week');
    assert.deepEqual([copy?.['administrators'], copy?.['addresses']], [[me.adminId], ['press@paper.example']]);
  });

  test('an identity provider is copied without its name', async () => {
    const fields = { kind: 'oidc', name: 'staff', issuer: 'https://127.0.0.1:9/staff', audiences: ['guide'] };
    const made = await consolePost('identity-providers', { ...fields, acceptsTokens: false });
    await page.goto(`/console/apps/${app.appId}/sign-in/${made['objectId']}`);
    await duplicate();
    await isCopy('The name is not copied');
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), '');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('friends');
    await page.getByRole('textbox', { name: 'Issuer' }).fill('https://127.0.0.1:9/friends');
    await page.getByRole('button', { name: 'Add the identity provider' }).click();
    await becomes(async () => (await all('identity-providers')).length, 2);
    const copy = (await all('identity-providers')).find(({ name }) => name === 'friends');
    assert.deepEqual(copy?.['audiences'], ['guide']);
  });

  test('a provider of single sign-on is copied without its issuer and its secret', async () => {
    const owner = await openAs(browser, { app, origin, role: 'owner' });
    const own = owner.page;
    const post = {
      headers: { origin },
      data: {
        name: 'Staff',
        issuer: origin,
        clientId: 'console',
        clientSecret: 'a long secret',
        scopes: 'openid groups',
        groupsClaim: 'groups',
        roles: { editor: ['curators'] },
      },
    };
    const made = await owner.context.request.post('/console/api/sso-providers', post);
    assert.ok(made.ok(), await made.text());
    const { providerId } = ((await made.json()) as { result: { providerId: string } }).result;
    await own.goto(`/console/administrators/single-sign-on/${providerId}`);
    await own.getByRole('link', { name: 'Duplicate', exact: true }).click();
    await own.getByRole('note').filter({ hasText: 'The issuer and the client secret are not copied' }).waitFor();
    const value = (label: string) => own.getByLabel(label).first().inputValue();
    assert.deepEqual(
      [await value('Name'), await value('Issuer'), await value('Client secret'), await value('Scopes')],
      ['Staff (copy)', '', '', 'openid groups'],
    );
    assert.equal(await own.getByLabel('Groups: editor').inputValue(), 'curators');
    await assertAccessible(own);
    await takePictures(own, 'copy-sso');
    await own.getByLabel('Issuer').fill(`${origin}/other`);
    await own.getByRole('button', { name: 'Add the provider' }).click();
    await own.getByRole('link', { name: 'Staff (copy)' }).waitFor();
    const all = await owner.context.request.get('/console/api/sso-providers');
    const copy = ((await all.json()) as { results: readonly { name: string; hasSecret: boolean }[] }).results.find(
      ({ name }) => name === 'Staff (copy)',
    );
    assert.equal(copy?.hasSecret, false);
    assert.deepEqual(owner.complaints, []);
    await owner.context.close();
  });

  test('a zone is copied on its floor', async () => {
    const { headers } = await signInManager(app);
    const [{ objectId: venueId } = { objectId: '' }] = await all('v2/venues');
    const of = { __type: 'Pointer', className: 'Venue', objectId: venueId };
    const floorId = await create(app, '/api/v2/floors', { venueId: of, name: 'Ground', level: 0 }, headers);
    const polygon = [
      { x: 0, y: 0 },
      { x: 4, y: 0 },
      { x: 4, y: 3 },
    ];
    const on = { __type: 'Pointer', className: 'Floor', objectId: floorId };
    await create(app, '/api/v2/zones', { floorId: on, name: 'Shop', kind: 'shop', polygon, capacity: 9 }, headers);
    await page.goto(`/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`);
    await page.getByRole('list', { name: 'Zones' }).getByRole('button', { name: 'Shop' }).click();
    await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
    await page.getByRole('heading', { name: 'Shop (copy)' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'copy-zone');
    const copy = (await all('v2/zones')).find(({ name }) => name === 'Shop (copy)');
    const beside = polygon.map(({ x, y }) => ({ x: x + 1, y: y + 1 }));
    assert.deepEqual([copy?.['kind'], copy?.['capacity'], copy?.['polygon']], ['shop', 9, beside]);
  });

  test('a bucket is copied with its columns and without its records', async () => {
    const { headers } = await signInManager(app);
    await app.app.buckets.createBucket(app.appId, 'birds');
    await create(app, '/api/v2/data/schema/birds', { column: { species: { type: 'String' } } }, headers);
    await create(app, '/api/v2/data/bucket/birds', { metadata: { species: 'kite' } }, headers);
    await page.goto(`/console/apps/${app.appId}/buckets`);
    await page.getByRole('button', { name: 'Duplicate birds' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate birds' });
    assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'birds_copy');
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'birds_copy' }).waitFor();
    await becomes(
      async () => {
        const copy = (await all('buckets')).find(({ name }) => name === 'birds_copy');
        return [copy?.['columns'], copy?.['records']];
      },
      [{ species: 'String' }, 0] as unknown[],
    );
  });

  test('a secret key is copied with what it may do; the key is another one', async () => {
    const scopes = [{ resource: 'beacons', verbs: ['list', 'get'] }];
    await consolePost('secret-keys', { name: 'Gateway', scopes, networks: ['127.0.0.0/8'] });
    await page.goto(`/console/apps/${app.appId}/keys`);
    await page.getByRole('button', { name: 'Duplicate Gateway' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a secret key' });
    await isCopy('The key itself and its last day are not copied');
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Gateway (copy)');
    await assertAccessible(page);
    await takePictures(page, 'copy-secret-key');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('dialog', { name: 'The new secret key' }).waitFor();
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    const keys = await all('secret-keys');
    assert.deepEqual(
      keys.map(({ name, scopes: may, networks }) => [name, may, networks]),
      [
        ['Gateway', scopes, ['127.0.0.0/8']],
        ['Gateway (copy)', scopes, ['127.0.0.0/8']],
      ].toSorted((a, b) => keys.findIndex(({ name }) => name === a[0]) - keys.findIndex(({ name }) => name === b[0])),
    );
  });

  test('a scheduled push is copied as a draft without its time, which is said', async () => {
    const { headers } = await signInManager(app);
    app.clock.now = Date.now();
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const body = { data: { title: 'Tonight', alert: 'Open late', hall: 3 }, where: { channels: 'news' }, sendAt };
    const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body });
    const id = String(sent.headers['location']).split('/').at(-1);
    await page.goto(`/console/apps/${app.appId}/push/${id}`);
    await duplicate();
    await isCopy('When it goes out is not copied');
    const value = (name: string) => page.getByRole('textbox', { name, exact: true }).inputValue();
    assert.deepEqual([await value('Title'), await value('Send at')], ['Tonight', '']);
    await assertAccessible(page);
    await takePictures(page, 'copy-push');
    const pushes = async () =>
      (await app.send({ method: 'GET', url: '/api/v2/push/notifications', headers })).body.results;
    assert.deepEqual([(await pushes()).length, (await pushes())[0].sendAt], [1, sendAt], 'nothing is sent by copying');
    const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16);
    await page.getByRole('textbox', { name: 'Send at', exact: true }).fill(later);
    await page.getByRole('button', { name: 'Schedule …' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Schedule/ })
      .click();
    await becomes(async () => (await pushes()).length, 2);
    const copy = (await pushes()).find(({ objectId }: Listed) => objectId !== id);
    assert.deepEqual([copy.data, copy.where, copy.sendAt], [body.data, body.where, `${later}:00.000Z`]);
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
