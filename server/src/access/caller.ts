import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { AppContext } from './context.ts';
import type { Scope } from './keys/scopes.ts';
import type { SecretKey } from './keys/secret-key.ts';
import type { AdminRole } from './roles.ts';
import type { RuleUser } from './rules/rule-types.ts';

/** What access depends on about the caller. */
export interface Caller {
  readonly app: AppContext;
  readonly user: RuleUser | undefined;
  /** An administrator who uses the management console. */
  readonly isAdministrator: boolean;
  /** With it a server acts for the app itself, and no user is signed in. */
  readonly secretKey: SecretKey | undefined;
  /** Of an administrator whose own request this is, in this app. */
  readonly role?: AdminRole | undefined;
  /** The venues to which an administrator is limited in this app; all of it without. */
  readonly venues?: readonly string[] | undefined;
  /** Of a secret key that names something in a write: the scope that it uses. */
  readonly writes?: Scope;
}

/** Whether the caller may see and change other people's data, as managers, secret keys and administrators may. */
export function seesAll({ user, isAdministrator, secretKey }: Caller): boolean {
  return isAdministrator || secretKey !== undefined || user?.role === 'manager';
}

/** Whether the caller may know where other people's phones are. A secret key that only reports them may not. */
export function seesWhereabouts(caller: Caller): boolean {
  const { secretKey } = caller;
  if (!secretKey) return seesAll(caller);
  return (['list', 'get'] as const).some((verb) => {
    const scope = { of: 'events', verb } as const;
    return secretKey.scopes.include(scope) && secretKey.scopes.venues(scope) === undefined;
  });
}

/**
 * Whether the caller may learn how many installations match a condition: only those who may list all of them. A series of
 * conditions would reveal installations member by member.
 */
export function seesAudiences(caller: Caller): boolean {
  const { app, isAdministrator, secretKey } = caller;
  if (isAdministrator) return true;
  if (!seesAll(caller) || app.rules.of('installations').rules.list.word === 'nobody') return false;
  return secretKey === undefined || secretKey.scopes.include({ of: 'installations', verb: 'list' });
}

/** An installation of a user, and since when it has been theirs (epoch ms). */
export interface HeldInstallation {
  readonly objectId: string;
  readonly heldSince: number;
}

/** Finds the installations that are proven to belong to the user. */
export type FindHeld = (appId: string, userId: string) => Promise<readonly HeldInstallation[]>;

/** The user with the installations that are theirs, for rules that speak of them. */
export async function knowInstallations<U extends RuleUser>(appId: string, user: U, findHeld: FindHeld): Promise<U> {
  const held = await findHeld(appId, user.userId);
  return { ...user, installationIds: held.map(({ objectId }) => objectId) };
}

/** The rows of a table that a caller may see. */
export interface Visible {
  readonly condition: Sql;
  /** The index to use. SQLite does not know table sizes and would scan the whole table in the requested order. */
  readonly index?: string;
}

/** The rows that the caller may see; undefined for all. */
export type Narrow = (caller: Caller) => Promise<Visible | undefined>;

/**
 * Narrows a table with an `installation_id` to records of the caller's own installations, made since they became the
 * caller's. `times` are the columns that must not be earlier than that; null values are ignored. `index` must begin
 * with app_id and installation_id.
 */
export function ownTraces(findHeld: FindHeld, index: string, times: readonly string[]): Narrow {
  return async (caller) => {
    if (seesAll(caller)) return undefined;
    const held = caller.user ? await findHeld(caller.app.appId, caller.user.userId) : [];
    return held.length === 0 ? { condition: sql`(1 = 0)` } : { condition: heldBy(held, times), index };
  };
}

function heldBy(held: readonly HeldInstallation[], times: readonly string[]): Sql {
  const ids = joinSql(
    held.map(({ objectId }) => sql`${objectId}`),
    ', ',
  );
  // Joined by AND, so that the index on installation_id can be used.
  const since = held
    .filter(({ heldSince }) => heldSince > 0)
    .map(({ objectId, heldSince }) => {
      const later = times.map((column) => sql`coalesce(${raw(column)}, ${heldSince}) >= ${heldSince}`);
      return sql`(installation_id <> ${objectId} or (${joinSql(later, ' and ')}))`;
    });
  return joinSql([sql`installation_id in (${ids})`, ...since], ' and ');
}
