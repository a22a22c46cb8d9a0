import assert from 'node:assert/strict';
import type { Floor } from '@pharos/sdk';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { testInFull } from '../../../server/test/support/depth.ts';
import { png } from '../../../server/test/support/png.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What somebody does with hands, counted. */
class Hands {
  clicks = 0;
  typed = 0;
  files = 0;

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async type(where: Locator, text: string): Promise<void> {
    this.typed += 1;
    await where.fill(text);
  }

  /** Seconds that somebody takes who has to look for each thing first: 8 for a click, 15 for a field, 60 for choosing files. */
  get seconds(): number {
    return 8 * this.clicks + 15 * this.typed + 60 * this.files;
  }

  get said(): string {
    const what = `${this.clicks} clicks, ${this.typed} fields typed, ${this.files} times files chosen`;
    return `${what}: about ${Math.round(this.seconds / 60)} minutes`;
  }
}

describe('a venue of three floors is set up from pictures', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
    for (const minor of [1, 2, 3])
      await create(app, '/api/v2/beacons', { uuid, major: 1, minor, name: `Beacon ${minor}` }, headers);
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const records = async (path: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const picture = (name: string, width: number) => ({
    name,
    mimeType: 'image/png',
    buffer: png(width, 200, (x) => [230, 240, Math.round(255 * x)]),
  });

  test('from the list of apps to zones and beacons on each floor', async (t) => {
    const hands = new Hands();
    const dialog = page.getByRole('dialog');
    async function choose(files: readonly { name: string; mimeType: string; buffer: Buffer }[]) {
      hands.files += 1;
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        hands.click(button('Add floors from pictures')),
      ]);
      await chooser.setFiles([...files]);
    }
    await page.goto('/console/apps');
    await hands.click(page.getByRole('link', { name: 'Test app' }).first());
    await hands.click(page.getByRole('link', { name: 'Places' }));
    await hands.click(page.getByRole('link', { name: 'Add a venue' }));
    await hands.type(page.getByRole('textbox', { name: 'Name' }), 'Town hall');
    await hands.click(button('Add the venue'));
    // One of them is none: the others are not lost, and it is said which.
    await choose([
      picture('Ground floor.png', 400),
      { name: 'Notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    ]);
    await dialog.getByText('Notes.png cannot be read as a picture.', { exact: false }).waitFor();
    assert.equal((await records('floors')).length, 0, 'nothing is stored before it is asked for');
    await hands.click(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
    await choose([picture('2 First floor.png', 400), picture('1 Ground floor.png', 400), picture('3_Attic.png', 200)]);
    await dialog.getByRole('textbox', { name: 'Name of floor 3' }).waitFor();
    const names = dialog.getByRole('textbox', { name: /^Name of floor/ });
    assert.deepEqual(await Promise.all((await names.all()).map((name) => name.inputValue())), [
      '1 Ground floor',
      '2 First floor',
      '3 Attic',
    ]);
    for (const [number, name] of ['Ground floor', 'First floor', 'Attic'].entries())
      await hands.type(dialog.getByRole('textbox', { name: `Name of floor ${number + 1}` }), name);
    await hands.type(dialog.getByLabel('Width of the widest picture'), '40');
    await takePictures(page, 'floors-from-pictures');
    await assertAccessible(page);
    await hands.click(dialog.getByRole('button', { name: 'Add 3 floors' }));
    await dialog.waitFor({ state: 'detached' });
    const floors = await records('floors?order=level');
    assert.deepEqual(
      floors.map(({ name, level, plan, scale }: Floor) => [name, level, plan?.width, scale?.metres]),
      [
        ['Ground floor', 0, 400, 40],
        ['First floor', 1, 400, 40],
        ['Attic', 2, 200, 20],
      ],
    );
    for (const [index, { name }] of floors.entries()) {
      await hands.click(page.getByRole('link', { name, exact: true }));
      await hands.click(page.getByText('Draw a zone', { exact: true }));
      await hands.click(button('Add a rectangle'));
      await becomes(async () => (await records('zones')).length, index + 1);
      // What is known of the zone moves what is below it.
      await button('Delete the zone').waitFor();
      await hands.click(page.getByRole('combobox', { name: 'Put a beacon on this floor' }));
      await hands.click(page.getByRole('option', { name: `Beacon ${index + 1}` }));
      await becomes(async () => (await records('beacons?where={"location":{"$exists":true}}')).length, index + 1);
      await hands.click(page.getByRole('link', { name: 'Town hall' }).first());
    }
    await page.getByText('plan, 1 zone').first().waitFor();
    const today = page.getByRole('region', { name: 'Today' });
    await today.getByRole('link', { name: 'Plan of Ground floor' }).waitFor();
    await today.getByRole('link', { name: '0', exact: true }).waitFor();
    void t.annotate(hands.said);
    assert.ok(hands.seconds < 600, `in less than ten minutes: ${hands.said}`);
    assert.deepEqual(visited.complaints, []);
  });

  testInFull(
    'a single picture leads to its floor, to a beacon on it, and from there to the first message',
    async () => {
      const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
      await create(app, '/api/v2/beacons', { uuid, major: 1, minor: 4, name: 'Cask' }, headers);
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button('Add floors from pictures').click(),
      ]);
      await chooser.setFiles([picture('Cellar.png', 400)]);
      await page.getByRole('dialog').getByRole('button', { name: 'Add 1 floor' }).click();
      await page.getByRole('heading', { name: 'Cellar, Town hall' }).waitFor();
      await page.getByRole('combobox', { name: 'Put a beacon on this floor' }).click();
      await page.getByRole('option', { name: 'Cask' }).click();
      await page.getByRole('link', { name: 'Write a message' }).click();
      await page.getByRole('heading', { name: 'New message' }).waitFor();
      await page.getByText('Cask').first().waitFor();
      assert.deepEqual(visited.complaints, []);
    },
  );
});
