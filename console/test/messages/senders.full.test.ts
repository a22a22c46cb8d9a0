/// <reference path="../../../server/test/fakes/http-ece.d.ts" />
import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { apnsDefinition } from '../../../server/src/delivery/apns/apns.ts';
import { fcmDefinition } from '../../../server/src/delivery/fcm/fcm.ts';
import type { SenderDefinition } from '../../../server/src/delivery/push/push-sender.ts';
import { webPushDefinition } from '../../../server/src/delivery/web-push/web-push.ts';
import { type PushProvider, startPushProvider } from '../../../server/test/fakes/push-provider.ts';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('sender credentials in the console', () => {
  let provider: PushProvider;
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    provider = await startPushProvider();
    const { origin: at, ca } = provider;
    // The product's senders, which find the providers on this machine.
    const nearby = <S>(definition: SenderDefinition<S>): SenderDefinition => ({
      ...(definition as SenderDefinition),
      create: (settings, deps) => definition.create(settings as S, { ...deps, network: { origin: at, ca } }),
    });
    app = await buildApp({ senders: [nearby(fcmDefinition), nearby(apnsDefinition), nearby(webPushDefinition)] });
    app.clock.now = Date.now();
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await provider?.close();
  });

  const card = (name: string) => page.getByRole('region', { name });
  const fcm = () => card('Firebase Cloud Messaging');
  const webPush = () => card('Web Push');
  const apns = () => card('Apple Push Notification service');
  const press = (where: Locator, name: string) => where.getByRole('button', { name, exact: true }).click();
  const stored = async () => new Map((await app.app.senders.list(app.appId)).map((one) => [one.kind, one]));
  const account = () => JSON.stringify(provider.fcm.serviceAccount);

  test('nothing is set up yet, and each provider says what it is for', async () => {
    await goTo(page, `/console/apps/${app.appId}/senders`);
    await fcm().getByText('Not set up').waitFor();
    await apns().getByText('For iPhones and iPads.').waitFor();
    await assertAccessible(page);
  });

  test('a file that is no service account is refused at its field', async () => {
    await press(fcm(), 'Set up Firebase Cloud Messaging');
    await fcm().getByRole('textbox', { name: 'Service account' }).fill('not json');
    await press(fcm(), 'Save');
    await fcm()
      .getByText(/Must be the JSON file of a service account/)
      .waitFor();
    assert.equal((await stored()).get('fcm')?.isSetUp, false);
  });

  test('credentials are tried before they are saved, in the words of the provider', async () => {
    const wrong = JSON.stringify({ ...provider.fcm.serviceAccount, client_email: 'other@lighthouse.example' });
    const file = (content: string) => ({
      name: 'account.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
    await fcm().locator('input[type=file]').setInputFiles(file(wrong));
    await press(fcm(), 'Test before saving');
    await fcm().getByText('It does not work', { exact: false }).waitFor();
    await fcm().getByText('Invalid issuer.', { exact: false }).waitFor();
    assert.equal((await stored()).get('fcm')?.isSetUp, false);
    await fcm().locator('input[type=file]').setInputFiles(file(account()));
    await press(fcm(), 'Test before saving');
    await fcm().getByText('Google and the project lighthouse-1234 accepted the service account.').waitFor();
    await assertAccessible(page);
    await press(fcm(), 'Save');
    await fcm().getByText('Not tested yet.').waitFor();
    await fcm().getByText('pharos@lighthouse-1234.iam.gserviceaccount.com').waitFor();
    assert.equal((await stored()).get('fcm')?.isSetUp, true);
    assert.equal((await page.content()).includes('PRIVATE KEY'), false, 'the key is not to be read again');
  });

  test('what is stored is tested, and the last test stays after a reload', async () => {
    await press(fcm(), 'Test');
    await fcm().getByText('accepted the service account', { exact: false }).waitFor();
    await page.reload();
    await fcm()
      .getByText(/^Tested /)
      .waitFor();
    assert.equal((await stored()).get('fcm')?.lastTest?.ok, true);
    await assertAccessible(page);
  });

  test('APNs: each missing member is said at its field, then it is saved and tested', async () => {
    await press(apns(), 'Set up Apple Push Notification service');
    await press(apns(), 'Save');
    await apns()
      .getByText(/must be the text of the .p8 file|Must be the text of the .p8 file|Fill this in/)
      .first()
      .waitFor();
    const { key = '', keyId = '', teamId = '', bundleId = '' } = provider.apns.entered;
    await apns().getByRole('textbox', { name: 'Key', exact: true }).fill(key);
    await apns().getByRole('textbox', { name: 'Key id' }).fill(keyId);
    await apns().getByRole('textbox', { name: 'Team id' }).fill(teamId);
    await apns().getByRole('textbox', { name: 'Bundle id' }).fill(bundleId);
    await apns().getByLabel('Environment').selectOption('sandbox');
    // A slip does not cost what was typed, and a key is kept on no device.
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByText('What you have typed is not saved and would be lost.').waitFor();
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await leaving.waitFor({ state: 'detached' });
    assert.doesNotMatch(JSON.stringify(await page.evaluate('Object.entries(localStorage)')), /PRIVATE KEY/);
    await press(apns(), 'Save');
    await press(apns(), 'Test');
    await apns()
      .getByText(/It works/)
      .waitFor();
    assert.deepEqual((await stored()).get('apns')?.summary, { keyId, teamId, bundleId, environment: 'sandbox' });
  });

  test('Web Push: without keys a pair is made, and the public key can be taken', async () => {
    await press(webPush(), 'Set up Web Push');
    await webPush().getByRole('textbox', { name: 'Contact' }).fill('nobody');
    await press(webPush(), 'Save');
    await webPush()
      .getByText(/Must be where push services can reach you/)
      .waitFor();
    await webPush().getByRole('textbox', { name: 'Contact' }).fill('mailto:push@museum.example');
    await press(webPush(), 'Save');
    await webPush().getByText('mailto:push@museum.example').waitFor();
    const publicKey = (await stored()).get('webpush')?.summary['publicKey'] ?? '';
    assert.match(publicKey, /^[\w-]{87}$/);
    await webPush().getByText(publicKey).waitFor();
    await webPush().getByRole('button', { name: 'Copy the public key' }).waitFor();
    await press(webPush(), 'Test');
    await webPush().getByText('The keys belong together and can sign.', { exact: false }).waitFor();
  });

  test('credentials are removed after asking', async () => {
    await press(fcm(), 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the credentials' }).click();
    await fcm().getByText('Not set up').waitFor();
    assert.equal((await stored()).get('fcm')?.isSetUp, false);
  });

  test('an editor does not see them, and reads why', async () => {
    const editor = await openAs(browser, { app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${app.appId}/senders`);
    await editor.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    await editor.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
