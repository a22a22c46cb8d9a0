import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../base/caches/bounded-map.ts';
import { PairCache } from '../base/caches/pair-cache.ts';
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { Generations } from '../db/nodes/generations.ts';
import type { AppContext, UserContext, UserRole } from './context.ts';
import { refusalOf, type SecretKey, secretKeyPrefix } from './keys/secret-key.ts';
import type { AppPolicy } from './policy.ts';
import type { AppPseudonyms } from './pseudonyms/pseudonyms.ts';
import type { DryRun } from './rules/dry-run.ts';
import type { AppRules } from './rules/rules.ts';

/** An app as its store returns it, with the hashes of its live keys. */
export interface AppAccess {
  readonly appId: string;
  readonly name: string;
  readonly policy: AppPolicy;
  readonly rules: AppRules;
  readonly dryRun?: DryRun;
  readonly pseudonyms?: AppPseudonyms;
  readonly disabled: boolean;
  readonly keys: readonly {
    readonly keyId: string;
    readonly keyHash: string;
    readonly lastUsedAt: number | null;
    /** Epoch milliseconds; null: it does not end by itself. */
    readonly expiresAt: number | null;
  }[];
  /** Those that have expired are among them. */
  readonly secretKeys: readonly SecretKey[];
}

interface OpenedBy {
  readonly app: AppContext;
  readonly keyId: string;
  /** Undefined for the key that every copy of the app holds. */
  readonly secretKey: SecretKey | undefined;
}

/** A request that was let in with a key. The clock is read once for it, when the key was found. */
export interface Admission extends OpenedBy {
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface SessionAccess {
  readonly userId: string;
  readonly role: UserRole;
  readonly expiresAt: number;
  readonly lastUsedAt: number;
  /** Using it does not extend it. */
  readonly isFixed?: boolean;
  /** It was begun with two factors. */
  readonly hasSecondFactor?: boolean;
  /** Nobody has used this token before, as far as is known, so that the answer with it may have been lost. */
  readonly isUnheard?: boolean;
  readonly venueIds?: readonly string[] | undefined;
}

/** What the guard needs from the features that own apps and users. */
export interface AccessSource {
  findApp(appId: string): Promise<AppAccess | undefined>;
  findSession(appId: string, tokenHash: string): Promise<SessionAccess | undefined>;
  /** Whose request it is that comes with a JSON Web Token; undefined unless its issuer's tokens are accepted in the app. */
  acceptToken(app: AppContext, token: string): Promise<SessionAccess | undefined>;
  /** Called at most once a day for each key and token; must not throw. */
  noteKeyUse(appId: string, keyId: string, now: number): void;
  /** Called at most once an hour for each secret key; must not throw. */
  noteSecretKeyUse(appId: string, keyId: string, use: { readonly now: number; readonly address: string }): void;
  noteTokenUse(appId: string, tokenHash: string, use: { readonly now: number; readonly expiresAt: number }): void;
  /** Called when a token is used that is `isUnheard`; must not throw. */
  noteTokenHeard(appId: string, tokenHash: string): void;
  /** Drops what was changed elsewhere (another node, the command line); undefined if such changes are always known. */
  recheck(): Promise<void> | undefined;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const maxCachedApps = 1_000;
const maxCachedSessions = 20_000;
const maxCachedTokens = 5_000;

/** App keys and tokens have 43 characters. Longer ones are not worth a hash. */
const maxSecret = 128;

const bearerForm = /^Bearer +([\w-]{20,128})$/i;
/** A JSON Web Token of somebody else. */
const jwtForm = /^Bearer +([\w-]{1,1000}\.[\w-]{1,8000}\.[\w-]{1,2000})$/i;

/** The SHA-256 of a key or token, in base64url, which is stored instead of the secret itself. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** A key that was right, as long as the app is kept. */
interface AcceptedKey extends OpenedBy {
  readonly app: KnownApp;
  /** Of an app key, epoch milliseconds; null: it does not end by itself. */
  readonly expiresAt: number | null;
  /** Epoch milliseconds. */
  notedAt: number;
}

/** The app's key that was sent, if it is valid. */
function keyOf(app: KnownApp, appKey: string): AcceptedKey | undefined {
  return app.disabled ? undefined : (app.accepted.get(appKey) ?? acceptKey(app, appKey));
}

function acceptKey(app: KnownApp, appKey: string): AcceptedKey | undefined {
  if (appKey.length > maxSecret) return undefined;
  const presented = secretHash(appKey);
  const isPresented = ({ keyHash }: { readonly keyHash: string }) => equalHashes(keyHash, presented);
  const secretKey = appKey.startsWith(secretKeyPrefix) ? app.secretKeys.find(isPresented) : undefined;
  const ownKey = secretKey ? undefined : app.keys.find(isPresented);
  const key = secretKey ?? ownKey;
  if (!key) return undefined;
  // That of a secret key is told apart, for the log (`refusalOf`).
  const expiresAt = ownKey?.expiresAt ?? null;
  const accepted = { app, keyId: key.keyId, secretKey, expiresAt, notedAt: key.lastUsedAt ?? 0 };
  app.accepted.set(appKey, accepted);
  return accepted;
}

/** Whether a secret that somebody sent is the one whose hash is stored. */
export function isSecretOf(hash: string, secret: string): boolean {
  return secret.length <= maxSecret && equalHashes(hash, secretHash(secret));
}

function equalHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

interface KnownApp extends AppAccess {
  /** Correct keys as they were sent: never more than the app has, and no guesses. */
  readonly accepted: Map<string, AcceptedKey>;
}

interface KnownSession extends SessionAccess, UserContext {}

const needsFactor = 'This app asks for a second factor now. Sign in again.';

/** The usual header, by which sessions are also kept: then the token need not be cut out of it. */
const usualHeader = (accessToken: string) => `Bearer ${accessToken}`;

/**
 * Decides who sent a request. A bounded number of apps and sessions is kept in memory and dropped as soon as the
 * cache version changes. An expiry is checked at each use, so that a cached token cannot outlive it. Correct keys and
 * tokens are recognised as sent, so that only new and wrong ones are hashed. When everything is in memory, nothing is
 * awaited.
 */
export class AccessGuard {
  readonly #source: AccessSource;
  readonly #now: Clock;
  readonly #apps = new BoundedMap<string, KnownApp>(maxCachedApps);
  /** By app and `usualHeader`. */
  readonly #sessions = new PairCache<KnownSession>(maxCachedSessions);
  /** Of other issuers, by app and hash: as they are sent, they would take much memory. */
  readonly #tokens = new PairCache<Omit<UserContext, 'accessToken'>>(maxCachedTokens);
  readonly #generations = new Generations();

