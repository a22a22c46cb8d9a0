import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { newObjectId } from '../../base/id.ts';
import { type Database, type Db, ifTaken } from '../../db/db.ts';
import type { FactorStore, OwnerColumns, PasskeyRow } from './factor-store.ts';
import {
  type AuthenticationResponseJSON,
  challengeMs,
  challengeOf,
  type NewPasskey,
  type RegistrationResponseJSON,
  readRegistration,
  type Site,
  unusable,
  verifySignature,
} from './webauthn.ts';

/** More than anybody has keys and devices. */
const maxPasskeys = 20;

export interface CeremonyDeps<Owner extends OwnerColumns> {
  readonly db: Database;
  readonly store: FactorStore<Owner>;
  readonly now: Clock;
  /** What somebody can do whose passkey is not known here. */
  readonly otherwise: string;
}

/** For what a challenge was asked, among whose passkeys, and where. */
export interface Ceremony {
  readonly purpose: string;
  readonly realm: OwnerColumns;
  readonly site: Site;
}

/** WebAuthn from a challenge to the verified answer: credentials that are found without a name and verify the person. */
export class Ceremonies<Owner extends OwnerColumns> {
  readonly #deps: CeremonyDeps<Owner>;

  constructor(deps: CeremonyDeps<Owner>) {
    this.#deps = deps;
  }

  /** Notes what was asked. */
  async ask<T extends { readonly challenge: string }>(
    options: T,
    { purpose, realm }: Omit<Ceremony, 'site'>,
  ): Promise<T> {
    const { db, store, now } = this.#deps;
    const { challenge } = options;
    await store.insertChallenge(db, realm, { challenge, purpose, expiresAt: now() + challengeMs });
    return options;
  }

  /** @throws Failure ValidationError */
  async readNew(response: RegistrationResponseJSON, ceremony: Ceremony): Promise<NewPasskey> {
    const challenge = await this.#taken(response, ceremony);
    if (challenge === undefined) throw unusable();
    return readRegistration(response, { challenge, site: ceremony.site });
  }

  /** In a transaction. Answers its id. @throws Failure DuplicateValue, OperationForbidden when there are too many */
  async insert(db: Db, owner: Owner, { name, fresh }: { name: string; fresh: NewPasskey }): Promise<string> {
    const { store, now } = this.#deps;
    assertNotTooMany(await store.listPasskeys(db, owner));
    const passkeyId = newObjectId(now());
    await store
      .insertPasskey(db, owner, { ...fresh, passkey_id: passkeyId, name, created_at: now() })
      .catch(ifTaken(() => fail('DuplicateValue', 'This passkey is registered here already.')));
    return passkeyId;
  }

  /** The passkey that signed. @throws Failure UserInvalidLoginParams */
  async verify(response: AuthenticationResponseJSON, ceremony: Ceremony): Promise<PasskeyRow & Owner> {
    const { db, store, now, otherwise } = this.#deps;
    const { realm, site } = ceremony;
    const challenge = await this.#taken(response, ceremony);
    if (challenge === undefined) throw refused('This took too long, or was used already. Try again.');
    const row = await store.findPasskeyByCredential(db, realm, response.id);
    if (!row) throw refused(`This passkey is not registered here, or was removed. ${otherwise}`);
    let next: number;
    try {
      next = await verifySignature(row, response, { challenge, site });
    } catch (cause) {
      throw refused('This passkey was not accepted.', cause);
    }
    if (!(await store.notePasskeyUse(db, realm, { row, next, now: now() })))
      throw refused('This passkey was not accepted.');
    return row;
  }

  async sweep(): Promise<void> {
    const { db, store, now } = this.#deps;
    await store.deleteExpiredChallenges(db, now());
  }

  /** Each challenge is answered once, whether the answer is right or not. */
  async #taken(
    response: AuthenticationResponseJSON | RegistrationResponseJSON,
    { purpose, realm }: Ceremony,
  ): Promise<string | undefined> {
    const { db, store, now } = this.#deps;
    const challenge = challengeOf(response);
    if (challenge === undefined) return undefined;
    return (await store.takeChallenge(db, realm, { challenge, purpose, now: now() })) ? challenge : undefined;
  }
}

export const refused = (message: string, cause?: unknown) => fail('UserInvalidLoginParams', { message, cause });

export function assertNotTooMany(known: readonly PasskeyRow[]): void {
  if (known.length >= maxPasskeys)
    throw fail('OperationForbidden', `You have ${maxPasskeys} passkeys already. Remove one first.`);
}
