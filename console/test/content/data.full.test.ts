import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const script = '<img src=x onerror="window.hacked=1">';

/** The tests are one session: each continues where the previous one stopped. */
describe('data in the console', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    headers = (await signIn(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const editor = () => page.getByRole('textbox', { name: 'The record as JSON' });
  const lines = () => page.getByRole('table', { name: 'records' }).locator('tbody tr');
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/buckets${rest}`);
  const stored = async (query = '') =>
    (await app.send({ method: 'GET', url: `/api/v2/data/bucket/birds?limit=1000${query}`, headers })).body.results;
  const documents = async () => (await stored()).map(({ metadata }: { metadata: object }) => metadata);
  const chooseFile = (name: string, content: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

  test('an app without buckets says what to do next, and one is made', async () => {
    await open();
    await heading('No buckets yet').waitFor();
    await takePictures(page, 'data-empty');
    await button('Create a bucket').click();
    await dialog().getByLabel('Name').fill('birds');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await link('birds').click();
    await heading('No records yet').waitFor();
  });

  test('columns are declared, and a refusal is shown at its row', async () => {
    await link('Schema').click();
    await heading('No columns declared').waitFor();
    await button('Declare columns').click();
    const names = page.getByRole('textbox', { name: 'Name of the column' });
    await names.first().fill('createdAt');
    await button('Add a column').click();
    await names.nth(1).fill('createdAt');
    await button('Save the columns').click();
    await page.getByText('Is already declared.').waitFor();
    await names.nth(1).fill('species');
    await page.getByText('Is already declared.').waitFor({ state: 'detached' });
    await button('Save the columns').click();
    await page.getByText('Is a reserved name.').waitFor();
    await names.first().fill('count');
    await page.getByLabel('Type of count').selectOption('Number');
    await button('Add a column').click();
    await names.nth(2).fill('seenAt');
    await page.getByLabel('Type of seenAt').selectOption('Date');
    await button('Save the columns').click();
    await page.getByText('The columns are saved.').waitFor();
    const { body } = await app.send({ method: 'GET', url: '/api/v2/data/schema/birds', headers });
    assert.deepEqual(body.results[0].metadata, {
      count: { type: 'Number' },
      species: { type: 'String' },
      seenAt: { type: 'Date' },
    });
  });

  test('a second schema may add a column and not contradict the first', async () => {
    await button('Add a schema').click();
    const added = page.getByRole('region', { name: 'New columns' });
    await added.getByRole('textbox', { name: 'Name of the column' }).fill('count');
    await added.getByRole('button', { name: 'Save the columns' }).click();
    await added.getByText('Is String here and Number in another schema of the bucket.').waitFor();
    await takePictures(page, 'data-schema');
    await assertAccessible(page);
    await added.getByRole('textbox', { name: 'Name of the column' }).fill('ringed');
    await added.getByLabel('Type of ringed').selectOption('Boolean');
    await added.getByRole('button', { name: 'Save the columns' }).click();
    await page.getByRole('region', { name: 'Schema 2' }).waitFor();
  });

  test('a broken document is told with its line, one of the wrong type in the words of the interface', async () => {
    await open('/birds/new');
    await button('Edit as JSON').click();
    await editor().fill('{\n  "species": "Kestrel",\n  "count" 2\n}');
    await button('Add the record').click();
    await page.getByText(/^Line 3, column 1\d: /).waitFor();
    await takePictures(page, 'data-broken');
    await editor().fill('{"species": "Kestrel", "count": "two"}');
    // The button moves up when it goes.
    await page.getByText(/^Line 3, column 1\d: /).waitFor({ state: 'detached' });
    await button('Add the record').click();
    await page.getByRole('alert').filter({ hasText: 'metadata.count must be a number' }).waitFor();
    assert.deepEqual(await stored(), []);
    await editor().fill('{"species": "Kestrel", "count": 2, "notes": {"wind": "west"}}');
    await assertAccessible(page);
    await button('Add the record').click();
    await link('Kestrel').waitFor();
    assert.deepEqual(await documents(), [{ species: 'Kestrel', count: 2, notes: { wind: 'west' } }]);
  });

  test('a record is changed as a whole, so that a member that is taken out goes', async () => {
    await link('Kestrel').click();
    await heading('Kestrel').waitFor();
    await button('Edit as JSON').click();
    await editor().fill('{"species": "Red kite", "count": 3}');
    await button('Save').click();
    await page.getByText('The record is saved.').waitFor();
    assert.deepEqual(await documents(), [{ species: 'Red kite', count: 3 }]);
    await takePictures(page, 'data-record');
    await button('Undo').click();
    await page.getByText('The change was undone.').waitFor();
    // The notification with the offer disappears slowly; the next offer is another one.
    await button('Undo').waitFor({ state: 'hidden' });
    assert.deepEqual(await documents(), [{ species: 'Kestrel', count: 2, notes: { wind: 'west' } }]);
    await editor().fill('{"species": "Red kite", "count": 3}');
    await button('Save').click();
    await button('Undo').waitFor();
    assert.deepEqual(await documents(), [{ species: 'Red kite', count: 3 }]);
  });

  test('CSV comes in after a dry run; a refused row does not stop the others', async () => {
    await page.route('**/v2/data/bucket/birds', (route) =>
      route.request().postData()?.includes('Osprey') ? route.abort() : route.continue(),
    );
    await open('/birds/import');
    await chooseFile('birds.csv', 'species;count\n"Kite;2\n');
    await page.getByText('The quote that line 2 opens is never closed.').waitFor();
    const rows = [
      'species,count,seenAt,ringed,notes',
      'Osprey,1,2026-05-04T09:30:00Z,yes,',
      `"${script.replaceAll('"', '""')}",7,,,`,
      'Merlin,many,,,',
      '=Harrier,4,2026-05-05,no,"{""wind"":""east""}"',
    ];
    await chooseFile('birds.csv', rows.join('\r\n'));
    for (const count of ['3 new', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
    await page.getByText('count must be a number.').waitFor();
    await takePictures(page, 'data-import');
    await assertAccessible(page);
    assert.equal((await stored()).length, 1, 'a dry run changes nothing');
    await button('Import 3').click();
    await page.getByText('2 of 3 rows are in, 1 failed.').waitFor();
    await page.unroute('**/v2/data/bucket/birds');
  });

  test('a reload in the middle shows what is in already, and the rest can go on', async () => {
    await page.reload();
    await page.getByText('birds.csv was chosen before the page was reloaded.', { exact: false }).waitFor();
    for (const count of ['1 new', '2 unchanged', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
    await button('Import 1').click();
    await page.getByText('1 of 1 rows are in.').waitFor();
    const all = await documents();
    assert.equal(all.length, 4);
    assert.deepEqual(
      all.find(({ species }: { species: string }) => species === '=Harrier'),
      { species: '=Harrier', count: 4, seenAt: '2026-05-05', ringed: false, notes: { wind: 'east' } },
    );
    await page.reload();
    await heading('Import records').waitFor();
    assert.equal(await page.getByText('was chosen before', { exact: false }).count(), 0, 'what is done is forgotten');
  });

  testInFull('a record whose answer was lost is in once, however often the import is tried', async () => {
    await page.route('**/v2/data/bucket/birds', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await open('/birds/import');
    await chooseFile('lost.csv', 'species,count\nLost,1\nLost,1\n');
    await button('Import 2').click();
    await page.getByText('0 of 2 rows are in, 2 failed.').waitFor();
    await page.unroute('**/v2/data/bucket/birds');
    await button('Try 2 again').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const lost = (await stored()).filter(
      ({ metadata }: { metadata: { species?: string } }) => metadata.species === 'Lost',
    );
    assert.equal(lost.length, 2);
    for (const { objectId } of lost)
      await app.send({ method: 'DELETE', url: `/api/v2/data/bucket/birds/${objectId}`, headers });
  });

  testInFull('an import does not take back what somebody else has changed since the preview', async () => {
    const where = encodeURIComponent('{"metadata.species":"Merlin"}');
    const url = '/api/v2/data/bucket/birds';
    const objectId = await create(app, url, { metadata: { species: 'Merlin', count: 1 } }, headers);
    await open('/birds/import');
    await chooseFile('late.csv', `objectId,count\n${objectId},5\n`);
    await button('Import 1').waitFor();
    const body = { metadata: { species: 'Merlin', count: 1, notes: { seen: 'twice' } } };
    await app.send({ method: 'PUT', url: `${url}/${objectId}`, body, headers });
    await button('Import 1').click();
    await page.getByText('Somebody else has changed it since the file was read.', { exact: false }).waitFor();
    const { results } = (await app.send({ method: 'GET', url: `${url}?where=${where}`, headers })).body;
    assert.deepEqual(
      results.map(({ metadata }: { metadata: object }) => metadata),
      [body.metadata],
    );
    await app.send({ method: 'DELETE', url: `${url}/${objectId}`, headers });
  });

  test('records are searched, filtered by their types, sorted and paged by the service', async () => {
    for (let n = 0; n < 60; n++) {
      const metadata = {
        species: `Gull ${String(n).padStart(2, '0')}`,
        count: 100 + n,
        wing: n % 2 ? 'grey' : 'black',
      };
      const { status } = await app.send({
        method: 'POST',
        url: '/api/v2/data/bucket/birds',
        headers,
        body: { metadata },
      });
      assert.equal(status, 201);
    }
    await open('/birds');
    await page.getByText('1–25 of 64').waitFor();
    assert.equal(await page.evaluate("'hacked' in window"), false);
    await button('count').click();
    await button('count').click();
    await lines().first().filter({ hasText: 'Gull 59' }).waitFor();
    assert.match(page.url(), /order=-metadata\.count/);
    await page.getByRole('searchbox', { name: 'Search in species' }).fill('gull 1');
    await page.getByText('1–10 of 10').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('1–25 of 64').waitFor();
    await button('Filter').click();
    await page.getByLabel('Field').selectOption('metadata.count');
    await page.getByLabel('Operator').selectOption('atLeast');
    await page.getByLabel('Value').fill('150');
    await button('Add a condition').click();
    await page.getByLabel('Field').nth(1).selectOption('metadata');
    await page.getByLabel('Member').fill('wing');
    await page.getByLabel('Value').nth(1).fill('grey');
    assert.deepEqual(JSON.parse(await page.getByTestId('where').innerText()), {
      'metadata.count': { $gte: 150 },
      'metadata.wing': 'grey',
    });
    await button('Apply').click();
    await page.getByText('1–5 of 5').waitFor();
    await page.reload();
    await page.getByText('1–5 of 5').waitFor();
    await button('Remove the filter count is at least 150').click();
    await page.getByText('1–25 of 30').waitFor();
    await open('/birds');
    await page.getByText('1–25 of 64').waitFor();
    await takePictures(page, 'data-records');
    await assertAccessible(page);
  });

  for (const format of ['CSV, for spreadsheets', 'JSON, exactly as stored'])
    test(`an export as ${format.slice(0, 4)} comes back as it was, and what is changed in it changes its record`, async () => {
      await open('/birds');
      const waiting = page.waitForEvent('download');
      await button('Export').click();
      await page.getByRole('menuitem', { name: `As ${format}` }).click();
      const saved = await waiting;
      const text = readFileSync(await saved.path(), 'utf8');
      const before = await stored();
      await open('/birds/import');
      await chooseFile(saved.suggestedFilename(), text);
      await page.getByText('64 unchanged', { exact: true }).waitFor();
      await chooseFile(saved.suggestedFilename(), text.replace('Gull 07', 'Tern 07'));
      await page.getByText('1 changed', { exact: true }).waitFor();
      assert.deepEqual(await page.locator('del, ins').allInnerTexts(), ['Gull 07', 'Tern 07']);
      await button('Import 1').click();
      await page.getByText('1 of 1 rows are in.').waitFor();
      const changed = (await stored()).filter(
        ({ metadata }: { metadata: object }, index: number) =>
          JSON.stringify(metadata) !== JSON.stringify(before[index].metadata),
      );
      assert.equal(changed.length, 1);
      const [{ objectId }] = changed;
      await app.send({
        method: 'PUT',
        url: `/api/v2/data/bucket/birds/${objectId}`,
        headers,
        body: { species: 'Gull 07' },
      });
    });

  test('a record goes when it is confirmed', async () => {
    await open('/birds?q=kite');
    await link('Red kite').click();
    await button('Delete').click();
    await dialog().getByText('Red kite').waitFor();
    await dialog().getByRole('button', { name: 'Delete the record' }).click();
    await heading('birds').waitFor();
    assert.equal((await stored()).length, 63);
  });

  testInFull('members that are asked for often are shown as found quickly', async () => {
    const url = '/api/v2/data/bucket/coins';
    await app.app.buckets.createBucket(app.appId, 'coins');
    for (let n = 0; n < 500; n++) {
      app.clock.now += 20;
      const body = { metadata: { found: { place: `Field ${n % 9}`, year: 1900 + (n % 90) } } };
      assert.equal((await app.send({ method: 'POST', url, headers, body })).status, 201);
    }
    const where = encodeURIComponent('{"metadata.found.place":"Field 3","metadata.found.year":{"$gte":1950}}');
    for (let n = 0; n < 20; n++) await app.send({ method: 'GET', url: `${url}?where=${where}`, headers });
    await app.app.idle();
    await open('/coins/schema');
    const learned = page.getByRole('region', { name: 'Indexed without a schema' });
    for (const path of ['found.place', 'found.year']) await learned.getByText(path).waitFor();
    await takePictures(page, 'data-learned');
    await assertAccessible(page);
    await app.app.buckets.deleteBucket(app.appId, 'coins');
  });

  testInFull('an analyst sees that there are buckets, and not what is in them', async () => {
    const other = await openAs(browser, { app, origin, role: 'analyst' });
    await goTo(other.page, `/console/apps/${app.appId}/buckets/birds`);
    await other.page.getByText('Your role cannot read records', { exact: false }).waitFor();
    assert.equal(await other.page.getByRole('table').count(), 0);
    await goTo(other.page, `/console/apps/${app.appId}/buckets/birds/schema`);
    await other.page.getByRole('region', { name: 'Schema 1' }).waitFor();
    assert.equal(await other.page.getByRole('button', { name: /Save|Add|Delete/ }).count(), 0);
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test('a bucket goes only when its name is typed, and its page says so then', async () => {
    await open();
    await takePictures(page, 'data-buckets');
    await button('Delete birds').click();
    await dialog().getByText('63 records').waitFor();
    await dialog().getByRole('textbox').fill('birds');
    await dialog().getByRole('button', { name: 'Delete the bucket' }).click();
    await heading('No buckets yet').waitFor();
    await open('/birds');
    await page.getByRole('alert').filter({ hasText: 'There is no bucket called birds.' }).waitFor();
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(
      visited.complaints.filter((text) => !text.includes('net::ERR_FAILED')),
      [],
    );
  });
});
