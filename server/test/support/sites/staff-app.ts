import assert from 'node:assert/strict';
import { type Answer, buildApp, type databases, type TestApp } from '../build-app.ts';
import { type IdentityProvider, startIdentityProvider } from '../servers/identity-provider.ts';

/** An app whose users sign in through an identity provider, which it calls `staff`. */

export const users = '/api/v2/users';
export const mine = `${users}/me/identities`;
export const by = { name: 'test', address: null };
const settings = { PHAROS_PRIVATE_TARGETS: '127.0.0.1', PHAROS_SMTP_URL: 'smtp://127.0.0.1:9' };

let people = 0;

export interface StaffApp {
  readonly app: TestApp;
  readonly provider: IdentityProvider;
  readonly providerId: string;
}

export async function openStaffApp(database: (typeof databases)[number]): Promise<StaffApp> {
  const app = await buildApp({ database, settings });
  const provider = await startIdentityProvider();
  const fields = {
    name: 'staff',
    kind: 'oidc',
    issuer: provider.issuer,
    audiences: [provider.clientId],
    roles: { claim: 'groups', manager: ['curators'] },
  } as const;
  const { objectId: providerId } = await app.app.identityProviders.create(app.appId, fields as never, by);
  return { app, provider, providerId };
}

/** The provider lives in real time. */
export function catchUp({ app, provider }: StaffApp): void {
  app.clock.now = Math.max(app.clock.now, Date.now());
  provider.condition = 'up';
}

export async function closeStaffApp(opened: StaffApp | undefined): Promise<void> {
  await opened?.app.close();
  await opened?.provider.close();
}

export const assertRefused = (answer: Answer, status: number, code: number, why: RegExp) => {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  assert.match(answer.body.error.error, why);
};

/** Whom a sign-in was for. */
export const userOf = (answer: Answer) => ({ userId: answer.body.objectId as string });

/** What people at the provider do. */
export function staffOf(opened: () => StaffApp) {
  /** Somebody with an account at the provider. */
  function someone(change: object = {}) {
    const account = `person${++people}`;
    const email = `${account}@example.org`;
    opened().provider.accounts.set(account, {
      email,
      email_verified: true,
      given_name: 'Vera',
      family_name: 'Visitor',
      ...change,
    });
    return { account, email };
  }
  const present = (idToken: string, more: object = {}) =>
    opened().app.send({ method: 'POST', url: `${users}/signin/token`, body: { provider: 'staff', idToken, ...more } });
  /** Two tokens of one second are alike without a nonce. */
  const enter = async (account: string) => {
    const nonce = `n${++people}`;
    return present(await opened().provider.idToken({ account, nonce }), { nonce });
  };
  const bearer = (answer: Answer) => ({ authorization: `Bearer ${answer.body.accessToken}` });
  const me = async (headers: Record<string, string>) =>
    (await opened().app.send({ method: 'GET', url: `${users}/me`, headers })).body.result;
  const link = async (headers: Readonly<Record<string, string>>, account: string, more: object = {}) => {
    const nonce = `n${++people}`;
    const idToken = await opened().provider.idToken({ account, nonce });
    return opened().app.send({
      method: 'POST',
      url: mine,
      headers,
      body: { provider: 'staff', idToken, nonce, ...more },
    });
  };
  const later = (ms: number) => {
    opened().app.clock.now += ms;
  };

  return { someone, present, enter, bearer, me, link, later };
}
