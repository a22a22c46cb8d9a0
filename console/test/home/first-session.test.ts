import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { goTo, launchBrowser, startConsole, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const owner = { name: 'Ada Example', email: 'ada@museum.example', password: 'a long enough secret' };

const analyst = { email: 'ben@museum.example', password: 'another long secret' };

/** The tests are one session: each continues where the previous one stopped. */
describe('the first session in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    for (const { appId } of await app.app.apps.list()) await app.app.apps.remove(appId);
    browser = await launchBrowser();
    visited = await visit(browser, origin, true);
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');

  test('without the set-up link the console says where to find it', async () => {
    await page.goto('/console');
    await heading('Welcome to Pharos').waitFor();
    assert.match(await page.locator('main').innerText(), /open the set-up link that the service printed/);
  });

  test('a short password is refused below its field', async () => {
    const token = await app.app.admins.makeSetupToken();
    await page.goto('about:blank');
    await page.goto(`/console/setup#${token}`);
    await page.getByLabel('Your name').fill(owner.name);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').first().fill('short');
    await button('Create the account').click();
    await page.getByText('Must have at least 10 characters.').waitFor();
    assert.equal(await app.app.admins.hasAdmin(), false);
  });

  test('the set-up link makes the first owner and signs in', async () => {
    await page.getByLabel('Password').first().fill(owner.password);
    await button('Create the account').click();
    await heading('No apps yet').waitFor();
    assert.equal((await app.app.admins.findByEmail(owner.email))?.role, 'owner');
    assert.doesNotMatch(page.url(), /#/);
  });

  test('an app without a name is refused', async () => {
    await button('Create an app').click();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('Fill this in.').waitFor();
    assert.deepEqual(await app.app.apps.list(), []);
  });

  test('a new app shows credentials that work, once', async () => {
    await dialog().getByLabel('Name').fill('Museum guide');
    assert.ok(await dialog().getByLabel('An app for visitors').isChecked());
    await takePictures(page, 'new-app');
    await dialog().getByLabel('As the interface specification describes').check();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await heading('Your app is ready').waitFor();
    const [appId = '', appKey = '', curl = ''] = await dialog().locator('code').allInnerTexts();
    const answer = await fetch(`${origin}/api/v2/users?limit=1`, {
      headers: { 'x-service-appid': appId, 'x-service-appkey': appKey },
    });
    assert.deepEqual([answer.status, await answer.json()], [200, { results: [] }]);
    for (const part of [origin, appId, appKey]) assert.ok(curl.includes(part), `the curl line has ${part}`);
    await button('I have stored the key').click();
    await page.getByRole('button', { name: /^Museum guide/ }).waitFor();
    assert.ok(!(await page.content()).includes(appKey));
  });

  test('an app for visitors shows its content to everyone, and its users to nobody', async () => {
    await goTo(page, '/console/apps');
    await button('Create an app').click();
    await dialog().getByLabel('Name').fill('Castle visitors');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await heading('Your app is ready').waitFor();
    const [appId = '', appKey = '', curl = ''] = await dialog().locator('code').allInnerTexts();
    const ask = async (list: string) => {
      const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
      return (await fetch(`${origin}/api/v2/${list}?limit=1`, { headers })).status;
    };
    assert.deepEqual([await ask('beacons'), await ask('users')], [200, 403]);
    assert.match(curl, /beacons/, 'what is shown to try works');
    await button('I have stored the key').click();
    await page.getByRole('button', { name: /^Castle visitors/ }).waitFor();
    await app.app.apps.remove(appId);
    await goTo(page, '/console/apps');
    await page.getByRole('link', { name: /Museum guide/ }).click();
    await page.getByRole('button', { name: /^Museum guide/ }).waitFor();
  });

  test('a bucket with a bad name is refused, and one with a good name is made', async () => {
    await page.getByRole('link', { name: 'Content' }).click();
    await button('Create a bucket').click();
    await dialog().getByLabel('Name').fill('1st bucket');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog()
      .getByText(/a letter, then letters, digits or underscores\.$/)
      .waitFor();
    await dialog().getByLabel('Name').fill('quiz_answers');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('listitem').filter({ hasText: 'quiz_answers' }).filter({ hasText: '0 records' }).waitFor();
    const [made] = await app.app.apps.list();
    assert.deepEqual(
      (await app.app.buckets.listBuckets(made?.appId ?? '')).map(({ name }) => name),
      ['quiz_answers'],
    );
  });

  test('a rule that is saved holds in the service', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByText(/can read the names and e-mail addresses/).waitFor();
    await page.getByRole('button', { name: /^Accounts, List:/ }).click();
    await dialog().getByLabel('Managers', { exact: true }).check();
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await button('Save the rules').click();
    await page.getByText('The rules are saved.').waitFor();
    const [made] = await app.app.apps.list();
    const { effective } = await app.app.apps.rules(made?.appId ?? '');
    assert.equal(effective.of('users').rules.list.stored, 'manager');
  });

  test('a reload keeps one signed in and on the same page', async () => {
    await page.reload();
    await heading('Resources and buckets').waitFor();
    assert.match(page.url(), /\/rules$/);
  });

  test('a second key is shown once, and the first can be switched off', async () => {
    await page.getByRole('link', { name: 'Keys' }).click();
    await button('Add a key').click();
    await button('Add the key').click();
    await heading('The new key').waitFor();
    const [appId = '', appKey = ''] = await dialog().locator('code').allInnerTexts();
    await button('I have stored the key').click();
    const keys = page.getByRole('listitem').filter({ hasText: /^Key …/ });
    const first = keys.filter({ hasNotText: appKey.slice(-4) });
    await first.getByRole('button', { name: 'Switch off' }).click();
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('The key was switched off.').waitFor();
    const [app1] = await app.app.apps.list();
    assert.deepEqual([app1?.appId, app1?.keys.map(({ hint }) => hint)], [appId, [appKey.slice(-4)]]);
  });

  test('an app is renamed, moved to another time zone, and switched off and on', async () => {
    await page.getByRole('link', { name: 'General' }).click();
    await page.getByLabel('Name').fill('Castle guide');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('vienna');
    await page.getByRole('option', { name: 'Europe/Vienna' }).click();
    await button('Save').click();
    await page.getByRole('button', { name: /^Castle guide/ }).waitFor();
    await button('Switch the app off').click();
    const asked = page.getByRole('dialog', { name: 'Switch the app off' });
    await asked.getByText('every copy of Castle guide is refused', { exact: false }).waitFor();
    // What is pressed while it still moves may be missed.
    await asked.evaluate('async (dialog) => Promise.all(dialog.getAnimations().map((one) => one.finished))');
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'hidden' });
    assert.equal((await app.app.apps.list())[0]?.disabled, false);
    await button('Switch the app off').click();
    await button('Switch Castle guide off').click();
    await page.getByText('Castle guide is off.').waitFor();
    assert.equal((await app.app.apps.list())[0]?.disabled, true);
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    assert.equal((await app.app.apps.list())[0]?.disabled, false);
    await button('Switch the app off').click();
    await button('Switch Castle guide off').click();
    await page.getByText('This app is off.', { exact: false }).waitFor();
    assert.equal((await app.app.apps.list())[0]?.disabled, true);
    await button('Switch the app on').click();
    await button('Switch the app off').waitFor();
    const [changed] = await app.app.apps.list();
    assert.deepEqual(
      [changed?.name, changed?.policy.timeZone, changed?.disabled],
      ['Castle guide', 'Europe/Vienna', false],
    );
  });

  test('an administrator is added, and an e-mail that is taken is refused', async () => {
    await page.getByRole('button', { name: /^Castle guide/ }).click();
    await page.getByRole('menuitem', { name: 'Administrators' }).click();
    await button('Add an administrator').click();
    await dialog().getByLabel('Name').fill('Ben Curator');
    await dialog().getByLabel('E-mail').fill(owner.email);
    await dialog().getByLabel('Role').selectOption('analyst');
    await dialog().getByLabel('First password').first().fill(analyst.password);
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().getByRole('alert').filter({ hasText: owner.email }).waitFor();
    await dialog().getByLabel('E-mail').fill(analyst.email);
    await dialog().getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').filter({ hasText: analyst.email }).waitFor();
    assert.equal((await app.app.admins.findByEmail(analyst.email))?.role, 'analyst');
  });

  test('the colours can be chosen, and stay chosen', async () => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.reload();
    await heading('Administrators').waitFor();
    assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark');
  });

  test('an analyst sees apps and cannot change anything', async () => {
    const other = await visit(browser, origin);
    await other.page.goto('/console');
    await other.page.getByLabel('E-mail').fill(analyst.email);
    await other.page.getByLabel('Password').first().fill(analyst.password);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
    assert.deepEqual(await other.page.getByRole('navigation').getByRole('link').allInnerTexts(), ['Apps']);
    await other.page.getByRole('link', { name: /Castle guide/ }).click();
    await other.page.getByRole('heading', { name: 'Add a beacon' }).waitFor();
    const parts = other.page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link');
    assert.deepEqual(await parts.allInnerTexts(), ['Home', 'Visitors', 'Log']);
    const appPath = new URL(other.page.url()).pathname.replace(/home$/, '');
    await goTo(other.page, `${appPath}rules`);
    await other.page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
    await goTo(other.page, `${appPath}keys`);
    await other.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    await goTo(other.page, '/console/audit');
    await other.page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
    await goTo(other.page, '/console/apps');
    await other.page.getByRole('heading', { name: 'Apps' }).waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Create an app' }).count(), 0);
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('the audit tells who did what', async () => {
    await page.getByRole('link', { name: 'Audit' }).click();
    const change = page.getByRole('listitem').filter({ hasText: 'created the bucket quiz_answers in Castle guide.' });
    await change.waitFor();
    assert.match(await change.innerText(), /ada@museum\.example/);
  });

  test('an app goes only when its name is typed', async () => {
    await page.getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('link', { name: /Castle guide/ }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    assert.ok(await button('Delete the app').isDisabled(), 'visitors may still be served by it');
    await button('Switch the app off').click();
    await button('Switch Castle guide off').click();
    await button('Switch the app on').waitFor();
    await button('Delete the app').click();
    assert.ok(await dialog().getByRole('button', { name: 'Delete permanently' }).isDisabled());
    await dialog().getByRole('textbox').fill('Castle guide');
    await dialog().getByRole('button', { name: 'Delete permanently' }).click();
    await heading('No apps yet').waitFor();
    assert.deepEqual(await app.app.apps.list(), []);
  });

  test('signing out ends the session, and a wrong password does not begin one', async () => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in').waitFor();
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').first().fill('not the password');
    await button('Sign in').click();
    await page.getByRole('alert').filter({ hasText: 'The e-mail address or the password is wrong.' }).waitFor();
    await page.goto('/console/apps');
    await heading('Sign in').waitFor();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});

describe("the console's files", () => {
  let app: TestApp;
  let origin: string;
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
  });
  afterAll(() => app.close());

  test('come with a content policy that allows own sources only', async () => {
    for (const path of ['/console', '/console/', '/console/apps', '/console/apps/x/rules', '/console/apidocs']) {
      const answer = await fetch(origin + path);
      assert.equal(answer.status, 200, path);
      assert.match(await answer.text(), /<div id="root">/);
      const policy = answer.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
    }
  });

  test('with a hash in the name are kept for good, and unknown ones are not there', async () => {
    const page = await (await fetch(`${origin}/console`)).text();
    const script = /src="(\/console\/assets\/[^"]+)"/.exec(page)?.[1];
    const answer = await fetch(origin + script);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(answer.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.equal((await fetch(`${origin}/console/assets/gone-1234.js`)).status, 404);
  });

  test('do not hide the management interface', async () => {
    for (const [method, path, status] of [
      ['GET', '/console/api/nothing', 404],
      ['GET', '/console/api', 404],
      ['PUT', '/console/api/session', 405],
      ['GET', '/console/api/session', 403],
    ] as const)
      assert.equal((await fetch(origin + path, { method })).status, status, `${method} ${path}`);
  });
});
