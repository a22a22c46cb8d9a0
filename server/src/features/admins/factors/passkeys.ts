import type { Actor } from '../../../access/audit.ts';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { type Database, type Db, UniqueViolation } from '../../../db/db.ts';
import type { AdminContext } from '../../../http/console/console-endpoint.ts';
import type { SecondFactors } from './second-factors.ts';
import * as store from './store.ts';
import {
  type AuthenticationResponseJSON,
  type CreationOptions,
  challengeMs,
  challengeOf,
  creationOptions,
  type NewPasskey,
  type Owner,
  type RegistrationResponseJSON,
  type RequestOptions,
  readRegistration,
  requestOptions,
  unusable,
  verifySignature,
} from './webauthn.ts';

/** More than anybody has keys and devices. */
const mostPasskeys = 20;

export interface PasskeyDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly factors: SecondFactors;
}

/** A passkey that its owner wants to add. */
export interface GivenPasskey {
  readonly name: string;
  readonly response: RegistrationResponseJSON;
}

const signingIn = 'sign in';
const confirming = ({ adminId }: AdminContext) => `confirm ${adminId}`;
const joining = (adminId: string) => `join ${adminId}`;
const adding = ({ adminId }: AdminContext) => `add ${adminId}`;

/** Passkeys of administrators: WebAuthn credentials that are found without a name and verify the person. */
export class Passkeys {
  readonly #deps: PasskeyDeps;

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
  }

  /** What any passkey of this console may sign, to sign in. */
  async signInOptions(origin: string): Promise<RequestOptions> {
    return this.#ask(await requestOptions(origin), signingIn);
  }

  /** The passkey that signed. @throws Failure UserInvalidLoginParams */
  async readSignIn(response: AuthenticationResponseJSON, origin: string): Promise<store.PasskeyRow> {
    return this.#verify(response, signingIn, origin);
  }

  /** @throws Failure OperationForbidden when the administrator has none */
  async confirmOptions(admin: AdminContext, origin: string): Promise<RequestOptions> {
    const { db } = this.#deps;
    const known = await store.listPasskeys(db, admin.adminId);
    if (known.length === 0) throw fail('OperationForbidden', 'You have no passkey. Confirm with your password.');
    return this.#ask(await requestOptions(origin, known), confirming(admin));
  }

  /** @throws Failure UserInvalidLoginParams */
  async assertConfirmed(admin: AdminContext, response: AuthenticationResponseJSON, origin: string): Promise<void> {
    const { admin_id: owner } = await this.#verify(response, confirming(admin), origin);
    if (owner !== admin.adminId) throw refused('This passkey belongs to somebody else.');
  }

  async addOptions(admin: AdminContext, origin: string): Promise<CreationOptions> {
    const { db } = this.#deps;
    const known = await store.listPasskeys(db, admin.adminId);
    assertNotTooMany(known);
    const owner = { id: admin.adminId, email: admin.email, name: admin.name };
    return this.#ask(await creationOptions(origin, owner, known), adding(admin));
  }

  /** For somebody who is about to become an administrator. */
  async firstOptions(owner: Owner, origin: string): Promise<CreationOptions> {
    return this.#ask(await creationOptions(origin, owner, []), joining(owner.id));
  }

  /** @throws Failure ValidationError */
  async readFirst(adminId: string, response: RegistrationResponseJSON, origin: string): Promise<NewPasskey> {
    return this.#readNew(response, joining(adminId), origin);
  }

  /** The passkey, and recovery codes if it is the first factor. @throws Failure ValidationError, DuplicateValue */
  async add(admin: AdminContext, { name, response }: GivenPasskey, { origin, by }: { origin: string; by: Actor }) {
    const { db, factors } = this.#deps;
    const fresh = await this.#readNew(response, adding(admin), origin);
    let passkeyId = '';
    const codes = await factors.change(admin, { by, action: 'passkey.create', subject: name }, async (db) => {
      assertNotTooMany(await store.listPasskeys(db, admin.adminId));
      passkeyId = await this.insert(db, { adminId: admin.adminId, name }, fresh);
    });
    const passkey = (await store.listPasskeys(db, admin.adminId)).find(({ passkey_id: id }) => id === passkeyId);
    if (!passkey) throw fail('ObjectNotFound', 'The passkey was removed again in the meantime.');
    return { passkey, codes };
  }

  async #readNew(response: RegistrationResponseJSON, purpose: string, origin: string): Promise<NewPasskey> {
    const challenge = await this.#taken(response, purpose);
    if (challenge === undefined) throw unusable();
    return readRegistration(response, { challenge, origin });
  }

  /** @throws Failure DuplicateValue */
  async insert(db: Db, owner: { readonly adminId: string; readonly name: string }, fresh: NewPasskey): Promise<string> {
    const { now } = this.#deps;
    const passkeyId = newObjectId(now());
    try {
      await store.insertPasskey(db, {
        ...fresh,
        passkey_id: passkeyId,
        admin_id: owner.adminId,
        name: owner.name,
        created_at: now(),
      });
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      throw fail('DuplicateValue', 'This passkey is registered here already.');
    }
    return passkeyId;
  }

  /** @throws Failure ObjectNotFound */
  async rename(admin: AdminContext, passkeyId: string, name: string): Promise<void> {
    const { db } = this.#deps;
    if (!(await store.renamePasskey(db, admin.adminId, passkeyId, name))) throw unknown();
  }

  /** @throws Failure ObjectNotFound, OperationForbidden when it is the last way to sign in, or the last factor needed */
  async remove(admin: AdminContext, passkeyId: string, by: Actor): Promise<void> {
    const { db, factors } = this.#deps;
    const found = (await store.listPasskeys(db, admin.adminId)).find(({ passkey_id: id }) => id === passkeyId);
    if (!found) throw unknown();
    await factors.change(admin, { by, action: 'passkey.delete', subject: found.name }, (db) =>
      store.deletePasskey(db, admin.adminId, passkeyId),
    );
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await store.deleteExpiredChallenges(db, now());
  }

  async #ask<T extends { readonly challenge: string }>(options: T, purpose: string): Promise<T> {
    const { db, now } = this.#deps;
    await store.insertChallenge(db, { challenge: options.challenge, purpose, expiresAt: now() + challengeMs });
    return options;
  }

  /** Each challenge is answered once, whether the answer is right or not. */
  async #taken(response: AuthenticationResponseJSON | RegistrationResponseJSON, purpose: string) {
    const { db, now } = this.#deps;
    const challenge = challengeOf(response);
    if (challenge === undefined || !(await store.takeChallenge(db, challenge, purpose, now()))) return undefined;
    return challenge;
  }

  async #verify(response: AuthenticationResponseJSON, purpose: string, origin: string): Promise<store.PasskeyRow> {
    const { db, now } = this.#deps;
    const challenge = await this.#taken(response, purpose);
    if (challenge === undefined) throw refused('This took too long, or was used already. Try again.');
    const row = await store.findPasskeyByCredential(db, response.id);
    if (!row) throw refused('This passkey is not registered here, or was removed. Sign in with your password.');
    let counter: number;
    try {
      counter = await verifySignature(row, response, { challenge, origin });
    } catch (cause) {
      throw refused('This passkey was not accepted.', cause);
    }
    if (!(await store.notePasskeyUse(db, row, counter, now()))) throw refused('This passkey was not accepted.');
    return row;
  }
}

const refused = (message: string, cause?: unknown) => fail('UserInvalidLoginParams', { message, cause });
const unknown = () => fail('ObjectNotFound', 'You have no such passkey.');

function assertNotTooMany(known: readonly store.PasskeyRow[]): void {
  if (known.length >= mostPasskeys)
    throw fail('OperationForbidden', `You have ${mostPasskeys} passkeys already. Remove one first.`);
}
