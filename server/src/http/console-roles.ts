/** What an administrator is. The owner of an installation decides who the others are. */
export const adminRoles = ['owner', 'manager', 'editor', 'installer', 'analyst'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** What each role may do in the management console. Every console endpoint names one line of this table. */
export const mayDo = Object.freeze({
  /** Oneself: who am I, sign out, change one's own password. */
  'session.own': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'administrators.read': ['owner', 'manager'],
  'administrators.write': ['owner'],
  'apps.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'apps.create': ['owner', 'manager'],
  /** Name, policy, limits, time zone, switching off and on. */
  'apps.change': ['owner', 'manager'],
  'apps.delete': ['owner'],
  'keys.read': ['owner', 'manager'],
  'keys.write': ['owner', 'manager'],
  'buckets.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'buckets.write': ['owner', 'manager'],
  /** App users: personal data. */
  'users.read': ['owner', 'manager'],
  /** An app user's role, and switching the user off and on. */
  'users.change': ['owner', 'manager'],
  /** They show what happens in the app, and send it elsewhere. */
  'webhooks.read': ['owner', 'manager'],
  'webhooks.write': ['owner', 'manager'],
  'audit.read': ['owner', 'manager'],
  'devices.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'devices.write': ['owner', 'manager', 'installer'],
}) satisfies Readonly<Record<string, readonly AdminRole[]>>;

export type Permission = keyof typeof mayDo;

export function isAllowed(role: AdminRole, permission: Permission): boolean {
  return (mayDo[permission] as readonly AdminRole[]).includes(role);
}
