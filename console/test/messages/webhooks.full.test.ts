import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  answerWith,
  startReceiver,
  type WebhookReceiver,
} from '../../../server/test/support/servers/webhook-receiver.ts';
import { openSite, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, openAs, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('webhooks in the console', () => {
  let receiver: WebhookReceiver;
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let secret: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    site = await openSite('sqlite', { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8', PHAROS_WEBHOOK_BACKLOG: '2' });
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await receiver?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const event = (name: string) => page.getByRole('checkbox', { name });
  const block = (name: string) => page.getByRole('region', { name, exact: true });
  const calls = () => page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
  const dialog = () => page.getByRole('dialog');
  const list = () => goTo(page, `/console/apps/${site.app.appId}/webhooks`);
  const stored = () => site.rows('webhooks');
  const verify = (body: string, key: string) =>
    new Webhook(key).verify(body, receiver.calls.at(-1)?.headers as Record<string, string>);

  async function happen(kind: 'ENTER' | 'EXIT') {
    // Longer than a phone's EXIT and ENTER may be apart and still be one visit.
    site.app.clock.now += 31_000;
    await site.send([site.decided(kind)]);
    await site.app.app.idle();
  }

  test('without a webhook it says what one would do', async () => {
    await goTo(page, `/console/apps/${site.app.appId}/senders`);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-empty');
    await page.getByRole('link', { name: 'Add a webhook' }).click();
    await field('Address').waitFor();
  });

  test('what is missing is said at its field, and a private address in the words of the service', async () => {
    await button('Add the webhook').click();
    await page.getByText('Choose at least one event.').waitFor();
    await event('presence.enter').check();
    await button('Add the webhook').click();
    await page.getByText('Fill this in.').waitFor();
    await field('Address').fill('http://10.0.0.1/hook');
    await button('Add the webhook').click();
    await page
      .getByText(
        /^Cannot be called: 10\.0\.0\.1 is not an address of the public internet\. .*PHAROS_PRIVATE_TARGETS\.$/,
      )
      .waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-refused');
    assert.deepEqual(await stored(), []);
  });

  test('a webhook is added, and its secret is shown this one time', async () => {
    await field('Address').fill(receiver.url);
    await field('Description').fill('Visitor counter');
    await event('presence.exit').check();
    await button('Add the webhook').click();
    secret = await dialog()
      .getByText(/^whsec_/)
      .innerText();
    await page.keyboard.press('Escape');
    // It fades in; before it has begun, it is not yet an animation that could be awaited.
    await page.evaluate(`new Promise((resolve) => {
      const look = () => getComputedStyle(document.querySelector('[role="dialog"]')).opacity === '1' ? resolve() : requestAnimationFrame(look);
      look();
    })`);
    await assertAccessible(page);
    await takePictures(page, 'webhooks-secret');
    await button('I have stored the secret').click();
    await page.getByRole('heading', { name: 'Visitor counter' }).waitFor();
    await page.getByText('No calls yet.', { exact: false }).waitFor();
    assert.equal((await page.content()).includes(secret), false);
    const [row] = await stored();
    assert.deepEqual([row?.['url'], row?.['events']], [receiver.url, '["presence.enter","presence.exit"]']);
  });

  test('a test call shows what the receiver answered', async () => {
    receiver.answer = answerWith(401, 'who are you?');
    await button('Make a test call').click();
    const shown = block('Test');
    await shown.getByText('It does not work (HTTP 401)').waitFor();
    await shown.getByText('Answered 401 Unauthorized.').waitFor();
    await shown.getByText('who are you?').waitFor();
    receiver.answer = answerWith(200, 'ok');
    await button('Make a test call').click();
    await shown.getByText('It works (HTTP 200)').waitFor();
    const { body } = receiver.calls.at(-1) ?? { body: '' };
    assert.equal((verify(body, secret) as { type: string }).type, 'webhook.test');
  });

  test('calls are listed as they come, with what was sent, and a refused one can be sent again', async () => {
    await happen('ENTER');
    receiver.answer = answerWith(400, 'no such counter');
    await happen('EXIT');
    await calls().nth(1).waitFor();
    const failed = calls().filter({ hasText: 'presence.exit' });
    await failed.getByText('Failed').waitFor();
    await failed.getByText('Answered 400 Bad Request.').waitFor();
    await failed.getByText('Request and answer').click();
    await failed.getByText('"type": "presence.exit"', { exact: false }).waitFor();
    await failed.getByText('no such counter').waitFor();
    await page.getByText(/^No call has succeeded since .* Last error: Answered 400 Bad Request\.$/).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-page');
    receiver.answer = answerWith(204);
    await failed.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The call is sent again.').waitFor();
    await site.app.app.idle();
    await failed.getByText('Answered 204 No Content.').waitFor();
    await failed.getByText('Sent', { exact: true }).first().waitFor();
  });

  test('the state is narrowed down in the address', async () => {
    receiver.answer = answerWith(400);
    await happen('ENTER');
    await page.getByLabel('State').selectOption('failed');
    await page.waitForURL(/state=failed/);
    await page.reload();
    await calls().filter({ hasText: 'presence.enter' }).waitFor();
    assert.equal(await calls().count(), 1);
    await page.getByLabel('State').selectOption('expired');
    await page.getByText('No call is in this state.').waitFor();
  });

  test('a new secret is made after asking, and both sign', async () => {
    await button('Create a new secret').click();
    await dialog().getByRole('button', { name: 'Create a new secret' }).click();
    const next = await dialog()
      .getByText(/^whsec_/)
      .innerText();
    await dialog()
      .getByText(/The old secret is used too until/)
      .waitFor();
    await button('I have stored the secret').click();
    receiver.answer = answerWith(200);
    await button('Make a test call').click();
    await block('Test').getByText('It works (HTTP 200)').waitFor();
    const { body } = receiver.calls.at(-1) ?? { body: '' };
    assert.notEqual(next, secret);
    verify(body, secret);
    verify(body, next);
  });

  test('it is changed', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await event('presence.exit').uncheck();
    await event('visit.closed').check();
    await field('Description').fill('Length of stay');
    await button('Save').click();
    await page.getByRole('heading', { name: 'Length of stay' }).waitFor();
    const [row] = await stored();
    assert.equal(row?.['events'], '["presence.enter","visit.closed"]');
  });

  test('one that is asked before records change says about which, and what counts without an answer', async () => {
    await site.app.app.buckets.createBucket(site.app.appId, 'orders');
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    assert.equal(await page.getByText('Before records are stored').count(), 0);
    await event('record.creating').check();
    await page.getByRole('combobox', { name: 'Buckets' }).fill('ord');
    await page.getByRole('option', { name: 'orders' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'The record is stored as the app has sent it' }).check();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-asked');
    await button('Save').click();
    await block('Facts').getByText('orders').waitFor();
    await block('Facts').getByText('Changes are stored').waitFor();
    const [row] = await stored();
    assert.deepEqual([row?.['buckets'], row?.['without_answer']], ['["orders"]', 'allow']);
  });

  test('the list tells how each one does, and switches it off and on', async () => {
    receiver.answer = answerWith(410);
    await happen('EXIT');
    await happen('ENTER');
    await list();
    await page.getByText('Switched off by the receiver').waitFor();
    await page.getByText('The receiver answered 410 Gone.', { exact: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-list');
    const toggle = page.getByRole('switch', { name: 'Length of stay is switched on' });
    assert.equal(await toggle.isChecked(), false);
    await toggle.click({ force: true });
    await page.getByText('Switched off by the receiver').waitFor({ state: 'detached' });
    assert.deepEqual([(await stored())[0]?.['is_enabled'], (await stored())[0]?.['disabled_reason']], [1, null]);
    await toggle.click({ force: true });
    await page.getByText('Switched off', { exact: true }).waitFor();
    assert.equal((await stored())[0]?.['is_enabled'], 0);
  });

  test('one that cannot keep up says how many calls were given up, and is listed under what needs a person', async () => {
    receiver.answer = answerWith(503);
    await page.getByRole('switch', { name: 'Length of stay is switched on' }).click({ force: true });
    await page.getByText('Not getting through').waitFor();
    for (const kind of ['EXIT', 'ENTER', 'EXIT', 'ENTER'] as const) await happen(kind);
    await page.getByText('Falling behind').waitFor();
    await page.getByText(/Too many calls were waiting, so the oldest were dropped: 2 since /).waitFor();
    await page.getByRole('link', { name: 'Length of stay' }).click();
    await block('Facts').getByText('2 calls').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-behind');
    await page.getByRole('link', { name: 'Home' }).click();
    const needs = page.getByRole('list', { name: 'Needs attention' });
    await needs.getByText('1 webhook does not get through').waitFor();
    await needs.getByText('1 cannot keep up, and the oldest calls are dropped.', { exact: false }).waitFor();
    await assertAccessible(page);
    await needs.getByRole('link', { name: 'Open the webhooks' }).click();
    await page.getByText('Falling behind').waitFor();
  });

  test('the audit says in words what was done', async () => {
    await goTo(page, '/console/audit?kind=webhook');
    await page.getByText('added a webhook to Test app.', { exact: false }).waitFor();
    await page.getByText('created a new signing secret for a webhook of Test app.', { exact: false }).waitFor();
    await page.getByText('sent a call of a webhook of Test app again.', { exact: false }).waitFor();
  });

  test('several are switched off, changed and deleted together', async () => {
    const add = async (description: string) => {
      const data = { url: receiver.url, events: ['presence.enter'], description, enabled: true };
      const address = `/console/api/apps/${site.app.appId}/webhooks`;
      const answer = await visited.context.request.post(address, { data, headers: { origin } });
      assert.equal(answer.status(), 201, await answer.text());
    };
    await add('First');
    await add('Second');
    await list();
    const chooseBoth = async () => {
      for (const name of ['First', 'Second']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    };
    const of = async (member: string) =>
      (await stored()).filter((row) => row['description'] !== 'Length of stay').map((row) => row[member]);
    await chooseBoth();
    await page.getByText('2 webhooks chosen').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-bulk');
    await button('Switch off …').click();
    await dialog().getByText('They are not called until they are switched on again', { exact: false }).waitFor();
    await dialog().getByRole('button', { name: 'Switch off 2 webhooks' }).click();
    await page.getByText('2 webhooks changed.').waitFor();
    assert.deepEqual(await of('is_enabled'), [0, 0]);
    await button('Undo').click();
    await becomes(() => of('is_enabled'), [1, 1]);
    await page.getByText('2 webhooks chosen').waitFor({ state: 'hidden' });
    await list();
    await chooseBoth();
    await button('Edit …').click();
    await dialog().getByLabel('Field').selectOption('Events');
    await dialog().getByRole('checkbox', { name: 'visit.opened' }).check();
    await dialog().getByText('2 webhooks will change, none has this value already.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-bulk-edit');
    await dialog().getByRole('button', { name: 'Change 2 webhooks' }).click();
    await becomes(() => of('events'), ['["visit.opened"]', '["visit.opened"]']);
    await list();
    await chooseBoth();
    await button('Delete …').click();
    await dialog().getByText('They are no longer called.', { exact: false }).waitFor();
    await dialog().getByRole('button', { name: 'Delete 2 webhooks' }).click();
    await page.getByText('2 webhooks deleted.').waitFor();
    assert.deepEqual(await of('description'), []);
  });

  test('who is limited to some apps is not offered what concerns the whole service, also not for several', async () => {
    const { app } = site;
    const data = { email: 'limited@museum.example', password: 'a long enough secret' };
    const apps = [{ appId: app.appId }];
    await app.app.admins.create({ ...data, name: 'Limited', role: 'manager', apps }, { name: 'test', address: null });
    const limited = await visit(browser, origin);
    const signedIn = await limited.context.request.post('/console/api/session', { data, headers: { origin } });
    assert.equal(signedIn.status(), 201);
    for (const [{ page }, offered] of [
      [visited, 2],
      [limited, 0],
    ] as const) {
      await goTo(page, `/console/apps/${app.appId}/webhooks`);
      await page.getByRole('checkbox', { name: 'Choose Length of stay' }).check();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByRole('dialog').getByLabel('Field').selectOption('Events');
      await page.getByRole('checkbox', { name: 'visit.opened' }).waitFor();
      assert.equal(await page.getByRole('checkbox', { name: /^service\./ }).count(), offered);
    }
    assert.deepEqual(limited.complaints, []);
    await limited.context.close();
  });

  test('it is deleted after asking, with its calls', async () => {
    await list();
    await page.getByRole('link', { name: 'Length of stay' }).click();
    await button('Delete').click();
    await dialog().getByText(receiver.url).waitFor();
    await dialog().getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    assert.deepEqual(await stored(), []);
    assert.deepEqual(await site.rows('webhook_deliveries'), []);
  });

  for (const role of ['editor', 'installer', 'analyst'] as const) {
    test(`an ${role} neither finds nor opens them`, async () => {
      const other = await openAs(browser, { app: site.app, origin, role });
      await goTo(other.page, `/console/apps/${site.app.appId}/home`);
      await other.page.getByRole('link', { name: 'Home', exact: true }).waitFor();
      assert.equal(await other.page.getByRole('link', { name: 'Webhooks' }).count(), 0);
      await goTo(other.page, `/console/apps/${site.app.appId}/webhooks/new`);
      await other.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
      await other.context.close();
    });
  }

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});

describe('a webhook that was told of the whole service', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('one whose chooser is limited to some apps now says so, and what to do', async () => {
    const { appId } = site.app;
    const owner = await openAs(browser, { app: site.app, origin, role: 'owner' });
    const ask = async (method: 'post' | 'put', path: string, data: object) => {
      const answer = await owner.context.request[method](`/console/api${path}`, { data, headers: { origin } });
      assert.ok(answer.ok(), await answer.text());
      return (await answer.json()).result;
    };
    const account = { email: 'gone@museum.example', password: 'a long enough secret' };
    const { adminId } = await site.app.app.admins.create(
      { ...account, name: 'Gone', role: 'manager' },
      { name: 'test', address: null },
    );
    const theirs = await visit(browser, origin);
    const signedIn = await theirs.context.request.post('/console/api/session', { data: account, headers: { origin } });
    assert.equal(signedIn.status(), 201);
    const data = {
      url: 'https://93.184.215.14/hook',
      events: ['service.alert.begun'],
      description: 'Alarm of the operators',
    };
    const made = await theirs.context.request.post(`/console/api/apps/${appId}/webhooks`, {
      data,
      headers: { origin },
    });
    const { objectId } = (await made.json()).result;
    await ask('put', `/administrators/${adminId}`, { apps: [{ appId }] });
    const why =
      'The administrator who chose its events is limited to some apps now, and may no longer be told of the whole service. Somebody who is limited to no apps can switch it on again, or choose other events for it.';
    const { page } = owner;
    await page.goto(`/console/apps/${appId}/webhooks`);
    await page.getByText(why).waitFor();
    await page.getByText('Switched off by the service').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'webhooks-without-right');
    await goTo(page, `/console/apps/${appId}/webhooks/${objectId}`);
    await page.getByRole('region', { name: 'Facts', exact: true }).getByText(why).waitFor();
    await takePictures(page, 'webhook-without-right');
    const german = await visit(browser, origin);
    await german.context.addCookies(await owner.context.cookies());
    await german.page.addInitScript("localStorage.setItem('pharos language', 'de')");
    await german.page.goto(`/console/apps/${appId}/webhooks/${objectId}`);
    await german.page
      .getByText(/^Der Administrator, der seine Ereignisse gewählt hat, ist jetzt auf einige Apps /)
      .waitFor();
    await page.getByRole('switch').click({ force: true });
    await page.getByText(why).waitFor({ state: 'detached' });
    await page.getByText('Working').waitFor();
  });
});
