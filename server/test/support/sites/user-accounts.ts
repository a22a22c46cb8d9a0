import { accountExample } from '../../../src/features/people/users/schemas.ts';
import { buildApp, type databases, type SignedIn, type TestApp } from '../build-app.ts';

/** An app whose users sign up, sign in and look after their accounts. */

export const users = '/api/v2/users';
export const me = `${users}/me`;
export const dayMs = 86_400_000;

let people = 0;
/** A sign-up body with a unique e-mail address. */
export const someone = (change: object = {}) => ({
  ...accountExample,
  email: `someone${++people}@example.org`,
  ...change,
});

export async function openUserApp(database: (typeof databases)[number]): Promise<TestApp> {
  const app = await buildApp({ database, strongPasswords: true });
  // Most of these tests are not about the limit for an address.
  await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  return app;
}

/** What users do. */
export function userRequests(app: () => TestApp) {
  const getMe = async (user: SignedIn) =>
    (await app().send({ method: 'GET', url: me, headers: user.headers })).body.result;
  const login = (body: object, target = app()) => target.send({ method: 'POST', url: `${users}/signin`, body });
  const isAlive = async (user: SignedIn) =>
    (await app().send({ method: 'GET', url: me, headers: user.headers })).status === 200;
  return { getMe, login, isAlive };
}
