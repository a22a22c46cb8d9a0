import { secretHash } from '../../../../access/access.ts';
import { recordChange } from '../../../../access/audit.ts';
import { Failure, fail } from '../../../../base/errors.ts';
import { randomText } from '../../../../base/id.ts';
import { UniqueViolation } from '../../../../db/db.ts';
import type { AdminContext, NewSession } from '../../../../http/console/console-endpoint.ts';
import { Unreadable } from '../../../../sign-in/oidc/read-json.ts';
import type { Context } from '../../../context.ts';
import type { AfterAdminChange } from '../accounts/after-change.ts';
import type { SignInOrigin } from '../accounts/client.ts';
import { isFactorRequired, lockAdmin, lockAdminOf } from '../accounts/store.ts';
import { admit, type SsoRefusal } from './admit.ts';
import { personOf, type SsoPerson } from './person.ts';
import type { SsoProviders } from './providers.ts';
import { AnswerRefused, type RelyingParty } from './relying-party.ts';
import type { SessionPort } from './session-port.ts';
import * as store from './store.ts';

export interface SingleSignOnDeps extends Pick<Context, 'db' | 'now'> {
  readonly sessions: SessionPort;
  readonly providers: SsoProviders;
  readonly party: RelyingParty;
  readonly afterChange: AfterAdminChange;
  /** For the operator: what a provider has answered, in words. */
  readonly warn: (message: string) => void;
}

/**
 * What the page says to somebody who comes back without success. `again`: the answer belongs to no attempt of this browser, or
 * came too late. `down`: the provider cannot be reached. `provider`: what it answered does not count. `factor`: a second
 * factor is required, and it vouches for none. `other`: confirmed as somebody else. `connected`: it is another
 * administrator's identity.
 */
export type SsoProblem =
  | SsoRefusal
  | 'again'
  | 'denied'
  | 'clock'
  | 'provider'
  | 'down'
  | 'factor'
  | 'other'
  | 'connected';

export interface Began {
  /** Where the browser has to go. */
  readonly address: string;
  /** For the cookie that binds the answer to this browser. */
  readonly browser: string;
}

interface Beginning {
  readonly providerId: string;
  readonly purpose: store.SignInPurpose;
  /** Of a session that is confirmed or connected. */
  readonly sessionHash?: string;
  /** The address of the console, such as `https://pharos.example`. */
  readonly origin: string;
  readonly next: string | undefined;
}

export interface ReturnFromProvider {
  /** The query, as the provider has written it. */
  readonly query: string;
  /** The secret of the cookie. */
  readonly browser: string | undefined;
}

/** `next` is a page of the console. */
export type SingleSignOnResult =
  | { readonly session?: NewSession; readonly next: string }
  | { readonly problem: SsoProblem; readonly isSignedIn: boolean; readonly next: string };

export const callbackPath = '/console/sso/callback';
const attemptMs = 10 * 60_000;
/** Tolerance for clocks that differ. */
const toleranceMs = 30_000;
const longest = 200;

/** Only a page of the console: anything else would lead to another site after signing in. */
function ownPage(next: string | undefined): string {
  return next !== undefined && /^\/(?!\/)[\x21-\x7e]*$/.test(next) && !next.includes('\\') ? next : '/apps';
}

/** Signing in through a provider, and confirming or connecting an account with it. */
export class SingleSignOn {
  readonly #deps: SingleSignOnDeps;

  constructor(deps: SingleSignOnDeps) {
    this.#deps = deps;
  }

  async ways() {
    const { db } = this.#deps;
    const enabled = (await store.listProviders(db)).filter(({ is_enabled: isEnabled }) => isEnabled > 0);
    const only = enabled.length > 0 && (await store.isOnlyWay(db));
    return { only, providers: enabled.map(({ provider_id: providerId, name }) => ({ providerId, name })) };
  }

