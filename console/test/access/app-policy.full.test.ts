import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe("an app's policy in the console", () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const limits = () => page.getByTestId('limits').innerText();
  const policy = async () =>
    (await (await visited.context.request.get(`/console/api/apps/${app.appId}`)).json()).result.policy;
  /** `asked`: what the change refuses to visitors, and is asked about with the app's name. */
  const save = async (asked?: string) => {
    await button('Save the limits').click();
    if (asked !== undefined) {
      const dialog = page.getByRole('dialog', { name: 'Save the limits' });
      await dialog.getByText(asked, { exact: false }).waitFor();
      await dialog.getByRole('button', { name: /^Save the limits of / }).click();
    }
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  };

  test('what holds is said in a sentence, and politeness is one switch', async () => {
    await goTo(page, `/console/apps/${app.appId}/policy`);
    await page.getByTestId('limits').waitFor();
    assert.equal(await limits(), 'In effect: every message is shown once per visit, without other limits.');
    await page.getByRole('switch', { name: 'Polite' }).press('Space');
    assert.equal(
      await limits(),
      'In effect: with a pause of 15 minutes after the last time, at most 3 messages of the app a day, ' +
        'never from 22:00 to 08:00.',
    );
    await assertAccessible(page);
    await save();
    assert.equal((await policy()).polite, true);
  });

  test('own rules go before the preset', async () => {
    await page.getByRole('switch', { name: 'Quiet hours' }).press('Space');
    await page.getByLabel('Quiet from', { exact: true }).fill('20:30');
    await page.getByRole('switch', { name: 'Minimum stay' }).press('Space');
    assert.match(await limits(), /never from 20:30 to 08:00\.$/);
    await save();
    assert.deepEqual((await policy()).delivery, {
      quietHours: { from: '20:30', until: '08:00' },
      dwellSeconds: 60,
    });
    await page.getByRole('switch', { name: 'Minimum stay' }).press('Space');
    await save();
    assert.deepEqual((await policy()).delivery, { quietHours: { from: '20:30', until: '08:00' } });
  });

  test('sensitivity and time to live are saved; what is out of range is said at its field', async () => {
    await page.getByLabel('Detection').selectOption('fast');
    await page.getByLabel('How long a message stays useful', { exact: true }).fill('5');
    await page.getByLabel('How long a message stays useful: unit').selectOption('days');
    await page.getByText('After an hour, the visitor may be far away when the message arrives.').waitFor();
    await button('Save the limits').click();
    await page.getByText('Must be at most 86400.').waitFor();
    await page.getByLabel('How long a message stays useful: unit').selectOption('minutes');
    await save();
    const { sensitivity, pushTimeToLive } = await policy();
    assert.deepEqual([sensitivity, pushTimeToLive], ['fast', 300]);
  });

  test('that a second person approves pushes to many is one switch, with how many', async () => {
    const approval = page.getByRole('switch', { name: 'Pushes to many need a second person' });
    const most = page.getByLabel('One person alone may send to at most');
    assert.equal(await most.count(), 0);
    await approval.press('Space');
    await most.fill('0');
    await button('Save the limits').click();
    const asked = page.getByRole('dialog', { name: 'Save the limits' });
    await asked.getByRole('button', { name: /^Save the limits of / }).click();
    await page.getByText('Must be at least 1.').waitFor();
    assert.deepEqual([await most.inputValue(), (await policy()).approval.enabled], ['0 phones', false]);
    await takePictures(page, 'policy-approval-refused');
    await most.fill('250');
    await assertAccessible(page);
    await save('Pushes to more than 250 phones wait for a second person.');
    assert.deepEqual((await policy()).approval, { enabled: true, above: 250 });
    await approval.press('Space');
    await save();
    assert.equal((await policy()).approval.enabled, false);
  });

  test('what visitors are asked is written in each language, with a name', async () => {
    const asked = page.getByRole('tabpanel');
    await asked.getByLabel('Messages').fill('May we tell you more?');
    await page.getByRole('combobox', { name: 'Language of this text' }).fill('English');
    await page.getByRole('option', { name: 'English', exact: true }).click();
    await page.getByRole('button', { name: 'Add a language' }).click();
    await page.getByRole('combobox', { name: 'Add a language' }).fill('German');
    await page.getByRole('option', { name: 'German', exact: true }).click();
    await page.getByLabel('Messages in German').fill('Dürfen wir mehr erzählen?');
    await button('Save the limits').click();
    await page.getByText('Is missing: name the texts, such as 2026-10').waitFor();
    await page.getByLabel('Name of this version').fill('2026-10');
    await assertAccessible(page);
    await takePictures(page, 'policy-consent-texts');
    await save();
    assert.deepEqual((await policy()).consentTexts, {
      version: '2026-10',
      language: 'en',
      messages: 'May we tell you more?',
      translations: { de: { messages: 'Dürfen wir mehr erzählen?' } },
    });
  });

  test('quotas are shown with what is in use, changed, and warned of before they are used up', async () => {
    for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt']) {
      const headers = { 'content-type': 'text/plain' };
      const url = `/api/v2/files/${name}`;
      assert.equal((await app.send({ method: 'POST', url, headers, body: 'some bytes' })).status, 201);
    }
    await page.reload();
    await page.getByText('Technical details').click();
    const files = page.getByLabel('Files', { exact: true });
    assert.equal(await files.inputValue(), '100000');
    await page.getByText('< 1 % in use').first().waitFor();
    await files.fill('5');
    await page.getByLabel('Uploads per hour, MB', { exact: true }).fill('64');
    await assertAccessible(page);
    await takePictures(page, 'policy');
    await save('What goes beyond the lower quotas is refused.');
    const { quotas } = await policy();
    assert.deepEqual([quotas.files, quotas.uploadBytesPerHour, quotas.fileBytes], [5, 64_000_000, 21_474_836_480]);
    await page.getByText('80 % in use').waitFor();
    await goTo(page, `/console/apps/${app.appId}`);
    await page.getByText('80 % of the quota for files is in use').waitFor();
    await takePictures(page, 'home-quota');
    await page.getByRole('link', { name: 'Change the quota' }).click();
    await page.getByText('80 % in use').waitFor();
  });

  test('second factor and passkeys: what is wrong is said at its field, and what a change means beside it', async () => {
    await page.goto(`/console/apps/${app.appId}/policy`);
    await page.getByText('Technical details').click();
    await page.getByLabel('Second factor', { exact: true }).selectOption('required');
    await page.getByText('Whoever signed in without a second factor has to sign in again.', { exact: false }).waitFor();
    await page.getByRole('switch', { name: 'Passkeys' }).press('Space');
    await page.getByLabel('Host name of the passkeys').fill('museum.example');
    const origins = page.getByLabel('Pages and apps that may ask for a passkey');
    await origins.fill('https://evil.example');
    await button('Save the limits').click();
    await page.getByRole('button', { name: /^Save the limits of / }).click();
    await page.getByText('Must be https://', { exact: false }).waitFor();
    await origins.fill(' https://app.museum.example\n\n');
    await takePictures(page, 'policy-factors');
    await save('Versions of the app that know of no second step sign nobody in.');
    const { totp, passkeys } = await policy();
    const expected = { enabled: true, rpId: 'museum.example', origins: ['https://app.museum.example'] };
    assert.deepEqual([totp, passkeys], ['required', expected]);
    await page.getByLabel('Host name of the passkeys').fill('other.example');
    await page.getByText('Passkeys that users have under museum.example stop working.').waitFor();
    await page.getByLabel('Second factor', { exact: true }).selectOption('off');
    await page.getByText('What users have set up is kept', { exact: false }).waitFor();
    await button('Discard them').click();
  });

  test('a setting is found by a word', async () => {
    const field = page.getByRole('searchbox', { name: 'Find a setting' });
    const parts = page.getByRole('group').getByRole('region');
    const all = await parts.count();
    await field.fill('quiet');
    await page.getByText('1 part has it.').waitFor();
    await page.getByRole('region', { name: 'How often messages are shown' }).waitFor();
    assert.equal(await parts.count(), 1);
    await assertAccessible(page);
    await takePictures(page, 'policy-found');
    await field.fill('zebra');
    await page.getByText('No part has this word.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await becomes(() => parts.count(), all);
  });

  test('a setting that was chosen in the search over everything is in sight, and its part alone', async () => {
    await goTo(page, `/console/apps/${app.appId}/home`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const parts = page.getByRole('region');
    for (const [word, setting, part] of [
      ['password len', /^Minimum password length/, 'Users of the app'],
      ['sign in ag', /^Days until a user has to sign in again/, 'Users of the app'],
      ['quotas', /^Quotas/, 'Quotas'],
      ['pseudon', /^Pseudonyms of phones/, 'Consent of visitors'],
      ['small gr', /^Small groups in analytics/, 'Consent of visitors'],
      ['second person', /^Pushes to many need a second person/, 'Pushes to many'],
      ['stays useful', /^How long a message stays useful/, 'Near a beacon'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages, actions and records' }).fill(word);
      await page.getByRole('option', { name: setting }).first().click();
      await parts.and(page.getByLabel(part, { exact: true })).waitFor();
    }
    await page.getByRole('link', { name: 'Limits', exact: true }).click();
    await page.getByRole('region', { name: 'How often messages are shown' }).waitFor();
  });

  test('deliveries and positions are kept as long as events until they say something else', async () => {
    const deliveries = page.getByLabel('Deliveries', { exact: true });
    assert.deepEqual([await deliveries.inputValue(), await deliveries.getAttribute('placeholder')], ['', '30']);
    await deliveries.fill('90');
    await page.getByLabel('Last positions', { exact: true }).fill('0');
    await save();
    assert.deepEqual((await policy()).retentionDays, {
      logs: 365,
      visits: 365,
      events: 30,
      deliveries: 90,
      positions: 0,
    });
    await deliveries.fill('');
    await save();
    assert.deepEqual((await policy()).retentionDays, { logs: 365, visits: 365, events: 30, positions: 0 });
  });

  test('visits and events may be kept for no day, and what that costs is said before it is saved', async () => {
    const said = page.getByText('Not possible then: ways through the house', { exact: false });
    assert.equal(await said.count(), 0);
    await page.getByLabel('Visits', { exact: true }).fill('0');
    await said.waitFor();
    await page.getByLabel('Events and verdicts', { exact: true }).fill('0');
    await assertAccessible(page);
    await takePictures(page, 'policy-no-day');
    await save();
    assert.deepEqual((await policy()).retentionDays, { logs: 365, visits: 0, events: 0, positions: 0 });
  });

  test('an analyst reads the policy and changes nothing', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/policy`);
    await analyst.page.getByText('Your role can read it.', { exact: false }).waitFor();
    assert.equal(await analyst.page.getByRole('switch', { name: 'Polite' }).isDisabled(), true);
    await analyst.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
