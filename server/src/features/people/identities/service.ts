import type { SessionAccess } from '../../../access/access.ts';
import type { AppContext, UserRole } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import { type Db, UniqueViolation } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Account, AccountKey, AccountProof, SignedIn as Begun, SessionClient } from '../../../sign-in/accounts.ts';
import {
  TokenRefused,
  unverifiedIssuer,
  type VerifiedToken,
  verifyAccessToken,
  verifyIdToken,
} from '../../../sign-in/oidc/id-token.ts';
import type { IssuerKeys } from '../../../sign-in/oidc/issuer-keys.ts';
import type { Context } from '../../context.ts';
import { profileOf, type RoleMapping, roleFrom } from './profile.ts';
import { trustOf } from './provider-kinds.ts';
import * as store from './store.ts';

export interface IdentityDeps extends Pick<Context, 'db' | 'cacheVersion' | 'now' | 'accounts'> {
  readonly keys: IssuerKeys;
}

/** An ID token as an app presents it. The names are used for a new account if the token has none. */
export interface Presented {
  readonly provider: string;
  readonly idToken: string;
  readonly nonce: string | undefined;
  readonly firstname?: string | undefined;
  readonly lastname?: string | undefined;
}

export interface IdentitySignIn {
  readonly session: Begun;
  /** The account was made just now. */
  readonly isNew: boolean;
}

interface Person {
  readonly subject: store.IdentitySubject;
  readonly token: VerifiedToken;
  /** What the provider says; undefined if it has no say in roles. */
  readonly role: UserRole | undefined;
}

type Names = Pick<Presented, 'firstname' | 'lastname'>;

const dayMs = 86_400_000;
/** An expired token is accepted for half a minute more. */
const graceMs = 60_000;
const maxTries = 3;

/** Somebody else did the same at the same moment. */
class Raced extends Error {}

