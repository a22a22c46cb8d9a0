import { fail, type Problem } from '../base/errors.ts';
import { type AdminRole, adminRoles, isAllowed, type limitedRoles, type Permission } from './roles.ts';

/** One app in which an administrator's role holds. */
export interface AppGrant {
  readonly appId: string;
  /** In this app instead of the administrator's own. An owner's role holds for the service as a whole. */
  readonly role?: (typeof limitedRoles)[number];
  /** Only for what belongs to these venues; for all of the app without it. */
  readonly venues?: readonly string[];
}

/** Where an administrator's role holds; null: in all apps, and for the service itself. */
export type Reach = readonly AppGrant[] | null;

interface Limited {
  readonly role: AdminRole;
  readonly apps: Reach;
}

/** What an administrator is in one app. */
export interface Standing {
  readonly role: AdminRole;
  /** Undefined: all of the app. */
  readonly venues: readonly string[] | undefined;
}

/** As rows of administrators and invitations keep it. An owner is not limited, whatever the row says. */
export function storedReach({ role, apps }: { readonly role: AdminRole; readonly apps: string | null }): Reach {
  return role === 'owner' || apps === null ? null : (JSON.parse(apps) as readonly AppGrant[]);
}

export const reachText = (apps: Reach) => (apps === null ? null : JSON.stringify(apps));

/** What somebody is in an app; undefined: nothing, the app does not exist for them. */
export function standingIn({ role, apps }: Limited, appId: string): Standing | undefined {
  if (apps === null) return { role, venues: undefined };
  const grant = apps.find((one) => one.appId === appId);
  return grant && { role: grant.role ?? role, venues: grant.venues };
}

/** The apps, all of each, in which somebody may do it; undefined: all apps. */
export function appsWith(admin: Limited, permission: Permission): readonly string[] | undefined {
  return admin.apps?.flatMap(({ appId, role = admin.role, venues }) =>
    venues === undefined && isAllowed(role, permission) ? [appId] : [],
  );
}

/** The first of the roles that somebody has for a whole app or for all, in the order of `adminRoles`. */
export function highestRole({ role, apps }: Limited): AdminRole {
  const held = apps?.flatMap((grant) => (grant.venues ? [] : [grant.role ?? role])) ?? [role];
  return adminRoles.find((one) => held.includes(one)) ?? role;
}

/** @throws Failure ValidationError */
export function assertReach({ role, apps }: Limited): void {
  if (apps === null) return;
  if (role === 'owner') refuse([{ field: 'apps', problem: ownerIsNotLimited }]);
  assertGrants('apps', apps);
}

const ownerIsNotLimited = 'must be null for an owner: whoever manages the others is limited to nothing';

/** `field`: the member that has the list. @throws Failure ValidationError */
export function assertGrants(field: string, apps: readonly AppGrant[]): void {
  const twice = apps.flatMap(({ appId }, at) =>
    apps.findIndex((one) => one.appId === appId) === at
      ? []
      : [{ field: `${field}.${at}.appId`, problem: 'is there twice' }],
  );
  if (twice.length > 0) refuse(twice);
}

function refuse(problems: readonly Problem[]): never {
  const [first] = problems;
  throw fail('ValidationError', { message: `${first?.field} ${first?.problem}.`, details: problems });
}
