import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { type Answer, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { halfway as goHalfway } from '../../../../../test/support/halfway.ts';
import { SoftwarePasskey } from '../../../../../test/support/servers/software-passkey.ts';
import {
  catchUp,
  closeStaffApp,
  openStaffApp,
  type StaffApp,
  staffOf,
  users,
} from '../../../../../test/support/sites/staff-app.ts';
import { sql } from '../../../../base/sql.ts';

const site = 'https://app.museum.example';

/** Of two things that happen to an account at the same moment; on SQLite one of them is over before the other begins. */
describe('whoever is cast out of an account halfway through', () => {
  let opened: StaffApp;
  let app: TestApp;
  const { someone, enter, bearer, me, link } = staffOf(() => opened);
  beforeAll(async () => {
    opened = await openStaffApp('postgres');
    ({ app } = opened);
    const passkeys = { enabled: true, rpId: 'museum.example', origins: [site] };
    await app.app.apps.change(app.appId, { policy: { passkeys, totp: 'optional' } });
  });
  afterAll(() => closeStaffApp(opened));
  beforeEach(() => catchUp(opened));

  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, user: SignedIn, body?: object) =>
    app.send({ method, url: `${users}/me${path}`, headers: user.headers, ...(body ? { body } : {}) });

  /** Whoever reads the mails to the address chooses a new password, which casts out everybody else. */
  async function takeOver({ userId }: SignedIn) {
    const token = `${userId}${'x'.repeat(43)}`.slice(0, 43);
    const tokenHash = createHash('sha256').update(token).digest('base64url');
    await app.storage.db.run(sql`insert into password_resets (app_id, token_hash, user_id, expires_at)
      values (${app.appId}, ${tokenHash}, ${userId}, ${app.clock.now + 60_000})`);
    const body = { token, password: 'better horse' };
    assert.equal((await app.send({ method: 'POST', url: `${users}/password/reset`, body })).status, 200);
  }

  /** Lets `first` come as far as the account, does `second`, and goes on. */
  async function halfway(first: () => Promise<Answer>, second: () => Promise<unknown>): Promise<Answer> {
    const form = /^select \* from users where app_id = \? and object_id = \? for update/;
    const [answer] = await goHalfway(app, form, first, second);
    return answer;
  }

  const assertOut = ({ status, body }: Answer) =>
    assert.deepEqual([status, body.error?.name], [403, 'InvalidSessionToken'], JSON.stringify(body));

  test('has no session by an identity that is no longer the account’s', async () => {
    const { account } = someone({ email_verified: false });
    const user = await signIn(app);
    assert.equal((await link(user.headers, account)).status, 201);
    const answer = await halfway(
      () => enter(account),
      () => takeOver(user),
    );
    const headers = answer.status === 200 ? bearer(answer) : {};
    assert.notEqual((await me(headers))?.objectId, user.userId);
  });

  test('links no identity to it', async () => {
    const { account } = someone({ email_verified: false });
    const user = await signIn(app);
    const answer = await halfway(
      () => link(user.headers, account),
      () => takeOver(user),
    );
    assertOut(answer);
    assert.notEqual((await enter(account)).body.objectId, user.userId);
  });

  test('adds no passkey to it', async () => {
    const user = await signIn(app);
    const { result } = (await send('POST', '/passkeys/challenge', user, {})).body;
    const passkey = new SoftwarePasskey(site).register(result);
    assertOut(
      await halfway(
        () => send('POST', '/passkeys', user, { name: 'Mine', passkey }),
        () => takeOver(user),
      ),
    );
  });

  test('sets up no authenticator app for it, and no recovery codes', async () => {
    const user = await signIn(app);
    const { secret } = (await send('POST', '/totp', user, {})).body.result;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now });
    const enable = () => send('PUT', '/totp', user, { code });
    const other = await app.send({
      method: 'POST',
      url: `${users}/signin`,
      body: { email: (await send('GET', '', user)).body.result.validemail, password: 'correct horse' },
    });
    const endOthers = () => app.send({ method: 'DELETE', url: `${users}/me/sessions`, headers: bearer(other) });
    assertOut(await halfway(enable, endOthers));
    const owner = { ...user, headers: bearer(other) };
    assert.equal((await send('PUT', '/totp', owner, { code })).status, 200);
    assertOut(
      await halfway(
        () => send('POST', '/recovery-codes', owner),
        () => takeOver(user),
      ),
    );
  });

  test('chooses no password and no address for an account that had none', async () => {
    for (const change of [{ password: 'the thief’s' }, { email: 'thief@example.org' }]) {
      const { account } = someone({ email_verified: false });
      const [thief, owner] = [await enter(account), await enter(account)];
      const changing = () => app.send({ method: 'PATCH', url: `${users}/me`, headers: bearer(thief), body: change });
      const endOthers = () => app.send({ method: 'DELETE', url: `${users}/me/sessions`, headers: bearer(owner) });
      assertOut(await halfway(changing, endOthers));
    }
  });
});
