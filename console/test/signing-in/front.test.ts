import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { type SmtpSink, startSmtpSink } from '../../../server/test/support/servers/smtp-sink.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, type Visit, visit, watchRequests } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What people see before they are signed in: of the console, and behind the links in mails to users of an app. */
describe('pages before signing in', () => {
  let sink: SmtpSink;
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let owner: Visit;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    sink = await startSmtpSink();
    app = await buildApp({ settings: { PHAROS_SMTP_URL: sink.url, PHAROS_MAIL_FROM: 'museum@example.org' } });
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
    ({ page, complaints } = await visit(browser, origin));
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await sink?.close();
  });

  /** The path of the link in the newest mail to an address; its lines are folded for transport. */
  async function mailed(to: string): Promise<string> {
    await app.app.idle();
    const mail = sink.mails.findLast((one) => one.to === to)?.data ?? '';
    const link = /^https?:\/\/\S+$/m.exec(
      mail.replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '='),
    )?.[0];
    assert.ok(link, mail);
    const { pathname, search, hash } = new URL(link);
    return pathname + search + hash;
  }

  /** In light and dark, wide and on a phone, and nothing is wider than the page. */
  async function isFit(name: string): Promise<void> {
    await takePictures(page, `front-${name}`);
    const known = page.viewportSize() ?? { width: 1280, height: 860 };
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
      await assertAccessible(page);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(overflow, 0, `${name} on a phone`);
    await page.setViewportSize(known);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate("document.documentElement.setAttribute('data-mantine-color-scheme', 'light')");
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  test('the set-up link makes the first owner', async () => {
    const token = await app.app.admins.makeSetupToken();
    await page.goto(`/console/setup#${token}`);
    await heading(/./).waitFor();
    await isFit('set-up');
  });

  test('sign in, a forgotten password, and a link that is no longer good', async () => {
    owner = await openAs(browser, { app, origin, role: 'owner' });
    await page.goto('/console/sign-in');
    await page.getByLabel('E-mail').waitFor();
    await isFit('sign-in');
    await page.getByLabel('E-mail').fill('nobody@museum.example');
    await page.getByLabel('Password').first().fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await isFit('sign-in-wrong');
    await page.goto('/console/forgotten');
    await heading(/./).waitFor();
    await isFit('forgotten');
    await page.goto(`/console/link#${'x'.repeat(43)}`);
    await page.getByText('This link', { exact: false }).first().waitFor();
    await isFit('link-gone');
  });

  test('an invitation, and a new password for an administrator', async () => {
    const data = { email: 'ed@museum.example', role: 'editor' };
    const invited = await owner.context.request.post('/console/api/invitations', { data, headers: { origin } });
    assert.ok(invited.ok(), await invited.text());
    await page.goto(await mailed(data.email));
    await page.getByLabel('Name', { exact: false }).first().waitFor();
    await isFit('invitation');
    const email = 'ann@museum.example';
    const ann = { email, name: 'Ann', role: 'manager', password: 'a long enough secret' };
    const made = await owner.context.request.post('/console/api/administrators', { data: ann, headers: { origin } });
    const { adminId } = ((await made.json()) as { result: { adminId: string } }).result;
    const url = `/console/api/administrators/${adminId}/password-link`;
    assert.ok((await owner.context.request.post(url, { headers: { origin } })).ok());
    await page.goto('/console/sign-in');
    await page.goto(await mailed(email));
    await page.getByLabel('New password', { exact: false }).first().waitFor();
    await isFit('new-password');
  });

  test("the pages behind links in mails to an app's users", async () => {
    await app.app.apps.change(app.appId, { policy: { emailVerification: 'required' } });
    const vera = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'a long secret' };
    await create(app, '/api/v2/users', vera);
    await page.goto(await mailed('vera@example.org'));
    await heading('Confirm your address').waitFor();
    await isFit('verify');
    await page.getByRole('button', { name: 'The address is mine' }).click();
    await heading('Done').waitFor();
    await isFit('verified');
    const asked = {
      method: 'POST',
      url: '/api/v2/users/password/forgot',
      body: { email: 'vera@example.org' },
    } as const;
    assert.equal((await app.send(asked)).status, 200);
    const reset = await mailed('vera@example.org');
    await page.goto(reset);
    await heading('Choose a new password').waitFor();
    await isFit('user-password');
    await page.getByLabel('New password', { exact: false }).fill('another long secret');
    await page.getByRole('button', { name: 'Set the new password' }).click();
    await heading('Done').waitFor();
    await page.goto(reset);
    await heading('New password').waitFor();
    await page.getByRole('alert').getByText('This link is not valid', { exact: false }).waitFor();
    await isFit('user-link-gone');
  });

  test('nothing is asked for that is refused because nobody is signed in', async () => {
    const { page: fresh, context } = await visit(browser, origin);
    const refused: string[] = [];
    fresh.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
    const isCalm = watchRequests(fresh);
    for (const path of ['sign-in', 'forgotten', '', 'administrators', `apps/${app.appId}/home`]) {
      await fresh.goto(`/console/${path}`);
      await fresh.getByRole('heading', { level: 1 }).waitFor();
      await isCalm();
      assert.equal(new URL(fresh.url()).pathname, `/console/${path === 'forgotten' ? path : 'sign-in'}`);
    }
    assert.deepEqual(refused, []);
    await context.close();
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(complaints, []));
});
