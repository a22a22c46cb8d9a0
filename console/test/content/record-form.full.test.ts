import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The tests are one session: each continues where the previous one stopped. */
describe('a record has fields of the kinds that its schema and the other records have', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let artist: string;

  beforeAll(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    headers = (await signIn(app)).headers;
    for (const name of ['works', 'artists']) await app.app.buckets.createBucket(app.appId, name);
    const column = { title: { type: 'String' }, height: { type: 'Number' }, isOnLoan: { type: 'Boolean' } };
    await create(app, '/api/v2/data/schema/works', { column }, headers);
    artist = await create(app, '/api/v2/data/bucket/artists', { metadata: { name: 'Vermeer' } }, headers);
    const upload = { method: 'POST', url: '/api/v2/files/old.png', body: pixel.toString('latin1') } as const;
    const file = await app.send({ ...upload, headers: { ...headers, 'content-type': 'image/png' } });
    const metadata = {
      title: 'The old one',
      height: 1,
      bought: '1911-03-04',
      picture: file.body.url,
      tags: ['oil'],
      by: { __type: 'Pointer', className: 'artists', objectId: artist },
      frame: { width: 3 },
    };
    await create(app, '/api/v2/data/bucket/works', { metadata }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'manager' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const made = async () => {
    const where = encodeURIComponent('{"metadata.title":"The milkmaid"}');
    const url = `/api/v2/data/bucket/works?where=${where}`;
    return (await app.send({ method: 'GET', url, headers })).body.results[0];
  };
  /** Each field of the form with its kind. */
  const fields = async () => {
    await field('frame').waitFor();
    await page.getByRole('combobox', { name: 'by' }).or(field('by')).first().waitFor();
    return page.evaluate(`[...document.querySelectorAll('main form label')].map(
      ({ textContent, control }) => [textContent, control?.tagName, control?.type]).sort()`);
  };
  let whenNew: unknown;

  test('a new one: a picture is uploaded, a list has entries, a relation is chosen by name, the rest is JSON', async () => {
    await goTo(page, `/console/apps/${app.appId}/buckets/works/new`);
    whenNew = await fields();
    await field('title').fill('The milkmaid');
    await field('height').fill('45,5');
    await page.getByRole('radiogroup', { name: 'isOnLoan' }).getByText('No', { exact: true }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'maid.png', mimeType: 'image/png', buffer: pixel });
    await page.getByRole('img', { name: 'Preview of picture' }).waitFor();
    for (const tag of ['canvas', 'oil, old']) {
      await page.getByRole('combobox', { name: 'tags' }).or(field('tags')).first().fill(tag);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('combobox', { name: 'by' }).or(field('by')).first().click();
    await page.getByRole('option', { name: 'Vermeer' }).click();
    await page.getByLabel('bought', { exact: true }).fill('1908-05-04');
    await field('frame').fill('{"width": ');
    await button('Add the record').click();
    await page.getByText('Is no JSON', { exact: false }).waitFor();
    assert.equal(await made(), undefined);
    await field('frame').fill('{"width": 4}');
    await page.getByText('Is no JSON', { exact: false }).waitFor({ state: 'detached' });
    await assertAccessible(page);
    await takePictures(page, 'record-new');
    await button('Add the record').click();
    await page.getByText('The record is added.').waitFor();
    const { picture, ...others } = (await made()).metadata;
    assert.match(picture, /_maid\.png$/);
    assert.deepEqual(others, {
      title: 'The milkmaid',
      height: 45.5,
      isOnLoan: false,
      bought: '1908-05-04',
      tags: ['canvas', 'oil, old'],
      by: { __type: 'Pointer', className: 'artists', objectId: artist },
      frame: { width: 4 },
    });
  });

  test('an existing one has the same fields, with names in place of ids', async () => {
    const { objectId } = await made();
    await goTo(page, `/console/apps/${app.appId}/buckets/works/records/${objectId}`);
    assert.deepEqual(await fields(), whenNew);
    const by = page.getByRole('combobox', { name: 'by' }).or(field('by')).first();
    // Until the name has been read, it is `…`.
    await becomes(() => by.inputValue(), 'Vermeer');
    assert.equal(await page.getByText(artist).count(), 0);
    await page.getByRole('img', { name: 'Preview of picture' }).waitFor();
  });

  test('in another language, too, a column without a name is refused at its row, until it has one', async () => {
    await page.evaluate("localStorage.setItem('pharos language', 'de')");
    await page.goto(`/console/apps/${app.appId}/buckets/artists/schema`);
    await button('Spalten deklarieren').click();
    await button('Spalten speichern').click();
    const refused = page.getByText('Füllen Sie dies aus', { exact: false });
    await refused.waitFor();
    await page.locator('main form').getByRole('textbox').first().fill('name');
    await refused.waitFor({ state: 'detached' });
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(visited.complaints, []));
});
