import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { knownAnswers, launchBrowser, readAgain, startConsole, type Visit, visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

const password = 'a long enough secret';
const people = {
  ana: { email: 'ana@museum.example', name: 'Ana', role: 'owner', password },
  ben: { email: 'ben@museum.example', name: 'Ben', role: 'owner', password },
  eve: { email: 'eve@museum.example', name: 'Eve', role: 'analyst', password },
} as const;
type Who = keyof typeof people;

/** The tests are one story: each goes on where the one before has stopped. */
describe('several people in the tabs of one browser', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let anas: Page;
  let bens: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    for (const person of Object.values(people)) await app.app.admins.create(person, { name: 'test', address: null });
    browser = await launchBrowser();
    visited = await visit(browser, origin);
    anas = visited.page;
    await signIn('ana');
    await anas.goto(`/console/apps/${app.appId}/beacons/new`);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** In some other tab: the cookie is the browser's. */
  async function signIn(who: Who): Promise<void> {
    const data = { email: people[who].email, password };
    const answer = await visited.context.request.post('/console/api/session', { data, headers: { origin } });
    assert.equal(answer.status(), 201);
  }
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Somebody else has signed in' });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const account = (page: Page, { name }: { readonly name: string }) => page.getByText(`Account of ${name}`);
  const audit = async () =>
    (await app.storage.db.all<{ actor: string; action: string }>({
      strings: ["select actor, action from audit where action = 'data.createBeacon' order by audit_id"],
      values: [],
    })) as readonly { actor: string; action: string }[];
  async function fill(page: Page, name: string, minor: string): Promise<void> {
    await field(page, 'Name').fill(name);
    await field(page, 'UUID').fill('AA');
    await page.getByLabel('Major').fill('1');
    await page.getByLabel('Minor').fill(minor);
  }

  test('what Ana sends after Ben has signed in in another tab is not done in his name', async () => {
    await fill(anas, 'Gate', '1');
    bens = await visited.context.newPage();
    await bens.goto(`/console/apps/${app.appId}/beacons`);
    await click(bens, 'Account of Ana');
    await bens.getByRole('menuitem', { name: 'Sign out' }).click();
    await bens.getByLabel('E-mail').fill(people.ben.email);
    await field(bens, 'Password').fill(password);
    await click(bens, 'Sign in');
    await account(bens, people.ben).waitFor({ state: 'attached' });
    // Whatever is read in the background may have asked already, and then stands before the button.
    await anas.getByRole('button', { name: 'Add the beacon' }).dispatchEvent('click');
    await dialog(anas).getByText('but ben@museum.example has signed in in this browser since').waitFor();
    await assertAccessible(anas);
    await takePictures(anas, 'somebody-else');
    assert.deepEqual(await audit(), []);
  });

  test('the page stays as it is, and asks again', async () => {
    await dialog(anas).getByRole('button', { name: 'Cancel' }).click();
    await dialog(anas).waitFor({ state: 'hidden' });
    assert.equal(await field(anas, 'Name').inputValue(), 'Gate');
    await account(anas, people.ana).waitFor({ state: 'attached' });
    await anas.getByRole('button', { name: 'Add the beacon' }).dispatchEvent('click');
    await dialog(anas).waitFor();
    assert.deepEqual(await audit(), []);
  });

  test('a person who has cancelled is not asked again by what the page reads by itself, but on coming back to it', async () => {
    await dialog(anas).getByRole('button', { name: 'Cancel' }).click();
    await dialog(anas).waitFor({ state: 'hidden' });
    for (let time = 0; time < 3; time++) await readAgain(anas);
    assert.equal(await dialog(anas).count(), 0);
    await anas.evaluate('dispatchEvent(new Event("focus"))');
    await readAgain(anas);
    await dialog(anas).waitFor();
  });

  test('the dialog names whoever is signed in by now, and goes on as nobody whom it does not name', async () => {
    await signIn('eve');
    await bens.reload();
    await dialog(anas).getByText('but eve@museum.example has signed in in this browser since').waitFor();
    await signIn('ben');
    await dialog(anas).getByRole('button', { name: 'Continue as Eve' }).click();
    await dialog(anas).getByRole('button', { name: 'Continue as Ben' }).waitFor();
    await account(anas, people.ana).waitFor({ state: 'attached' });
    assert.equal(await field(anas, 'Name').inputValue(), 'Gate');
    await bens.goto(`/console/apps/${app.appId}/beacons`);
    await anas.getByRole('button', { name: 'Add the beacon' }).dispatchEvent('click');
  });

  test('after Ana has signed in over it, what she sent is done in her own name', async () => {
    await dialog(anas).getByLabel(`Password of ${people.ana.email}`).fill(password);
    await dialog(anas).getByRole('button', { name: 'Sign in' }).click();
    await anas.getByRole('heading', { name: 'Gate' }).waitFor();
    assert.deepEqual(await audit(), [{ actor: people.ana.email, action: 'data.createBeacon' }]);
  });

  test('Ben’s tab then asks, and goes on as Ana with nothing of his, which is his draft', async () => {
    // His page may have read something by itself and asked already; then the dialog stands before the link.
    await bens.getByRole('link', { name: 'Add a beacon' }).first().dispatchEvent('click');
    await dialog(bens).waitFor();
    await dialog(bens).getByRole('button', { name: 'Cancel' }).click();
    await fill(bens, 'Tower', '2');
    await bens.getByRole('button', { name: 'Add the beacon' }).dispatchEvent('click');
    await dialog(bens).waitFor();
    const asked: string[] = [];
    bens.on('dialog', (box) => {
      asked.push(box.type());
      void box.accept();
    });
    await dialog(bens).getByRole('button', { name: 'Continue as Ana' }).click();
    await account(bens, people.ana).waitFor({ state: 'attached' });
    assert.deepEqual(asked, [], 'what is kept needs no warning');
    assert.equal(await field(bens, 'Name').inputValue(), '');
    assert.equal((await audit()).length, 1);
    await signIn('ben');
    await bens.reload();
    await account(bens, people.ben).waitFor({ state: 'attached' });
    assert.equal(await field(bens, 'Name').inputValue(), 'Tower');
  });

  test('a page that reads something again shows nothing of another', async () => {
    await signIn('eve');
    await readAgain(anas);
    // It may have asked about Ben by then; somebody comes back to the tab.
    await anas.evaluate('dispatchEvent(new Event("focus"))');
    await dialog(anas).getByText(people.eve.email).first().waitFor();
    await account(anas, people.ana).waitFor({ state: 'attached' });
  });

  test('a dialog is answered by signing in in any tab, once its page is looked at again', async () => {
    await signIn('ana');
    await anas.evaluate('dispatchEvent(new Event("focus"))');
    await dialog(anas).waitFor({ state: 'hidden' });
    await account(anas, people.ana).waitFor({ state: 'attached' });
  });

  test('nobody signs out another, and a session that has ended is called so', async () => {
    await signIn('eve');
    await click(anas, 'Account of Ana');
    await anas.getByRole('menuitem', { name: 'Sign out' }).dispatchEvent('click');
    await dialog(anas).waitFor();
    const session = async () => (await visited.context.request.get('/console/api/session')).status();
    assert.equal(await session(), 200, 'Eve is still signed in');
    await dialog(anas).getByRole('button', { name: 'Cancel' }).click();
    await visited.context.request.delete('/console/api/session', { headers: { origin } });
    await readAgain(anas);
    const ended = anas.getByRole('dialog', { name: 'Sign in again' });
    await ended.waitFor();
    assert.deepEqual(visited.complaints, []);
    await ended.getByRole('button', { name: 'Cancel' }).click();
    await anas.getByLabel('E-mail').waitFor();
    assert.deepEqual(await knownAnswers(anas, 'apps'), [], 'whoever signs in next sees nothing of it');
  });
});
