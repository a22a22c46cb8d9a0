import { secretHash } from '../../../access/access.ts';
import { recordChange, recordFolded } from '../../../access/audit.ts';
import { storedReach } from '../../../access/reach.ts';
import { Failure, fail } from '../../../base/errors.ts';
import { randomText } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { AdminContext, NewSession } from '../../../http/console/console-endpoint.ts';
import { clientNetwork, type RateLimiter, type RateRule } from '../../../limits/rate-limit.ts';
import { asMailLanguage } from '../../../mail/words/mail-words.ts';
import { loadTotp, readCode } from '../../../sign-in/factors/totp.ts';
import type { Context } from '../../context.ts';
import type { SignInOrigin } from './accounts/client.ts';
import * as store from './accounts/store.ts';
import type { SecondFactors } from './factors/second-factors.ts';
import type { PasskeyRow } from './factors/store.ts';
import type { SessionPort, Through } from './sso/session-port.ts';
import { findSessionHours, holdProviders, isOnlyWay, listIssuersOf } from './sso/store.ts';

const hourMs = 3_600_000;
/** An unused browser is signed out after half a day, and every browser after a week. */
const sessionLimits = Object.freeze({ idleMs: 12 * hourMs, absoluteMs: 7 * 24 * hourMs });
/** A use is written at most this often, which is the precision of the idle time. */
const noteUseMs = 60_000;

/** Ten mistakes at once, then one try every half minute; somewhat more for one address over all accounts. */
const perAccount = Object.freeze({ perSecond: 1 / 30, burst: 10 });
const perNetwork = Object.freeze({ perSecond: 1 / 5, burst: 30 });

/** Characters of `User-Agent` that are stored: enough to recognise a browser. */
const maxUserAgent = 300;

/** Longer tokens are refused without hashing them; real ones have 43 characters. */
const maxToken = 128;
/** The console's queue for checking passwords; each app has its own. */
const tenant = 'console';

/** The header with the language of the console. */
const languageHeader = 'pharos-language';
const languageOf = (headers: SignInOrigin['headers']) => asMailLanguage(headers[languageHeader]);

export interface SessionDeps extends Pick<Context, 'db' | 'now' | 'passwords'> {
  readonly factors: SecondFactors;
  readonly limiter: RateLimiter;
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
}

export interface SignInCredentials {
  readonly email: string;
  readonly password: string;
  /** Six digits of the authenticator app. */
  readonly code?: string;
  readonly recoveryCode?: string;
}

interface Proof {
  readonly method: store.SignInMethod;
  readonly prove: (db: Db) => Promise<void>;
}

interface Beginning {
  readonly method: store.SignInMethod;
  readonly client: SignInOrigin;
  readonly through?: Through | undefined;
  /** Runs in the same transaction. */
  readonly also?: (db: Db) => Promise<void>;
}

/** Sessions of the management console: signing in and out, and finding the administrator of a cookie's token. */
export class AdminSessions implements SessionPort {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  throttle(account: string, address: string): void {
    this.throttleAddress(address);
    this.#take(`account ${account} ${clientNetwork(address)}`, perAccount);
  }

  /** For attempts that name no account. */
  throttleAddress(address: string): void {
    this.#take(`address ${clientNetwork(address)}`, perNetwork);
  }

