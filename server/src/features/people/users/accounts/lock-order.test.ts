import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { halfway } from '../../../../../test/support/halfway.ts';
import { watchStatements } from '../../../../../test/support/statements.ts';
import { secretHash } from '../../../../access/access.ts';
import { noteTokenUse } from '../session-store.ts';

const users = '/api/v2/users';

/** Two that lock the same in another order would wait for each other for a second, and one of them would begin anew. */
describe('a session that is ended', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp({ database: 'postgres' });
    await app.app.apps.change(app.appId, { policy: { totp: 'optional' } });
  });
  afterAll(() => app.close());

  const signOut = ({ headers }: SignedIn) => app.send({ method: 'POST', url: `${users}/signout`, headers });

  /** How often each of these statements was sent. */
  async function counting(forms: readonly RegExp[], work: () => Promise<unknown>): Promise<number[]> {
    const statements = watchStatements(app.storage.db, { pollers: true });
    await work();
    const texts = statements.take();
    return forms.map((form) => texts.filter((text) => form.test(text)).length);
  }

  test('while its use is noted', async () => {
    const user = await signIn(app);
    const use = { now: app.clock.now, expiresAt: app.clock.now + 60_000 };
    const noting = /^update (tokens|sessions) set last_used_at/;
    let sent = 0;
    const second = (text: string) => noting.test(text) && ++sent === 2;
    const counts = await counting([noting, /^delete from sessions where .* and object_id = \?/], () =>
      halfway(
        app,
        { test: second } as RegExp,
        () => noteTokenUse(app.storage.db, app.appId, secretHash(user.token), use),
        () => signOut(user),
      ),
    );
    assert.deepEqual(counts, [2, 1]);
  });

  test('while an authenticator app is set up in another one', async () => {
    const user = await signIn(app);
    const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      app.send({ method, url: `${users}${path}`, headers: user.headers, ...(body ? { body } : {}) });
    const { validemail: email } = (await send('GET', '/me')).body.result;
    const { accessToken } = (await send('POST', '/signin', { email, password: 'correct horse' })).body;
    const other = { ...user, headers: { authorization: `Bearer ${accessToken}` } };
    const { secret } = (await send('POST', '/me/totp', {})).body.result;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now });
    const counts = await counting([/^insert into revisions/], () =>
      halfway(
        app,
        /^delete from sessions where .* and object_id <> \?/,
        () => send('PUT', '/me/totp', { code }),
        () => signOut(other),
      ),
    );
    assert.deepEqual(counts, [2], 'each counts its change once');
  });
});
