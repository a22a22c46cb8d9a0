import { joinSql, raw, type Sql, sql } from '../sql.ts';
import type { AppContext, UserContext } from './context.ts';

/** Who calls, as far as what may be seen depends on it. */
export interface Caller {
  readonly app: AppContext;
  readonly user: UserContext | undefined;
  /** An administrator, by the management console. */
  readonly isAdministrator: boolean;
}

/** Whether the caller sees and changes what belongs to other people: managers of the app, and administrators. */
export function seesAll({ user, isAdministrator }: Caller): boolean {
  return isAdministrator || user?.role === 'manager';
}

/** An installation of a user, and from when on what it recorded is hers (epoch ms). */
export interface HeldInstallation {
  readonly objectId: string;
  readonly heldSince: number;
}

/** Finds the installations of a user that has shown that they are hers. */
export type FindHeld = (appId: string, userId: string) => Promise<readonly HeldInstallation[]>;

/** What of a table a caller may see. */
export interface Visible {
  readonly condition: Sql;
  /** The index that finds it. SQLite knows no sizes, and would walk the whole table in the order that is asked for. */
  readonly index?: string;
}

/** What the caller may see; undefined: all. */
export type Narrow = (caller: Caller) => Promise<Visible | undefined>;

/**
 * Narrows a table with an `installation_id` to the records of the caller's own installations, from the moment on at which
 * they became hers. `times` are the columns that have to lie behind that moment; where one is null it does not count. `index` begins
 * with app_id and installation_id.
 */
export function ownTraces(findHeld: FindHeld, index: string, times: readonly string[]): Narrow {
  return async (caller) => {
    if (seesAll(caller)) return undefined;
    const held = caller.user ? await findHeld(caller.app.appId, caller.user.userId) : [];
    return held.length === 0 ? { condition: sql`(1 = 0)` } : { condition: heldBy(held, times), index };
  };
}

/** Narrows a table to the records that name the caller in `user_id`. */
export const ownRecords: Narrow = async (caller) =>
  seesAll(caller) ? undefined : { condition: sql`user_id = ${caller.user?.userId ?? null}` };

function heldBy(held: readonly HeldInstallation[], times: readonly string[]): Sql {
  const ids = joinSql(
    held.map(({ objectId }) => sql`${objectId}`),
    ', ',
  );
  // Joined by AND, so that the index of installation_id serves it.
  const since = held
    .filter(({ heldSince }) => heldSince > 0)
    .map(({ objectId, heldSince }) => {
      const later = times.map((column) => sql`coalesce(${raw(column)}, ${heldSince}) >= ${heldSince}`);
      return sql`(installation_id <> ${objectId} or (${joinSql(later, ' and ')}))`;
    });
  return joinSql([sql`installation_id in (${ids})`, ...since], ' and ');
}
