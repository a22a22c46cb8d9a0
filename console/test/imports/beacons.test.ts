import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { goTo, launchBrowser, openAs, reloadInTheMiddle, startConsole, type Visit } from '../browser.ts';

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

/** The tests are one session: each continues where the previous one stopped. */
describe('beacons from and to files in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signIn(app)).headers;
    const tower = { name: 'North tower', uuid, major: 1, minor: 1, location: { x: 20, y: 30 } };
    await create(app, '/api/v2/beacons', tower, headers);
    for (let n = 0; n < 60; n++) {
      const room = { name: `Room ${String(n).padStart(2, '0')}`, uuid, major: 2, minor: n };
      await create(app, '/api/v2/beacons', room, headers);
    }
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'installer' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    assert.deepEqual(
      visited.complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
      [],
    );
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const stored = async (query = '') =>
    (await app.send({ method: 'GET', url: `/api/v2/beacons?order=name${query}`, headers })).body.results;
  const open = (rest = '') => goTo(page, `/console/apps/${app.appId}/beacons${rest}`);

  test('an export can be changed and brought in again: a dry run first, then row by row', async () => {
    await open();
    const waiting = page.waitForEvent('download');
    await button('Export').click();
    const text = readFileSync(await (await waiting).path(), 'utf8');
    const rows = text.trimEnd().split('\r\n');
    assert.equal(rows.length, 62);
    const changed = [
      rows[0],
      rows.find((row) => row.includes('North tower'))?.replace('North tower', '"Tower, north"'),
      rows.find((row) => row.includes('Room 00')),
      ',Library,AAAA,1,1,1,2,,,,,',
      ',Broken,AAAA,1,99999,,,,,,,',
      `${'x'.repeat(20)},Nobody,AAAA,1,2,,,,,,,`,
    ];
    await link('Import').click();
    const upload = (name: string, content: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    await upload('bad.csv', 'name;colour\r\na;b\r\n');
    await page.getByText('The file has no columns uuid, major and minor.', { exact: false }).waitFor();
    await upload('beacons.csv', changed.join('\r\n'));
    await heading('What would happen').waitFor();
    for (const count of ['1 new', '1 changed', '1 unchanged', '2 refused'])
      await page.getByText(count, { exact: true }).waitFor();
    const list = page.getByRole('list', { name: 'Rows of the file' });
    assert.deepEqual(await list.locator('del, ins').allInnerTexts(), ['North tower', 'Tower, north']);
    await list.getByText('minor must be a whole number from 0 to 65535.').waitFor();
    const library = list.getByRole('listitem').filter({ hasText: 'Library' });
    await library.getByText('This is no UUID', { exact: false }).waitFor();
    assert.equal(await list.getByText('This is no UUID', { exact: false }).count(), 1);
    assert.equal((await stored()).length, 61, 'a dry run changes nothing');
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const after = await stored();
    assert.deepEqual(
      after.filter(({ name }: { name: string }) => !name.startsWith('Room')).map(({ name }: { name: string }) => name),
      ['Library', 'Tower, north'],
    );
  });

  test('a row that the service refuses does not stop the others', async () => {
    await page.route('**/v2/beacons', (route) =>
      route.request().postData()?.includes('Second') ? route.abort() : route.continue(),
    );
    await open('/import');
    const content = 'name,uuid,major,minor\nFirst,BB,1,1\nSecond,BB,1,2\nThird,BB,1,3\n';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await button('Import 3').click();
    await page.getByText('2 of 3 rows are in, 1 failed.').waitFor();
    await page.unroute('**/v2/beacons');
    await button('Try 1 again').click();
    await page.getByText('3 of 3 rows are in.').waitFor();
    assert.equal((await stored('&where={"uuid":"BB"}')).length, 3);
  });

  test('a row whose answer was lost is in once, however often it is tried', async () => {
    await page.route('**/v2/beacons', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await open('/import');
    await page.locator('input[type=file]').setInputFiles({
      name: 'lost.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,uuid,major,minor\nLost,DD,1,1\nLost too,DD,1,2\n'),
    });
    await button('Import 2').click();
    await page.getByText('0 of 2 rows are in, 2 failed.').waitFor();
    await page.unroute('**/v2/beacons');
    await button('Try 2 again').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    assert.equal((await stored('&where={"uuid":"DD"}')).length, 2);
  });

  test('what somebody else has changed or added since the preview is neither overwritten nor doubled', async () => {
    const [first, second] = [
      await create(app, '/api/v2/beacons', { name: 'First', uuid: 'EE', major: 1, minor: 1 }, headers),
      await create(app, '/api/v2/beacons', { name: 'Second', uuid: 'EE', major: 1, minor: 2 }, headers),
    ];
    await open('/import');
    const rows = ['name,uuid,major,minor', 'Mine,EE,1,1', 'Mine too,EE,1,2', 'Same,EE,1,3', 'Other,EE,1,4'];
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'late.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) });
    await button('Import 4').waitFor();
    const change = (id: string, body: object) =>
      app.send({ method: 'PUT', url: `/api/v2/beacons/${id}`, body, headers });
    await change(first, { name: 'Theirs' });
    await change(second, { radius: 3 });
    await create(app, '/api/v2/beacons', { name: 'Same', uuid: 'EE', major: 1, minor: 3 }, headers);
    await create(app, '/api/v2/beacons', { name: 'Theirs too', uuid: 'ee', major: 1, minor: 4 }, headers);
    await button('Import 4').click();
    await page.getByText('2 of 4 rows are in, 2 failed.').waitFor();
    await page.getByText('Somebody else has changed it since the file was read.', { exact: false }).waitFor();
    await page
      .getByText('Somebody else has added a beacon with this UUID, major and minor', { exact: false })
      .waitFor();
    assert.deepEqual(
      (await stored('&where={"major":1,"uuid":{"$regex":"(?i)^ee$"}}')).map(
        ({ name, radius, minor }: Record<string, unknown>) => [minor, name, radius ?? null],
      ),
      [
        [2, 'Mine too', 3],
        [3, 'Same', null],
        [1, 'Theirs', null],
        [4, 'Theirs too', null],
      ],
    );
  });

  testInFull('of two files, the one that was chosen last counts, also if the first takes longer to read', async () => {
    await open('/import');
    await page.evaluate(`(() => {
      const read = Blob.prototype.arrayBuffer;
      const held = Promise.withResolvers();
      const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      let slow;
      globalThis.release = async () => {
        held.resolve();
        await slow;
        await drawn();
        await drawn();
      };
      Blob.prototype.arrayBuffer = function () {
        if (this.name !== 'slow.csv') return read.call(this);
        slow = held.promise.then(() => read.call(this));
        return slow;
      };
    })()`);
    const choose = (name: string, beacon: string) =>
      page.locator('input[type=file]').setInputFiles({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(`name,uuid,major,minor\n${beacon},FF,1,1\n`),
      });
    await choose('slow.csv', 'Former');
    await choose('quick.csv', 'Chosen');
    const cell = (name: string) => page.getByRole('cell', { name, exact: true });
    await cell('Chosen').waitFor();
    await page.evaluate('release()');
    assert.deepEqual([await cell('Chosen').count(), await cell('Former').count()], [1, 0]);
  });

  test('a reload in the middle of an import shows what is in already, and the rest can go on', async () => {
    // The service never receives this one, as when the page is closed before it is sent.
    await page.route('**/v2/beacons', (route) =>
      route.request().postData()?.includes('Slow') ? undefined : route.continue(),
    );
    await open('/import');
    const content = 'name,uuid,major,minor\nQuick,CC,1,1\nSlow,CC,1,2\nLater,CC,1,3\n';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'half.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    const arrived = ['Quick', 'Later'].map((name) =>
      page.waitForResponse((response) => response.request().postData()?.includes(name) === true),
    );
    await button('Import 3').click();
    await Promise.all(arrived);
    await reloadInTheMiddle(page);
    await page.unroute('**/v2/beacons');
    await page.getByText('half.csv was chosen before the page was reloaded.', { exact: false }).waitFor();
    for (const count of ['1 new', '2 unchanged']) await page.getByText(count, { exact: true }).waitFor();
    await button('Import 1').click();
    await page.getByText('1 of 1 rows are in.').waitFor();
    assert.deepEqual(
      (await stored('&where={"uuid":"CC"}')).map(({ name }: { name: string }) => name),
      ['Later', 'Quick', 'Slow'],
    );
    await page.reload();
    await heading('Import beacons').waitFor();
    assert.equal(await page.getByText('was chosen before', { exact: false }).count(), 0);
  });

  testInFull('a file that is too large to outlive a reload is asked for again by its name', async () => {
    const content = `name,uuid,major,minor,metadata\nBig,DD,1,1,"{""note"":""${'x'.repeat(2_000_000)}""}"\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'big.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await button('Import 1').waitFor();
    await page.reload();
    await page.getByText('big.csv was chosen before the page was reloaded and is too large to be kept.').waitFor();
    await button('Discard').click();
    await page.getByText('big.csv', { exact: false }).waitFor({ state: 'detached' });
  });

  testInFull('a reload in the middle of an export says that no file was saved, and it can be begun again', async () => {
    const pages = '**/v2/beacons?*limit=1000*';
    await open();
    await page.route(pages, () => undefined);
    const begun = page.waitForRequest(pages);
    await button('Export').click();
    await begun;
    await reloadInTheMiddle(page);
    await page.unroute(pages);
    await page
      .getByText('The export was interrupted when the page was reloaded, and beacons.csv was not saved.')
      .waitFor();
    const download = page.waitForEvent('download');
    await button('Export').click();
    assert.match(readFileSync(await (await download).path(), 'utf8'), /Quick,CC,1,1/);
    await page.reload();
    await button('Export').waitFor();
    assert.equal(
      await page.getByText('was interrupted', { exact: false }).count(),
      0,
      'what is done is not told again',
    );
  });
});
