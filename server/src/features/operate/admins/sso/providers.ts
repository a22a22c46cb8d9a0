import { type Actor, recordChange } from '../../../../access/audit.ts';
import { type AppGrant, assertGrants } from '../../../../access/reach.ts';
import { fail, invalid } from '../../../../base/errors.ts';
import { newObjectId } from '../../../../base/id.ts';
import { type Db, ifTaken } from '../../../../db/db.ts';
import { isoTime } from '../../../../http/answers.ts';
import type { AdminContext } from '../../../../http/console/console-endpoint.ts';
import type { Changes } from '../../../../http/shape.ts';
import { type AssertUnchanged, entityTag } from '../../../../resources/entity-tag.ts';
import { addressProblem } from '../../../../sign-in/oidc/address-problem.ts';
import type { IssuerKeys } from '../../../../sign-in/oidc/issuer-keys.ts';
import { Unreadable } from '../../../../sign-in/oidc/read-json.ts';
import type { Context } from '../../../context.ts';
import { appRolesOf, type RoleGroups } from './person.ts';
import type { ProviderFields, SsoPolicy } from './provider-schemas.ts';
import type { ClientRegistration } from './relying-party.ts';
import * as store from './store.ts';

export interface ProviderDeps extends Pick<Context, 'db' | 'now' | 'secrets' | 'targets'> {
  readonly keys: IssuerKeys;
}

interface Changing {
  readonly by: Actor;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

const maxProviders = 10;
const usualScopes = 'openid email profile';
const sealedFor = (providerId: string) => `sso provider ${providerId}`;

/** The providers through which administrators sign in, and whether that is the only way. For owners. */
export class SsoProviders {
  readonly #deps: ProviderDeps;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  async list() {
    return (await store.listProviders(this.#deps.db)).map(view);
  }

  /** @throws Failure ObjectNotFound */
  async get(providerId: string) {
    return view((await store.findProvider(this.#deps.db, providerId)) ?? missing(providerId));
  }

  /** @throws Failure ValidationError, DuplicateValue, OperationForbidden when secrets cannot be stored */
  async create(fields: ProviderFields, by: Actor) {
    const { db, now } = this.#deps;
    await this.#assertIssuer(fields.issuer);
    const at = now();
    const providerId = newObjectId(at);
    const row: store.ProviderRow = {
      provider_id: providerId,
      name: fields.name,
      issuer: fields.issuer,
      client_id: fields.clientId,
      client_secret: this.#seal(fields.clientSecret, providerId),
      scopes: fields.scopes ?? usualScopes,
      groups_claim: fields.groupsClaim ?? null,
      roles: JSON.stringify(fields.roles ?? {}),
      app_roles: appRolesText(fields.appRoles ?? []),
      default_role: fields.defaultRole ?? null,
      factor_values: JSON.stringify(fields.factorValues ?? []),
      trusts_email: fields.trustsEmail ? 1 : 0,
      join_apps: joinText(fields.joinApps ?? []),
      is_enabled: fields.enabled === false ? 0 : 1,
      created_at: at,
      updated_at: at,
    };
    assertClaim(row);
    return db
      .transaction(async (db) => {
        if ((await store.lockProviders(db)).length >= maxProviders)
          throw fail('OperationForbidden', `There can be at most ${maxProviders} providers. Delete one first.`);
        await store.insertProvider(db, row);
        await this.#audit(db, by, { action: 'create', subject: row.name, after: chosen(row) });
        return view(row);
      })
      .catch(ifTaken(() => taken(row.name)));
  }

  /**
   * Its issuer stays. Switching it off ends the sessions that began with it.
   *
   * @throws Failure ObjectNotFound, PreconditionFailed …
   */
  async change(providerId: string, { set, cleared }: Changes<ProviderFields>, { by, assertUnchanged }: Changing) {
    const { now } = this.#deps;
    const secret = this.#seal(set.clientSecret, providerId);
    return this.#change(providerId, async (db, row, others) => {
      assertUnchanged?.(ssoProviderTag(view(row)));
      if (set.issuer !== undefined && set.issuer !== row.issuer) throw fixedIssuer();
      const next: store.ProviderRow = {
        ...row,
        name: set.name ?? row.name,
        client_id: set.clientId ?? row.client_id,
        client_secret: cleared.includes('clientSecret') ? null : (secret ?? row.client_secret),
        scopes: set.scopes ?? row.scopes,
        groups_claim: cleared.includes('groupsClaim') ? null : (set.groupsClaim ?? row.groups_claim),
        roles: set.roles ? JSON.stringify(set.roles) : row.roles,
        app_roles: cleared.includes('appRoles') ? null : set.appRoles ? appRolesText(set.appRoles) : row.app_roles,
        default_role: cleared.includes('defaultRole') ? null : (set.defaultRole ?? row.default_role),
        factor_values: set.factorValues ? JSON.stringify(set.factorValues) : row.factor_values,
        trusts_email: set.trustsEmail === undefined ? row.trusts_email : set.trustsEmail ? 1 : 0,
        join_apps: cleared.includes('joinApps')
          ? joinText([])
          : set.joinApps === undefined
            ? row.join_apps
            : joinText(set.joinApps),
        is_enabled: set.enabled === undefined ? row.is_enabled : set.enabled ? 1 : 0,
        updated_at: Math.max(now(), row.updated_at),
      };
      assertClaim(next);
      if (next.is_enabled === 0) await assertOther(db, others);
      await store.updateProvider(db, next);
      if (next.is_enabled === 0) await store.deleteSessionsThrough(db, providerId);
      const [before, after] = [chosen(row), chosen(next)];
      await this.#audit(db, by, { action: 'change', subject: next.name, before, after });
      return view(next);
    }).catch(ifTaken(() => taken(set.name ?? '')));
  }

  /** Ends the sessions that began with it. Who is known there stays known if it is added again. */
  async remove(providerId: string, { by, assertUnchanged }: Changing): Promise<void> {
    await this.#change(providerId, async (db, row, others) => {
      assertUnchanged?.(ssoProviderTag(view(row)));
      await assertOther(db, others);
      await store.deleteSessionsThrough(db, providerId);
      await store.deleteProvider(db, providerId);
      await this.#audit(db, by, { action: 'delete', subject: row.name, before: chosen(row) });
    });
  }

