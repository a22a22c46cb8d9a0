import { randomBytes } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import { type Actor, recordChange } from '../../../access/audit.ts';
import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import type { FindMissing, Session, SessionStart, SignedIn, SignInMethod } from '../../../sign-in/accounts.ts';
import type { Context } from '../../context.ts';
import * as sessions from './session-store.ts';
import { deleteResetsOf, lockUser, type UserKey } from './store.ts';

export type SessionDeps = Pick<Context, 'db' | 'cacheVersion' | 'now'>;

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** How long somebody may take to find the authenticator app, or to set one up. */
const halfMs = 10 * minuteMs;
/** How often a code may be tried with one challenge. */
const maxAttempts = 5;
/** Within this time, a repeated renewal is answered even if the answer to the first is in use. */
const lostAnswerMs = 10_000;

/**
 * A refresh token: the first half is the session's, the second half its own. An earlier token has the right first half and a wrong
 * second one, so it is recognised without being stored.
 */
const refreshForm = /^([\w-]{32})\.([\w-]{32})$/;
const randomPart = () => randomBytes(24).toString('base64url');

interface Begun extends SessionStart {
  readonly userId: string;
  readonly now: number;
}

/**
 * Begins a session of a user, whom nobody erases before the end of the transaction; or half of one, if a second factor is
 * missing.
 */
export async function beginSession(db: Db, app: AppContext, begun: Begun, findMissing: FindMissing): Promise<SignedIn> {
  const key = { appId: app.appId, userId: begun.userId };
  const missing = begun.hasSecondFactor ? undefined : await findMissing(db, app, key);
  if (missing === undefined) return openSession(db, app, begun);
  const challenge = randomBytes(32).toString('base64url');
  await sessions.insertHalf(db, {
    app_id: app.appId,
    token_hash: secretHash(challenge),
    user_id: begun.userId,
    method: begun.method,
    provider: begun.provider ?? null,
    user_agent: begun.userAgent,
    is_renewable: begun.isRenewable ? 1 : 0,
    attempts: 0,
    expires_at: begun.now + halfMs,
  });
  return { challenge, missing };
}

const halfOf = (appId: string, challenge: string, now: number): sessions.HalfKey => {
  // They have 43 characters. Longer ones are not worth a hash.
  if (challenge.length > 128) throw tooLate();
  return { appId, tokenHash: secretHash(challenge), now };
};

/** @throws Failure UserInvalidLoginParams */
export async function readHalf(
  db: Db,
  { appId, challenge, now, counts }: HalfAsked & { readonly counts: boolean },
): Promise<UserKey> {
  const half = halfOf(appId, challenge, now);
  if (counts && !(await sessions.countAttempt(db, half, maxAttempts))) throw tooLate();
  const row = await sessions.findHalf(db, half);
  if (!row) throw tooLate();
  return { appId, userId: row.user_id };
}

interface HalfAsked {
  readonly appId: string;
  readonly challenge: string;
  readonly now: number;
}

/** In a transaction that holds the user. @throws Failure UserInvalidLoginParams */
export async function finishHalf(
  db: Db,
  app: AppContext,
  { challenge, now }: Omit<HalfAsked, 'appId'>,
): Promise<Session> {
  const half = halfOf(app.appId, challenge, now);
  const row = await sessions.findHalf(db, half);
  if (!row || !(await sessions.takeHalf(db, half))) throw tooLate();
  return openSession(db, app, {
    method: row.method as SignInMethod,
    ...(row.provider === null ? {} : { provider: row.provider }),
    userAgent: row.user_agent,
    isRenewable: row.is_renewable === 1,
    hasSecondFactor: true,
    userId: row.user_id,
    now,
  });
}

const tooLate = () =>
  fail('UserInvalidLoginParams', 'This sign-in took too long, was tried too often, or is finished. Begin again.');

async function openSession(db: Db, app: AppContext, begun: Begun): Promise<Session> {
  const { userId, now } = begun;
  const family = begun.isRenewable ? { first: randomPart(), second: randomPart() } : undefined;
  const row: sessions.SessionRow = {
    app_id: app.appId,
    object_id: newObjectId(now),
    user_id: userId,
    method: begun.method,
    provider: begun.provider ?? null,
    user_agent: begun.userAgent,
    family_hash: family ? secretHash(family.first) : null,
    refresh_hash: family ? secretHash(family.second) : null,
    previous_hash: null,
    rotated_at: null,
    unheard_hash: null,
    second_factor: begun.hasSecondFactor ? 1 : 0,
    created_at: now,
    last_used_at: now,
    expires_at: now + app.policy.tokenDays * dayMs,
  };
  await sessions.insertSession(db, row);
  return issueToken(db, app, row, family && `${family.first}.${family.second}`);
}

async function issueToken(
  db: Db,
  app: AppContext,
  session: sessions.SessionRow,
  refreshToken: string | undefined,
): Promise<Session> {
  const accessToken = randomBytes(32).toString('base64url');
  const now = session.last_used_at;
  const shortUntil = Math.min(session.expires_at, now + app.policy.tokenMinutes * minuteMs);
  const expiresAt = refreshToken === undefined ? session.expires_at : shortUntil;
  await sessions.insertToken(db, {
    app_id: session.app_id,
    token_hash: secretHash(accessToken),
    user_id: session.user_id,
    session_id: session.object_id,
    is_short: refreshToken === undefined ? 0 : 1,
    created_at: now,
    last_used_at: now,
    expires_at: expiresAt,
  });
  const refresh = refreshToken === undefined ? undefined : { token: refreshToken, expiresAt: session.expires_at };
  return { accessToken, userId: session.user_id, expiresAt, refresh };
}