/** Signing in through identity providers, and the identities of users there. */
export class IdentityService {
  readonly #deps: IdentityDeps;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  /**
   * Signs in the person that the ID token names, with a new account the first time. An account with the same e-mail address is
   * linked only if both sides have verified the address: else whoever signed up first with somebody's address, there or
   * here, would come into that person's account.
   *
   * @throws Failure UserInvalidLoginParams for a token that is not accepted, UserEmailTaken, ObjectNotFound,
   * OperationForbidden, Timeout while the provider does not answer
   */
  async signIn(app: AppContext, presented: Presented, client: SessionClient): Promise<IdentitySignIn> {
    const { accounts, cacheVersion } = this.#deps;
    const person = await this.#verify(app, presented);
    const { role } = person;
    const how = { ...client, method: 'identityProvider', provider: presented.provider } as const;
    return this.#settled(async (db) => {
      await this.#useOnce(db, person);
      const { account, isNew } =
        (await this.#known(db, person)) ?? (await this.#adopt(db, app, { ...person, names: presented }));
      if (account.isDisabled) throw fail('OperationForbidden', 'This account is disabled.');
      const key = { appId: app.appId, userId: account.userId };
      if (role !== undefined && role !== account.role) {
        await cacheVersion.note(db, app.appId);
        await accounts.setRole(db, key, role);
      }
      return { session: await accounts.beginSession(db, app, account.userId, how), isNew };
    });
  }

  /**
   * Links an identity to the account of whoever is signed in.
   *
   * @throws Failure DuplicateValue when it belongs to another account, and those of signing in and `assertOneself`
   */
  async link(app: AppContext, key: AccountKey, presented: Presented, proof: AccountProof) {
    const { accounts } = this.#deps;
    await accounts.assertOneself(key, proof);
    const person = await this.#verify(app, presented);
    const profile = profileOf(person.token);
    return this.#settled(async (db) => {
      await this.#useOnce(db, person);
      const known = await store.findIdentity(db, person.subject);
      if (known && known.user_id !== key.userId)
        throw fail('DuplicateValue', 'This identity is linked to another account.');
      await accounts.lockOneself(db, key, proof);
      const row = known ?? (await this.#insert(db, person, key.userId));
      if (profile.isEmailVerified && profile.email) await accounts.noteVerified(db, key, profile.email);
      return viewOf({ ...row, provider: presented.provider, is_enabled: 1 });
    });
  }

  async list({ appId, userId }: AccountKey) {
    return (await store.listIdentities(this.#deps.db, appId, userId)).map(viewOf);
  }

  /** @throws Failure ObjectNotFound */
  async find(key: AccountKey, objectId: string): Promise<void> {
    const { db } = this.#deps;
    const own = await store.listIdentities(db, key.appId, key.userId);
    if (!own.some(({ object_id }) => object_id === objectId)) throw noIdentity();
  }

  /** @throws Failure ObjectNotFound, OperationForbidden when nothing else is left to sign in with */
  async unlink(key: AccountKey, objectId: string): Promise<void> {
    const { accounts, cacheVersion } = this.#deps;
    await cacheVersion.change(key.appId, async (db) => {
      const account = await accounts.lock(db, key);
      const own = await store.listIdentities(db, key.appId, key.userId);
      if (!account || !own.some(({ object_id }) => object_id === objectId)) throw noIdentity();
      const others = own.filter((identity) => identity.object_id !== objectId && identity.is_enabled === 1);
      if (!account.hasPassword && others.length === 0)
        throw fail(
          'OperationForbidden',
          'This is the last way to sign in to the account. Set a password or link another identity first.',
        );
      await store.deleteIdentity(db, key.appId, objectId);
    });
  }

  /**
   * Whose request it is that comes with a token of a provider whose tokens are accepted here. Undefined for any other
   * token. An account is made at first sight; one with the same e-mail address is linked as by signing in, or else the
   * new one has none.
   *
   * @throws Failure Timeout while the provider does not answer and its keys are not known
   */
  async accept(app: AppContext, accessToken: string): Promise<SessionAccess | undefined> {
    const { db, keys, now } = this.#deps;
    const issuer = unverifiedIssuer(accessToken);
    const provider = issuer === undefined ? undefined : await store.findProviderByIssuer(db, app.appId, issuer);
    if (provider?.is_enabled !== 1 || provider.accepts_tokens !== 1) return undefined;
    const trust = trustOf(provider);
    try {
      const token = await verifyAccessToken(accessToken, { issuer: trust, keys: keys.of(trust), now: now() });
      const person = personOf(app, provider, token);
      const { account } = await this.#settled(
        async (db) => (await this.#known(db, person)) ?? (await this.#adopt(db, app, { ...person, isTrusted: true })),
      );
      if (account.isDisabled) return undefined;
      return {
        userId: account.userId,
        role: person.role ?? account.role,
        venueIds: account.venueIds,
        expiresAt: token.expiresAt,
        lastUsedAt: now(),
        isFixed: true,
      };
    } catch (error) {
      if (error instanceof TokenRefused) return undefined;
      throw error;
    }
  }

  /** Forgets used ID tokens that have expired, and those who were erased long ago, in small steps. */
  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await deleteInSteps(db, { table: 'used_id_tokens', id: 'token_hash', scope: sql`expires_at <= ${now()}` });
    const longAgo = now() - store.refusedMs;
    await deleteInSteps(db, { table: 'erased_identities', id: 'person_hash', scope: sql`erased_at <= ${longAgo}` });
  }

  async #verify(app: AppContext, { provider: name, idToken, nonce }: Presented): Promise<Person> {
    const { db, keys, now } = this.#deps;
    const provider = await store.findProviderByName(db, app.appId, name);
    if (!provider) throw fail('ObjectNotFound', `This app has no identity provider ${name}.`);
    if (provider.is_enabled !== 1) throw fail('OperationForbidden', `The identity provider ${name} is switched off.`);
    const trust = trustOf(provider);
    try {
      const token = await verifyIdToken(idToken, { issuer: trust, keys: keys.of(trust), now: now(), nonce });
      return personOf(app, provider, token);
    } catch (error) {
      if (error instanceof TokenRefused) throw fail('UserInvalidLoginParams', error.message);
      throw error;
    }
  }

  /** @throws Failure UserInvalidLoginParams when the token has been used */
  async #useOnce(db: Db, { subject: { appId }, token: { hash, expiresAt } }: Person): Promise<void> {
    const until = Math.min(expiresAt, this.#deps.now() + dayMs) + graceMs;
    if (await store.useToken(db, { appId, hash, expiresAt: until })) return;
    throw fail('UserInvalidLoginParams', 'This ID token has been used before. Sign in at the provider again.');
  }

  async #known(db: Db, { subject, token }: Person): Promise<Adopted | undefined> {
    const { accounts, now } = this.#deps;
    const identity = await store.findIdentity(db, subject);
    if (!identity) return undefined;
    const account = await accounts.lock(db, { appId: subject.appId, userId: identity.user_id });
    if (!account) {
      // Of somebody whose erasure is in progress: the person starts anew.
      await store.deleteIdentity(db, subject.appId, identity.object_id);
      return undefined;
    }
    // Taken from the account since, as by the first proof of its address: it opens nothing any more.
    const left = await store.findIdentity(db, subject);
    if (left?.object_id !== identity.object_id) throw new Raced();
    const email = profileOf(token).email ?? null;
    if (email !== identity.email || now() - identity.last_used_at > dayMs)
      await store.noteIdentityUse(db, identity, { email, now: now() });
    return { account, isNew: false };
  }

  /** The account of a person who comes for the first time. */
  async #adopt(
    db: Db,
    app: AppContext,
    { names = {}, isTrusted = false, ...person }: Person & { readonly names?: Names; readonly isTrusted?: boolean },
  ): Promise<Adopted> {
    const { accounts, now } = this.#deps;
    const profile = profileOf(person.token);
    const owner = profile.email === undefined ? undefined : await accounts.lockByEmail(db, app.appId, profile.email);
    if (owner && profile.isEmailVerified && owner.hasVerifiedEmail) {
      await this.#insert(db, person, owner.userId);
      return { account: owner, isNew: false };
    }
    if (owner && !isTrusted) throw notLinked();
    if (!isTrusted && app.rules.of('users').rules.create.gate !== 'open') throw notOpen();
    if (isTrusted) await this.#assertIssuedSinceErasure(db, person);
    const userId = newObjectId(now());
    await this.#insert(db, person, userId);
    const role = person.role ?? 'user';
    await accounts.create(
      db,
      { appId: app.appId, userId },
      {
        email: profile.isEmailVerified && !owner ? profile.email : undefined,
        firstname: profile.firstname || names.firstname || '',
        lastname: profile.lastname || names.lastname || '',
        role,
        now: now(),
      },
    );
    return { account: { ...nobody, userId, role }, isNew: true };
  }

  /**
   * A token of an erased person that an app still has would create another account, unasked.
   *
   * @throws TokenRefused
   */
  async #assertIssuedSinceErasure(db: Db, { subject, token }: Person): Promise<void> {
    const erasedAt = await store.findErasedAt(db, subject);
    if (erasedAt !== undefined && (token.claims.iat ?? 0) * 1000 <= erasedAt)
      throw new TokenRefused('The account was erased after this token was issued. Sign in at the provider again.');
  }

  async #insert(db: Db, { subject, token }: Person, userId: string): Promise<store.IdentityRow> {
    const now = this.#deps.now();
    const row: store.IdentityRow = {
      app_id: subject.appId,
      object_id: newObjectId(now),
      user_id: userId,
      issuer: subject.issuer,
      subject: subject.subject,
      email: profileOf(token).email ?? null,
      created_at: now,
      last_used_at: now,
    };
    if (!(await store.insertIdentity(db, row))) throw new Raced();
    return row;
  }

  /** Does it again if somebody else was faster: then there is an account to be found. */
  async #settled<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const { db } = this.#deps;
    for (let tries = 1; ; tries++) {
      try {
        return await db.transaction(work);
      } catch (error) {
        const isRaced = error instanceof Raced || error instanceof UniqueViolation;
        if (!isRaced || tries === maxTries) throw error;
      }
    }
  }
}

