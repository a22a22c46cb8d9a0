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
  /** An app user's role, switching the user off and on, and erasing. */
  'users.change': ['owner', 'manager'],
  /** Credentials of push providers. */
  'senders.read': ['owner', 'manager'],
  'senders.write': ['owner', 'manager'],
  /** They show what happens in the app, and send it elsewhere. */
  'webhooks.read': ['owner', 'manager'],
  'webhooks.write': ['owner', 'manager'],
  'audit.read': ['owner', 'manager'],
  /** How the service does: version, storage, queues, memory. */
  'system.read': ['owner', 'manager'],
  /** Backups hold everything, the hashes of keys and passwords included. */
  'backups.manage': ['owner'],
  'beacons.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'beacons.write': ['owner', 'manager', 'installer'],
  /** What visitors are told: notifications, storylines with their scenarios. */
  'content.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'content.write': ['owner', 'manager', 'editor'],
  'push.send': ['owner', 'manager', 'editor'],
  'files.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'files.write': ['owner', 'manager', 'editor'],
  'schemas.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'schemas.write': ['owner', 'manager'],
  /** What apps have written into buckets; it may be personal data. */
  'records.read': ['owner', 'manager', 'editor'],
  'records.write': ['owner', 'manager', 'editor'],
  'devices.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'devices.write': ['owner', 'manager', 'installer'],
  /** Asking what would happen; nothing is stored. */
  'simulations.run': ['owner', 'manager', 'editor', 'installer'],
  /** Visits, events, verdicts and logs: installations only by their id. */
  'activity.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  /** Who writes a push sees how many it reaches. */
  'installations.read': ['owner', 'manager', 'editor', 'analyst'],
  /** Whose installation it is, and what the app has noted about it. */
  'installations.personal': ['owner', 'manager'],
  'installations.write': ['owner', 'manager'],
}) satisfies Readonly<Record<string, readonly AdminRole[]>>;

export type Permission = keyof typeof mayDo;

export function isAllowed(role: AdminRole, permission: Permission): boolean {
  return (mayDo[permission] as readonly AdminRole[]).includes(role);
}
