import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, readAgain, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Two people at the same records: Ana in the first browser, Ben in the second. */
describe('two people edit one record', () => {
  let app: TestApp;
  let browser: Browser;
  let ana: Visit;
  let ben: Visit;
  let headers: Readonly<Record<string, string>>;
  let beaconId: string;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole({ PHAROS_PRIVATE_TARGETS: '127.0.0.1' });
    app = started;
    headers = (await signIn(app)).headers;
    await app.app.buckets.createBucket(app.appId, 'birds');
    beaconId = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    browser = await launchBrowser();
    ana = await openAs(browser, { app, origin, role: 'manager' });
    ben = await openAs(browser, { app, origin, role: 'manager' });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const welcome = (description: string) =>
    create(
      app,
      '/api/v2/notifications',
      {
        description,
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beaconId },
        event: 'ENTER',
        type: 'TEXT',
        message: { alertTitle: 'Good morning', alertMessage: 'Come in.', sound: 'bell' },
        isEnabled: true,
      },
      headers,
    );
  const read = async (url: string) => (await app.send({ method: 'GET', url: `/api/v2/${url}`, headers })).body.result;
  const both = async (path: string) => {
    for (const { page } of [ana, ben]) await goTo(page, `/console/apps/${app.appId}/${path}`);
  };
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const conflict = (page: Page) => page.getByRole('dialog', { name: 'Somebody else has saved this meanwhile' });
  /** What stands in the fields of the page. */
  const entered = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll('#page :is(input, textarea, select)')].map(
      (one) => (one.type === 'checkbox' || one.type === 'radio' ? one.checked : one.value))`);

  test("a colleague's save leaves what is being typed alone, and is shown when saving", async () => {
    const id = await welcome('Welcome');
    await both(`notifications/${id}`);
    await field(ana.page, 'Title').fill('Good evening');
    await field(ben.page, 'Title').fill('Good night');
    await field(ben.page, 'Text').fill('We close soon.');
    await button(ben.page, 'Save').click();
    await ben.page.getByRole('table', { name: 'messages' }).waitFor();

    await readAgain(ana.page);
    await ana.page.getByText('Somebody else has saved this meanwhile.').waitFor();
    assert.equal(await field(ana.page, 'Title').inputValue(), 'Good evening');

    await button(ana.page, 'Save').click();
    await conflict(ana.page).waitFor();
    const sides = (name: string) => conflict(ana.page).getByRole('radiogroup', { name });
    assert.match(await sides('Title').innerText(), /Yours\s+Good evening\s+Theirs\s+Good night/);
    assert.match(await sides('Text').innerText(), /As it was\s+Come in\.\s+Theirs\s+We close soon\./);
    assert.equal(await button(ana.page, 'Save what is chosen').isDisabled(), true);
    await assertAccessible(ana.page);
    await takePictures(ana.page, 'conflict');
    assert.equal((await read(`notifications/${id}`)).message.alertTitle, 'Good night');

    await sides('Title').getByRole('radio', { name: /Yours/ }).click();
    await button(ana.page, 'Save what is chosen').click();
    await ana.page.getByRole('table', { name: 'messages' }).waitFor();
    const { message } = await read(`notifications/${id}`);
    assert.deepEqual(message, { alertTitle: 'Good evening', alertMessage: 'We close soon.', sound: 'bell' });
  });

  test('"Go on editing" saves nothing and keeps what was typed', async () => {
    const id = await welcome('Tour');
    await both(`notifications/${id}`);
    await field(ana.page, 'Title').fill('One');
    await field(ben.page, 'Title').fill('Two');
    await button(ben.page, 'Save').click();
    await ben.page.getByRole('table', { name: 'messages' }).waitFor();
    await button(ana.page, 'Save').click();
    await conflict(ana.page).waitFor();
    await button(ana.page, 'Go on editing').click();
    await conflict(ana.page).waitFor({ state: 'hidden' });
    assert.equal(await field(ana.page, 'Title').inputValue(), 'One');
    assert.equal((await read(`notifications/${id}`)).message.alertTitle, 'Two');
    await field(ana.page, 'Title').fill('Two');
    await button(ana.page, 'Save').click();
    await ana.page.getByText('Nothing was changed.').waitFor();
  });

  test("an outdated form does not revert a colleague's change, and shows it", async () => {
    await both(`beacons/${beaconId}/edit`);
    await field(ana.page, 'Name').fill('North gate');
    await field(ben.page, 'Floor').waitFor();
    await field(ben.page, 'Radius').fill('7');
    await button(ben.page, 'Save').click();
    await ben.page.getByRole('heading', { name: 'Gate', exact: true }).waitFor();
    await button(ana.page, 'Save').click();
    const radius = conflict(ana.page).getByRole('radiogroup', { name: 'Radius' });
    assert.match(await radius.innerText(), /As it was\s+nothing\s+Theirs\s+7/);
    await button(ana.page, 'Save what is chosen').click();
    await ana.page.getByRole('heading', { name: 'North gate' }).waitFor();
    const { name, radius: stored } = await read(`beacons/${beaconId}`);
    assert.deepEqual([name, stored], ['North gate', 7]);
  });

  test('undo takes back only what was changed here, and nothing when somebody has changed it since', async () => {
    const id = await welcome('Undone');
    await both(`notifications/${id}`);
    await field(ana.page, 'Title').fill('A mistake');
    await button(ana.page, 'Save').click();
    await ana.page.getByRole('table', { name: 'messages' }).waitFor();
    const body = { isEnabled: false };
    await app.send({ method: 'PUT', url: `/api/v2/notifications/${id}`, body, headers });
    await button(ana.page, 'Undo').click();
    await ana.page.getByText('Somebody has changed it since, so it stays as it is now.').waitFor();
    assert.equal((await read(`notifications/${id}`)).isEnabled, false);
  });

  testInFull('the members of a record are compared one by one', async () => {
    const url = '/api/v2/data/bucket/birds';
    const id = await create(app, url, { metadata: { species: 'owl', count: 1, old: true } }, headers);
    await both(`buckets/birds/records/${id}`);
    const editor = ana.page.getByRole('textbox', { name: 'The record as JSON' });
    await button(ana.page, 'Edit as JSON').click();
    await editor.fill('{"species": "barn owl", "count": 1}');
    await app.send({ method: 'PUT', url: `${url}/${id}`, body: { count: 2, place: 'tower' }, headers });
    await button(ana.page, 'Save').click();
    await conflict(ana.page).waitFor();
    await button(ana.page, 'Save what is chosen').click();
    await ana.page.getByText('The record is saved.').waitFor();
    assert.deepEqual((await read(`data/bucket/birds/${id}`)).metadata, {
      species: 'barn owl',
      count: 2,
      place: 'tower',
    });
  });

  testInFull('devices, storylines, scenarios, webhooks, columns, rules and settings are as careful', async () => {
    const showOn = [{ dayName: 'Mon', checked: true }];
    const device = { deviceName: 'A sign', manufacture: 'Acme', topic: 'museum/gate' };
    const deviceId = await create(app, '/api/v2/device', device, headers);
    const storylineId = await create(app, '/api/v2/storylines', { title: 'A day', isEnabled: true }, headers);
    const detailUrl = `/api/v2/storylines/${storylineId}/detail`;
    const scenario = { beacons: [beaconId], event: 'ENTER', campaign: 'TEXT', showOn, alertTitle: 'Old' };
    const detailId = await create(app, detailUrl, scenario, headers);
    const schemaUrl = '/api/v2/data/schema/birds';
    const schemaId = await create(app, schemaUrl, { column: { species: { type: 'String' } } }, headers);
    const webhooksUrl = `/console/api/apps/${app.appId}/webhooks`;
    const asBen = { headers: { origin: new URL(ben.page.url()).origin } };
    const hook = { url: 'http://127.0.0.1:9/hook', description: 'Till', events: ['visit.opened'] };
    const added = await ben.context.request.post(webhooksUrl, { data: hook, ...asBen });
    const webhookId = (await added.json()).result.objectId;
    const put = (url: string, body: object) => app.send({ method: 'PUT', url: `/api/v2/${url}`, body, headers });
    const cases = [
      {
        path: `webhooks/${webhookId}/edit`,
        edit: (page: Page) => field(page, 'Description').fill('The till'),
        theirs: async () => {
          const data = { events: ['visit.opened', 'visit.closed'] };
          assert.ok((await ben.context.request.put(`${webhooksUrl}/${webhookId}`, { data, ...asBen })).ok());
        },
        save: 'Save',
        check: async () => {
          const { result } = await (await ben.context.request.get(`${webhooksUrl}/${webhookId}`)).json();
          assert.deepEqual([result.description, result.events], ['The till', ['visit.opened', 'visit.closed']]);
        },
      },
      {
        path: 'buckets/birds/schema',
        edit: async (page: Page) => {
          await button(page, 'Add a column').click();
          await page.getByRole('textbox', { name: 'Name of the column' }).last().fill('ringed');
        },
        theirs: () =>
          put(`data/schema/birds/${schemaId}`, { column: { species: { type: 'String' }, count: { type: 'Number' } } }),
        save: 'Save the columns',
        check: async () => {
          const [{ metadata }] = (await app.send({ method: 'GET', url: schemaUrl, headers })).body.results;
          const [species, ringed, count] = [{ type: 'String' }, { type: 'String' }, { type: 'Number' }];
          assert.deepEqual(metadata, { species, ringed, count });
        },
      },
      {
        path: `devices/${deviceId}/edit`,
        edit: (page: Page) => field(page, 'Name').fill('Another sign'),
        theirs: () => put(`device/${deviceId}`, { topic: 'museum/shop' }),
        save: 'Save',
        check: async () => {
          const { deviceName, topic } = await read(`device/${deviceId}`);
          assert.deepEqual([deviceName, topic], ['Another sign', 'museum/shop']);
        },
      },
      {
        path: `storylines/${storylineId}/scenarios/${detailId}`,
        edit: (page: Page) => field(page, 'Title').fill('New'),
        theirs: () => put(`storylines/${storylineId}/detail/${detailId}`, { alertMessage: 'Theirs' }),
        save: 'Save',
        check: async () => {
          const { alertTitle, alertMessage } = await read(`storylines/${storylineId}/detail/${detailId}`);
          assert.deepEqual([alertTitle, alertMessage], ['New', 'Theirs']);
        },
      },
      {
        path: 'settings',
        edit: (page: Page) => field(page, 'Name').fill('Another museum'),
        theirs: () => app.app.apps.change(app.appId, { policy: { timeZone: 'Asia/Jakarta' } }),
        save: 'Save',
        check: async () => {
          const { name, policy } = await app.app.apps.get(app.appId);
          assert.deepEqual([name, policy.timeZone], ['Another museum', 'Asia/Jakarta']);
        },
      },
      {
        path: 'policy?find=password',
        edit: (page: Page) => field(page, 'Minimum password length').fill('12'),
        theirs: () => app.app.apps.change(app.appId, { policy: { tokenDays: 9 } }),
        save: 'Save the limits',
        check: async () => {
          const { passwordMinLength, tokenDays } = (await app.app.apps.get(app.appId)).policy;
          assert.deepEqual([passwordMinLength, tokenDays], [12, 9]);
        },
      },
      {
        path: 'rules',
        edit: async (page: Page) => {
          await page.getByRole('button', { name: /^Beacons, Change:/ }).click();
          await page.getByRole('dialog').getByLabel('Managers', { exact: true }).check();
          await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
          await page.getByText('You have unsaved changes.').waitFor();
        },
        theirs: () => app.app.apps.changeRules(app.appId, { resources: { beacons: { delete: 'nobody' } } }),
        save: 'Save the rules',
        check: async () => {
          const { stored } = await app.app.apps.rules(app.appId);
          assert.deepEqual(stored, { resources: { beacons: { update: 'manager', delete: 'nobody' } } });
        },
      },
    ];
    for (const { path, edit, theirs, save, check } of cases) {
      await goTo(ana.page, `/console/apps/${app.appId}/${path}`);
      await edit(ana.page);
      const typed = await entered(ana.page);
      await theirs();
      await readAgain(ana.page);
      await ana.page.getByText('Somebody else has saved this meanwhile.').waitFor();
      assert.deepEqual(await entered(ana.page), typed, path);
      await button(ana.page, save).click();
      await conflict(ana.page).waitFor();
      // What the page says may still be there of the form before.
      const saved = ana.page.waitForResponse((answer) => /^P(UT|ATCH)$/.test(answer.request().method()));
      await button(ana.page, 'Save what is chosen').click();
      await saved;
      await ana.page.getByText('saved.').first().waitFor();
      await check();
    }
  });

  test('a place that is typed for a beacon stays when a colleague moves it, who is not overwritten', async () => {
    // The rules of the app have been changed.
    const { headers: asManager } = await signInManager(app);
    const venue = await create(app, '/api/v2/venues', { name: 'House' }, asManager);
    const venueId = { __type: 'Pointer', className: 'Venue', objectId: venue };
    const floor = await create(app, '/api/v2/floors', { name: 'Ground', level: 0, venueId }, asManager);
    const beacon = { name: 'Shop door', uuid: 'AA', major: 1, minor: 8, venueId, location: { x: 1, y: 2, floor: 0 } };
    const id = await create(app, '/api/v2/beacons', beacon, asManager);
    const url = `/api/v2/beacons/${id}`;
    const theirs = async (x: number, y: number) => {
      const body = { location: { x, y, floor: 0 } };
      assert.equal((await app.send({ method: 'PUT', url, body, headers: asManager })).status, 200);
    };
    const place = async () => {
      const { x, y } = (await read(`beacons/${id}`)).location;
      return [x, y];
    };
    const { page } = ana;
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floor}`);
    await page.getByRole('list', { name: 'Beacons' }).getByRole('button', { name: 'Shop door' }).click();
    const x = page.getByLabel('Metres from the left');
    await x.fill('3.5');
    await theirs(7, 6);
    await readAgain(page);
    await page.getByRole('status').getByText('It was moved to 7, 6 meanwhile.').waitFor();
    assert.equal(await x.inputValue(), '3.5');
    await button(page, 'Move it there').click();
    await page.getByRole('alert').getByText('It was moved to 7, 6 meanwhile.').waitFor();
    assert.deepEqual(await place(), [7, 6]);
    await assertAccessible(page);
    await takePictures(page, 'beacon-moved');
    await button(page, 'Move it to 3.5, 2').click();
    await page.getByText('Shop door moved', { exact: false }).first().waitFor();
    await becomes(place, [3.5, 2]);

    // Nothing was read again: it is noticed all the same.
    await x.fill('4');
    await theirs(8, 8);
    await button(page, 'Move it there').click();
    await button(page, 'Leave it there').click();
    await becomes(() => x.inputValue(), '8');
    assert.deepEqual(await place(), [8, 8]);
  });

  testInFull(
    'undo on a plan takes back what was changed there, and leaves what a colleague has changed of the zone',
    async () => {
      const { headers: asManager } = await signInManager(app);
      const venue = await create(app, '/api/v2/venues', { name: 'Annex' }, asManager);
      const venueId = { __type: 'Pointer', className: 'Venue', objectId: venue };
      const floor = await create(app, '/api/v2/floors', { name: 'Ground', level: 0, venueId }, asManager);
      const corners = [
        [0, 0],
        [4, 0],
        [4, 3],
      ].map(([x, y]) => ({ x, y }));
      const floorId = { __type: 'Pointer', className: 'Floor', objectId: floor };
      const zone = { name: 'Hall', kind: 'room', polygon: corners, floorId };
      const id = await create(app, '/api/v2/zones', zone, asManager);
      const stored = async () => {
        const { name, capacity } = await read(`zones/${id}`);
        return [name, capacity];
      };
      const { page } = ana;
      await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venue}/floors/${floor}`);
      await page.getByRole('list', { name: 'Zones' }).getByRole('button', { name: 'Hall' }).click();
      const name = page.getByLabel('Name of the zone');
      await name.fill('Great hall');
      await name.press('Enter');
      await becomes(stored, ['Great hall', undefined]);
      const theirs = { method: 'PUT', url: `/api/v2/zones/${id}`, body: { capacity: 40 }, headers: asManager } as const;
      assert.equal((await app.send(theirs)).status, 200);
      await page.getByRole('main').getByRole('button', { name: 'Undo', exact: true }).click();
      await becomes(stored, ['Hall', 40]);
    },
  );

  test('the browsers had nothing to complain about', () => {
    assert.deepEqual([...ana.complaints, ...ben.complaints], []);
  });
});
