import { secretHash } from '../../access/access.ts';
import { recordChange, recordFolded } from '../../access/audit.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure, fail } from '../../base/errors.ts';
import { randomText } from '../../base/id.ts';
import type { Passwords } from '../../base/passwords.ts';
import type { Database, Db } from '../../db/db.ts';
import type { AdminContext, NewSession } from '../../http/console/console-endpoint.ts';
import { clientNetwork, type RateLimiter } from '../../limits/rate-limit.ts';
import { adminEmailKey } from './schemas.ts';
import * as store from './store.ts';

const hourMs = 3_600_000;
/** An unused browser is signed out after half a day, and every browser after a week. */
export const sessionLimits = Object.freeze({ idleMs: 12 * hourMs, absoluteMs: 7 * 24 * hourMs });
/** A use is written at most this often, which is the precision of the idle time. */
const noteUseMs = 60_000;

/** Ten mistakes at once, then one try every half minute; somewhat more for one address over all accounts. */
const perAccount = Object.freeze({ perSecond: 1 / 30, burst: 10 });
const perNetwork = Object.freeze({ perSecond: 1 / 5, burst: 30 });

/** Tokens have 43 characters. Longer ones are not worth a hash. */
const longestToken = 128;
/** The tenant of passwords that are checked here; apps have turns of their own. */
const tenant = 'console';

export interface SessionDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly passwords: Passwords;
  /** Limits attempts to sign in. */
  readonly limiter: RateLimiter;
  /** Runs work that nobody waits for. */
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
}

/** Sessions of the management console: signing in and out, and finding the administrator of a cookie's token. */
export class AdminSessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  throttle(account: string, address: string): void {
    const { now, limiter } = this.#deps;
    const network = clientNetwork(address);
    try {
      limiter.take(`address ${network}`, perNetwork, now());
      limiter.take(`account ${account} ${network}`, perAccount, now());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { retryAfter } = error;
      throw fail('APICallLimit', {
        message: `Too many attempts to sign in. Try again in ${retryAfter} s.`,
        ...(retryAfter === undefined ? {} : { retryAfter }),
      });
    }
  }

  async begin(admin: store.AdminRow, also?: (db: Db) => Promise<void>): Promise<NewSession> {
    const { db, now } = this.#deps;
    const token = randomText(43);
    const [startedAt, expiresAt] = [now(), now() + sessionLimits.absoluteMs];
    await db.transaction(async (db) => {
      const current = await store.lockAdmin(db, admin.admin_id);
      // The password may have been changed, or the administrator disabled, while the given one was checked.
      if (current?.password_hash !== admin.password_hash || current.disabled_at !== null)
        throw fail('UserInvalidLoginParams');
      await store.deleteEndedSessions(db, startedAt, startedAt - sessionLimits.idleMs);
      const session = { sessionHash: secretHash(token), adminId: admin.admin_id, now: startedAt, expiresAt };
      await store.insertSession(db, session);
      await also?.(db);
    });
    return { token, expiresAt };
  }

  /** @throws Failure UserInvalidLoginParams, with the same answer in the same time whatever is wrong; APICallLimit */
  async signIn(email: string, password: string, address: string) {
    const { db, now, passwords } = this.#deps;
    const account = adminEmailKey(email);
    this.throttle(account, address);
    const row = await store.findAdminByEmail(db, account);
    const isRight = await passwords.matches(password, row?.password_hash, tenant);
    if (!row || !isRight || row.disabled_at !== null) {
      await this.#noteRefusal(row?.email, address);
      throw fail('UserInvalidLoginParams');
    }
    const by = { name: row.email, address };
    const session = await this.begin(row, (db) =>
      recordChange(db, { by, action: 'session.begin', subject: row.email, now: now() }),
    );
    return { row, session };
  }

  async signOut({ sessionHash, email }: AdminContext, address: string): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      await store.deleteSession(db, sessionHash);
      await recordChange(db, { by: { name: email, address }, action: 'session.end', subject: email, now: now() });
    });
  }

  /** The password has just been given again. */
  async noteConfirmation(sessionHash: string): Promise<void> {
    const { db, now } = this.#deps;
    await store.noteConfirmation(db, sessionHash, now());
  }

  /** @throws Failure UserInvalidLoginParams when the current password is wrong; APICallLimit */
  async assertPassword(admin: AdminContext, password: string, address: string): Promise<store.AdminRow> {
    const { db, passwords } = this.#deps;
    this.throttle(adminEmailKey(admin.email), address);
    const row = await store.findAdmin(db, admin.adminId);
    if (row && (await passwords.matches(password, row.password_hash, tenant))) return row;
    await this.#noteRefusal(row?.email, address);
    throw fail('UserInvalidLoginParams', 'The current password is wrong.');
  }

  /** Expiry and idle time are checked at each use; a disabled administrator has no session. */
  async find(token: string): Promise<AdminContext | undefined> {
    const { db, now, inBackground } = this.#deps;
    if (token.length > longestToken) return undefined;
    const row = await store.findAdminSession(db, secretHash(token));
    const at = now();
    if (!row || row.disabled_at !== null || row.expires_at <= at) return undefined;
    if (row.last_used_at + sessionLimits.idleMs <= at) return undefined;
    if (at - row.last_used_at > noteUseMs)
      inBackground('noting the use of a session', () => store.noteSessionUse(db, row.session_hash, at));
    const { admin_id: adminId, email, name, role, session_hash: sessionHash, confirmed_at: confirmedAt } = row;
    return { adminId, email, name, role, sessionHash, confirmedAt };
  }

  /**
   * A refused sign-in is recorded in the audit, without what was typed: of an unknown account only that it is unknown.
   * Repetitions within an hour are one record with a count, and there are at most a hundred records an hour.
   */
  async #noteRefusal(account: string | undefined, address: string): Promise<void> {
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
