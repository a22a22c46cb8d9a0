import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../../../server/test/support/build-app.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, readAgain, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** What does not go into the trash: Ana has it on the screen while Ben changes it. */
describe('what a colleague has just changed is not deleted', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let ana: Visit;
  let ben: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ app, origin } = await startConsole({ PHAROS_PRIVATE_TARGETS: '127.0.0.1' }));
    browser = await launchBrowser();
    ana = await openAs(browser, { app, origin, role: 'owner' });
    ben = await openAs(browser, { app, origin, role: 'owner' });
    page = ana.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  type Members = Readonly<Record<string, string>>;
  async function asBen(method: 'GET' | 'POST' | 'PUT', path: string, data?: object): Promise<Members> {
    const how = { method, headers: { origin }, ...(data ? { data } : {}) };
    const answer = await ben.context.request.fetch(`/console/api${path}`, how);
    assert.ok(answer.ok(), await answer.text());
    return ((await answer.json()) as { result: Members }).result;
  }
  const exists = async (path: string) => (await ben.context.request.get(`/console/api${path}`)).ok();
  const ofApp = () => `/apps/${app.appId}`;

  interface Deleted {
    readonly what: string;
    readonly make: () => Promise<readonly [list: string, id: string | undefined, page: string]>;
    readonly theirs: object;
    readonly confirm: string;
    /** What the page then shows of it. */
    readonly shown: (page: Page) => Promise<unknown>;
  }
  const cases: readonly Deleted[] = [
    {
      what: 'a webhook',
      make: async () => {
        const list = `${ofApp()}/webhooks`;
        const hook = { url: 'http://127.0.0.1:9/hook', description: 'Till', events: ['visit.opened'] };
        return [list, (await asBen('POST', list, hook))['objectId'], list];
      },
      theirs: { description: 'Till of the new shop' },
      confirm: 'Delete the webhook',
      shown: (page) => page.getByRole('heading', { name: 'Till of the new shop' }).waitFor(),
    },
    {
      what: 'an identity provider of visitors',
      make: async () => {
        const list = `${ofApp()}/identity-providers`;
        const google = { name: 'google', kind: 'google', audiences: ['1.apps.example'] };
        return [list, (await asBen('POST', list, google))['objectId'], `${ofApp()}/sign-in`];
      },
      theirs: { audiences: ['1.apps.example', '2.apps.example'] },
      confirm: 'Delete the identity provider',
      shown: (page) =>
        becomes(() => page.getByRole('textbox', { name: 'Client ids' }).inputValue(), '1.apps.example\n2.apps.example'),
    },
    {
      what: 'a report by mail',
      make: async () => {
        const list = `${ofApp()}/reports`;
        const { adminId } = await asBen('GET', '/session');
        const report = { venueId: null, every: 'week', isOn: true, administrators: [adminId], addresses: [] };
        return [list, (await asBen('POST', list, report))['reportId'], `${ofApp()}/activity/analytics/reports`];
      },
      theirs: { every: 'month' },
      confirm: 'Delete the report',
      shown: (page) => page.getByText('on the first', { exact: false }).first().waitFor(),
    },
    {
      what: 'a provider of single sign-on',
      make: async () => {
        const list = '/sso-providers';
        const sso = {
          name: 'Museum account',
          issuer: origin,
          clientId: 'console',
          clientSecret: 'a secret of the console',
          groupsClaim: 'groups',
          roles: { owner: ['heads'] },
        };
        return [list, (await asBen('POST', list, sso))['providerId'], '/administrators/single-sign-on'];
      },
      theirs: { scopes: 'openid email groups' },
      confirm: 'Delete the provider',
      shown: (page) => becomes(() => page.getByRole('textbox', { name: 'Scopes' }).inputValue(), 'openid email groups'),
    },
  ];

  for (const { what, make, theirs, confirm, shown } of cases)
    test(what, async () => {
      const [list, id, address] = await make();
      const record = `${list}/${id}`;
      await goTo(page, `/console${address}/${id}`);
      const remove = page.getByRole('button', { name: 'Delete', exact: true });
      await remove.waitFor();
      await asBen('PUT', record, theirs);
      await remove.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
      await dialog
        .getByText(/^Somebody else has changed .* meanwhile\. Nothing was changed: look at what is there now/)
        .waitFor();
      assert.equal(await exists(record), true);
      await assertAccessible(page);
      await takePictures(page, `stale-deletion-${confirm.split(' ').at(-1)}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await shown(page);
      // Now it is what is on the screen.
      await remove.click();
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
      await becomes(() => exists(record), false);
    });

  test('credentials of a push service, by deleting them or by undoing that they were set up', async () => {
    const record = `${ofApp()}/senders/webpush`;
    const enter = (who: string) =>
      asBen('PUT', record, { settings: { generate: true, subject: `mailto:${who}@museum.example` } });
    const contact = async () =>
      ((await asBen('GET', record)) as unknown as { summary: { subject?: string } }).summary.subject;
    await goTo(page, `/console${ofApp()}/senders`);
    const card = page.getByRole('region', { name: 'Web Push' });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await press('Set up Web Push');
    await card.getByRole('textbox', { name: 'Contact' }).fill('mailto:ana@museum.example');
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'The Web Push credentials are saved.' }).waitFor();
    await enter('ben');
    await press('Undo');
    await page.getByRole('alert').filter({ hasNotText: 'are saved' }).first().waitFor();
    assert.equal(await contact(), 'mailto:ben@museum.example');
    await readAgain(page);
    await card.getByRole('button', { name: 'Remove', exact: true }).click();
    app.clock.now += 1_000;
    await enter('bert');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove the credentials' }).click();
    await dialog.getByText(/^Somebody else has changed Web Push meanwhile\. Nothing was changed/).waitFor();
    assert.equal(await contact(), 'mailto:bert@museum.example');
    await dialog.getByRole('button', { name: 'Remove the credentials' }).click();
    await becomes(contact, undefined);
  });

  test('is deleted by the second click when the answer to the first was lost, and says nothing of that try when it is asked again', async () => {
    const list = `${ofApp()}/webhooks`;
    const hook = { url: 'http://127.0.0.1:9/hook', description: 'Till', events: ['visit.opened'] };
    const { objectId } = await asBen('POST', list, hook);
    await goTo(page, `/console${list}/${objectId}`);
    const record = `**/console/api${list}/${objectId}`;
    await page.route(record, async (route) => {
      if (route.request().method() !== 'DELETE') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    const dialog = page.getByRole('dialog');
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    const confirm = dialog.getByRole('button', { name: 'Delete the webhook', exact: true });
    await remove.click();
    await confirm.click();
    await dialog.getByRole('alert').waitFor();
    assert.equal(await exists(`${list}/${objectId}`), false);
    await page.unroute(record);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await remove.click();
    await confirm.waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
    await confirm.click();
    await page.getByText('The webhook was deleted.').waitFor();
    assert.equal(new URL(page.url()).pathname, `/console${list}`);
    // The connection that was cut.
    ana.complaints.length = 0;
  });

  test('the browser had nothing to complain about', () => assert.deepEqual(ana.complaints, []));
});
