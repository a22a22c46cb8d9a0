import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { password } from '../../../server/test/support/console.ts';
import { type SmtpSink, startSmtpSink } from '../../../server/test/support/servers/smtp-sink.ts';
import { assertAccessible } from '../axe.ts';
import { launchBrowser, listenWithConsole, openAs, startConsole, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';
import { plugIn } from './virtual-key.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The path of a link; its address is that of the configured public one. */
const pathOf = (text: string | null) => /\/console\/link#\w{43}/.exec(text ?? '')?.[0] ?? '';

/** The tests are one story: each continues where the previous one stopped. */
describe('invitations without a mail server', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let owner: Visit;
  let page: Page;
  let path: string;
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    // Passkeys are bound to a name.
    origin = origin.replace('127.0.0.1', 'localhost');
    browser = await launchBrowser();
    owner = await openAs(browser, { app, origin, role: 'owner' });
    page = owner.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const invite = async (email: string) => {
    await button(page, 'Invite').click();
    const dialog = page.getByRole('dialog', { name: 'Invite an administrator' });
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
  };
  const handed = async () => {
    const dialog = page.getByRole('dialog', { name: 'Hand over this link' });
    const found = pathOf(await dialog.locator('code').textContent());
    await button(page, 'I have copied it').click();
    await dialog.waitFor({ state: 'detached' });
    return found;
  };

  test('an owner invites somebody and gets the link to hand over, once', async () => {
    await page.goto('/console/administrators');
    await invite('no address');
    await page.getByText('Must be an e-mail address.').waitFor();
    await takePictures(page, 'invite');
    await page.getByRole('dialog').getByLabel('E-mail').fill('ed@museum.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('This service sends no mail.', { exact: false }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'invitation-link');
    const former = await handed();
    const row = page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
    await row.getByText('ed@museum.example').waitFor();
    await takePictures(page, 'administrators-invited');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Send again to ed@museum.example' }).click();
    path = await handed();
    const { page: stranger, context } = await visit(browser, origin);
    await stranger.goto(former);
    await stranger.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await takePictures(stranger, 'link-unusable');
    await context.close();
  });

  test('the invited creates the account with a password and is signed in', async () => {
    const { page: ed, context, complaints } = await visit(browser, origin);
    await ed.goto(path);
    await ed.getByText('You are invited as editor.', { exact: false }).waitFor();
    await assertAccessible(ed);
    await takePictures(ed, 'join');
    await ed.getByLabel('Your name').fill('Ed');
    await ed.getByRole('textbox', { name: 'Password' }).fill('short');
    await button(ed, 'Create the account').click();
    await ed.getByText('Must have at least 10 characters.').waitFor();
    assert.equal(await ed.getByLabel('Your name').inputValue(), 'Ed');
    await ed.getByRole('textbox', { name: 'Password' }).fill('long enough for Ed');
    await button(ed, 'Create the account').click();
    await ed.getByRole('heading', { name: 'Apps' }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
    await page.reload();
    await page.getByText('ed@museum.example').waitFor();
    assert.equal(await page.getByRole('list', { name: 'Invitations' }).count(), 0);
  });

  test('another one comes with a passkey and without a password, and sets one later', async () => {
    await invite('mo@museum.example');
    const { page: mo, context, complaints } = await visit(browser, origin);
    await plugIn(mo);
    await mo.goto(await handed());
    await button(mo, 'Use a passkey').click();
    await mo.getByText('Is needed first.').waitFor();
    await mo.getByLabel('Your name').fill('Mo');
    await button(mo, 'Use a passkey').click();
    await mo.getByRole('heading', { name: 'Apps' }).waitFor();
    await mo.goto('/console/account');
    await mo.getByText('You have none: you sign in with a passkey, or through your organisation.').waitFor();
    assert.equal(await mo.getByRole('heading', { name: 'Recovery codes' }).count(), 0, 'they follow a password');
    await takePictures(mo, 'account-no-password');
    app.clock.now += 6 * 60_000;
    await button(mo, 'Set a password').click();
    await mo.getByRole('textbox', { name: 'New password' }).fill('long enough for Mo');
    await button(mo, 'Set the password').click();
    const asked = mo.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByText('Use your passkey to change', { exact: false }).waitFor();
    await takePictures(mo, 'confirmation-passkey-only');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await mo.getByText('Your password was changed.').waitFor();
    await mo.getByText('At least 10 characters; a short sentence is good.').waitFor();
    await mo.getByText('There are none. Make new ones.').waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('an invitation is withdrawn, and its link ends', async () => {
    await page.reload();
    await invite('eve@museum.example');
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByLabel('Your password').fill(password);
    await asked.getByRole('button', { name: 'Confirm' }).click();
    const withdrawn = await handed();
    await page.getByRole('button', { name: 'Withdraw the invitation of eve@museum.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('The invitation was withdrawn.').waitFor();
    const { page: eve, context } = await visit(browser, origin);
    await eve.goto(withdrawn);
    await eve.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await context.close();
  });

  test('an owner hands over a link to a new password', async () => {
    await page.getByRole('button', { name: 'More about Ed' }).click();
    await page.getByRole('menuitem', { name: 'Send a link to a new password' }).click();
    const reset = await handed();
    const { page: ed, context, complaints } = await visit(browser, origin);
    await ed.goto(reset);
    await ed.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await assertAccessible(ed);
    await takePictures(ed, 'new-password');
    await ed.getByRole('textbox', { name: 'New password' }).fill('another one for Ed');
    await button(ed, 'Set the password').click();
    await ed.getByRole('link', { name: 'Sign in' }).click();
    await ed.getByLabel('E-mail').fill('ed@museum.example');
    await ed.getByRole('textbox', { name: 'Password' }).fill('another one for Ed');
    await button(ed, 'Sign in').click();
    await ed.getByRole('heading', { name: 'Apps' }).waitFor();
    await context.clearCookies();
    await ed.goto('/console/forgotten');
    await ed.getByLabel('E-mail').fill('ed@museum.example');
    await button(ed, 'Send the mail').click();
    await ed.getByText('This service sends no mail.', { exact: false }).waitFor();
    assert.deepEqual([...complaints, ...owner.complaints], []);
    await context.close();
  });
});

describe('with a mail server', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let smtp: SmtpSink;
  beforeAll(async () => {
    smtp = await startSmtpSink();
    app = await buildApp({ settings: { PHAROS_SMTP_URL: smtp.url } });
    origin = await listenWithConsole(app);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await smtp?.close();
  });

  const mailTo = (address: string) => {
    const mail = smtp.mails.findLast(({ to }) => to === address);
    return (mail?.data ?? '').replace(/=\n/g, '');
  };

  test('invitations and forgotten passwords are mailed, and the console shows no link', async () => {
    const { page, complaints } = await openAs(browser, { app, origin, role: 'owner' });
    await page.goto('/console/administrators');
    await button(page, 'Invite').click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('ed@museum.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('A mail to ed@museum.example is on its way.').waitFor();
    assert.equal(await page.getByRole('dialog', { name: 'Hand over this link' }).count(), 0);
    await app.app.idle();
    const { page: ed } = await visit(browser, origin);
    await ed.goto(pathOf(mailTo('ed@museum.example')));
    await ed.getByLabel('Your name').fill('Ed');
    await ed.getByRole('textbox', { name: 'Password' }).fill('long enough for Ed');
    await button(ed, 'Create the account').click();
    await ed.getByRole('heading', { name: 'Apps' }).waitFor();

    const { page: elsewhere } = await visit(browser, origin);
    await elsewhere.goto('/console/sign-in');
    await elsewhere.getByRole('link', { name: 'Forgot your password?' }).click();
    await takePictures(elsewhere, 'forgotten');
    await assertAccessible(elsewhere);
    await elsewhere.getByLabel('E-mail').fill('ed@museum.example');
    await button(elsewhere, 'Send the mail').click();
    await elsewhere.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    await takePictures(elsewhere, 'forgotten-sent');
    await app.app.idle();
    await elsewhere.goto(pathOf(mailTo('ed@museum.example')));
    await elsewhere.getByRole('textbox', { name: 'New password' }).fill('another one for Ed');
    await button(elsewhere, 'Set the password').click();
    await elsewhere.getByRole('heading', { name: 'Your new password is set' }).waitFor();
    await ed.reload();
    await ed.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