  #take(key: string, rule: RateRule): void {
    const { now, limiter } = this.#deps;
    const retryAfter = limiter.tryTake(key, rule, now());
    if (retryAfter === undefined) return;
    throw fail('APICallLimit', {
      message: `Too many attempts to sign in. Try again in ${retryAfter} s.`,
      retryAfter,
    });
  }

  async begin(admin: store.AdminRow, { method, client, through, also }: Beginning): Promise<NewSession> {
    const { db, now } = this.#deps;
    const token = randomText(43);
    const startedAt = now();
    const expiresAt = await db.transaction(async (db) => {
      const expiresAt = await this.#endOf(db, startedAt, through);
      // Otherwise a session could begin while single sign-on becomes the only way, and stay.
      if (!through) await holdProviders(db);
      const current = await store.lockAdmin(db, admin.admin_id);
      // In the meantime the password or a factor may have been changed, or the administrator disabled.
      const isSame = current?.password_hash === admin.password_hash && current.has_factor === admin.has_factor;
      if (!isSame || current.disabled_at !== null) throw fail('UserInvalidLoginParams');
      if (!through) await this.assertLocalSignIn(current, db);
      await store.deleteEndedSessions(db, startedAt, startedAt - sessionLimits.idleMs);
      await store.insertSession(db, {
        session_hash: secretHash(token),
        admin_id: admin.admin_id,
        created_at: startedAt,
        last_used_at: startedAt,
        expires_at: expiresAt,
        confirmed_at: startedAt,
        method,
        address: client.address,
        user_agent: String(client.headers['user-agent'] ?? '').slice(0, maxUserAgent) || null,
        provider_id: through?.providerId ?? null,
        factor_proved: through?.hasProvedFactor ? 1 : 0,
      });
      const language = languageOf(client.headers);
      if (language) await store.noteLanguage(db, admin.admin_id, language);
      await also?.(db);
      return expiresAt;
    });
    return { token, expiresAt };
  }

  /** Groups are read when somebody signs in through a provider, so such a session ends sooner. */
  async #endOf(db: Db, startedAt: number, through: Through | undefined): Promise<number> {
    if (!through) return startedAt + sessionLimits.absoluteMs;
    return through.until ?? startedAt + (await findSessionHours(db)) * hourMs;
  }

  /** Mails come in the language of the console that was opened last. */
  async noteLanguage({ adminId }: AdminContext, headers: SignInOrigin['headers']): Promise<void> {
    const { db, inBackground } = this.#deps;
    const language = languageOf(headers);
    if (!language || language === (await store.findAdmin(db, adminId))?.language) return;
    // In the background: a failed write must not refuse the request.
    inBackground('noting the language of an administrator', () => store.noteLanguage(db, adminId, language));
  }

  /**
   * With the password and, if the administrator has a second factor, a proof of that.
   *
   * @throws Failure UserInvalidLoginParams, with the same answer in the same time whatever is wrong with address and
   *   password; SecondFactorNeeded, whose details name what can be given; APICallLimit
   */
  async signIn(credentials: SignInCredentials, client: SignInOrigin) {
    const { db, passwords } = this.#deps;
    const account = store.adminEmailKey(credentials.email);
    this.throttle(account, client.address);
    const row = await store.findAdminByEmail(db, account);
    const isRight = await passwords.matches(credentials.password, row?.password_hash ?? undefined, tenant);
    if (!row || !isRight || row.disabled_at !== null) {
      await this.noteRefusal(row?.email, client.address);
      throw fail('UserInvalidLoginParams');
    }
    if (!row.has_factor) return { row, session: await this.signInAs(row, 'password', client) };
    const { method, prove } = await this.#proofOf(row, credentials, client.address);
    // In the transaction of the sign-in: if that fails, the code can be used again.
    const signIn = () => this.signInAs(row, method, client, prove);
    return { row, session: await this.refusing(client.address, signIn, row.email) };
  }

  /** For an administrator who has been authenticated. @throws Failure OperationForbidden where only single sign-on is allowed */
  async signInAs(
    row: store.AdminRow,
    method: store.SignInMethod,
    client: SignInOrigin,
    assertStill: (db: Db) => Promise<void> = async () => undefined,
  ): Promise<NewSession> {
    const { now } = this.#deps;
    await this.assertLocalSignIn(row);
    const by = { name: row.email, address: client.address };
    return this.begin(row, {
      method,
      client,
      also: async (db) => {
        await assertStill(db);
        await recordChange(db, { by, action: 'session.begin', subject: row.email, after: { method }, now: now() });
      },
    });
  }

  signInThrough(
    row: store.AdminRow,
    { through, client }: { readonly through: Through & { readonly name: string }; readonly client: SignInOrigin },
  ): Promise<NewSession> {
    const { now } = this.#deps;
    const by = { name: row.email, address: client.address };
    const after = { method: 'single sign-on', provider: through.name };
    return this.begin(row, {
      method: 'single sign-on',
      client,
      through,
      also: (db) => recordChange(db, { by, action: 'session.begin', subject: row.email, after, now: now() }),
    });
  }

  /**
   * Where only single sign-on is allowed, an owner for whom the command line has opened a way is let in, for a while.
   *
   * @throws Failure OperationForbidden
   */
  async assertLocalSignIn(row?: Pick<store.AdminRow, 'role' | 'local_until'>, db: Db = this.#deps.db): Promise<void> {
    const { now } = this.#deps;
    const isOpened = row?.role === 'owner' && (row.local_until ?? 0) > now();
    if (isOpened || !(await isOnlyWay(db))) return;
    throw fail(
      'OperationForbidden',
      'Sign in through your organisation. Passwords and passkeys are not accepted here.',
    );
  }

  /** How the session that replaces this one begins: one begun through a provider stays bound to it. */
  async beginningOf({ sessionHash, provider }: AdminContext): Promise<Pick<Beginning, 'method' | 'through'>> {
    const { db } = this.#deps;
    if (!provider) return { method: 'password' };
    const row = await store.findAdminSession(db, sessionHash);
    const hasProvedFactor = (row?.factor_proved ?? 0) > 0;
    const { providerId } = provider;
    return { method: 'single sign-on', through: { providerId, hasProvedFactor, until: row?.expires_at ?? 0 } };
  }

  /** @throws Failure OperationForbidden for somebody who has neither a password, nor a passkey, nor a provider */
  async assertHasOwnWay(db: Db, adminId: string): Promise<void> {
    const row = await store.findAdmin(db, adminId);
    const hasLocal = row !== undefined && (row.password_hash !== null || row.has_factor > 0);
    const isLocalAllowed = hasLocal && !(await isOnlyWay(db));
    if (isLocalAllowed || (await listIssuersOf(db, adminId)).length > 0) return;
    throw fail(
      'OperationForbidden',
      'You could not sign in any more. Set a password first, or connect another provider.',
    );
  }

  /** The second factor that was given; `prove` uses it up. @throws Failure SecondFactorNeeded, ValidationError */
  async #proofOf(row: store.AdminRow, { code, recoveryCode }: SignInCredentials, address: string): Promise<Proof> {
    const { factors } = this.#deps;
    if (code !== undefined) {
      readCode(code);
      await loadTotp();
      return { method: 'totp', prove: (db) => factors.useCode(db, row, { code, address }) };
    }
    if (recoveryCode !== undefined)
      return { method: 'recovery code', prove: (db) => factors.useRecoveryCode(db, row, recoveryCode) };
    const proofs = await factors.proofsOf(row.admin_id);
    throw fail('SecondFactorNeeded', {
      details: proofs.map((field) => ({ field, problem: 'is needed, or one of the others that are named here' })),
    });
  }

  /** Records it if the work refuses the caller. */
  async refusing<T>(address: string, work: () => Promise<T>, account?: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure && error.entry.name === 'UserInvalidLoginParams')
        await this.noteRefusal(account, address);
      throw error;
    }
  }

  /** Begins the session of somebody who has signed with a passkey. @throws Failure UserInvalidLoginParams */
  async signInWithPasskey({ admin_id: adminId, passkey_id: passkeyId }: PasskeyRow, client: SignInOrigin) {
    const { db, factors } = this.#deps;
    const row = await store.findAdmin(db, adminId);
    // It was removed after it signed, for example because it was lost.
    if (row?.has_factor === 0) throw fail('UserInvalidLoginParams');
    const assertStill = (db: Db) => factors.assertPasskey(db, adminId, passkeyId);
    if (row && row.disabled_at === null)
      return { row, session: await this.signInAs(row, 'passkey', client, assertStill) };
    await this.noteRefusal(row?.email, client.address);
    throw fail('UserInvalidLoginParams', 'This account is switched off. An owner can switch it on.');
  }

  async signOut({ sessionHash, email }: AdminContext, address: string): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      await store.deleteSession(db, sessionHash);
      await recordChange(db, { by: { name: email, address }, action: 'session.end', subject: email, now: now() });
    });
  }

  /** Valid sessions, the latest first. */
  async list({ adminId }: AdminContext): Promise<store.ListedSession[]> {
    const { db, now } = this.#deps;
    return store.listSessions(db, adminId, now(), now() - sessionLimits.idleMs);
  }

  /** @throws Failure ObjectNotFound */
  async end({ adminId, email }: AdminContext, sessionId: string, address: string): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      if (!(await store.deleteOwnSession(db, adminId, sessionId)))
        throw fail('ObjectNotFound', 'You have no such session. It may have ended already.');
      await recordChange(db, { by: { name: email, address }, action: 'session.revoke', subject: email, now: now() });
    });
  }

  /** Ends all but this one, and answers how many there were. */
  async endOthers({ adminId, email, sessionHash }: AdminContext, address: string): Promise<number> {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      const ended = await store.deleteOtherSessions(db, adminId, sessionHash);
      const by = { name: email, address };
      if (ended > 0) await recordChange(db, { by, action: 'session.revokeOthers', subject: email, now: now() });
      return ended;
    });
  }

  /** The password or a passkey has just been given again. */
  async noteConfirmation(sessionHash: string): Promise<void> {
    const { db, now } = this.#deps;
    await store.noteConfirmation(db, sessionHash, now());
  }

  /** @throws Failure UserInvalidLoginParams when the current password is wrong; APICallLimit */
  async assertPassword(admin: AdminContext, password: string, address: string): Promise<store.AdminRow> {
    const { db, passwords } = this.#deps;
    this.throttle(store.adminEmailKey(admin.email), address);
    const row = await store.findAdmin(db, admin.adminId);
    if (row && (await passwords.matches(password, row.password_hash ?? undefined, tenant))) return row;
    await this.noteRefusal(row?.email, address);
    throw fail('UserInvalidLoginParams', 'The current password is wrong.');
  }

  async find(token: string): Promise<AdminContext | undefined> {
    return token.length > maxToken ? undefined : this.findByHash(secretHash(token));
  }

  /**
   * Expiry and idle time are checked at each use; a disabled administrator has no session, and none is left of a provider
   * that is gone or switched off.
   */
  async findByHash(hash: string): Promise<AdminContext | undefined> {
    const { db, now, inBackground } = this.#deps;
    const row = await store.findAdminSession(db, hash);
    const at = now();
    if (!row || row.disabled_at !== null || row.expires_at <= at) return undefined;
    if (row.last_used_at + sessionLimits.idleMs <= at) return undefined;
    if (row.provider_id !== null && row.provider_name === null) return undefined;
    if (at - row.last_used_at > noteUseMs)
      inBackground('noting the use of a session', () => store.noteSessionUse(db, row.session_hash, at));
    const { admin_id: adminId, email, name, role, session_hash: sessionHash, confirmed_at: confirmedAt } = row;
    const { provider_id: providerId, provider_name: providerName } = row;
    const provider = providerId === null ? null : { providerId, name: providerName ?? '' };
    const mustEnrol = row.factor_proved === 0 && (await this.mustEnrol(row));
    const apps = storedReach(row);
    return { adminId, email, name, role, apps, sessionHash, confirmedAt, mustEnrol, provider };
  }

  /** Whether a second factor is required and missing. */
  async mustEnrol({ has_factor }: store.AdminRow): Promise<boolean> {
    return !has_factor && (await store.isFactorRequired(this.#deps.db));
  }

  /**
   * A refused sign-in is recorded in the audit, without what was typed: of an unknown account only that it is unknown.
   * Repetitions within an hour are one record with a count, and there are at most a hundred records an hour.
   */
  async noteRefusal(account: string | undefined, address: string): Promise<void> {
    const { db, now } = this.#deps;
    await recordFolded(db, {
      change: {
        by: { name: account ?? 'nobody', address: clientNetwork(address) },
        action: 'session.refuse',
        subject: account ?? 'unknown account',
        now: now(),
      },
      withinMs: hourMs,
      most: 100,
      fold: (earlier) => ({ attempts: Number((earlier as { attempts?: number } | undefined)?.attempts ?? 0) + 1 }),
    });
  }
}
