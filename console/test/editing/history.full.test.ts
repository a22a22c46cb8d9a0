import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** An editor's second thoughts: going back, taking back, copying. */
describe('nothing an editor does is final', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let beaconId: string;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    headers = (await signIn(app)).headers;
    await app.app.buckets.createBucket(app.appId, 'birds');
    beaconId = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
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
        message: { alertTitle: 'Good morning', alertMessage: 'Come in.' },
        isEnabled: true,
      },
      headers,
    );
  const get = async (url: string) => (await app.send({ method: 'GET', url: `/api/v2/${url}`, headers })).body;
  const open = (path: string) => goTo(page, `/console/apps/${app.appId}/${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });
  const told = (text: string) => page.getByRole('alert').filter({ hasText: text });

  /** The content policy forbids what `waitForFunction` does, unless the first look is enough. */
  const becomesTrue = (expression: string) => becomes(() => page.evaluate(expression), true);

  test('a notification goes back to what it was before a change, and that is undone as easily', async () => {
    const id = await welcome('Welcome');
    app.clock.now += 60_000;
    await app.send({
      method: 'PATCH',
      url: `/api/v2/notifications/${id}`,
      headers,
      body: { message: { alertTitle: 'Good night' } },
    });
    await open(`notifications/${id}`);
    await button('History').click();
    const changes = dialog('History').getByRole('list', { name: 'Changes' });
    await changes.getByText('Good night').waitFor();
    assert.match(await changes.innerText(), /Title\s+Good morning → Good night/);
    await assertAccessible(page);
    await takePictures(page, 'history');
    app.clock.now += 60_000;
    await changes.getByRole('button', { name: 'Go back to before this' }).click();
    await told('It is as it was before that change.').waitFor();
    assert.equal((await get(`notifications/${id}`)).result.message.alertTitle, 'Good morning');
    await becomesTrue('document.querySelector(\'input[value="Good morning"]\') !== null');
    app.clock.now += 60_000;
    await button('Undo').click();
    await told('The change was undone.').waitFor();
    assert.equal((await get(`notifications/${id}`)).result.message.alertTitle, 'Good night');
  });

  test('what is deleted is brought back at once, or later from the trash', async () => {
    const id = await welcome('Coffee');
    const remove = async () => {
      await open(`notifications/${id}`);
      await button('Delete').click();
      await dialog().getByText('stays in the trash for 30 days').waitFor();
      await dialog().getByRole('button', { name: 'Delete Coffee' }).click();
      await told('Coffee was deleted.').waitFor();
      assert.equal((await get(`notifications/${id}`)).code, 101);
    };
    await remove();
    let looked = 0;
    page.on('request', (request) => {
      if (/\/trash\?/.test(request.url())) looked++;
    });
    // Both before the message has gone.
    await button('Undo').waitFor();
    const undo = `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Undo')`;
    await page.evaluate(`(() => { const button = ${undo}; button.click(); button.click(); })()`);
    await told('The change was undone.').waitFor();
    assert.equal((await get(`notifications/${id}`)).result.description, 'Coffee');
    assert.equal(looked, 1, 'a double click undoes once');
    await remove();
    await link('Trash').click();
    await page.getByRole('list', { name: 'Trash' }).getByText('Coffee', { exact: true }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'trash');
    await button('Restore Coffee').click();
    await told('Coffee is back.').waitFor();
    assert.equal((await get(`notifications/${id}`)).result.description, 'Coffee');
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
  });

  testInFull('a message that waits is changed until it goes, and then says that it is too late', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    app.clock.now = Date.now();
    const body = { data: { title: 'Tonight', alert: 'Open late', hall: 3 }, sendAt: at, where: { channels: 'news' } };
    const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body });
    const id = String(sent.headers['location']).split('/').at(-1);
    await open(`push/${id}`);
    await link('Edit').click();
    await field('Title').waitFor();
    assert.equal(await field('Title').inputValue(), 'Tonight');
    await takePictures(page, 'push-edit');
    await field('Title').fill('Tomorrow');
    await button('Save …').click();
    await dialog()
      .getByRole('button', { name: /^Schedule to/ })
      .click();
    await told('The message is scheduled.').waitFor();
    const { result } = await get(`push/notification/${id}`);
    assert.deepEqual(
      [result.data, result.where, Date.parse(result.sendAt) - Date.parse(at) < 60_000],
      [{ ...body.data, title: 'Tomorrow' }, body.where, true],
    );
    await open(`push/${id}/edit`);
    await field('Title').fill('Too late');
    await app.send({ method: 'POST', url: `/api/v2/push/notification/${id}/cancel`, headers });
    await button('Save …').click();
    await dialog()
      .getByRole('button', { name: /^Schedule to/ })
      .click();
    await told('The record was changed since').waitFor();
    assert.equal(await field('Title').inputValue(), 'Too late');
  });

  testInFull(
    'a record is edited in fields of their kinds, and what is not touched stays as it was to the letter',
    async () => {
      const { headers: manager } = await signInManager(app);
      const bird = (body: object) => create(app, '/api/v2/data/bucket/birds', { metadata: body }, manager);
      const schema = {
        column: {
          species: { type: 'String' },
          count: { type: 'Number' },
          ringed: { type: 'Boolean' },
          seen: { type: 'Date' },
        },
      };
      const declared = await app.send({
        method: 'POST',
        url: '/api/v2/data/schema/birds',
        headers: manager,
        body: schema,
      });
      assert.equal(declared.status, 201, JSON.stringify(declared.body));
      const link = (objectId: string) => ({ __type: 'Pointer', className: 'birds', objectId });
      const parent = await bird({ species: 'Old kite', count: 1 });
      const document = {
        species: 'Young kite',
        count: 2,
        seen: '2026-05-04T09:30:15.250Z',
        day: { __type: 'Date', iso: '2026-05-04T00:00:00Z' },
        parent: link(parent),
        tags: ['ring', 'nest'],
        wind: { from: 'west' },
      };
      const id = await bird(document);
      await open(`buckets/birds/records/${id}`);
      await field('species').waitFor();
      await becomesTrue("[...document.querySelectorAll('input')].some((one) => one.value === 'Old kite')");
      await assertAccessible(page);
      await takePictures(page, 'record-form');
      await field('species').fill('Red kite');
      await field('count').fill('two');
      await button('Save').click();
      await page.getByText('Must be a number, such as 2.5.').waitFor();
      await field('count').fill('2,5');
      await page.getByRole('radiogroup', { name: 'ringed' }).getByText('Yes').click();
      await field('wind').fill('');
      await field('Another field').fill('hall');
      await page.getByRole('combobox', { name: 'Kind of the field' }).selectOption('pointer');
      await button('Add the field').click();
      await page.getByRole('combobox', { name: 'hall' }).or(field('hall')).first().click();
      await page.getByRole('option', { name: 'Gate' }).click();
      await button('Save').click();
      await told('The record is saved.').waitFor();
      const { wind: _gone, ...kept } = document;
      assert.deepEqual((await get(`data/bucket/birds/${id}`)).result.metadata, {
        ...kept,
        species: 'Red kite',
        count: 2.5,
        ringed: true,
        hall: { __type: 'Pointer', className: 'Beacon', objectId: beaconId },
      });
      // The other way round.
      await open(`buckets/birds/records/${parent}`);
      await page
        .getByRole('region', { name: 'Records that point here' })
        .getByRole('link', { name: 'Red kite' })
        .click();
      await page.getByRole('heading', { name: 'Red kite' }).waitFor();
      await page.getByRole('link', { name: 'Duplicate', exact: true }).click();
      await field('species').fill('Black kite');
      await button('Add the record').click();
      await told('The record is added.').waitFor();
      const { results } = await get('data/bucket/birds?where={"metadata.species":"Black kite"}');
      assert.deepEqual([results.length, results[0].metadata.tags], [1, ['ring', 'nest']]);
    },
  );

  test('many are switched off and deleted together, and each of it is taken back', async () => {
    const ids = [await welcome('Bulk one'), await welcome('Bulk two'), await welcome('Bulk three')];
    const state = async () =>
      Promise.all(
        ids.map(async (id) => {
          const { result, code } = await get(`notifications/${id}`);
          return code ?? [result.isEnabled, result.beaconId.objectId];
        }),
      );
    /** Takes the last change back, and waits until everything is as it was. */
    const undo = async (expected: Awaited<ReturnType<typeof state>>) => {
      await button('Undo').click();
      await becomes(state, expected);
      await button('Undo').waitFor({ state: 'hidden' });
    };
    await app.send({ method: 'PUT', url: `/api/v2/notifications/${ids[2]}`, headers, body: { isEnabled: false } });
    await open('messages?q=Bulk');
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).check();
    await page.getByText('3 messages chosen').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'bulk');
    await button('Switch off …').click();
    await dialog().getByText('are shown to nobody', { exact: false }).waitFor();
    await dialog().getByRole('button', { name: 'Switch off 3 messages' }).click();
    await told('3 messages changed.').waitFor();
    const all = (isOn: boolean, beacon: string) => ids.map(() => [isOn, beacon]);
    assert.deepEqual(await state(), all(false, beaconId));
    // The third was off before.
    const before = [
      [true, beaconId],
      [true, beaconId],
      [false, beaconId],
    ];
    await undo(before);
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).check();
    await button('Delete …').click();
    await dialog().getByRole('button', { name: 'Delete 3 messages' }).click();
    await told('3 messages went into the trash.').waitFor();
    assert.deepEqual(await state(), [101, 101, 101]);
    await undo(before);
  });

  const focused = () => becomesTrue("document.activeElement?.getAttribute('role') === 'combobox'");

  testInFull('columns and filters are as somebody has left them, and keys lead anywhere', async () => {
    for (const name of ['Kiosk one', 'Kiosk two'])
      await create(app, '/api/v2/device', { deviceName: name, manufacture: 'Acme', topic: name }, headers);
    await open('devices');
    await page.getByRole('link', { name: 'Kiosk one' }).waitFor();
    await button('Columns').click();
    await page.getByRole('checkbox', { name: 'Maker' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Maker' }).waitFor({ state: 'detached' });
    await dialog('Columns').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('Kiosk two');
    await page.getByRole('link', { name: 'Kiosk one' }).waitFor({ state: 'detached' });
    await button('Saved filters').click();
    await field('Save this filter as').fill('Only two');
    await page.keyboard.press('Enter');
    // A load: both are kept on this device.
    await page.goto(`/console/apps/${app.appId}/devices`);
    await page.getByRole('link', { name: 'Kiosk one' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Maker' }).count(), 0);
    await button('Saved filters').click();
    await button('Only two').click();
    await page.getByRole('link', { name: 'Kiosk one' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Kiosk two' }).waitFor();

    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Devices' }).click();
    await page.keyboard.press('?');
    await dialog('Keys').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Keys').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await focused();
    await page.keyboard.type('gat');
    await page.getByRole('option', { name: /^Gate/ }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Gate' }).waitFor();
    await page.keyboard.press('Control+k');
    await focused();
    await page.keyboard.type('push se');
    await page.getByRole('option', { name: /^Push services/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Push services' }).waitFor();
    await page.keyboard.press('Control+k');
    await focused();
    await page.keyboard.type('write push');
    await page.getByRole('option', { name: /^Write a push message/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Write a push message' }).waitFor();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
