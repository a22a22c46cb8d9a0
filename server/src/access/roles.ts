/** The roles of administrators. The owner of an installation assigns them. */
export const adminRoles = ['owner', 'manager', 'editor', 'author', 'installer', 'analyst', 'reader'] as const;
export type AdminRole = (typeof adminRoles)[number];
/** Those that can be given for some apps only. */
export const limitedRoles = [
  'manager',
  'editor',
  'author',
  'installer',
  'analyst',
  'reader',
] as const satisfies Exclude<AdminRole, 'owner'>[];

/** What each role may do in the management console. Every console endpoint names one line of this table. */
export const mayDo = Object.freeze({
  /** The administrator's own: the current session, signing out, changing the password. */
  'session.own': adminRoles,
  'administrators.read': ['owner', 'manager'],
  'administrators.write': ['owner'],
  /** Through whom administrators sign in. Somebody who changes that can make anybody an owner. */
  'sso.manage': ['owner'],
  'apps.read': adminRoles,
  /** Rules, and what is kept about visitors, in words. */
  'settings.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'apps.create': ['owner', 'manager'],
  /** Name, policy, limits, time zone, switching off and on. */
  'apps.change': ['owner', 'manager'],
  'apps.delete': ['owner'],
  'keys.read': ['owner', 'manager'],
  'keys.write': ['owner', 'manager'],
  'buckets.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'buckets.write': ['owner', 'manager'],
  'users.read': ['owner', 'manager'],
  /** An app user's role, switching the user off and on, and erasing. */
  'users.change': ['owner', 'manager'],
  /** Through whom app users sign in: identity providers. */
  'signin.read': ['owner', 'manager'],
  'signin.write': ['owner', 'manager'],
  'senders.read': ['owner', 'manager'],
  'senders.write': ['owner', 'manager'],
  /** They show what happens in the app, and send it elsewhere. */
  'webhooks.read': ['owner', 'manager'],
  'webhooks.write': ['owner', 'manager'],
  'audit.read': ['owner', 'manager'],
  /** The state of the service: version, storage, queues, memory. */
  'system.read': ['owner', 'manager'],
  /** Backups contain everything, including the hashes of keys and passwords. */
  'backups.manage': ['owner'],
  'beacons.read': adminRoles,
  'beacons.write': ['owner', 'manager', 'installer'],
  /** Venues with their hours and plans: those who write messages know the hours, those who install beacons the plans. */
  'venues.read': adminRoles,
  'venues.write': ['owner', 'manager', 'editor', 'installer'],
  /** The messages to visitors: notifications, storylines with their scenarios. */
  'content.read': adminRoles,
  'content.write': ['owner', 'manager', 'editor', 'author'],
  'push.read': ['owner', 'manager', 'editor', 'author', 'installer', 'analyst'],
  'push.send': ['owner', 'manager', 'editor', 'author'],
  /** One's own phone: messages are tested on it, and in an install round it tells which beacon is near. */
  'phones.pair': ['owner', 'manager', 'editor', 'author', 'installer'],
  'files.read': adminRoles,
  'files.write': ['owner', 'manager', 'editor'],
  /** Those who install beacons bring the plans, but leave the files of others alone. */
  'files.upload': ['owner', 'manager', 'editor', 'author', 'installer'],
  'schemas.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'schemas.write': ['owner', 'manager'],
  /** What apps have written into buckets; it may be personal data. */
  'records.read': ['owner', 'manager', 'editor'],
  'records.write': ['owner', 'manager', 'editor'],
  'devices.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'devices.write': ['owner', 'manager', 'installer'],
  /** Asking what would happen; nothing is stored. */
  'simulations.run': ['owner', 'manager', 'editor', 'author', 'installer'],
  /** How many visitors, when and where, and what messages led to: figures, never a single visit. */
  'numbers.read': ['owner', 'manager', 'editor', 'installer', 'analyst', 'reader'],
  /** Visits, events, verdicts and logs, with installations only by their id. */
  'activity.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  /** Reports by mail: viewing them, and having one sent to yourself. */
  'reports.read': ['owner', 'manager', 'editor', 'analyst', 'reader'],
  /** Who gets which: they carry figures out of the console. */
  'reports.write': ['owner', 'manager'],
  /** The author of a push sees how many it reaches. */
  'installations.read': ['owner', 'manager', 'editor', 'analyst'],
  /** The owner of an installation, and what the app has noted about it. */
  'installations.personal': ['owner', 'manager'],
  'installations.write': ['owner', 'manager'],
}) satisfies Readonly<Record<string, readonly AdminRole[]>>;

export type Permission = keyof typeof mayDo;

export function isAllowed(role: AdminRole, permission: Permission): boolean {
  return (mayDo[permission] as readonly AdminRole[]).includes(role);
}
