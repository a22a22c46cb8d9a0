import type { FastifyInstance } from 'fastify';
import type { ResourceName } from '../access/rules/presets.ts';
import type { SecretBox } from '../base/secrets.ts';
import type { BlobStorage } from '../blobs/blob-store.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import type { CacheVersion } from '../db/nodes/cache-version.ts';
import type { Poller } from '../db/nodes/poller.ts';
import type { WorkShares } from '../db/nodes/work-shares.ts';
import type { DbTable } from '../db/table.ts';
import type { WriteWatch } from '../db/writes/watched-database.ts';
import type { IssuersTime } from '../delivery/provider/issuer-clock.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { AssertRoom } from '../http/mount-endpoints.ts';
import type { ClientQuotas } from '../limits/client-quotas.ts';
import type { DiskRoom } from '../limits/disk-room.ts';
import type { BucketMemory, RateLimiter } from '../limits/rate-limit.ts';
import type { FileStorageWatch } from '../limits/storage/file-watch.ts';
import type { Troubles } from '../limits/storage/troubles.ts';
import type { MailSender } from '../mail/mail-sender.ts';
import type { Key, RecordTable } from '../resources/table.ts';
import type { Services } from './services.ts';

export type { Makers } from './services.ts';

/** What a serving process has one of, for all features. Each `feature.ts` adds what others may use of it. */
export interface Context extends Services {
  readonly config: Config;
  readonly server: FastifyInstance;
  /** Stops the service and starts it again in this process; without it, that has to be done on the machine. */
  readonly restart: (() => void) | undefined;
  /** The address for clients, without a slash at the end; right once it listens. */
  readonly publicUrl: () => string;
  readonly onError: (what: string, error: unknown) => void;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly room: DiskRoom;
  readonly assertRoom: AssertRoom;
  readonly troubles: Troubles;
  readonly blobs: BlobStorage;
  readonly fileStorage: FileStorageWatch;
  /** Keeps credentials encrypted. */
  readonly secrets: SecretBox;
  /** Counts the changes of beacons and messages. */
  readonly siteRevision: CacheVersion;
  /** Nodes of the previous version can write only to tables without partitions. */
  readonly mayHaveOlderNodes: boolean;
  /** Notes a change of beacons or messages, in its transaction. */
  readonly noteChange: (db: Db, key: Key) => Promise<void>;
  /** Polls the database several times a second for what other nodes have changed. */
  readonly poller: Poller;
  /** Holds the listener that is called with every row written. */
  readonly writes: WriteWatch;
  /** Which share of the work this node does. */
  readonly shares: WorkShares;
  /** Whether this node does what only one may do for an app, or a task by its name. */
  readonly owns: (name: string) => boolean;
  /** Where limits are kept that survive a restart. */
  readonly persistentLimits: BucketMemory;
  readonly signInLimiter: RateLimiter;
  readonly quotas: ClientQuotas;
  /** A connection to the mail server of its own, which its owner closes; undefined while none is configured. */
  readonly openMail: () => MailSender | undefined;
  readonly issuersTime: IssuersTime;
  /** The push providers that apps can set up. */
  readonly definitions: readonly SenderDefinition[] | undefined;
  readonly endpoints: () => readonly Endpoint[];
  /** @throws Error if there is none */
  readonly endpointNamed: (operationId: string) => Endpoint;
  readonly tableOfRules: (name: ResourceName | undefined) => RecordTable | undefined;
  /** The tables that say where somebody was or what they were sent. */
  readonly traceTables: readonly DbTable[];
  readonly keptTables: readonly DbTable[];
}
