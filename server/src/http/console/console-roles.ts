/** The roles of administrators. The owner of an installation assigns them. */
export const adminRoles = ['owner', 'manager', 'editor', 'installer', 'analyst'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** What each role may do in the management console. Every console endpoint names one line of this table. */
export const mayDo = Object.freeze({
  /** Oneself: the current session, signing out, changing one's own password. */
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
  /** The state of the service: version, storage, queues, memory. */
  'system.read': ['owner', 'manager'],
  /** Backups contain everything, including the hashes of keys and passwords. */
  'backups.manage': ['owner'],
  'beacons.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
  'beacons.write': ['owner', 'manager', 'installer'],
  /** The messages to visitors: notifications, storylines with their scenarios. */
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
  /** Visits, events, verdicts and logs, with installations only by their id. */
  'activity.read': ['owner', 'manager', 'editor', 'installer', 'analyst'],
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

interface DataTag {
  readonly read?: Permission;
  readonly write?: Permission;
}

/**
 * What an administrator needs for the operations of `/api/v2`, by their tag. The console cannot reach an operation
 * without a line here or in `dataOperations`.
 */
export const dataTags: Readonly<Record<string, DataTag>> = Object.freeze({
  Beacons: { read: 'beacons.read', write: 'beacons.write' },
  Notifications: { read: 'content.read', write: 'content.write' },
  Storylines: { read: 'content.read', write: 'content.write' },
  Push: { read: 'activity.read', write: 'push.send' },
  Deliveries: { read: 'activity.read' },
  Files: { read: 'files.read', write: 'files.write' },
  Schemas: { read: 'schemas.read', write: 'schemas.write' },
  'Data buckets': { read: 'records.read', write: 'records.write' },
  Devices: { read: 'devices.read', write: 'devices.write' },
  Simulations: { write: 'simulations.run' },
  Stream: { read: 'activity.read' },
  Visits: { read: 'activity.read' },
  Events: { read: 'activity.read' },
  Logs: { read: 'activity.read' },
  Installations: { read: 'installations.read', write: 'installations.write' },
});

/** Exceptions from the rule for the tag; null: only for apps. */
export const dataOperations: Readonly<Record<string, Permission | null>> = Object.freeze({
  listUsers: 'users.read',
  registerInstallation: null,
  reportReceipts: null,
});

/** Writes that store nothing, so that the audit need not record them. */
export const storesNothing: ReadonlySet<string> = new Set(['simulateSightings']);

/** Records of these may hold personal data, which has to go when a person is erased: the audit keeps only their ids. */
export const personalTags: ReadonlySet<string> = new Set(['Installations', 'Data buckets']);

/** Members that a role without the permission can neither see nor filter by. */
export const personalMembers: Readonly<
  Record<string, { readonly permission: Permission; readonly members: readonly string[] }>
> = Object.freeze({
  Installations: {
    permission: 'installations.personal',
    members: ['installationId', 'userId', 'metadata', 'deviceToken'],
  },
});

/** What an administrator needs for an operation of `/api/v2`; undefined if it is only for apps. */
export function dataPermission(operation: {
  readonly operationId: string;
  readonly tag: string;
  readonly method: string;
}): Permission | undefined {
  const special = dataOperations[operation.operationId];
  if (special !== undefined) return special ?? undefined;
  return dataTags[operation.tag]?.[operation.method === 'GET' ? 'read' : 'write'];
}
