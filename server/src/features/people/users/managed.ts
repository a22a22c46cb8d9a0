import { type Actor, recordChange } from '../../../access/audit.ts';
import type { UserRole } from '../../../access/context.ts';
import { type Failure, fail, invalid } from '../../../base/errors.ts';
import { type AssertUnchanged, newTag, tagOfRow } from '../../../resources/entity-tag.ts';
import type { Context } from '../../context.ts';
import { endSessions } from './sessions.ts';
import * as store from './store.ts';
import { userDetailTable } from './tables.ts';

/** What managers decide about the accounts of others. Members that are undefined stay. */
export interface ManagedChanges {
  readonly role?: UserRole | undefined;
  readonly disabled?: boolean | undefined;
  readonly venueIds?: readonly string[] | undefined;
}

export interface Changing {
  /** Whom the audit names; undefined where it records nothing. */
  readonly by: Actor | undefined;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

type Deps = Pick<Context, 'cacheVersion' | 'now' | 'lockVenueForShare'>;

/** Makes all of the changes or none. Returns the account's new tag. @throws see `UserService.changeUser` */
export function changeManaged(
  { cacheVersion, now, lockVenueForShare }: Deps,
  key: store.UserKey,
  { role, disabled, venueIds }: ManagedChanges,
  { by, assertUnchanged }: Changing,
): Promise<string> {
  const { appId, userId } = key;
  return cacheVersion.change(appId, async (db) => {
    const user = await store.lockUser(db, key);
    if (!user) throw noSuchUser();
    assertUnchanged?.(tagOfRow(userDetailTable, user));
    const audit = async (before: object, after: object) => {
      if (by) await recordChange(db, { by, action: 'user.change', subject: userId, appId, before, after, now: now() });
    };
    if (role !== undefined) {
      await audit({ role: user.role }, { role });
      await store.setRole(db, key, role);
    }
    if (disabled !== undefined) {
      await audit({ disabled: user.disabled_at !== null }, { disabled });
      if (disabled) await endSessions(db, key);
      await store.setDisabledAt(db, key, disabled ? now() : null);
    }
    if (venueIds !== undefined) {
      const before = store.venuesOf(user) ?? [];
      const venues = [...new Set(venueIds)].sort();
      const added = venues.filter((id) => !before.includes(id));
      await assertVenues(added, (id) => lockVenueForShare(db, appId, id));
      await audit({ venues: before }, { venues });
      await store.setVenues(db, key, venues);
    }
    return newTag(db, userDetailTable, { app_id: appId, object_id: userId });
  });
}

/** Venues that the user has already may be gone since; new ones must exist. @throws Failure ValidationError */
async function assertVenues(added: readonly string[], hold: (id: string) => Promise<boolean>): Promise<void> {
  const missing: string[] = [];
  for (const id of added) if (!(await hold(id))) missing.push(id);
  if (missing.length > 0) throw noVenues(missing);
}

export const noSuchUser = () => fail('ObjectNotFound', 'There is no user with this objectId.');

function noVenues(missing: readonly string[]): Failure {
  return invalid('venueIds', `names no venue of this app: ${missing.join(', ')}`);
}
