import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { beaconExample } from '../../../server/src/features/places/beacons/resource.ts';
import { type SignedIn, signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** The tests are one session: each continues where the previous one stopped. */
describe('the rules of an app in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let anna: SignedIn;
  let beacon: string;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    anna = await signIn(app);
    await app.app.buckets.createBucket(app.appId, 'notes');
    await app.app.buckets.createBucket(app.appId, 'quiz_answers');
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const cell = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}:`) });
  const open = () => page.getByTestId('open');
  const stored = async () => (await app.app.apps.rules(app.appId)).stored;
  const answer = (verb: string) =>
    page.getByRole('list', { name: 'Answers' }).getByRole('listitem').filter({ hasText: verb });
  const gone = () => dialog().waitFor({ state: 'detached' });
  const saved = async () => {
    await button('Save the rules').click();
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  };

  test('a summary says what is open, and the matrix says it of each resource and bucket', async () => {
    await goTo(page, `/console/apps/${app.appId}/rules`);
    await open().waitFor();
    assert.equal(
      await open().innerText(),
      'Anyone with the app can read the names and e-mail addresses of all users, upload files and add devices, and ' +
        'anyone who signs up can change your content, send push notifications to all visitors and read and change 2 buckets.',
    );
    assert.equal(await cell('Beacons, Change').innerText(), 'Signed-in');
    assert.equal(await cell('Visits, See').innerText(), 'Own');
    assert.equal(await cell('notes, List').innerText(), 'Signed-in');
    assert.match((await cell('notes, List').getAttribute('aria-label')) ?? '', /from the preset$/);
    await assertAccessible(page);
    await takePictures(page, 'rules');
  });

  test('a rule is chosen by its sentence, with the keyboard, and the summary follows before it is saved', async () => {
    await cell('Beacons, Change').press('Enter');
    await dialog().getByText('Only managers change beacons.').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'rules-dialog');
    await dialog().getByLabel('Managers', { exact: true }).press('Space');
    await inDialog('Apply').press('Enter');
    await gone();
    await page.getByText('You have unsaved changes.').waitFor();
    // What a draft means is asked of the service; until it has answered, the table says what is stored.
    await cell('Beacons, Change').filter({ hasText: 'Managers' }).waitFor();
    assert.match((await cell('Beacons, Change').getAttribute('aria-label')) ?? '', /set here$/);
    assert.match(await open().innerText(), /^With your changes: /);
    assert.deepEqual(await stored(), {});
    await saved();
    assert.deepEqual(await stored(), { resources: { beacons: { update: 'manager' } } });
  });

  test('what was saved can be taken back', async () => {
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    await cell('Beacons, Change').filter({ hasText: 'Signed-in' }).waitFor();
    assert.deepEqual(await stored(), {});
  });

  test('a condition is checked and said in words while it is written', async () => {
    await cell('notes, See').click();
    await dialog().getByLabel('Condition …').check();
    const meaning = page.getByTestId('meaning');
    await meaning.filter({ hasText: /metadata\.sharedWith is the person/ }).waitFor();
    await dialog().getByText('any venue to which the person belongs', { exact: false }).waitFor();
    await inDialog('What is of their venues').click();
    await meaning.filter({ hasText: /metadata\.venue is one of the person's venues/ }).waitFor();
    const editor = dialog().getByRole('textbox', { name: 'Condition' });
    await editor.fill('{"metadata.state": {"$like": 1}}');
    await dialog()
      .getByText(/metadata\.state.*operator/)
      .waitFor();
    assert.equal(await inDialog('Apply').isDisabled(), true);
    await editor.fill('{"metadata.state": "public"');
    await dialog().getByText('This is not valid JSON yet.').waitFor();
    await editor.fill('{"metadata.state": "public"}');
    await meaning
      .filter({ hasText: 'People see the records for which metadata.state is "public"; managers see all.' })
      .waitFor();
    await assertAccessible(page);
    await takePictures(page, 'rules-condition');
    await inDialog('Apply').click();
    await gone();
    await cell('notes, See').filter({ hasText: 'Condition' }).waitFor();
  });

  test('the owner and members that are kept back are set for each resource, and checked first', async () => {
    await button('notes').click();
    await dialog().getByLabel('Whose is a record?').fill('assignee');
    await inDialog('Apply').click();
    await dialog()
      .getByText(/must be createdBy or the name of a member/)
      .waitFor();
    await dialog().getByLabel('Whose is a record?').fill('metadata.assignee');
    await inDialog('Keep a member back').click();
    await dialog().getByLabel('Member', { exact: true }).fill('metadata.email');
    await assertAccessible(page);
    await takePictures(page, 'rules-members');
    await inDialog('Apply').click();
    await gone();
    await page.getByText('1 member kept back').waitFor();
  });

  test('a draft is kept where the page is left, and saved as one', async () => {
    await page.getByRole('link', { name: 'General' }).click();
    await inDialog('Keep a draft and leave').click();
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByText(/This is your draft of/).waitFor();
    await saved();
    assert.deepEqual(await stored(), {
      buckets: {
        notes: {
          get: { 'metadata.state': 'public' },
          owner: 'metadata.assignee',
          members: { 'metadata.email': { hidden: ['app', 'user'] } },
        },
      },
    });
  });

  test('another preset shows what it changes, before it is used', async () => {
    await button('Use the other preset …').click();
    const changes = dialog().getByRole('list', { name: 'Rules that change' });
    await changes.getByText('Accounts: List', { exact: true }).waitFor();
    await changes
      .getByText(/Beacons: Change\s*Signed-in → Managers/)
      .first()
      .waitFor();
    assert.equal(await changes.getByText('notes: See').count(), 0, 'what the app says itself stays');
    await assertAccessible(page);
    await takePictures(page, 'rules-preset');
    await inDialog('Use this preset').click();
    await gone();
    await open().filter({ hasText: 'Nothing is open to strangers' }).waitFor();
  });

  test('rules are tried as somebody, with what is not saved yet', async () => {
    beacon = await create(app, '/api/v2/beacons', beaconExample, anna.headers);
    const venues = `/console/api/apps/${app.appId}/v2/venues`;
    const made = await visited.context.request.post(venues, { data: { name: 'North house' }, headers: { origin } });
    const { objectId: north } = (await made.json()).result;
    const key = { appId: app.appId, userId: anna.userId };
    await app.app.users.changeUser(key, { venueIds: [north] }, { by: undefined });
    await answer('Change').filter({ hasText: 'Refused' }).filter({ hasText: 'has not signed in' }).waitFor();
    await answer('See').filter({ hasText: 'Allowed' }).waitFor();
    await page.getByLabel('Who asks').selectOption({ label: 'A user of the app …' });
    await page.getByPlaceholder('Search by name or e-mail').click();
    await page.getByRole('option', { name: /@/ }).click();
    await page.getByText('Belongs to: North house').waitFor();
    await page.getByLabel('Which record').fill(beacon);
    await answer('Change').filter({ hasText: 'Refused' }).filter({ hasText: 'not a manager' }).waitFor();
    await answer('Change').filter({ hasText: 'Only managers change beacons.' }).waitFor();
    await button('Discard them').click();
    await answer('Change').filter({ hasText: 'Allowed' }).waitFor();
    await page.getByLabel('For what').selectOption({ label: 'Devices' });
    await page.getByText('There is no record with this id here.').waitFor();
    await page.getByLabel('Which record').fill('');
    await answer('Change').filter({ hasText: 'It depends' }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'rules-try');
  });

  testInFull('changes can be counted for some days before they are saved', async () => {
    await cell('Beacons, See').click();
    await dialog().getByLabel('Nobody', { exact: true }).check();
    await inDialog('Apply').click();
    await gone();
    await button('Count what your changes would refuse').click();
    await page.getByText('Rules that somebody has chosen are in a dry run.').waitFor();
    await button('Discard them').click();
    assert.equal(
      (await app.send({ method: 'GET', url: `/api/v2/beacons/${beacon}`, headers: anna.headers })).status,
      200,
    );
    await page.reload();
    const counts = page.getByRole('list', { name: 'What would have been refused' });
    await counts.getByText('1 refused').waitFor();
    assert.match(await counts.innerText(), /See beacons, by signed-in users/);
    await assertAccessible(page);
    await takePictures(page, 'rules-dry-run');
    // A colleague replaces it while the page is open: theirs does not end unseen.
    const colleague = await openAs(browser, { app, origin, role: 'manager' });
    const url = `/console/api/apps/${app.appId}/rules/dry-run`;
    const theirs = async (method: 'GET' | 'PUT', data?: object) => {
      const answer = await colleague.context.request.fetch(url, {
        method,
        headers: { origin },
        ...(data ? { data } : {}),
      });
      assert.ok(answer.ok(), await answer.text());
      return (await answer.json()).result;
    };
    await theirs('PUT', { preset: 'visitors' });
    await button('End this dry run').click();
    const refused = page.getByRole('alert').filter({ hasText: 'Somebody else has changed the dry run meanwhile.' });
    await refused.waitFor();
    await takePictures(page, 'rules-dry-run-replaced');
    const { isChosen, rules } = await theirs('GET');
    assert.deepEqual([isChosen, rules], [true, { preset: 'visitors' }], 'theirs goes on');
    await button('End this dry run').click();
    await page.getByText('In a dry run are the rules that would close the app to strangers.').waitFor();
  });

  testInFull('on a phone one resource is shown at a time, with its sentences', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel('Rules for', { exact: true }).selectOption({ label: 'Pushes' });
    await page.getByText('Everybody who is signed in may add pushes.').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true);
    await assertAccessible(page);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  testInFull('an analyst reads the rules and changes none, and cannot try them as a user', async () => {
    const analyst = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(analyst.page, `/console/apps/${app.appId}/rules`);
    await analyst.page.getByText('Your role can read the rules.', { exact: false }).waitFor();
    await analyst.page.getByRole('button', { name: /^Beacons, Change:/ }).click();
    await analyst.page.getByText('Only managers change beacons.').waitFor();
    assert.equal(await analyst.page.getByRole('button', { name: 'Apply' }).count(), 0);
    assert.equal(await analyst.page.getByRole('heading', { name: 'Try as this user' }).count(), 0);
    assert.deepEqual(analyst.complaints, []);
    await analyst.context.close();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
