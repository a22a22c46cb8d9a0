import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PharosClient, PharosError } from '@pharos/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../server/test/support/build-app.ts';
import { launchBrowser } from '../browser.ts';
import { plugIn } from './virtual-key.ts';

/**
 * Passkeys of an app's users, in a browser: the app's page asks it for one with what the client has from the service. The tests are one
 * session: each continues where the previous one stopped.
 */
describe('passkeys of users, in a browser', () => {
  let app: TestApp;
  let baseUrl: string;
  let pages: readonly Server[];
  let browser: Browser;
  let page: Page;
  let client: PharosClient;
  let userId: string;

  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    pages = [await openPage(), await openPage()];
    const passkeys = { enabled: true, rpId: 'localhost', origins: [originOf(0)] };
    await app.app.apps.change(app.appId, { policy: { passkeys } });
    browser = await launchBrowser();
    page = await (await browser.newContext()).newPage();
    await page.goto(originOf(0));
    await plugIn(page);
    client = newClient();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of pages ?? []) server.close();
    await app?.close();
  });

  /** A page of the app; passkeys are bound to the name `localhost`, and its origin has a port of its own. */
  async function openPage(): Promise<Server> {
    const server = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<p>Guide</p>'),
    );
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    return server;
  }
  const originOf = (index: number) => {
    const address = pages[index]?.address() as AddressInfo | undefined;
    return `http://localhost:${address?.port}`;
  };
  const newClient = () => new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey });
  type Passkey = Parameters<PharosClient['users']['signInWithPasskey']>[0]['passkey'];
  /** What the page does with what the client has been given. */
  const inPage = (what: 'create' | 'get', options: object): Promise<never> =>
    page.evaluate(`(async () => {
      const given = ${JSON.stringify(options)};
      const publicKey = ${what === 'create'}
        ? PublicKeyCredential.parseCreationOptionsFromJSON(given)
        : PublicKeyCredential.parseRequestOptionsFromJSON(given);
      return (await navigator.credentials.${what}({ publicKey })).toJSON();
    })()`);
  const sign = async (by: PharosClient) =>
    by.users.signInWithPasskey({
      passkey: (await inPage('get', await by.users.startPasskeySignIn())) as Passkey,
      refresh: true,
    });
  const isRefusal = (error: unknown) => error instanceof PharosError && error.name === 'UserInvalidLoginParams';

  test('one is added by somebody who is signed in', async () => {
    const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'correct horse' };
    await client.users.signUp(account);
    userId = (await client.users.signIn(account)).objectId;
    const passkey = await inPage('create', await client.factors.startPasskey());
    await client.factors.addPasskey({ name: 'My laptop', passkey });
    const [added, ...more] = await client.factors.passkeys();
    assert.deepEqual([added?.name, added?.lastUsedAt, more], ['My laptop', null, []]);
  });

  test('it signs in alone, without name and password, and counts as two factors', async () => {
    const other = newClient();
    const answer = await sign(other);
    assert.equal(answer.objectId, userId);
    assert.equal(typeof answer.refreshToken, 'string');
    assert.equal((await other.users.me()).validemail, 'vera@example.org');
    const [session] = await other.users.sessions();
    assert.deepEqual([session?.method, session?.hasSecondFactor], ['passkey', true]);
  });

  test('the same device is not added twice', async () => {
    const asked = await client.factors.startPasskey({ currentPassword: 'correct horse' });
    await assert.rejects(inPage('create', asked), /InvalidStateError|previously registered/);
  });

  test('what another page on the same machine has it sign is refused', async () => {
    await page.goto(originOf(1));
    await assert.rejects(sign(newClient()), isRefusal);
    await page.goto(originOf(0));
    await sign(newClient());
  });

  test('removed, it signs nobody in', async () => {
    const fresh = newClient();
    await sign(fresh);
    const [passkey] = await fresh.factors.passkeys();
    await fresh.factors.removePasskey(passkey?.objectId ?? '');
    await assert.rejects(sign(newClient()), isRefusal);
  });
});