  async policy(): Promise<SsoPolicy> {
    return policyOf(this.#deps.db);
  }

  /**
   * With `only`, nobody signs in with a password or a passkey any more, and sessions that began so end.
   *
   * @throws Failure PreconditionFailed; OperationForbidden for `only` unless the caller has signed in through a provider
   */
  async changePolicy(set: Partial<SsoPolicy>, admin: AdminContext, { by, assertUnchanged }: Changing) {
    const { db } = this.#deps;
    return db.transaction(async (db) => {
      await store.lockProviders(db);
      const before = await policyOf(db);
      assertUnchanged?.(ssoPolicyTag(before));
      if (set.only && admin.provider === null && !before.only)
        throw fail(
          'OperationForbidden',
          'Sign in through a provider first, which shows that it works and that you are an owner there too.',
        );
      return this.#setPolicy(db, { before, after: { ...before, ...set } }, by);
    });
  }

  /** For the command line: the providers may be gone. */
  async allowOtherWays(by: Actor): Promise<void> {
    const { db } = this.#deps;
    await db.transaction(async (db) => {
      await store.lockProviders(db);
      const before = await policyOf(db);
      await this.#setPolicy(db, { before, after: { ...before, only: false } }, by);
    });
  }

  async #setPolicy(db: Db, { before, after }: Readonly<Record<'before' | 'after', SsoPolicy>>, by: Actor) {
    if (before.only === after.only && before.sessionHours === after.sessionHours) return after;
    if (before.only !== after.only) await store.setOnlyWay(db, after.only);
    if (after.only && !before.only) await store.deleteLocalSessions(db);
    if (before.sessionHours !== after.sessionHours) await store.setSessionHours(db, after.sessionHours);
    await this.#audit(db, by, { action: 'only', subject: 'single sign-on', before, after });
    return after;
  }

  /** Reads the provider's configuration and keys now. @throws Failure ObjectNotFound */
  async test(providerId: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { db, keys } = this.#deps;
    const { issuer } = (await store.findProvider(db, providerId)) ?? missing(providerId);
    try {
      const count = await keys.probe({ issuer, jwksUri: undefined });
      return { ok: true, text: `The provider answers, and has ${count === 1 ? 'one key' : `${count} keys`}.` };
    } catch (error) {
      const reason = error instanceof Unreadable ? error.message : 'its keys are malformed';
      return { ok: false, text: `The provider cannot be used: ${reason}.` };
    }
  }