/** The sessions of users: renewing, listing and ending them. */
export class SessionService {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * Replaces a refresh token, and the access token with it. Somebody who sends one that was replaced before has stolen it,
   * or was robbed of it: the session ends. Only the one before the valid one still counts, as long as nobody has used the valid one,
   * and for ten seconds or until the access token that came with the valid one is used: then the answer may have been lost.
   *
   * @throws Failure InvalidSessionToken
   */
  async refresh(app: AppContext, refreshToken: string): Promise<Session> {
    const { db } = this.#deps;
    const [, first, second] = refreshForm.exec(refreshToken) ?? [];
    if (first === undefined || second === undefined) throw notValid();
    const renewed = await db.transaction((db) => this.#refresh(db, app, { first, second }));
    if (renewed === 'unknown') throw notValid();
    if (renewed === 'used') {
      const message = 'This refresh token was used before, so its session has been ended. Sign in again.';
      throw fail('InvalidSessionToken', message);
    }
    return renewed;
  }

  /** The transaction has to be kept when it has ended a session, so that it does not throw. */
  async #refresh(
    db: Db,
    app: AppContext,
    { first, second }: { readonly first: string; readonly second: string },
  ): Promise<Session | 'unknown' | 'used'> {
    const { cacheVersion, now: clock } = this.#deps;
    const now = clock();
    const family = secretHash(first);
    const userId = await sessions.findFamilyUser(db, app.appId, family);
    if (userId === undefined) return 'unknown';
    const key = { appId: app.appId, userId };
    // Before the session, as whoever changes a password does.
    const user = await lockUser(db, key);
    const session = await sessions.lockFamily(db, app.appId, family);
    if (!user || user.disabled_at !== null || !session || session.expires_at <= now) return 'unknown';
    if (app.policy.totp === 'required' && session.second_factor !== 1) return 'unknown';
    const isValid = session.refresh_hash === secretHash(second);
    if (!isValid && !isLost(session, secretHash(second), now)) {
      await sessions.deleteSession(db, key, session.object_id);
      await cacheVersion.note(db, app.appId);
      return 'used';
    }
    const next = randomPart();
    const renewed: sessions.SessionRow = {
      ...session,
      refresh_hash: secretHash(next),
      ...(isValid ? { previous_hash: session.refresh_hash, rotated_at: now } : {}),
      unheard_hash: secretHash(next),
      last_used_at: Math.max(now, session.last_used_at),
      expires_at: now + app.policy.tokenDays * dayMs,
    };
    await sessions.updateFamily(db, renewed);
    // What is on its way with the last access token still arrives.
    if (isValid) await sessions.deleteTokensBefore(db, session, session.rotated_at ?? session.created_at);
    return issueToken(db, app, renewed, `${first}.${next}`);
  }

  /** Newest first. `tokenHash`: of the caller's access token, if it is the user. */
  async list(key: UserKey, tokenHash = '', most?: number) {
    const { db, now } = this.#deps;
    return (await sessions.listSessions(db, key, { tokenHash, now: now(), most })).map(viewOf);
  }

  /** @throws Failure ObjectNotFound */
  async find(key: UserKey, objectId: string): Promise<void> {
    if (!(await this.list(key)).some((session) => session.objectId === objectId)) throw noSession();
  }

  /** @throws Failure ObjectNotFound */
  async end(key: UserKey, objectId: string): Promise<void> {
    const { cacheVersion } = this.#deps;
    if (!(await cacheVersion.change(key.appId, (db) => sessions.deleteSession(db, key, objectId)))) throw noSession();
  }

  /** For the console, which records it. @throws Failure ObjectNotFound */
  async endFor(key: UserKey, objectId: string, by: Actor): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    const before = { session: objectId };
    const audited = { by, action: 'user.endSession', subject: key.userId, appId: key.appId, before, now: now() };
    await cacheVersion.change(key.appId, async (db) => {
      if (!(await sessions.deleteSession(db, key, objectId))) throw noSession('This user has');
      await recordChange(db, audited);
    });
  }

  /** Ends all sessions but that of an access token. */
  async endOthers(key: UserKey, tokenHash: string): Promise<void> {
    await this.#deps.cacheVersion.change(key.appId, (db) => sessions.deleteSessionsOf(db, key, tokenHash));
  }

  async signOut(key: UserKey, tokenHash: string): Promise<void> {
    await this.#deps.cacheVersion.change(key.appId, (db) => sessions.deleteSessionOf(db, key, tokenHash));
  }
}

/** Whether the answer to this refresh token may never have arrived. A phone can be without a network for days after that. */
function isLost(session: sessions.SessionRow, hash: string, now: number): boolean {
  if (session.previous_hash !== hash) return false;
  const age = now - (session.rotated_at ?? 0);
  return (age >= 0 && age <= lostAnswerMs) || session.unheard_hash === session.refresh_hash;
}

const viewOf = (row: sessions.ListedSession) => ({
  objectId: row.object_id,
  method: row.method,
  provider: row.provider,
  userAgent: row.user_agent,
  isCurrent: row.is_current === 1,
  hasSecondFactor: row.second_factor === 1,
  createdAt: isoTime(row.created_at),
  lastUsedAt: isoTime(row.last_used_at),
  expiresAt: isoTime(row.expires_at),
});

const notValid = () => fail('InvalidSessionToken', 'The refresh token is no longer valid. Sign in again.');
const noSession = (who = 'You have') => fail('ObjectNotFound', `${who} no session with this objectId.`);

/** Ends all sessions of a user; mails to reset the password no longer open the account either. */
export async function endSessions(db: Db, key: UserKey): Promise<void> {
  await sessions.deleteSessionsOf(db, key);
  await deleteResetsOf(db, key);
}
