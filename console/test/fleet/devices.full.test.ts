import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { DeviceBroker } from '../../../server/src/delivery/mqtt/mqtt-device-broker.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { openDevice, type TestDevice } from '../../../server/test/support/servers/mqtt-devices.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';

const script = '<img src=x onerror=alert(1)>';

/** The tests are one session: each continues where the previous one stopped. */
describe('devices in the console', () => {
  let app: TestApp;
  let broker: DeviceBroker;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let connected: TestDevice;

  beforeAll(async () => {
    app = await buildApp({ settings: { PHAROS_MQTT_PORT: '0' } });
    broker = app.app.devices as DeviceBroker;
    await broker.listen(0, '127.0.0.1');
    headers = (await signInManager(app)).headers;
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await connected?.close();
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name });
  const dialog = () => page.getByRole('dialog');
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/devices${rest}`);
  const stored = async () => (await app.send({ method: 'GET', url: '/api/v2/device', headers })).body.results;
  /** User name, password and topic, as the dialog shows them once. */
  async function takeCredentials() {
    await page.getByRole('dialog', { name: 'Issue a new password' }).waitFor({ state: 'detached' });
    await dialog().getByText('The password is shown only now.', { exact: false }).waitFor();
    await assertAccessible(page);
    const [username = '', password = '', topic = ''] = await dialog().locator('code').allInnerTexts();
    await dialog().getByRole('button', { name: 'I have stored them' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(password));
    return { username, password, topic };
  }

  test('an app without devices says what to do next', async () => {
    await open();
    await heading('No devices yet').waitFor();
    await assertAccessible(page);
    await link('Add a device').click();
    await heading('Add a device').waitFor();
    await assertAccessible(page);
  });

  test('a refused device says at each field what is wrong', async () => {
    await field('Name').fill('ab');
    await field('Topic').fill('x'.repeat(65));
    await button('Add the device').click();
    await page.getByText('Must have at least 3 characters.').waitFor();
    await page.getByText('Fill this in.').waitFor();
    await page.getByText('Must have at most 64 characters.').waitFor();
    assert.equal(await field('Name').inputValue(), 'ab');
    assert.deepEqual(await stored(), []);
  });

  test('a device is added, changed and found', async () => {
    await field('Name').fill(script);
    await field('Maker').fill('Acme');
    await field('Topic').fill('museum/gate');
    await button('Add the device').click();
    await heading(script).waitFor();
    await page.getByText('The device has no credentials, so it cannot connect.').waitFor();
    await assertAccessible(page);
    await link('Edit').click();
    await field('Maker').fill('Acme & Sons');
    await button('Save').click();
    await page.getByText('Acme & Sons').waitFor();
    const [device] = await stored();
    assert.deepEqual([device.deviceName, device.manufacture, device.topic], [script, 'Acme & Sons', 'museum/gate']);
    await open('?q=SONS');
    await page.getByText('1–1 of 1').waitFor();
    await link(script).click();
    await heading(script).waitFor();
  });

  test('with the credentials that are shown once a device connects', async () => {
    await button('Issue credentials').click();
    const { username, password, topic } = await takeCredentials();
    await page.getByText('shown once, on').waitFor();
    connected = await openDevice(broker.port, { username, password });
    await connected.client.subscribeAsync(topic, { qos: 1 });
    await page.reload();
    await page.getByText(username).waitFor();
    assert.ok(!(await page.content()).includes(password));
  });

  test('a new password ends the connection of the old one', async () => {
    await button('Issue a new password').click();
    await dialog().getByText('is disconnected at once and can only reconnect with the new password').waitFor();
    await assertAccessible(page);
    await dialog().getByRole('button', { name: 'Issue a new password' }).click();
    const { username, password } = await takeCredentials();
    await connected.closed;
    connected = await openDevice(broker.port, { username, password });
  });

  test('credentials that are taken away let nobody in', async () => {
    await button('Revoke them').click();
    await dialog().getByRole('button', { name: 'Revoke them' }).click();
    await page.getByText('can no longer connect.').waitFor();
    await button('Issue credentials').waitFor();
    await connected.closed;
  });

  test('a delete names what goes', async () => {
    await button('Delete').click();
    await dialog().getByText('It stays in the trash for 30 days', { exact: false }).waitFor();
    await dialog()
      .getByRole('button', { name: `Delete ${script}` })
      .click();
    await heading('No devices yet').waitFor();
    assert.deepEqual(await stored(), []);
  });

  test('an editor looks and changes nothing', async () => {
    const body = { deviceName: 'Gate', manufacture: 'Acme', topic: 'museum/gate' };
    const id = await create(app, '/api/v2/device', body, headers);
    const editor = await openAs(browser, { app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${app.appId}/devices/${id}`);
    await editor.page.getByText('The device has no credentials, so it cannot connect.').waitFor();
    for (const name of ['Issue credentials', 'Delete'])
      assert.equal(await editor.page.getByRole('button', { name }).count(), 0);
    assert.equal(await editor.page.getByRole('link', { name: 'Edit' }).count(), 0);
    assert.deepEqual(editor.complaints, []);
    await editor.context.close();
  });

  test('the audit tells who gave and took credentials', async () => {
    const owner = await openAs(browser, { app, origin, role: 'owner' });
    await goTo(owner.page, '/console/audit');
    await owner.page.getByText('issued credentials for the device').first().waitFor();
    await owner.page.getByText(/revoked the credentials of the device/).waitFor();
    await owner.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