/** What is known of an account that was made just now. */
const nobody = {
  isDisabled: false,
  hasPassword: false,
  hasVerifiedEmail: false,
  email: '',
  name: '',
  venueIds: undefined,
};

interface Adopted {
  readonly account: Omit<Account, 'passwordProof'>;
  readonly isNew: boolean;
}

function personOf({ appId }: AppContext, provider: store.ProviderRow, token: VerifiedToken): Person {
  const mapping = provider.roles === null ? undefined : (JSON.parse(provider.roles) as RoleMapping);
  return {
    subject: { appId, issuer: provider.issuer, subject: token.subject },
    token,
    role: roleFrom(token, mapping),
  };
}

const viewOf = (row: store.ListedIdentity) => ({
  objectId: row.object_id,
  provider: row.provider,
  issuer: row.issuer,
  email: row.email,
  createdAt: isoTime(row.created_at),
  lastUsedAt: isoTime(row.last_used_at),
});

const noIdentity = () => fail('ObjectNotFound', 'Your account has no identity with this objectId.');

function notLinked() {
  const message =
    'There is an account with this e-mail address. Sign in to it in the usual way, then link this identity with POST /users/me/identities.';
  return fail('UserEmailTaken', { message, details: [{ field: 'email', problem: 'is already used' }] });
}

function notOpen() {
  return fail(
    'OperationForbidden',
    'There is no account for this identity, and the rules of this app let nobody sign up.',
  );
}
