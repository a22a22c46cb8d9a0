import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../../server/src/base/sql.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { SoftwarePasskey } from '../../../server/test/support/servers/software-passkey.ts';
import { openSite, pointer, type Site } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import {
  becomes,
  goTo,
  launchBrowser,
  listenWithConsole,
  openAs,
  readAgain,
  reloadInTheMiddle,
  type Visit,
} from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror=alert(1)>';
const password = 'correct horse';

/** The tests are one session: each continues where the previous one stopped. */
describe('users in the console', () => {
  let site: Site;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let vera: string;
  let phone: string;

  beforeAll(async () => {
    site = await openSite('sqlite');
    origin = await listenWithConsole(site.app);
    browser = await launchBrowser();
    visited = await openAs(browser, { app: site.app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const rows = () => page.getByRole('table', { name: 'users' }).locator('tbody tr');
  const open = (rest = '') => goTo(page, `/console/apps/${site.app.appId}/users${rest}`);
  const signIn = async () => {
    const body = { email: 'vera@example.com', password };
    return (await site.app.send({ method: 'POST', url: '/api/v2/users/signin', body })).status;
  };

  test('an app without users says that visitors need no account', async () => {
    const { appId } = await site.app.app.apps.create('Another app');
    await goTo(page, `/console/apps/${appId}/users`);
    await heading('No accounts yet').waitFor();
    await assertAccessible(page);
  });

  test('users are listed with their roles, found by name, and filtered', async () => {
    site.app.clock.now += 1000;
    vera = await create(site.app, '/api/v2/users', {
      firstname: 'Vera',
      lastname: script,
      email: 'vera@example.com',
      password,
      metadata: { likes: script },
    });
    await open();
    await page.getByText('1–2 of 2').waitFor();
    assert.match(
      (await rows().first().innerText()).replaceAll(/\s+/g, ' '),
      /^ Vera <img src=x onerror=alert\(1\)> vera@example\.com Visitor on /,
    );
    await assertAccessible(page);
    await page.getByRole('searchbox').fill('nobody like it');
    await page.getByText('No users match.').waitFor();
    await page.getByRole('searchbox').fill('VERA@');
    await page.getByText('1–1 of 1').waitFor();
    // One of them is the site's own user.
    await open(`?where=${encodeURIComponent(JSON.stringify({ role: 'manager' }))}`);
    await rows().filter({ hasText: 'vera@example.com' }).waitFor({ state: 'detached' });
    await page.getByText('1–1 of 1').waitFor();
  });

  test('from a name to why somebody was not told: the page of a person has the phones and what happened', async () => {
    const userId = pointer('_User', vera);
    phone = await site.installation({
      installationId: 'hers',
      deviceType: 'ios',
      userId,
      consents: { messages: { granted: false } },
    });
    await site.notification({ description: 'Welcome' });
    const sightings = [site.decided('ENTER', site.now - 90_000), site.decided('EXIT')];
    await site.send(sightings, { installationId: 'hers' });
    await site.app.storage.db.run(raw('update visits set smoothed_dwell = 30'));
    await signIn();
    await open('?q=VERA@');
    await rows().getByRole('link', { name: /^Vera/ }).click();
    const happened = page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
    await happened.filter({ hasText: 'Entered Hall' }).getByText('Not shown').waitFor();
    await happened.getByText('after 30 s, corrected from 2 min').waitFor();
    await happened.getByText('The visitor has not agreed to messages', { exact: false }).waitFor();
    await heading(`Vera ${script}`).waitFor();
    await page.getByText('1, last used on').waitFor();
    const own = page.getByRole('region', { name: `iOS ${phone.slice(-6)}` });
    await own.getByText(/^refused on /).waitFor();
    assert.equal(await page.getByText(phone).isVisible(), false);
    assert.ok(!(await page.content()).includes('argon2'));
    await assertAccessible(page);
    await takePictures(page, 'person');
    // By the end of the id in a log, too.
    await goTo(page, `/console/apps/${site.app.appId}/installations?q=${phone.slice(-6)}`);
    await page.getByRole('table', { name: 'phones' }).getByRole('link', { name: /^iOS/ }).click();
    await heading(`Vera ${script}`).waitFor();
  });

  test('the role is changed', async () => {
    await page.getByRole('radiogroup', { name: 'Role' }).getByText('Manager').click();
    await page.getByText('is now a manager.').waitFor();
    await open(`?where=${encodeURIComponent(JSON.stringify({ role: 'manager' }))}`);
    await page.getByText('1–2 of 2').waitFor();
  });

  test('venues are chosen by name, and of two administrators none overwrites the other', async () => {
    await open(`/${vera}`);
    await heading('Sessions').waitFor();
    assert.equal(await heading('Venues').count(), 0, 'an app without venues does not speak of them');
    const { headers } = site.user;
    const north = await create(site.app, '/api/v2/venues', { name: 'North house' }, headers);
    const south = await create(site.app, '/api/v2/venues', { name: 'South house' }, headers);
    const stored = async () => {
      const answer = await visited.context.request.get(`/console/api/apps/${site.app.appId}/users/${vera}`);
      return (await answer.json()).result.venueIds;
    };
    await readAgain(page);
    await page.getByRole('combobox', { name: 'Belongs to' }).click();
    await page.getByRole('option', { name: 'North house' }).click();
    await page.keyboard.press('Escape');
    await takePictures(page, 'user-venues');
    await button('Save the venues').click();
    await page.getByText('The venues of Vera', { exact: false }).waitFor();
    assert.deepEqual(await stored(), [north]);
    await page.getByRole('combobox', { name: 'Belongs to' }).click();
    await page.getByRole('option', { name: 'South house' }).click();
    await page.keyboard.press('Escape');
    await site.app.app.users.changeUser({ appId: site.app.appId, userId: vera }, { venueIds: [] }, { by: undefined });
    await button('Save the venues').click();
    await dialog().getByText('Somebody else has saved this meanwhile').waitFor();
    await dialog().getByText('No venue').waitFor();
    assert.deepEqual(await stored(), []);
    await dialog().getByText('North house and South house').click();
    await dialog().getByRole('button', { name: 'Save what is chosen' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
    assert.deepEqual(await stored(), [north, south].sort());
  });

  testInFull('what somebody signs in with is shown, and removed for somebody who has lost the phone', async () => {
    const origin = 'https://app.museum.example';
    await site.app.app.apps.change(site.app.appId, {
      policy: { totp: 'optional', passkeys: { enabled: true, rpId: 'museum.example', origins: [origin] } },
    });
    const body = { email: 'vera@example.com', password };
    const signedIn = await site.app.send({ method: 'POST', url: '/api/v2/users/signin', body });
    const headers = { authorization: `Bearer ${signedIn.body.accessToken}` };
    const me = async (method: 'POST' | 'PUT', path: string, body: object) =>
      (await site.app.send({ method, url: `/api/v2/users/me/${path}`, headers, body })).body.result;
    for (const name of ['Old phone', 'Tablet']) {
      const asked = await me('POST', 'passkeys/challenge', {});
      await me('POST', 'passkeys', { name, passkey: new SoftwarePasskey(origin).register(asked) });
    }
    const { secret } = await me('POST', 'totp', {});
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: site.now });
    assert.equal((await me('PUT', 'totp', { code })).recoveryCodes.length, 10);
    await page.reload();
    await page.getByText('10 recovery codes left').waitFor();
    const factors = page.getByRole('list', { name: 'Second factor and passkeys' });
    assert.match(
      (await factors.getByRole('listitem').nth(1).innerText()).replaceAll(/\s+/g, ' '),
      /^Passkey Old phone added .+ not used yet on one device/,
    );
    const sessions = page.getByRole('list', { name: 'Sessions' });
    await sessions.getByText('with the password and a second factor').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'user-factors');
    await button('Remove Old phone').click();
    await dialog().getByText('This cannot be undone', { exact: false }).waitFor();
    await takePictures(page, 'user-factors-remove');
    await dialog().getByRole('button', { name: 'Remove the passkey' }).click();
    await page.getByText('The passkey was removed.').waitFor();
    await page.getByText('None: this person is not signed in anywhere.').waitFor();
    await page.getByText('Passkey Tablet').waitFor();
    assert.equal(await page.getByText('Passkey Old phone').count(), 0);
    assert.equal(await signIn(), 403, 'the code is still asked for');
    await button('Remove all of them').click();
    await dialog().getByRole('button', { name: 'Remove all of them' }).click();
    await page.getByText('Neither an authenticator app nor a passkey is set up.').waitFor();
    assert.equal(await signIn(), 200);
    await page.reload();
    await sessions.getByText('with the password alone').waitFor();
    await page.getByRole('button', { name: /^End the session of/ }).click();
    await page.getByText('None: this person is not signed in anywhere.').waitFor();
    await takePictures(page, 'user-empty');
  });

  test('an account is switched off, so that nobody can sign in, and on again', async () => {
    await open(`/${vera}`);
    await button('Switch off').click();
    await dialog().getByText('is signed out everywhere at once').waitFor();
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('This account has been off since').waitFor();
    await page.getByText('not signed in', { exact: true }).waitFor();
    assert.equal(await signIn(), 403);
    await button('Switch on').click();
    await page.getByText('This account has been off since').waitFor({ state: 'detached' });
    assert.equal(await signIn(), 200);
  });

  testInFull(
    'what administrators have changed of somebody is a click away, and all other changes another one',
    async () => {
      const beacons = `/console/api/apps/${site.app.appId}/v2/beacons`;
      const data = { name: 'Attic', uuid: 'AA', major: 9, minor: 9 };
      assert.ok((await visited.context.request.post(beacons, { data, headers: { origin } })).ok());
      await open(`/${vera}`);
      await page.getByRole('link', { name: 'What administrators have changed' }).click();
      await heading('Audit').waitFor();
      await page.getByText('Only changes of', { exact: false }).getByText(vera, { exact: true }).waitFor();
      const changes = () => page.getByRole('main').getByRole('listitem');
      const of = async () => (await changes().allInnerTexts()).map((text) => /switched|changed/.test(text));
      await becomes(async () => new Set(await of()).size === 1 && (await of())[0] === true, true);
      await assertAccessible(page);
      await takePictures(page, 'audit-about');
      const own = await changes().count();
      await page.reload();
      await page.getByText('Only changes of', { exact: false }).waitFor();
      await becomes(() => changes().count(), own);
      await button('Show all changes').click();
      await page.getByText('Only changes of', { exact: false }).waitFor({ state: 'detached' });
      await becomes(async () => (await changes().count()) > own, true);
      assert.doesNotMatch(page.url(), /about=/);
    },
  );

  testInFull('of two administrators none overwrites the other with one click', async () => {
    const key = { appId: site.app.appId, userId: vera };
    const role = async () => {
      const answer = await visited.context.request.get(`/console/api/apps/${site.app.appId}/users/${vera}`);
      const { role, disabledAt } = (await answer.json()).result;
      return [role, disabledAt === undefined];
    };
    const theirs = (change: object) => site.app.app.users.changeUser(key, change, { by: undefined });
    const choose = (name: string) => page.getByRole('radiogroup', { name: 'Role' }).getByText(name).click();
    const isChosen = (name: string) => page.getByRole('radio', { name, exact: true }).isChecked();
    const refused = () => page.getByText('Somebody else has changed Vera', { exact: false });
    await theirs({ role: 'user' });
    await open(`/${vera}`);
    await becomes(() => isChosen('Visitor'), true);
    await theirs({ role: 'manager' });
    await choose('Manager');
    await refused().waitFor();
    assert.deepEqual(await role(), ['manager', true]);
    await becomes(() => isChosen('Manager'), true);
    await choose('Visitor');
    await page.getByText('is now a visitor.').waitFor();
    await theirs({ venueIds: [] });
    await button('Undo').click();
    await page.getByText('Somebody has changed it since, so it stays as it is now.').waitFor();
    assert.deepEqual(await role(), ['user', true]);

    await open(`/${vera}`);
    await button('Switch off').waitFor();
    await theirs({ disabled: true });
    await button('Switch off').click();
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await dialog().getByText('Somebody else has changed Vera', { exact: false }).waitFor();
    assert.deepEqual(await role(), ['user', false]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await button('Switch on').click();
    await page.getByText('This account has been off since').waitFor({ state: 'detached' });
    await signIn();
  });

  test('an export holds everything that is known of the person', async () => {
    await open(`/${vera}`);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const all = JSON.parse(readFileSync(await (await waiting).path(), 'utf8'));
    assert.equal(all.users[0].email, 'vera@example.com');
    assert.deepEqual([all.installations[0].objectId, all.visits.length], [phone, 1]);
  });

  testInFull('erasing that a reload cuts off says how things stand, and is finished by erasing once more', async () => {
    const account = { firstname: 'Half', lastname: 'Gone', email: 'half@example.com', password };
    const half = await create(site.app, '/api/v2/users', account);
    for (const installationId of ['half-1', 'half-2'])
      await site.installation({ installationId, userId: pointer('_User', half) });
    const mine = async () => (await site.rows('installations')).filter(({ user_id }) => user_id === half).length;
    assert.equal(await mine(), 2);
    await open(`/${half}`);
    const erase = async () => {
      await button('Erase').click();
      await dialog().getByRole('button', { name: 'Erase Half Gone' }).click();
    };
    const interrupted = page.getByText('Erasing Half Gone was interrupted when the page was reloaded.', {
      exact: false,
    });
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    site.app.clock.now += 3_600_000;
    await erase();
    await asked.waitFor();
    await page.reload();
    await button('Erase').waitFor();
    assert.equal(await interrupted.count(), 0, 'while the password was asked for, nothing was under way');
    await erase();
    await asked.getByLabel('Your password').fill('a long enough secret');
    await page.route(`**/users/${half}`, (route) =>
      route.request().method() === 'DELETE' ? undefined : route.continue(),
    );
    const last = page.waitForRequest((request) => request.method() === 'DELETE');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await last;
    await reloadInTheMiddle(page);
    await page.unroute(`**/users/${half}`);
    await interrupted.waitFor();
    assert.equal(await mine(), 2);
    await erase();
    await page.getByText('Half Gone was erased.').waitFor();
    assert.equal(await interrupted.count(), 0, 'it is finished');
    assert.equal(await mine(), 0);
    assert.ok(!(await site.rows('users')).some(({ object_id }) => object_id === half));
    await button('Show the receipt').click();
    const receipts = page.getByRole('list', { name: 'Erasures' });
    await receipts.getByText('A user with everything that was known').waitFor();
    const top = async () => (await receipts.boundingBox())?.y ?? Number.POSITIVE_INFINITY;
    await becomes(async () => (await top()) < 860, true);
    await open(`/${vera}`);
    await button('Erase').waitFor();
  });

  test('what the service refuses is said in the dialog', async () => {
    await page.route('**/users/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 503,
            contentType: 'application/json',
            body: JSON.stringify({
              error: { code: 124, error: 'The storage is full.', name: 'Timeout', status: 503 },
              code: 124,
            }),
          })
        : route.continue(),
    );
    await button('Erase').click();
    await dialog()
      .getByRole('button', { name: /^Erase Vera/ })
      .click();
    await dialog().getByText('The storage is full.').waitFor();
    await assertAccessible(page);
    await page.unroute('**/users/*');
  });

  test('erasing takes the person with the installations; the audit names nobody', async () => {
    await dialog()
      .getByRole('button', { name: /^Erase Vera/ })
      .click();
    await page.getByText('was erased.', { exact: false }).waitFor();
    await page.getByText('1–1 of 1').waitFor();
    assert.equal(await signIn(), 404);
    await site.app.app.idle();
    assert.deepEqual(await site.list('visits'), []);
    assert.equal((await site.list('installations')).length, 1);
    await goTo(page, '/console/audit');
    await page
      .getByText(/erased a user of Test app \(\w+\)\./)
      .first()
      .waitFor();
    for (const name of ['vera@example.com', vera]) assert.ok(!(await page.content()).includes(name));
  });

  testInFull('an editor does not come here', async () => {
    const editor = await openAs(browser, { app: site.app, origin, role: 'editor' });
    await goTo(editor.page, `/console/apps/${site.app.appId}/users`);
    await editor.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    // Whose a record is, is personal data too.
    await goTo(editor.page, `/console/apps/${site.app.appId}/beacons/${site.hall}`);
    await editor.page.getByRole('region', { name: 'Where it is, and whether it works' }).waitFor();
    assert.equal(await editor.page.getByText('Owner in the app').count(), 0);
    assert.deepEqual(editor.complaints, []);
    await editor.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(
      visited.complaints.filter((complaint) => !complaint.includes('503')),
      [],
    );
  });
});