  constructor(source: AccessSource, now: Clock) {
    this.#source = source;
    this.#now = now;
  }

  /** Drops what is kept of an app; of all apps without one. */
  drop(appId?: string): void {
    this.#generations.drop(appId);
    if (appId === undefined) {
      this.#apps.clear();
      this.#sessions.clear();
      this.#tokens.clear();
      return;
    }
    this.#apps.delete(appId);
    this.#sessions.forget(appId);
    this.#tokens.forget(appId);
  }

  /**
   * What a key opens for a client at this address. A secret key that has expired, or is used from a network that it does not
   * allow, is refused like a wrong one; the cause of the error says so, for the log (`RefusedKey`).
   *
   * @throws Failure CredentialsMissing or InvalidCredentials
   */
  app(appId: string | undefined, appKey: string | undefined, address: string): MaybePromise<Admission> {
    if (!appId || !appKey) throw fail('CredentialsMissing');
    const known = this.#apps.get(appId);
    if (!known) return this.#loadApp(appId).then((app) => this.#admit(app, appKey, address));
    const key = keyOf(known, appKey);
    if (key) return this.#use(key, address);
    // The key may just have been created on another node.
    return andThen(this.#source.recheck(), () =>
      andThen(this.#apps.get(appId) ?? this.#loadApp(appId), (app) => this.#admit(app, appKey, address)),
    );
  }

  #admit(app: KnownApp | undefined, appKey: string, address: string): Admission {
    const key = app && keyOf(app, appKey);
    if (!key) throw fail('InvalidCredentials');
    return this.#use(key, address);
  }

  #use(key: AcceptedKey, address: string): Admission {
    const now = this.#now();
    const { app, keyId, secretKey, expiresAt } = key;
    if (expiresAt !== null && expiresAt <= now) throw fail('InvalidCredentials');
    const cause = secretKey && refusalOf(secretKey, { address, now });
    if (cause) throw fail('InvalidCredentials', { cause });
    if (now - key.notedAt > (secretKey ? hourMs : dayMs)) {
      key.notedAt = now;
      if (secretKey) this.#source.noteSecretKeyUse(app.appId, keyId, { now, address });
      else this.#source.noteKeyUse(app.appId, keyId, now);
    }
    return { app, keyId, secretKey, now };
  }

