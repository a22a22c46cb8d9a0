import type { Permission } from '../access/roles.ts';

/** Whether a kind concerns one app or the whole service, and what an administrator needs to see it. */
interface KindFacts {
  readonly of: 'app' | 'service';
  readonly permission: Permission;
  /** Its name in the list of subscriptions. */
  readonly name: string;
}

export const conditionKinds = {
  failures: { of: 'app', permission: 'push.read', name: 'Messages fail' },
  refused: { of: 'app', permission: 'senders.read', name: 'A push service refuses the credentials' },
  unreachable: { of: 'app', permission: 'push.read', name: 'Phones cannot be sent a push' },
  webhooks: { of: 'app', permission: 'activity.read', name: 'A webhook does not get through' },
  approval: { of: 'app', permission: 'push.send', name: 'A push waits for a second person' },
  quiet: { of: 'app', permission: 'activity.read', name: 'No visitors are noticed' },
  silent: { of: 'app', permission: 'activity.read', name: 'A beacon falls silent' },
  battery: { of: 'app', permission: 'activity.read', name: 'A battery will soon be empty' },
  misplaced: { of: 'app', permission: 'activity.read', name: 'A beacon is not as it should be' },
  tokens: { of: 'app', permission: 'activity.read', name: 'Phones can no longer be reached' },
  sensing: { of: 'app', permission: 'activity.read', name: 'Phones stop hearing beacons' },
  quota: { of: 'app', permission: 'activity.read', name: 'A quota is nearly used up' },
  crowded: { of: 'app', permission: 'activity.read', name: 'More visitors in a place than may be' },
  reports: { of: 'app', permission: 'reports.read', name: 'A report by mail was not sent' },
  key: { of: 'app', permission: 'keys.read', name: 'A secret key expires' },
  disk: { of: 'service', permission: 'system.read', name: 'The disk fills up or fails' },
  database: { of: 'service', permission: 'system.read', name: 'The database did not answer' },
  files: { of: 'service', permission: 'system.read', name: 'The storage of files does not answer' },
  jobs: { of: 'service', permission: 'system.read', name: 'Work piles up' },
  certificate: { of: 'service', permission: 'system.read', name: 'A certificate expires' },
  backup: { of: 'service', permission: 'backups.manage', name: 'A backup failed or is old' },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type ConditionKind = keyof typeof conditionKinds;

/** Something that needs a person, as the console's home, the mails and the webhooks say it. */
export interface ServiceCondition {
  readonly kind: ConditionKind;
  /** Tells conditions of one app apart; it stays the same while a condition lasts. */
  readonly key: string;
  readonly isGrave: boolean;
  readonly title: string;
  /** Sentences, without times that would be wrong an hour later. */
  readonly text: string;
  /** The venue that it is about: whoever is limited to it is told, too. */
  readonly venueId?: string;
}
