import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { ScriptedSender } from '../../../server/test/fakes/scripted-sender.ts';
import { buildApp, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { becomes, goTo, launchBrowser, listenWithConsole, openAs, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** An editor tests messages on a phone of their own, and then gives it to a colleague. */
describe('a phone that messages are tested on', () => {
  const provider = new ScriptedSender();
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let origin: string;

  beforeAll(async () => {
    app = await buildApp({ senders: [provider.definition('fcm')] });
    origin = await listenWithConsole(app);
    await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    const { headers } = await signInManager(app);
    const id = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: id };
    const message = { alertTitle: 'Good morning', alertMessage: 'Come in.' };
    const body = { description: 'Welcome', beaconId, event: 'ENTER', type: 'TEXT', message, isEnabled: true };
    await create(app, '/api/v2/notifications', body, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'editor' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const ownPhones = `/console/api/apps`;
  async function openMessage(): Promise<void> {
    await goTo(page, `/console/apps/${app.appId}/messages`);
    await page.getByRole('link', { name: 'Welcome' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
  }
  /** What the app on a phone does. Answers the phone's id. */
  async function pairPhone(name: string): Promise<string> {
    const headers = { 'installation-secret': name.padEnd(43, 'x') };
    const body = { installationId: name, deviceType: 'android', deviceModel: name, deviceToken: `${name}-token` };
    const made = await app.send({ method: 'POST', url: '/api/v2/installations', body, headers });
    const { objectId } = made.body.result;
    const code = await page
      .getByRole('dialog')
      .getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
      .innerText();
    const url = `/api/v2/installations/${objectId}/pairing`;
    assert.equal((await app.send({ method: 'POST', url, body: { code }, headers })).status, 200);
    return objectId;
  }
  const sentTo = () => provider.calls.map(({ target }) => target.token);

  test('gets no more of them once its pairing has ended in another browser', async () => {
    await openMessage();
    await button('Test on my own phone').click();
    await button('Pair a phone').click();
    const pixel = await pairPhone('Pixel');
    await button('Use this phone').click();
    await button('Send to my phone').click();
    await page.getByText('Firebase accepted it. Look at your phone.').waitFor();
    assert.deepEqual(sentTo(), ['Pixel-token']);
    const ended = await visited.context.request.delete(`${ownPhones}/${app.appId}/own-phones/phones/${pixel}`, {
      headers: { origin },
    });
    assert.ok(ended.ok(), await ended.text());
    await openMessage();
    await button('Test on my own phone').waitFor();
    assert.equal(await button('Send to my phone').count(), 0);
    await takePictures(page, 'own-phone-ended');
    // The next phone takes its place, although a code was used a moment ago.
    app.clock.now += 1_000;
    await button('Test on my own phone').click();
    await button('Pair a phone').click();
    await pairPhone('Fairphone');
    await button('Use this phone').click();
    await page.getByText('It goes to Fairphone alone.').waitFor();
    await button('Send to my phone').click();
    await becomes(async () => sentTo(), ['Pixel-token', 'Fairphone-token']);
    assert.deepEqual(visited.complaints, []);
  });
});
