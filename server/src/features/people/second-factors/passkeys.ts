import { secretHash } from '../../../access/access.ts';
import type { Actor } from '../../../access/audit.ts';
import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import { isoTime } from '../../../http/answers.ts';
import type { AccountKey, SessionClient, SignedIn } from '../../../sign-in/accounts.ts';
import { assertNotTooMany, Ceremonies } from '../../../sign-in/factors/ceremonies.ts';
import {
  type AuthenticationResponseJSON,
  type CreationOptions,
  creationOptions,
  type RegistrationResponseJSON,
  type RequestOptions,
  requestOptions,
  type Site,
} from '../../../sign-in/factors/webauthn.ts';
import type { Context } from '../../context.ts';
import { assertMayAdd, type FactorCaller, notifyOfChange } from './caller.ts';
import { columnsOf, type PasskeyRow, store, type UserColumns } from './store.ts';
import { lockFor, noteTaken } from './taken.ts';

export type PasskeyDeps = Pick<Context, 'db' | 'now' | 'accounts' | 'tell'>;

const signingIn = 'sign in';
/** A hash: what was asked stays for a while, also when the account is gone. */
const adding = ({ userId }: AccountKey) => `add ${secretHash(userId)}`;
const realmOf = ({ appId }: Pick<AccountKey, 'appId'>) => ({ app_id: appId });

/** @throws Failure OperationForbidden where the app has not switched them on */
function siteOf({ name, policy }: AppContext): Site {
  const { enabled, rpId, origins } = policy.passkeys;
  if (!enabled) throw fail('OperationForbidden', 'This app does not sign in with passkeys (policy passkeys).');
  return { rpId, rpName: name, origins };
}

/** Passkeys of an app's users. The app's policy says to which host name they are bound. */
export class UserPasskeys {
  readonly #deps: PasskeyDeps;
  readonly #ceremonies: Ceremonies<UserColumns>;

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
    this.#ceremonies = new Ceremonies({ ...deps, store, otherwise: 'Sign in in another way.' });
  }

  /** What any passkey of the app may sign. */
  async signInOptions(app: AppContext): Promise<RequestOptions> {
    return this.#ceremonies.ask(await requestOptions(siteOf(app)), { purpose: signingIn, realm: realmOf(app) });
  }

  /** A passkey is two factors: that it is there, and that it has verified the person. @throws Failure UserInvalidLoginParams */
  async signIn(app: AppContext, response: AuthenticationResponseJSON, client: SessionClient): Promise<SignedIn> {
    const { db, accounts } = this.#deps;
    const ceremony = { purpose: signingIn, realm: realmOf(app), site: siteOf(app) };
    const { user_id: userId, passkey_id: signer } = await this.#ceremonies.verify(response, ceremony);
    return db.transaction(async (db) => {
      const account = await accounts.lock(db, { appId: app.appId, userId });
      if (!account) throw fail('UserInvalidLoginParams', 'The account of this passkey is being erased.');
      if (account.isDisabled) throw fail('OperationForbidden', 'This account is disabled.');
      const left = await store.listPasskeys(db, { app_id: app.appId, user_id: userId });
      // Taken away since it has signed, as from somebody who has lost it.
      if (!left.some(({ passkey_id }) => passkey_id === signer))
        throw fail('UserInvalidLoginParams', 'This passkey was removed.');
      return accounts.beginSession(db, app, userId, { ...client, method: 'passkey', hasSecondFactor: true });
    });
  }

  async addOptions(caller: FactorCaller): Promise<CreationOptions> {
    const { db, accounts } = this.#deps;
    const { app, key } = caller;
    const site = siteOf(app);
    await assertMayAdd(this.#deps, caller);
    const account = await accounts.lock(db, key);
    if (!account) throw fail('InvalidSessionToken');
    const known = await store.listPasskeys(db, columnsOf(key));
    assertNotTooMany(known);
    const { email, name } = account;
    const owner = { id: key.userId, email: email || name || key.userId, name: name || email };
    return this.#ceremonies.ask(await creationOptions(site, owner, known), {
      purpose: adding(key),
      realm: realmOf(app),
    });
  }

  /** @throws Failure ValidationError, DuplicateValue */
  async add(
    { app, key, proof, mayTell }: FactorCaller,
    { name, response }: { name: string; response: RegistrationResponseJSON },
  ) {
    const { db, accounts, tell, now } = this.#deps;
    const ceremony = { purpose: adding(key), realm: realmOf(app), site: siteOf(app) };
    const fresh = await this.#ceremonies.readNew(response, ceremony);
    return db.transaction(async (db) => {
      const account = await accounts.lockOneself(db, key, proof);
      const id = await this.#ceremonies.insert(db, columnsOf(key), { name, fresh });
      await notifyOfChange(db, tell, { key, account, mayTell, change: 'passkeys', at: now() });
      const added = (await store.listPasskeys(db, columnsOf(key))).find(({ passkey_id }) => passkey_id === id);
      if (!added) throw new Error('a passkey that was inserted is not there');
      return viewOf(added);
    });
  }

  async list(key: AccountKey) {
    return (await store.listPasskeys(this.#deps.db, columnsOf(key))).map(viewOf);
  }

  /** @throws Failure ObjectNotFound */
  async find(key: AccountKey, objectId: string): Promise<void> {
    if (!(await this.list(key)).some((passkey) => passkey.objectId === objectId)) throw unknown();
  }

  /** @throws Failure ObjectNotFound */
  async rename(key: AccountKey, objectId: string, name: string): Promise<void> {
    if (!(await store.renamePasskey(this.#deps.db, columnsOf(key), objectId, name))) throw unknown();
  }

  /** A passkey is never the only way to sign in, since adding one needs another. @throws Failure OperationForbidden */
  async remove({ key, proof, mayTell }: FactorCaller, objectId: string): Promise<void> {
    const { db, accounts, tell, now } = this.#deps;
    await accounts.assertFresh(key, proof.tokenHash);
    await db.transaction(async (db) => {
      const account = await accounts.lockOneself(db, key, proof);
      await store.deletePasskey(db, columnsOf(key), objectId);
      await notifyOfChange(db, tell, { key, account, mayTell, change: 'passkeys', at: now() });
    });
  }

  /** Removes a lost passkey on behalf of the user. @throws Failure ObjectNotFound */
  async removeFor(key: AccountKey, objectId: string, by: Actor): Promise<void> {
    const { db } = this.#deps;
    await db.transaction(async (db) => {
      const account = await lockFor(this.#deps, db, key);
      const lost = (await store.listPasskeys(db, columnsOf(key))).find(({ passkey_id: id }) => id === objectId);
      if (!lost) throw fail('ObjectNotFound', 'This user has no passkey with this objectId.');
      await store.deletePasskey(db, columnsOf(key), objectId);
      const states = { before: { passkey: lost.name }, after: { passkey: null } };
      await noteTaken(this.#deps, db, { key, by, account, ...states, change: 'passkeys' });
    });
  }

  sweep(): Promise<void> {
    return this.#ceremonies.sweep();
  }
}

const viewOf = (row: PasskeyRow) => ({
  objectId: row.passkey_id,
  name: row.name,
  host: row.rp_id,
  synced: row.is_synced > 0,
  createdAt: isoTime(row.created_at),
  lastUsedAt: row.last_used_at === null ? null : isoTime(row.last_used_at),
});

const unknown = () => fail('ObjectNotFound', 'You have no passkey with this objectId.');
