import type { AppPolicy } from '../../../../access/policy.ts';

/** The settings that decide what is kept of visitors; the notice and the record of processing are written from them. */
export interface PrivacyFacts {
  readonly appName: string;
  readonly policy: Pick<
    AppPolicy,
    'consent' | 'retentionDays' | 'tokenDays' | 'oneZone' | 'totp' | 'passkeys' | 'pseudonyms'
  >;
  /** The enabled webhooks: the host and the events of each. */
  readonly webhooks: readonly { readonly host: string; readonly events: readonly string[] }[];
  readonly pushServices: readonly PushService[];
  readonly signInProviders: readonly string[];
  /** Hosts of others on which this is stored, or through which mails go, without the service's own machine. */
  readonly hosts: readonly StorageHost[];
  /** Rules hide members of records from users, also of their own, and so from the export of oneself. */
  readonly hidesFromUsers: boolean;
  /** After how many days backups of the console are deleted; 0: by hand. */
  readonly backupDays: number;
  readonly fixedDays: {
    /** What an installation was shown, for pauses and limits. */
    readonly shown: number;
    /** Of a phone that has fallen silent: where it was, and the last samples. */
    readonly track: number;
    /** How often a phone has been at a beacon. */
    readonly visitCounts: number;
    /** That a batch of sightings has been counted. */
    readonly sightingKeys: number;
    /** How well a phone hears beacons, after its last visit. */
    readonly hearing: number;
    readonly webhookDeliveries: number;
  };
}

export interface StorageHost {
  readonly holds: 'database' | 'files' | 'mails';
  readonly host: string;
}

export type PushService = 'fcm' | 'apns' | 'webpush' | 'mqtt';
