import type { Actor } from '../../../../access/audit.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import type { AdminContext } from '../../../../http/console/console-endpoint.ts';
import { assertNotTooMany, Ceremonies, refused } from '../../../../sign-in/factors/ceremonies.ts';
import {
  type AuthenticationResponseJSON,
  type CreationOptions,
  creationOptions,
  type NewPasskey,
  type PasskeyOwner,
  type RegistrationResponseJSON,
  type RequestOptions,
  requestOptions,
  siteOf,
} from '../../../../sign-in/factors/webauthn.ts';
import type { Context } from '../../../context.ts';
import type { SecondFactors } from './second-factors.ts';
import { type AdminKey, keyOf, type PasskeyRow, store } from './store.ts';

export interface PasskeyDeps extends Pick<Context, 'db' | 'now'> {
  readonly factors: SecondFactors;
}

export interface GivenPasskey {
  readonly name: string;
  readonly response: RegistrationResponseJSON;
}

const signingIn = 'sign in';
const confirming = ({ adminId }: AdminContext) => `confirm ${adminId}`;
const joining = (adminId: string) => `join ${adminId}`;
const adding = ({ adminId }: AdminContext) => `add ${adminId}`;

/** Challenges belong to no administrator; their purpose names one. */
const realm = {};

/** Passkeys of administrators, which are bound to the host name of the console. */
export class Passkeys {
  readonly #deps: PasskeyDeps;
  readonly #ceremonies: Ceremonies<AdminKey>;

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
    this.#ceremonies = new Ceremonies({ ...deps, store, otherwise: 'Sign in with your password.' });
  }

  /** A challenge that any passkey of the console may sign. */
  async signInOptions(origin: string): Promise<RequestOptions> {
    return this.#ceremonies.ask(await requestOptions(siteOf(origin)), { purpose: signingIn, realm });
  }

  /** The passkey that signed. @throws Failure UserInvalidLoginParams */
  readSignIn(response: AuthenticationResponseJSON, origin: string): Promise<PasskeyRow> {
    return this.#ceremonies.verify(response, { purpose: signingIn, realm, site: siteOf(origin) });
  }

  /** @throws Failure OperationForbidden when the administrator has none */
  async confirmOptions(admin: AdminContext, origin: string): Promise<RequestOptions> {
    const { db } = this.#deps;
    const known = await store.listPasskeys(db, keyOf(admin.adminId));
    if (known.length === 0) throw fail('OperationForbidden', 'You have no passkey. Confirm with your password.');
    return this.#ceremonies.ask(await requestOptions(siteOf(origin), known), { purpose: confirming(admin), realm });
  }

  /** @throws Failure UserInvalidLoginParams */
  async assertConfirmed(admin: AdminContext, response: AuthenticationResponseJSON, origin: string): Promise<void> {
    const ceremony = { purpose: confirming(admin), realm, site: siteOf(origin) };
    const { admin_id: owner } = await this.#ceremonies.verify(response, ceremony);
    if (owner !== admin.adminId) throw refused('This passkey belongs to somebody else.');
  }

  async addOptions(admin: AdminContext, origin: string): Promise<CreationOptions> {
    const { db } = this.#deps;
    const known = await store.listPasskeys(db, keyOf(admin.adminId));
    assertNotTooMany(known);
    const owner = { id: admin.adminId, email: admin.email, name: admin.name };
    return this.#ceremonies.ask(await creationOptions(siteOf(origin), owner, known), { purpose: adding(admin), realm });
  }

  /** For somebody who is about to become an administrator. */
  async firstOptions(owner: PasskeyOwner, origin: string): Promise<CreationOptions> {
    return this.#ceremonies.ask(await creationOptions(siteOf(origin), owner, []), {
      purpose: joining(owner.id),
      realm,
    });
  }

  /** @throws Failure ValidationError */
  readFirst(adminId: string, response: RegistrationResponseJSON, origin: string): Promise<NewPasskey> {
    return this.#ceremonies.readNew(response, { purpose: joining(adminId), realm, site: siteOf(origin) });
  }

  /** The passkey, and recovery codes if it is the first factor. @throws Failure ValidationError, DuplicateValue */
  async add(admin: AdminContext, { name, response }: GivenPasskey, { origin, by }: { origin: string; by: Actor }) {
    const { db, factors } = this.#deps;
    const ceremony = { purpose: adding(admin), realm, site: siteOf(origin) };
    const fresh = await this.#ceremonies.readNew(response, ceremony);
    let passkeyId = '';
    const codes = await factors.change(admin, { by, action: 'passkey.create', subject: name }, async (db) => {
      passkeyId = await this.insert(db, { adminId: admin.adminId, name }, fresh);
    });
    const passkey = (await store.listPasskeys(db, keyOf(admin.adminId))).find(({ passkey_id: id }) => id === passkeyId);
    if (!passkey) throw fail('ObjectNotFound', 'The passkey was removed again in the meantime.');
    return { passkey, codes };
  }

  /** @throws Failure DuplicateValue */
  insert(db: Db, { adminId, name }: { readonly adminId: string; readonly name: string }, fresh: NewPasskey) {
    return this.#ceremonies.insert(db, keyOf(adminId), { name, fresh });
  }

  /** @throws Failure ObjectNotFound */
  async rename(admin: AdminContext, passkeyId: string, name: string): Promise<void> {
    if (!(await store.renamePasskey(this.#deps.db, keyOf(admin.adminId), passkeyId, name))) throw unknown();
  }

  /** @throws Failure ObjectNotFound, OperationForbidden when it is the last way to sign in, or the last factor needed */
  async remove(admin: AdminContext, passkeyId: string, by: Actor): Promise<void> {
    const { db, factors } = this.#deps;
    const owner = keyOf(admin.adminId);
    const found = (await store.listPasskeys(db, owner)).find(({ passkey_id: id }) => id === passkeyId);
    if (!found) throw unknown();
    await factors.change(admin, { by, action: 'passkey.delete', subject: found.name }, (db) =>
      store.deletePasskey(db, owner, passkeyId),
    );
  }

  sweep(): Promise<void> {
    return this.#ceremonies.sweep();
  }
}

const unknown = () => fail('ObjectNotFound', 'You have no such passkey.');
