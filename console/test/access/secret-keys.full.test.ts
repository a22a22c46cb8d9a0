import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { scopeVerbs } from '../../../server/src/access/keys/scopes.ts';
import { limitedByVenue } from '../../../server/src/access/rules/presets.ts';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { password } from '../../../server/test/support/console.ts';
import { resourcesByVenue, scopeParts } from '../../src/features/apps/secret-keys/scopes.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

test('the picker of scopes offers every scope that there is', () => {
  const offered = scopeParts.map(({ resource, actions }) => [resource, actions.flatMap(({ verbs }) => verbs).sort()]);
  const known = Object.entries(scopeVerbs).map(([resource, verbs]) => [resource, [...verbs].sort()]);
  assert.deepEqual(Object.fromEntries(offered), Object.fromEntries(known));
});

test('venues are offered where a scope can be limited to them', () => {
  assert.deepEqual([...resourcesByVenue].sort(), [...limitedByVenue].sort());
});

/** The tests are one session: each continues where the previous one stopped. */
describe('secret keys in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    await app.app.buckets.createBucket(app.appId, 'guestbook');
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const dialog = (name = 'Make a secret key') => page.getByRole('dialog', { name });
  const rows = () => page.getByRole('list', { name: 'Secret keys' }).getByRole('listitem');
  const begin = () => page.getByRole('button', { name: 'Make a secret key' }).click();
  const make = () => dialog().getByRole('button', { name: 'Make the key' }).click();
  const statusOf = (key: string, url: string) =>
    app.send({ method: 'GET', url, headers: { 'x-service-appkey': key } }).then(({ status }) => status);
  async function takeKey(): Promise<string> {
    const shown = dialog('The new secret key');
    await shown.waitFor();
    const key = /phs_\w{43}/.exec(await shown.innerText())?.[0] ?? '';
    await shown.getByRole('button', { name: 'I have stored the key' }).click();
    await shown.waitFor({ state: 'detached' });
    return key;
  }

  test('one for a purpose is made in a few clicks and shown once', async () => {
    await goTo(page, `/console/apps/${app.appId}/keys`);
    await page.getByText('There are no secret keys.').waitFor();
    await begin();
    await dialog().getByLabel('Name').fill('Dashboard');
    await dialog().getByRole('radio', { name: 'Analytics, read only' }).check();
    await dialog().getByLabel('Only from these networks').fill('127.0.0.0/8, nowhere');
    await make();
    await dialog().getByText('Must be a network such as 192.0.2.0/24').waitFor();
    await assertAccessible(page);
    await takePictures(page, 'secret-key-new');
    await dialog().getByLabel('Only from these networks').fill('127.0.0.0/8, 2001:db8::/32');
    await make();
    await dialog('The new secret key').waitFor();
    await takePictures(page, 'secret-key-shown');
    const key = await takeKey();
    assert.deepEqual([await statusOf(key, '/api/v2/visits'), await statusOf(key, '/api/v2/installations')], [200, 403]);
    await app.app.idle();
    await page.reload();
    const text = await rows().first().innerText();
    assert.match(text, /Dashboard …\w{4}/);
    assert.match(text, /See beacons, log records, visits, events, verdicts, positions, deliveries/);
    assert.match(text, /only from 127\.0\.0\.0\/8, 2001:db8::\/32/);
    assert.match(text, /last used .* from 127\.0\.0\.1/);
    assert.ok(!(await page.content()).includes(key));
  });

  test('another purpose is ticked one by one, to the bucket', async () => {
    await begin();
    await dialog().getByLabel('Name').fill('Kiosk');
    await dialog().getByRole('radio', { name: 'Something else' }).check();
    const line = (name: string) => dialog().getByRole('group', { name });
    await line('Sightings').getByLabel('send').uncheck();
    await make();
    await dialog().getByText('Tick at least one thing').waitFor();
    await line('Records of buckets').getByLabel('see').check();
    await line('Records of buckets').getByLabel('add').check();
    await dialog().getByRole('combobox', { name: 'Buckets' }).fill('guest');
    await page.getByRole('option', { name: 'guestbook' }).click();
    await dialog().getByLabel('Last day').fill('2100-01-31');
    await assertAccessible(page);
    await takePictures(page, 'secret-key-own');
    await make();
    const key = await takeKey();
    assert.deepEqual(
      [await statusOf(key, '/api/v2/data/bucket/guestbook'), await statusOf(key, '/api/v2/data/bucket/others')],
      [200, 403],
    );
    const text = await rows().first().innerText();
    assert.match(text, /See and add records of buckets \(guestbook\)/);
    assert.match(text, /until 1 Feb 2100, 00:00/);
    await takePictures(page, 'secret-keys');
  });

  test('a key is limited to venues by name, and what that does not limit is said', async () => {
    const venues = `/console/api/apps/${app.appId}/v2/venues`;
    const ids: string[] = [];
    for (const name of ['North house', 'South house']) {
      const made = await visited.context.request.post(venues, { data: { name }, headers: { origin } });
      ids.push((await made.json()).result.objectId);
    }
    await page.reload();
    await begin();
    await dialog().getByLabel('Name').fill('Board of the north house');
    await dialog().getByRole('radio', { name: 'Analytics, read only' }).check();
    await dialog().getByRole('combobox', { name: 'Venues' }).click();
    await page.getByRole('option', { name: 'North house' }).click();
    await page.keyboard.press('Escape');
    await dialog().getByText('belongs to no venue: Log records and Deliveries.', { exact: false }).waitFor();
    await takePictures(page, 'secret-key-venues');
    await dialog().getByRole('radio', { name: 'Something else' }).check();
    const visits = dialog().getByRole('group', { name: 'Visits' });
    await visits.getByLabel('hear live').check();
    await make();
    await dialog().getByText('“hear live” is for all venues.', { exact: false }).waitFor();
    await visits.getByLabel('hear live').uncheck();
    await make();
    await takeKey();
    const key = (await app.app.secretKeys.list(app.appId)).find(({ name }) => name.startsWith('Board'));
    const limits = Object.fromEntries(key?.scopes.map(({ resource, venues: only }) => [resource, only]) ?? []);
    assert.deepEqual([limits['visits'], limits['deliveries']], [[ids[0]], undefined]);
    await page.getByRole('button', { name: 'Revoke Board of the north house' }).click();
    await dialog('Revoke Board of the north house').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The secret key was revoked.').waitFor();
    await rows().filter({ hasText: 'Board of the north house' }).waitFor({ state: 'detached' });
  });

  test('one is revoked after the password was given again', async () => {
    app.clock.now += 3_600_000;
    await page.getByRole('button', { name: 'Revoke Kiosk' }).click();
    await dialog('Revoke Kiosk').getByRole('button', { name: 'Revoke' }).click();
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByLabel('Your password').fill(password);
    await asked.getByRole('button', { name: 'Confirm' }).click();
    // The message about the key before may still be there.
    await page.getByText('The secret key was revoked.').last().waitFor();
    await rows().filter({ hasText: 'Kiosk' }).waitFor({ state: 'detached' });
    assert.equal(await rows().count(), 1);
    assert.equal((await app.app.secretKeys.list(app.appId)).length, 1);
    assert.deepEqual(visited.complaints, []);
  });
});
