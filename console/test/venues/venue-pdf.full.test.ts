import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PDFDocument from 'pdfkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

interface Made {
  /** Points; A1 on its side unless given. */
  readonly size?: [number, number];
  readonly pages?: number;
  readonly password?: string;
  /** Runs when the document is opened, in programs that run scripts. */
  readonly script?: string;
}

/** A document with a plan on each page: a wall around it, and the number of the page. */
async function pdf({ size = [2384, 1684], pages = 1, password, script }: Made = {}): Promise<Buffer> {
  const doc = new PDFDocument({ size, ...(password ? { userPassword: password } : {}) });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise((resolve) => doc.on('end', resolve));
  for (let page = 1; page <= pages; page++) {
    if (page > 1) doc.addPage({ size });
    const [width, height] = size;
    doc
      .lineWidth(width / 100)
      .rect(width * 0.1, height * 0.1, width * 0.8, height * 0.8)
      .stroke(page === 2 ? '#cc0000' : '#0000cc');
    doc.fontSize(height / 10).text(`Floor ${page}`, width * 0.3, height * 0.4);
  }
  if (script) {
    const action = doc.ref({ Type: 'Action', S: 'JavaScript', JS: new String(script) });
    action.end('');
    Object.assign((doc as unknown as { _root: { data: object } })._root.data, { OpenAction: action });
  }
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

/** The tests are one session: each continues where the previous one stopped. */
describe('a plan from a page of a PDF document', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pharos-pdf-'));
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const venueId = await create(app, '/api/v2/venues', { name: 'Town hall' }, headers);
    const venue = { __type: 'Pointer', className: 'Venue', objectId: venueId };
    const floorId = await create(app, '/api/v2/floors', { venueId: venue, name: 'Ground floor', level: 0 }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/floors/${floorId}`);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const scripts = () =>
    page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /pdf/.test(name))",
    );
  const said = (text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const floor = async () => (await app.send({ method: 'GET', url: '/api/v2/floors', headers })).body.results[0];
  const dialog = () => page.getByRole('dialog');
  const hasFocus = (wanted: Locator) => wanted.and(page.locator(':focus')).waitFor();
  /** A file by its path, or one with a name and a content. */
  async function choose(name: string, buffer?: Buffer, mimeType = 'application/pdf') {
    const button = page.getByRole('button', { name: /Upload a picture or PDF|Replace the plan/ });
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
    await chooser.setFiles(buffer ? { name, mimeType, buffer } : name);
  }

  test('what cannot be read is refused with a sentence, and the floor stays as it is', async () => {
    assert.deepEqual(await scripts(), [], 'the library is loaded when it is needed');
    await choose('broken.pdf', Buffer.from('%PDF-1.4 and nothing else'));
    await said('broken.pdf cannot be read as a PDF document.');
    await choose('secret.pdf', await pdf({ password: 'sesame' }));
    await said('secret.pdf needs a password.');
    // Playwright hands over that much only from a file.
    const large = join(folder, 'large.pdf');
    await writeFile(large, '%PDF-1.4');
    await truncate(large, 60 * 1024 * 1024);
    await choose(large);
    await said('large.pdf has 60 MB. A PDF document may have 50 MB');
    assert.equal((await floor()).plan, undefined);
  });

  test('one page of three becomes the picture of the floor, and its scripts do not run', async () => {
    await choose('plans.PDF', await pdf({ pages: 3, script: "app.alert('hello'); throw new Error('ran')" }), '');
    await dialog().getByText('plans.PDF has 3 pages.').waitFor();
    await becomes(() => dialog().locator('canvas').count(), 3);
    await hasFocus(dialog().getByRole('button', { name: 'Page 1' }));
    await assertAccessible(page);
    await takePictures(page, 'pdf-pages');
    await dialog().getByRole('button', { name: 'Page 2' }).click();
    await page.locator('svg > image').waitFor();
    const { plan } = await floor();
    assert.deepEqual([plan.width, plan.height], [5000, 3532], 'sharp, and in the shape of the page');
    // The red wall is where the document has it: the upper left corner of it, and paper outside.
    const seen = await page.evaluate(`(async () => {
      const image = new Image();
      image.src = document.querySelector('svg > image').href.baseVal;
      await image.decode();
      const context = new OffscreenCanvas(500, 353).getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0, 500, 353);
      return [[50, 35], [20, 20]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
    })()`);
    assert.deepEqual(seen, [
      [204, 0, 0],
      [255, 255, 255],
    ]);
    await dialog().waitFor({ state: 'detached' });
    await hasFocus(page.getByRole('button', { name: 'Replace the plan' }));
  });

  test('a page as large as a sheet of a plotter is as sharp as any other', async () => {
    await choose('huge.pdf', await pdf({ size: [14_400, 7_200] }));
    await dialog().getByRole('button', { name: 'Page 1' }).click();
    await becomes(async () => [(await floor()).plan.width, (await floor()).plan.height], [5000, 2500]);
    await dialog().waitFor({ state: 'detached' });
  });

  test('of 500 pages the wanted one is found by its number', async () => {
    await choose('book.pdf', await pdf({ pages: 500, size: [300, 200] }));
    await dialog().getByText('book.pdf has 500 pages.').waitFor();
    await dialog().getByRole('button', { name: 'Later pages' }).click();
    await dialog().getByRole('button', { name: 'Page 24', exact: true }).waitFor();
    await dialog().getByLabel('Show from page').fill('497');
    await dialog().getByRole('button', { name: 'Page 500', exact: true }).waitFor();
    assert.equal(
      await dialog()
        .getByRole('button', { name: /^Page / })
        .count(),
      4,
    );
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    assert.deepEqual(visited.complaints, []);
  });
});