  /** @throws Failure ObjectNotFound; Timeout while the provider does not answer */
  async begin({ providerId, purpose, sessionHash, origin, next }: Beginning): Promise<Began> {
    const { db, now, providers, party } = this.#deps;
    const provider = await store.findProvider(db, providerId);
    if (!provider?.is_enabled)
      throw fail('ObjectNotFound', 'There is no such way to sign in any more. Load the page again.');
    const redirectUri = `${origin}${callbackPath}`;
    const registration = providers.registrationOf(provider);
    const { address, state, nonce, verifier } = await this.#reaching(provider, () =>
      party.depart(registration, redirectUri, purpose !== 'sign in'),
    );
    const browser = randomText(43);
    await store.insertAttempt(db, {
      state_hash: secretHash(state),
      browser_hash: secretHash(browser),
      provider_id: providerId,
      purpose,
      session_hash: sessionHash ?? null,
      nonce,
      verifier,
      redirect_uri: redirectUri,
      next: ownPage(next),
      created_at: now(),
      expires_at: now() + attemptMs,
    });
    return { address, browser };
  }

  async #reaching<T>(provider: store.ProviderRow, work: () => Promise<T>): Promise<T> {
    const { warn } = this.#deps;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      warn(`single sign-on with ${provider.name}: ${error.message}`);
      const message = `${provider.name} cannot be reached at the moment. Try again, or tell whoever looks after it.`;
      throw fail('Timeout', { message, retryAfter: 5, cause: error });
    }
  }

  /** The browser is back. It never throws because of what somebody has sent. */
  async finish({ query, browser }: ReturnFromProvider, client: SignInOrigin): Promise<SingleSignOnResult> {
    const { db, now } = this.#deps;
    const state = new URLSearchParams(query).get('state') ?? '';
    if (browser === undefined || browser.length > longest || state === '' || state.length > longest)
      return { problem: 'again', isSignedIn: false, next: '/apps' };
    const hashes = { stateHash: secretHash(state), browserHash: secretHash(browser) };
    const attempt = await store.takeAttempt(db, { ...hashes, now: now() });
    if (!attempt) return { problem: 'again', isSignedIn: false, next: '/apps' };
    const { next } = attempt;
    const ended = await this.#finish(attempt, { query, state }, client);
    return typeof ended === 'string' ? { problem: ended, isSignedIn: attempt.purpose !== 'sign in', next } : ended;
  }

  async #finish(
    attempt: store.AttemptRow,
    answer: { readonly query: string; readonly state: string },
    client: SignInOrigin,
  ): Promise<SsoProblem | SingleSignOnResult> {
    const { db, providers, party, warn } = this.#deps;
    const provider = await store.findProvider(db, attempt.provider_id);
    if (!provider?.is_enabled) return 'again';
    let person: SsoPerson;
    try {
      person = personOf(await party.arrive(providers.registrationOf(provider), attempt, answer), provider);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      warn(`single sign-on with ${provider.name}: ${(error as Error).message}`);
      return problem;
    }
    if (attempt.purpose === 'sign in') return this.#signIn(person, { attempt, provider, client });
    return this.#ofSession(person, { attempt, provider, client });
  }

  async #signIn(person: SsoPerson, { attempt, provider, client }: Arrived): Promise<SsoProblem | SingleSignOnResult> {
    const { db, now, sessions, afterChange } = this.#deps;
    const { address } = client;
    if (!person.hasProvedFactor && (await isFactorRequired(db))) {
      await sessions.noteRefusal(person.email, address);
      return 'factor';
    }
    try {
      const admission = await db.transaction((db) => admit(db, person, { provider, address, now: now(), afterChange }));
      if ('refusal' in admission) {
        await sessions.noteRefusal(admission.email, address);
        return admission.refusal;
      }
      const { hasProvedFactor } = person;
      const through = { providerId: provider.provider_id, name: provider.name, hasProvedFactor };
      const session = await sessions.signInThrough(admission.row, { through, client });
      return { session, next: attempt.next };
    } catch (error) {
      // Two tabs at once, or an account that was changed in between.
      const isRace = error instanceof Failure && error.entry.name === 'UserInvalidLoginParams';
      if (error instanceof UniqueViolation || isRace) return 'again';
      throw error;
    }
  }

  /** The session that began it goes on; its cookie does not come along from another site, so the attempt names it. */
  async #ofSession(
    person: SsoPerson,
    { attempt, provider, client }: Arrived,
  ): Promise<SsoProblem | SingleSignOnResult> {
    const { sessions } = this.#deps;
    const admin = await sessions.findByHash(attempt.session_hash ?? '');
    if (!admin) return 'again';
    const { authenticatedAt } = person;
    // Asked for with max_age=0: what the provider remembers from earlier does not count.
    if (authenticatedAt === undefined || authenticatedAt < attempt.created_at - toleranceMs) return 'provider';
    const ended =
      attempt.purpose === 'confirm'
        ? await this.#confirm(person, admin, { provider, client })
        : await this.#connect(person, admin, { provider, client });
    return ended ?? { next: attempt.next };
  }

  async #confirm(
    person: SsoPerson,
    admin: AdminContext,
    { provider, client: { address } }: Omit<Arrived, 'attempt'>,
  ): Promise<SsoProblem | undefined> {
    const { db, now, sessions, afterChange } = this.#deps;
    const identity = await store.findIdentity(db, person.issuer, person.subject);
    if (identity?.admin_id !== admin.adminId) return 'other';
    // The provider says in which groups they are now.
    const admission = await db.transaction((db) => admit(db, person, { provider, address, now: now(), afterChange }));
    if ('refusal' in admission) return admission.refusal;
    await sessions.noteConfirmation(admin.sessionHash);
    return undefined;
  }

  async #connect(
    { issuer, subject }: SsoPerson,
    { adminId, email, sessionHash }: AdminContext,
    { provider, client }: Omit<Arrived, 'attempt'>,
  ): Promise<SsoProblem | undefined> {
    const { db, now } = this.#deps;
    try {
      return await db.transaction(async (db) => {
        // Ended since the way to the provider began.
        if (!(await lockAdminOf(db, { adminId, sessionHash }))) return 'again';
        const known = await store.findIdentity(db, issuer, subject);
        if (known) return known.admin_id === adminId ? undefined : 'connected';
        const at = now();
        await store.insertIdentity(db, { issuer, subject, admin_id: adminId, created_at: at, last_used_at: at });
        const by = { name: email, address: client.address };
        const after = { provider: provider.name };
        await recordChange(db, { by, action: 'administrator.connect', subject: email, after, now: at });
        return undefined;
      });
    } catch (error) {
      if (error instanceof UniqueViolation) return 'connected';
      throw error;
    }
  }

  async identitiesOf({ adminId, provider }: AdminContext) {
    const { db } = this.#deps;
    const issuers = await store.listIssuersOf(db, adminId);
    const rows = (await store.listProviders(db)).filter(({ is_enabled: isEnabled }) => isEnabled > 0);
    const providers = rows.map(({ provider_id: providerId, name, issuer }) => ({
      providerId,
      name,
      connected: issuers.includes(issuer),
    }));
    return { current: provider, providers };
  }

  /** @throws Failure ObjectNotFound; OperationForbidden for whoever would have no way to sign in */
  async disconnect({ adminId, email }: AdminContext, providerId: string, address: string): Promise<void> {
    const { db, now, sessions } = this.#deps;
    await db.transaction(async (db) => {
      // One after the other, or the last two ways to sign in could go at the same moment.
      await lockAdmin(db, adminId);
      const provider = await store.findProvider(db, providerId);
      if (!provider || !(await store.deleteIdentities(db, adminId, provider.issuer)))
        throw fail('ObjectNotFound', 'Your account is not connected with this provider.');
      await sessions.assertHasOwnWay(db, adminId);
      const [by, before] = [{ name: email, address }, { provider: provider.name }];
      await recordChange(db, { by, action: 'administrator.disconnect', subject: email, before, now: now() });
    });
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await store.deleteExpiredAttempts(db, now());
  }
}

interface Arrived {
  readonly attempt: store.AttemptRow;
  readonly provider: store.ProviderRow;
  readonly client: SignInOrigin;
}

function problemOf(error: unknown): SsoProblem | undefined {
  if (error instanceof AnswerRefused) return error.reason;
  const isSilent = error instanceof Failure && error.entry.name === 'Timeout';
  return error instanceof Unreadable || isSilent ? 'down' : undefined;
}
