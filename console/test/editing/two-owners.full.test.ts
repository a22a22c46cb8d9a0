import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, readAgain, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What is set up once, by two people: Ana has it open while Ben changes it. Messages and content are in `two-people`. */
describe('two people set up one thing', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let ana: Visit;
  let ben: Visit;
  let page: Page;
  let ids: Readonly<Record<'venue' | 'floor' | 'google' | 'sso' | 'report', string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole({ PHAROS_PRIVATE_TARGETS: '127.0.0.1' }));
    const { headers } = await signInManager(app);
    browser = await launchBrowser();
    ana = await openAs(browser, { app, origin, role: 'owner' });
    ben = await openAs(browser, { app, origin, role: 'owner' });
    page = ana.page;
    const venue = await create(app, '/api/v2/venues', { name: 'House' }, headers);
    const venueId = { __type: 'Pointer', className: 'Venue', objectId: venue };
    const floor = await create(app, '/api/v2/floors', { name: 'Ground', level: 0, venueId }, headers);
    const google = { name: 'google', kind: 'google', audiences: ['1.apps.example'] };
    const sso = {
      name: 'Museum account',
      issuer: origin,
      clientId: 'console',
      clientSecret: 'a secret of the console',
      groupsClaim: 'groups',
      roles: { owner: ['heads'] },
    };
    const { adminId = '' } = await asBen('GET', '/session');
    const report = { venueId: null, every: 'week', isOn: true, administrators: [adminId], addresses: [] };
    ids = {
      report: (await asBen('POST', `${ofApp()}/reports`, report))['reportId'] ?? '',
      venue,
      floor,
      google: (await asBen('POST', `${ofApp()}/identity-providers`, google))['objectId'] ?? '',
      sso: (await asBen('POST', '/sso-providers', sso))['providerId'] ?? '',
    };
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const ofApp = () => `/apps/${app.appId}`;
  type Members = Readonly<Record<string, string>>;
  async function asBen(method: 'GET' | 'POST' | 'PUT', path: string, data?: object): Promise<Members> {
    const how = { method, headers: { origin }, ...(data ? { data } : {}) };
    const answer = await ben.context.request.fetch(`/console/api${path}`, how);
    assert.ok(answer.ok(), await answer.text());
    return ((await answer.json()) as { result: Members }).result;
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const conflict = () => page.getByRole('dialog', { name: 'Somebody else has saved this meanwhile' });

  interface Shared {
    readonly what: string;
    /** The page of the console. */
    readonly page: () => string;
    /** Opens what is edited, and types something. */
    readonly edit: () => Promise<unknown>;
    /** What has been typed. */
    readonly typed: () => Promise<unknown>;
    /** Where it is in the interface of the console. */
    readonly url: () => string;
    readonly theirs: object;
    /** Of the conflict, what Ben has changed. */
    readonly shown: readonly [field: string, theirs: string];
    /** What is stored in the end, of both. */
    readonly stored: object;
    readonly canBeUndone: boolean;
    /** Not in a dialog that is open above the page. */
    readonly saysSo: boolean;
  }

  const cases: readonly Shared[] = [
    {
      what: 'a venue',
      page: () => `${ofApp()}/beacons/venues/${ids.venue}/edit`,
      edit: () => field('Name').fill('Old mill'),
      typed: () => field('Name').inputValue(),
      url: () => `${ofApp()}/v2/venues/${ids.venue}`,
      theirs: { address: 'Mill Lane 4' },
      shown: ['Address', 'Mill Lane 4'],
      stored: { name: 'Old mill', address: 'Mill Lane 4' },
      canBeUndone: true,
      saysSo: true,
    },
    {
      what: 'a floor, whose measures are beside its plan',
      page: () => `${ofApp()}/beacons/venues/${ids.venue}/floors/${ids.floor}`,
      edit: () => field('Name of the floor').fill('Entrance'),
      typed: () => field('Name of the floor').inputValue(),
      url: () => `${ofApp()}/v2/floors/${ids.floor}`,
      theirs: { north: 90 },
      shown: ['North', '90'],
      stored: { name: 'Entrance', north: 90 },
      canBeUndone: true,
      saysSo: true,
    },
    {
      what: 'an identity provider of visitors',
      page: () => `${ofApp()}/sign-in/${ids.google}`,
      edit: () => field('Client ids').fill('2.apps.example'),
      typed: () => field('Client ids').inputValue(),
      url: () => `${ofApp()}/identity-providers/${ids.google}`,
      theirs: { acceptsTokens: true },
      shown: ['Tokens as access tokens', 'On'],
      stored: { audiences: ['2.apps.example'], acceptsTokens: true },
      canBeUndone: true,
      saysSo: true,
    },
    {
      what: 'a report by mail',
      page: () => `${ofApp()}/activity/analytics/reports/${ids.report}/edit`,
      edit: () => page.getByRole('combobox', { name: 'About' }).selectOption({ index: 1 }),
      typed: () => page.getByRole('combobox', { name: 'About' }).inputValue(),
      url: () => `${ofApp()}/reports/${ids.report}`,
      theirs: { every: 'month' },
      shown: ['How often', 'Monthly, on the first'],
      stored: { every: 'month' },
      canBeUndone: true,
      saysSo: true,
    },
    {
      what: 'a provider of single sign-on, whose secret is kept nowhere else',
      page: () => `/administrators/single-sign-on/${ids.sso}`,
      edit: async () => {
        await field('Name').fill('House account');
        await page.getByLabel('Client secret').first().fill('another secret of the console');
      },
      typed: () => field('Name').inputValue(),
      url: () => `/sso-providers/${ids.sso}`,
      theirs: { scopes: 'openid email groups' },
      shown: ['Scopes', 'openid email groups'],
      stored: { name: 'House account', scopes: 'openid email groups', hasSecret: true, roles: { owner: ['heads'] } },
      canBeUndone: false,
      saysSo: true,
    },
    {
      what: 'the schedule of backups',
      page: () => '/system',
      edit: async () => {
        await page.getByRole('button', { name: /^(Schedule backups|Change the schedule)$/ }).click();
        await page.getByRole('dialog').getByLabel('How many to keep').fill('9');
      },
      typed: () => page.getByRole('dialog').getByLabel('How many to keep').inputValue(),
      url: () => '/system/backup-plan',
      theirs: { everyDays: 7 },
      shown: ['How often', 'Every 7 days'],
      stored: { plan: { isOn: true, everyDays: 7, kept: 9 } },
      canBeUndone: true,
      saysSo: false,
    },
  ];

  for (const one of cases)
    test(`${one.what}: what is typed stays, and nothing of the other's work is lost`, async () => {
      await goTo(page, `/console${one.page()}`);
      await one.edit();
      const typed = await one.typed();
      await asBen('PUT', one.url(), one.theirs);
      await readAgain(page);
      if (one.saysSo) await page.getByText('Somebody else has saved this meanwhile.').waitFor();
      assert.deepEqual(await one.typed(), typed);
      await button('Save').click();
      const [name, theirs] = one.shown;
      const sides = conflict().getByRole('radiogroup', { name, exact: true });
      await sides.waitFor();
      assert.match(await sides.innerText(), new RegExp(`As it was\\s[\\s\\S]*Theirs\\s+${theirs}`));
      await assertAccessible(page);
      await takePictures(page, `two-owners-${one.what.split(' ').slice(0, 2).join('-')}`);
      const kept = JSON.stringify(await page.evaluate('Object.entries(localStorage)'));
      assert.doesNotMatch(kept, /another secret/);
      const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.ok());
      await button('Save what is chosen').click();
      await saved;
      const stored = await asBen('GET', one.url());
      for (const [member, value] of Object.entries(one.stored)) {
        const found = stored[member] as unknown;
        if (member === 'plan') assert.deepEqual({ ...(found as object), ...value }, found);
        else if (member === 'roles') assert.deepEqual((found as { owner: unknown }).owner, ['heads']);
        else assert.deepEqual(found, value, member);
      }
      const told = page.getByRole('alert').filter({ hasText: 'saved' });
      await told.first().waitFor();
      assert.equal(await told.getByRole('button', { name: 'Undo' }).count(), one.canBeUndone ? 1 : 0);
    });

  test('the apps of an administrator: both have chosen, and one chooses what to keep', async () => {
    const wanted = { email: 'ed@museum.example', name: 'Ed', role: 'editor', password: 'a long enough secret' };
    const { adminId } = await asBen('POST', '/administrators', wanted);
    await goTo(page, '/console/administrators');
    await button('More about Ed').click();
    await page.getByRole('menuitem', { name: 'Apps and venues' }).click();
    const dialog = page.getByRole('dialog', { name: 'Apps of Ed' });
    await dialog.getByLabel('In chosen apps only').check();
    await asBen('PUT', `/administrators/${adminId}`, { apps: [{ appId: app.appId, role: 'analyst' }] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const sides = conflict().getByRole('radiogroup', { name: 'Where it holds' });
    await sides.waitFor();
    assert.match(await sides.innerText(), /Yours\s[\s\S]*in no app yet[\s\S]*Theirs\s+Test app \(as analyst\)/);
    await assertAccessible(page);
    await takePictures(page, 'two-owners-apps');
    await conflict().getByText('Theirs').click();
    await button('Save what is chosen').click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual((await asBen('GET', `/administrators/${adminId}`))['apps'], [
      { appId: app.appId, role: 'analyst' },
    ]);
    // With one click, too.
    await asBen('PUT', `/administrators/${adminId}`, { apps: null, role: 'analyst' });
    await page.getByLabel('Role of Ed').selectOption('Manager');
    await page.getByText('Somebody else has changed Ed meanwhile.', { exact: false }).waitFor();
    assert.equal((await asBen('GET', `/administrators/${adminId}`))['role'], 'analyst');
  });

  test('the credentials of a sender: what somebody else has entered is shown, and replaced only if that is wanted', async () => {
    const settings = (username: string) => ({ url: 'mqtts://broker.example.org:8883', username });
    await asBen('PUT', `${ofApp()}/senders/mqtt`, { settings: settings('first') });
    await goTo(page, `/console${ofApp()}/senders`);
    const card = page.getByRole('region', { name: /MQTT/ });
    await card.getByRole('button', { name: 'Replace' }).click();
    await field('User name').fill('mine');
    await asBen('PUT', `${ofApp()}/senders/mqtt`, { settings: settings('theirs') });
    const stored = async () => (await asBen('GET', `${ofApp()}/senders/mqtt`))['summary'] as unknown;
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    const note = page.getByRole('alert').filter({ hasText: 'Somebody else has saved this meanwhile' });
    await note.getByText('theirs', { exact: true }).waitFor();
    assert.equal(await field('User name').inputValue(), 'mine');
    assert.deepEqual(await stored(), settings('theirs'));
    await assertAccessible(page);
    await takePictures(page, 'two-owners-sender');
    await note.getByRole('button', { name: 'Save mine' }).click();
    await card.getByText('mine', { exact: true }).waitFor();
    assert.deepEqual(await stored(), settings('mine'));
    await button('Undo').click();
    await card.getByText('theirs', { exact: true }).waitFor();
  });

  test('a record that both hand over at once gets the owner that one of the two chooses', async () => {
    const { headers, userId } = await signInManager(app);
    const person = async (firstname: string) =>
      create(
        app,
        '/api/v2/users',
        { firstname, lastname: 'Owner', email: `${firstname}@example.org`, password: 'a long secret' },
        headers,
      );
    const [vera, walt] = [await person('Vera'), await person('Walt')];
    const beacon = await create(app, '/api/v2/beacons', { name: 'Gate', uuid: 'AA', major: 1, minor: 1 }, headers);
    const owner = async () =>
      (await asBen('GET', `${ofApp()}/v2/beacons/${beacon}`))['createdBy'] as unknown as { objectId: string };
    assert.equal((await owner()).objectId, userId);
    await goTo(page, `/console${ofApp()}/beacons/${beacon}`);
    await button('Hand over to …').click();
    const dialog = page.getByRole('dialog', { name: 'Hand over to another user' });
    await dialog.getByRole('combobox', { name: 'New owner' }).fill('Vera');
    await page.getByRole('option', { name: /vera@example\.org/i }).click();
    await asBen('PUT', `${ofApp()}/v2/beacons/${beacon}/owner`, { userId: walt });
    await dialog.getByRole('button', { name: 'Hand over', exact: true }).click();
    const sides = conflict().getByRole('radiogroup', { name: 'Owner in the app' });
    await sides.getByText('Walt Owner').waitFor();
    await sides.getByText('Vera Owner').waitFor();
    assert.equal((await owner()).objectId, walt);
    await assertAccessible(page);
    await sides.getByText('Yours').click();
    await button('Save what is chosen').click();
    await page.getByRole('link', { name: 'Vera Owner' }).waitFor();
    assert.equal((await owner()).objectId, vera);
  });

  test("one's own choices in another window are not changed back", async () => {
    await goTo(page, '/console/account');
    const summary = page.getByLabel('Summary', { exact: true });
    await summary.waitFor();
    const context = ana.context.request;
    const answer = await context.fetch('/console/api/session/alerts', {
      method: 'PUT',
      headers: { origin },
      data: { digest: 'weekly' },
    });
    assert.ok(answer.ok(), await answer.text());
    await summary.selectOption('daily');
    await page.getByText('Somebody else has changed your choices meanwhile.', { exact: false }).waitFor();
    await becomes(() => summary.inputValue(), 'weekly');
    await summary.selectOption('daily');
    await page.getByText('Saved.').waitFor();
  });

  test('the browsers had nothing to complain about', () => assert.deepEqual(ana.complaints, []));
});
