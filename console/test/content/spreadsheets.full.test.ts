import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { writeCsv } from '../../src/lib/text/csv.ts';
import { writeWorkbook } from '../../src/lib/text/workbook.ts';
import { assertAccessible } from '../axe.ts';
import { goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** Tables as spreadsheets of many countries write them. The tests are one session. */
describe('tables go out and come in', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    headers = (await signIn(app)).headers;
    await app.app.buckets.createBucket(app.appId, 'works');
    const column = { title: { type: 'String' }, height: { type: 'Number' } };
    await create(app, '/api/v2/data/schema/works', { column }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = (rest: string) => goTo(page, `/console/apps/${app.appId}/${rest}`);
  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  const stored = async (url: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/${url}`, headers })).body.results;
  const saved = async (start: () => Promise<unknown>) => {
    const waiting = page.waitForEvent('download');
    await start();
    const file = await waiting;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const hasFocus = (name: string) => button(name).and(page.locator(':focus')).waitFor();

  test('ANSI, semicolons, decimal commas, other headings, extra columns, short and empty rows', async () => {
    const rows = [
      'NAME;Uuid;MAJOR;minor;X;Y;Farbe',
      'Café Süd;AA;1;1;4,2;7,5;rot',
      ';;;;;;',
      'Foyer;AA;1;2',
      'Kasse;AA;1;zwei;;;',
    ];
    await open('beacons/import');
    await choose('ansi.csv', Buffer.from(rows.join('\r\n'), 'latin1'));
    await page.getByText('Windows-1252 (ANSI), separated by semicolons, with decimal commas.').waitFor();
    await page.getByText('This column is left out: Farbe.').waitFor();
    await page.getByRole('cell', { name: 'Café Süd' }).waitFor();
    for (const count of ['2 new', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
    await assertAccessible(page);
    await takePictures(page, 'import-ansi');
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const [cafe, foyer] = await stored('beacons?order=minor');
    assert.deepEqual([cafe.name, cafe.location, foyer.name], ['Café Süd', { x: 4.2, y: 7.5 }, 'Foyer']);
  });

  test('UTF-16 as Excel writes "Unicode text"', async () => {
    const rows = ['Title\tHEIGHT', 'Mädchen mit Perle\t44,5', '"夜警\n(Die Nachtwache)"\t363'];
    await open('buckets/works/import');
    await choose('works.txt', Buffer.from(`\uFEFF${rows.join('\r\n')}`, 'utf16le'));
    await page.getByText('UTF-16, separated by tabs, with decimal commas.').waitFor();
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const works = (await stored('data/bucket/works?order=metadata.height')).map(
      ({ metadata }: { metadata: object }) => metadata,
    );
    assert.deepEqual(works, [
      { title: 'Mädchen mit Perle', height: 44.5 },
      { title: '夜警\n(Die Nachtwache)', height: 363 },
    ]);
  });

  test('CSV goes out as UTF-8 with its mark, and comes back unchanged', async () => {
    await open('beacons');
    const { name, bytes } = await saved(() => page.getByRole('button', { name: 'Export', exact: true }).click());
    assert.equal(name, 'beacons.csv');
    await hasFocus('Export');
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    await open('beacons/import');
    await choose(name, bytes);
    await page.getByText('2 unchanged', { exact: true }).waitFor();
  });

  test('a workbook goes out, and comes back unchanged', async () => {
    await create(app, '/api/v2/data/bucket/works', { metadata: { title: '007', note: '=1+1', list: [1] } }, headers);
    await open('beacons');
    const beacons = await saved(() => button(/Excel workbook/).click());
    assert.equal(beacons.name, 'beacons.xlsx');
    await hasFocus('Excel workbook');
    await open('beacons/import');
    await choose(beacons.name, beacons.bytes);
    await page.getByText('Excel workbook, first sheet', { exact: false }).waitFor();
    await page.getByText('2 unchanged', { exact: true }).waitFor();
    await open('buckets/works');
    const works = await saved(async () => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('menuitem', { name: 'As an Excel workbook' }).click();
    });
    await hasFocus('Export');
    await open('buckets/works/import');
    await choose(works.name, works.bytes);
    await page.getByText('3 unchanged', { exact: true }).waitFor();
    await takePictures(page, 'import-workbook');
  });

  const twice = [
    ['name', 'uuid', 'major', 'minor', 'Name', 'metadata'],
    ['old', 'BB', '2', '1', 'Lift', '{"hall":'],
    ['older', 'BB', '2', '2', 'Stairs', '{"hall":2}'],
  ];
  for (const [kind, fileName, bytes] of [
    ['CSV', 'twice.csv', async () => Buffer.from(writeCsv(twice))],
    ['a workbook', 'twice.xlsx', async () => Buffer.from(await (await writeWorkbook(twice)).arrayBuffer())],
  ] as const)
    test(`${kind}: of two columns with one heading one is chosen, and a cell that is broken is left out`, async () => {
      for (const { objectId } of await stored('beacons?where={"uuid":"BB"}'))
        await app.send({ method: 'DELETE', url: `/api/v2/beacons/${objectId}`, headers });
      await open('beacons/import');
      await choose(fileName, await bytes());
      const which = page.getByLabel('2 columns are called name. Which one is imported?');
      await which.waitFor();
      await page.getByRole('listitem').filter({ hasText: 'older' }).waitFor();
      await which.selectOption({ label: 'Column 5: Lift, Stairs' });
      await page.getByRole('listitem').filter({ hasText: 'Stairs' }).waitFor();
      for (const count of ['1 new', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
      const broken = page.getByRole('listitem').filter({ hasText: 'Lift' });
      await broken.getByText('metadata must be a JSON object or empty.').waitFor();
      await assertAccessible(page);
      await takePictures(page, `import-twice-${kind === 'CSV' ? 'csv' : 'xlsx'}`);
      const without = page.getByRole('switch', { name: '1 row has cells that cannot be read.' });
      await without.click();
      await broken.getByText('Without: metadata must be a JSON object or empty.').waitFor();
      await button('Import 2').click();
      await page.getByText('2 of 2 rows are in.').waitFor();
      const beacons = await stored('beacons?where={"uuid":"BB"}&order=minor');
      assert.deepEqual(
        beacons.map(({ name, metadata }: { name: string; metadata: object }) => [name, metadata]),
        [
          ['Lift', {}],
          ['Stairs', { hall: 2 }],
        ],
      );
    });

  test('a column that a file lacks is given: another column, or one value for all rows', async () => {
    await open('beacons/import');
    await choose('labels.csv', Buffer.from('Label;Nummer;major\nNorth door;7;3\nSouth door;8;3\n'));
    const block = page.getByRole('region', { name: 'What is missing' });
    await block.getByText('The file has no columns name, uuid and minor.', { exact: false }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Import \d/ }).count(), 0);
    await block.getByLabel('name is', { exact: true }).selectOption({ label: 'Label: North door, South door' });
    await button('Show what would happen').click();
    await block.getByText('Fill this in.').first().waitFor();
    await block.getByLabel('uuid of all rows').fill('CC');
    await block.getByLabel('minor is', { exact: true }).selectOption({ label: 'Nummer: 7, 8' });
    await assertAccessible(page);
    await takePictures(page, 'import-missing');
    await button('Show what would happen').click();
    await page.getByText('2 new', { exact: true }).waitFor();
    // What was said is kept while the tab is open.
    await page.reload();
    await page.getByText('2 new', { exact: true }).waitFor();
    assert.equal(await block.getByLabel('uuid of all rows').inputValue(), 'CC');
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const made = await stored('beacons?where={"uuid":"CC"}&order=minor');
    assert.deepEqual(
      made.map(({ name, major, minor }: { name: string; major: number; minor: number }) => [name, major, minor]),
      [
        ['North door', 3, 7],
        ['South door', 3, 8],
      ],
    );
  });

  test('JSON that is broken says where, and of JSON Lines only the broken line is refused', async () => {
    await open('buckets/works/import');
    await choose('works.json', Buffer.from('[\n  {"title": "A"},\n  {"title": }\n]'));
    await page.getByText('The file is not JSON. Line 3, column 13:', { exact: false }).waitFor();
    await choose('works.jsonl', Buffer.from('{"title":"Lines 1"}\n{"title":\n{"title":"Lines 3"}\n'));
    for (const count of ['2 new', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
    await page.getByText('it is not JSON from column 10 on.').waitFor();
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    assert.equal((await stored('data/bucket/works?where={"metadata.title":{"$in":["Lines 1","Lines 3"]}}')).length, 2);
  });

  test('a table that begins with a bracket is a table, and a record goes in without what does not fit', async () => {
    await open('buckets/works/import');
    await choose('works.csv', Buffer.from('[note],title,height\nx,Tall,high\ny,Small,2\n'));
    for (const count of ['1 new', '1 refused']) await page.getByText(count, { exact: true }).waitFor();
    await page.getByRole('switch', { name: '1 row has cells that cannot be read.' }).click();
    await page.getByText('Without: height must be a number.').waitFor();
    await button('Import 2').click();
    await page.getByText('2 of 2 rows are in.').waitFor();
    const [tall] = await stored('data/bucket/works?where={"metadata.title":"Tall"}');
    assert.deepEqual(tall.metadata, { '[note]': 'x', title: 'Tall' });
  });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
