import { secretHash } from '../../../../access/access.ts';
import { type Actor, recordChange } from '../../../../access/audit.ts';
import { standingIn, storedReach } from '../../../../access/reach.ts';
import type { Clock } from '../../../../base/clock.ts';
import { fail } from '../../../../base/errors.ts';
import { randomText } from '../../../../base/id.ts';
import type { Database } from '../../../../db/db.ts';
import type { AdminContext } from '../../../../http/console/console-endpoint.ts';
import type { RateLimiter, RateRule } from '../../../../limits/rate-limit.ts';
import { findAdmin, findAdminSession, lockAdminOf } from '../accounts/store.ts';
import type { AdminSessions } from '../sessions.ts';
import { findProvider, holdProviders } from '../sso/store.ts';
import * as store from './store.ts';

/** By this prefix secret scanners find tokens in repositories. */
export const agentTokenPrefix = 'pha_';
export const maxAgents = 20;
export const maxAgentDays = 90;

const dayMs = 86_400_000;
const noteUseMs = 60_000;
/** Requests of one agent, from all addresses: more than a person needs, and a bound for loops. */
const perAgent: RateRule = Object.freeze({ perSecond: 10, burst: 100 });

interface Deps {
  readonly db: Database;
  readonly now: Clock;
  readonly limiter: RateLimiter;
  readonly sessions: Pick<AdminSessions, 'mustEnrol'>;
  /** @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<unknown>;
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
}

export interface NewAgent {
  readonly appId: string;
  /** For the list and the audit. */
  readonly name: string;
  /** How long it counts. */
  readonly days: number;
  readonly mayWrite: boolean;
}

/**
 * Agents that act for an administrator in one app, with the role that the administrator has there at that moment. Whatever ends the
 * administrator's sessions ends them too (`accounts/store.ts`, `sso/store.ts`).
 */
export class AdminAgents {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Answers the token, which exists only there. An administrator who has signed in through a provider is asked for again when the session
   * ends, so such an agent ends with it.
   *
   * @throws Failure ObjectNotFound for an app that the administrator does not reach; OperationForbidden for one too many
   */
  async create(admin: AdminContext, agent: NewAgent, by: Actor): Promise<{ token: string; row: store.AgentRow }> {
    const { db, now, findApp } = this.#deps;
    const { adminId, sessionHash } = admin;
    const { appId, name } = agent;
    await findApp(appId);
    const token = agentTokenPrefix + randomText(43);
    const row = await db.transaction(async (db) => {
      // Otherwise an agent could be made while single sign-on becomes the only way, and stay.
      await holdProviders(db);
      const current = await lockAdminOf(db, { adminId, sessionHash });
      const session = await findAdminSession(db, sessionHash);
      if (!current || !session) throw fail('InvalidSessionToken');
      if (!standingIn({ role: current.role, apps: storedReach(current) }, appId)) throw noSuchApp(appId);
      if ((await store.listAgents(db, adminId, now())).length >= maxAgents)
        throw fail('OperationForbidden', `You have ${maxAgents} agents, which is the limit. Remove one first.`);
      const wanted = now() + agent.days * dayMs;
      const row: store.AgentRow = {
        token_hash: secretHash(token),
        admin_id: adminId,
        app_id: appId,
        name,
        may_write: agent.mayWrite ? 1 : 0,
        provider_id: session.provider_id,
        factor_proved: session.factor_proved,
        created_at: now(),
        expires_at: session.provider_id === null ? wanted : Math.min(wanted, session.expires_at),
        last_used_at: null,
      };
      await store.insertAgent(db, row);
      const after = { name, mayWrite: agent.mayWrite, until: new Date(row.expires_at).toISOString() };
      await recordChange(db, { by, action: 'agent.create', subject: name, appId, after, now: now() });
      return row;
    });
    return { token, row };
  }

  list({ adminId }: AdminContext): Promise<store.AgentRow[]> {
    const { db, now } = this.#deps;
    return store.listAgents(db, adminId, now());
  }

  /** @throws Failure ObjectNotFound */
  async remove({ adminId }: AdminContext, agentId: string, by: Actor): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      const row = await store.deleteAgent(db, adminId, agentId);
      if (!row) throw fail('ObjectNotFound', 'You have no such agent. It may have ended already.');
      await recordChange(db, { by, action: 'agent.remove', subject: row.name, appId: row.app_id, now: now() });
    });
  }

  /**
   * The administrator for whom an agent acts, reaching nothing but its app; undefined for a token that is unknown or counts no more.
   *
   * @throws Failure APICallLimit
   */
  async find(token: string): Promise<AdminContext | undefined> {
    const { db, now, limiter, sessions, inBackground } = this.#deps;
    const hash = secretHash(token);
    const at = now();
    const row = await store.findAgent(db, hash);
    if (!row || row.expires_at <= at) return undefined;
    limiter.take(`agent-${hash}`, perAgent, at);
    const admin = await findAdmin(db, row.admin_id);
    if (!admin || admin.disabled_at !== null) return undefined;
    const provider = row.provider_id === null ? undefined : await findProvider(db, row.provider_id);
    if (row.provider_id !== null && !provider?.is_enabled) return undefined;
    if (at - (row.last_used_at ?? 0) > noteUseMs)
      inBackground('noting the use of an agent', () => store.noteAgentUse(db, hash, at));
    const reach = storedReach(admin) ?? [{ appId: row.app_id }];
    return {
      adminId: admin.admin_id,
      email: admin.email,
      name: admin.name,
      role: admin.role,
      apps: reach.filter(({ appId }) => appId === row.app_id),
      sessionHash: hash,
      // It can give neither a password nor a passkey.
      confirmedAt: 0,
      mustEnrol: row.factor_proved === 0 && (await sessions.mustEnrol(admin)),
      provider: provider ? { providerId: provider.provider_id, name: provider.name } : null,
      agent: { appId: row.app_id, name: row.name, mayWrite: row.may_write > 0 },
    };
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await store.deleteEndedAgents(db, now());
  }
}

const noSuchApp = (appId: string) => fail('ObjectNotFound', `There is no app ${appId}.`);