  /** An app for an administrator: without its key, and even while it is switched off. @throws Failure ObjectNotFound */
  async appOfConsole(appId: string): Promise<AppContext> {
    const app = this.#apps.get(appId) ?? (await this.#loadApp(appId));
    if (!app) throw fail('ObjectNotFound', 'There is no app with this appId.');
    return app;
  }

  /**
   * @param now when the request was let in
   * @throws Failure InvalidSessionToken, the same for a missing, malformed, foreign and expired token
   */
  user(app: AppContext, authorization: string | undefined, now: number): MaybePromise<UserContext> {
    const asSent = this.#sessions.get(app.appId, authorization ?? '');
    if (asSent && asSent.expiresAt > now) return this.#recognise(app, asSent, now);
    const accessToken = bearerForm.exec(authorization ?? '')?.[1];
    if (!accessToken) return this.#ofIssuer(app, jwtForm.exec(authorization ?? '')?.[1], now);
    const known = this.#sessions.get(app.appId, usualHeader(accessToken));
    if (known && known.expiresAt > now) return this.#recognise(app, known, now);
    // Another node may have extended a token that looks expired here.
    return this.#loadSession(app.appId, accessToken).then((session) => {
      const now = this.#now();
      if (session && session.expiresAt > now) return this.#recognise(app, session, now);
      this.#sessions.delete(app.appId, usualHeader(accessToken));
      throw fail('InvalidSessionToken');
    });
  }

  /** With the token of an issuer that the app trusts. */
  #ofIssuer(app: AppContext, accessToken: string | undefined, now: number): MaybePromise<UserContext> {
    if (!accessToken) throw fail('InvalidSessionToken');
    const tokenHash = secretHash(accessToken);
    const known = this.#tokens.get(app.appId, tokenHash);
    if (known && known.expiresAt > now) return { ...known, accessToken };
    this.#tokens.delete(app.appId, tokenHash);
    return this.#acceptToken(app, accessToken, tokenHash);
  }

  async #acceptToken(app: AppContext, accessToken: string, tokenHash: string): Promise<UserContext> {
    const generation = this.#generations.of(app.appId);
    const found = await this.#source.acceptToken(app, accessToken);
    if (!found || found.expiresAt <= this.#now()) throw fail('InvalidSessionToken');
    const { userId, role, expiresAt, venueIds } = found;
    const user = { userId, role, expiresAt, tokenHash, venueIds };
    if (generation === this.#generations.of(app.appId)) this.#tokens.set(app.appId, tokenHash, user);
    return { ...user, accessToken };
  }

  #recognise(app: AppContext, session: KnownSession, now: number): UserContext {
    if (app.policy.totp === 'required' && !session.hasSecondFactor) throw fail('InvalidSessionToken', needsFactor);
    const isDue = !session.isFixed && now - session.lastUsedAt > dayMs;
    return isDue ? this.#extend(app, session, now) : session;
  }

  #extend(app: AppContext, session: KnownSession, now: number): KnownSession {
    const extended = { ...session, lastUsedAt: now, expiresAt: now + app.policy.tokenDays * dayMs };
    const header = usualHeader(session.accessToken);
    // It was dropped while it was being read and must not come back.
    if (this.#sessions.get(app.appId, header)) this.#sessions.set(app.appId, header, extended);
    this.#source.noteTokenUse(app.appId, session.tokenHash, { now, expiresAt: extended.expiresAt });
    return extended;
  }

  async #loadApp(appId: string): Promise<KnownApp | undefined> {
    if (appId.length > 64) return undefined;
    const generation = this.#generations.of(appId);
    const found = await this.#source.findApp(appId);
    if (!found) return undefined;
    const app: KnownApp = { ...found, accepted: new Map() };
    if (generation !== this.#generations.of(appId)) return app;
    this.#apps.set(appId, app);
    return app;
  }

  async #loadSession(appId: string, accessToken: string): Promise<KnownSession | undefined> {
    const generation = this.#generations.of(appId);
    const tokenHash = secretHash(accessToken);
    const found = await this.#source.findSession(appId, tokenHash);
    if (!found) return undefined;
    if (found.isUnheard) this.#source.noteTokenHeard(appId, tokenHash);
    const session = { ...found, accessToken, tokenHash };
    if (generation === this.#generations.of(appId)) this.#sessions.set(appId, usualHeader(accessToken), session);
    return session;
  }
}
