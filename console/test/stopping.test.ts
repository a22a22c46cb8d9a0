import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { service } from '../../server/src/access/audit.ts';
import { signIn, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { assertAccessible } from './axe.ts';
import { becomes, launchBrowser, openAs, startConsole, type Visit } from './browser.ts';
import { takePictures } from './pictures.ts';

/** In `first-session` the app itself, in `history` messages and beacons, in `rules-page` the rules. */
describe('what stops visitors from being served is asked with the name of the app, and undone with one click', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let deviceId: string;
  let userId: string;

  before(async () => {
    const { app: started, origin } = await startConsole();
    app = started;
    await app.app.apps.change(app.appId, { name: 'Museum guide' });
    const signedIn = await signIn(app);
    userId = signedIn.userId;
    const device = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
    deviceId = await create(app, '/api/v2/device', device, signedIn.headers);
    const webPush = { generate: true, subject: 'mailto:ops@museum.example' };
    await app.app.senders.save({ appId: app.appId, kind: 'webpush' }, webPush, service);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
    for (const [path, body] of [
      [`devices/${deviceId}/credentials`, undefined],
      ['secret-keys', { name: 'Gateway', scopes: [{ resource: 'beacons', verbs: ['list'] }] }],
      ['identity-providers', { name: 'google', kind: 'google', audiences: ['1.apps.example'] }],
    ] as const) {
      const url = `/console/api/apps/${app.appId}/${path}`;
      const answer = await visited.context.request.post(url, { data: body, headers: { origin } });
      assert.equal(answer.status(), 201, await answer.text());
    }
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const told = (path: string) => async () =>
    (await (await visited.context.request.get(`/console/api/apps/${app.appId}/${path}`)).json()) as never;
  const dialog = () => page.getByRole('dialog').filter({ hasText: 'In the app Museum guide' });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });

  interface Stopping {
    readonly what: string;
    readonly path: () => string;
    readonly open: string | RegExp;
    readonly confirm: string;
    /** Whether visitors are served; by what the service says. */
    readonly isServed: () => Promise<boolean>;
  }

  const cases: readonly Stopping[] = [
    {
      what: 'a sender is removed',
      path: () => 'senders',
      open: 'Remove',
      confirm: 'Remove the credentials',
      isServed: async () => {
        const { results } = (await told('senders')()) as { results: { kind: string; isSetUp: boolean }[] };
        return results.some(({ kind, isSetUp }) => kind === 'webpush' && isSetUp);
      },
    },
    {
      what: 'a key of the app is switched off',
      path: () => 'keys',
      open: 'Switch off',
      confirm: 'Switch off',
      isServed: async () => ((await told('keys')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'a secret key is revoked',
      path: () => 'keys',
      open: 'Revoke Gateway',
      confirm: 'Revoke',
      isServed: async () => ((await told('secret-keys')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'the credentials of a device are revoked',
      path: () => `devices/${deviceId}`,
      open: 'Revoke them',
      confirm: 'Revoke them',
      isServed: async () => {
        const path = `devices/${deviceId}/credentials`;
        return ((await told(path)()) as { result: { issuedAt: unknown } }).result.issuedAt !== null;
      },
    },
    {
      what: 'an account is switched off',
      path: () => `users/${userId}`,
      open: 'Switch off',
      confirm: 'Switch off',
      isServed: async () =>
        ((await told(`users/${userId}`)()) as { result: { disabledAt?: string } }).result.disabledAt === undefined,
    },
    {
      what: 'an identity provider is deleted',
      path: () => 'sign-in',
      open: 'Delete',
      confirm: 'Delete the identity provider',
      isServed: async () => ((await told('identity-providers')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'the policy wants consent first',
      path: () => 'policy',
      open: 'Save the policy',
      confirm: 'Save the policy of Museum guide',
      isServed: async () => (await app.app.apps.get(app.appId)).policy.consent === 'assumed',
    },
  ];
  for (const { what, path, open, confirm, isServed } of cases)
    test(what, async () => {
      const url = `/console/apps/${app.appId}/${path()}`;
      if (!page.url().endsWith(url)) await page.goto(url);
      if (path() === 'sign-in') await page.getByRole('link', { name: 'Google' }).click();
      if (path() === 'policy') await page.getByLabel('Without an answer of the visitor').selectOption('required');
      await button(open).first().click();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'detached' });
      assert.equal(await isServed(), true);
      await button(open).first().click();
      await assertAccessible(page);
      if (path() === 'policy') await takePictures(page, 'stopping');
      await dialog().getByRole('button', { name: confirm, exact: true }).click();
      await becomes(isServed, false);
      await button('Undo').click();
      await becomes(isServed, true);
      await page.getByText('The change was undone.').last().waitFor();
    });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