  /** @throws Error when the secret was sealed with another key */
  registrationOf(row: store.ProviderRow): ClientRegistration {
    const { secrets } = this.#deps;
    const { issuer, client_id: clientId, client_secret: sealed, scopes, provider_id: providerId } = row;
    return {
      issuer,
      clientId,
      clientSecret: sealed === null ? undefined : secrets.open(sealed, sealedFor(providerId)),
      scopes,
    };
  }

  #seal(secret: string | undefined, providerId: string): string | null {
    return secret === undefined ? null : this.#deps.secrets.seal(secret, sealedFor(providerId));
  }

  async #assertIssuer(issuer: string): Promise<void> {
    const { targets } = this.#deps;
    const problem = await addressProblem(targets, 'issuer', issuer);
    if (problem === undefined) return;
    throw invalid('issuer', problem);
  }

  async #change<T>(
    providerId: string,
    work: (db: Db, row: store.ProviderRow, others: readonly store.ProviderRow[]) => Promise<T>,
  ): Promise<T> {
    const { db } = this.#deps;
    return db.transaction(async (db) => {
      // All of them, so that two owners cannot switch off the last two at the same moment.
      const rows = await store.lockProviders(db);
      const row = rows.find(({ provider_id: id }) => id === providerId) ?? missing(providerId);
      return work(
        db,
        row,
        rows.filter((other) => other !== row),
      );
    });
  }

  #audit(
    db: Db,
    by: Actor,
    change: { readonly action: string; readonly subject: string; readonly before?: unknown; readonly after?: unknown },
  ) {
    return recordChange(db, { ...change, by, action: `single-sign-on.${change.action}`, now: this.#deps.now() });
  }
}

/** @throws Failure ValidationError when roles name groups, but no claim says who is in them */
function assertClaim(row: store.ProviderRow): void {
  const named = [...Object.values(JSON.parse(row.roles) as RoleGroups).flat(), ...appRolesOf(row)];
  if (row.groups_claim !== null || named.length === 0) return;
  throw invalid('groupsClaim', 'is needed, because roles name groups');
}

const appRolesText = (roles: NonNullable<ProviderFields['appRoles']>) =>
  roles.length === 0 ? null : JSON.stringify(roles);

/** @throws Failure ValidationError */
function joinText(apps: NonNullable<ProviderFields['joinApps']>): string | null {
  if (apps === 'all') return null;
  assertGrants('joinApps', apps);
  return JSON.stringify(apps);
}

/** While it is the only way, one provider has to stay. @throws Failure OperationForbidden */
async function assertOther(db: Db, others: readonly store.ProviderRow[]): Promise<void> {
  if (others.some(({ is_enabled: isEnabled }) => isEnabled > 0) || !(await store.isOnlyWay(db))) return;
  throw fail('OperationForbidden', 'Nobody could sign in any more. Allow passwords and passkeys first.');
}

function chosen(row: store.ProviderRow) {
  return {
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    hasSecret: row.client_secret !== null,
    scopes: row.scopes,
    groupsClaim: row.groups_claim,
    roles: JSON.parse(row.roles) as RoleGroups,
    appRoles: [...appRolesOf(row)],
    defaultRole: row.default_role,
    factorValues: JSON.parse(row.factor_values) as readonly string[],
    trustsEmail: row.trusts_email > 0,
    joinApps: row.join_apps === null ? ('all' as const) : (JSON.parse(row.join_apps) as AppGrant[]),
    enabled: row.is_enabled > 0,
  };
}

const view = (row: store.ProviderRow) => ({
  providerId: row.provider_id,
  ...chosen(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** The tag of a provider; it also changes with the secret. */
export const ssoProviderTag = (provider: ReturnType<typeof view>) => entityTag(JSON.stringify(provider));

async function policyOf(db: Db): Promise<SsoPolicy> {
  return { only: await store.isOnlyWay(db), sessionHours: await store.findSessionHours(db) };
}

export const ssoPolicyTag = (policy: SsoPolicy) => entityTag(JSON.stringify(policy));

function missing(providerId: string): never {
  throw fail('ObjectNotFound', `There is no provider ${providerId}.`);
}

function taken(name: string) {
  return fail('DuplicateValue', `There is a provider with the name ${name} or this issuer already.`);
}

function fixedIssuer() {
  const problem = 'cannot be changed; add another provider instead';
  return invalid('issuer', problem);
}
