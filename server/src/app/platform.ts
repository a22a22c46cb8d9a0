import type { FastifyInstance } from 'fastify';
import { AccessGuard } from '../access/access.ts';
import { Background } from '../base/background.ts';
import type { Clock } from '../base/clock.ts';
import type { PasswordCost } from '../base/passwords.ts';
import { createSecretBox, type SecretBox } from '../base/secrets.ts';
import type { BlobStorage } from '../blobs/blob-store.ts';
import { openBlobs } from '../blobs/open.ts';
import { blobPlaces, type Config } from '../config/config.ts';
import type { Database } from '../db/db.ts';
import { CacheVersion } from '../db/nodes/cache-version.ts';
import { Pulse } from '../db/nodes/pulse.ts';
import { SharedTime, type SteadyTime } from '../db/nodes/shared-time.ts';
import { WorkShares } from '../db/nodes/work-shares.ts';
import { listPartitions } from '../db/partitions.ts';
import { IssuersTime } from '../delivery/provider/issuer-clock.ts';
import { countRecordsOf } from '../features/data/buckets/definition/own-records.ts';
import { guardFolder } from '../features/data/files/place/folder.ts';
import { countFilesOf } from '../features/data/files/store.ts';
import type { LogStore } from '../features/event-log.ts';
import type { InBackground } from '../features/feature.ts';
import { DryRunCounter } from '../features/operate/apps/rules/dry-run-meter.ts';
import { noteSecretKeyUse } from '../features/operate/apps/secret-key-store.ts';
import { findAppAccess, noteKeyUse } from '../features/operate/apps/store.ts';
import { findUserSession, noteTokenHeard, noteTokenUse } from '../features/people/users/session-store.ts';
import { findUser } from '../features/people/users/store.ts';
import { createEngineLogs } from '../features/presence/logs/engine-store.ts';
import { logs } from '../features/presence/logs/resource.ts';
import { listeningUrl } from '../http/listening-url.ts';
import type { AssertRoom } from '../http/mount-endpoints.ts';
import { createServer } from '../http/server/server.ts';
import type { DiskRoom } from '../limits/disk-room.ts';
import { LastingLimits } from '../limits/lasting-limits.ts';
import { SharedLimits } from '../limits/shared-limits.ts';
import { UsageMeter } from '../limits/usage.ts';
import { keptPseudonyms, type PseudonymsOf } from './phones/pseudonyms.ts';
import { createServices, type Services } from './services.ts';
import { watchStorage } from './storage/database-watch.ts';
import { FileStorageWatch } from './storage/file-watch.ts';
import { Troubles } from './storage/troubles.ts';

export interface PlatformOptions {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  /** Keeps `now` that of the other nodes, if there may be some, and knows what is wrong with the clock. */
  readonly time?: SharedTime | SteadyTime | undefined;
  readonly logStream?: { write(line: string): void };
  /** What hashing a password costs; only tests make it cheaper. */
  readonly passwordCost?: PasswordCost;
  /** Stops the service and starts it again in this process; without it, that has to be done on the machine. */
  readonly restart?: () => void;
}

/** What the features build on: one of each per process. */
export interface Platform extends Services {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly time: SharedTime | SteadyTime | undefined;
  readonly issuersTime: IssuersTime;
  readonly server: FastifyInstance;
  readonly restart: (() => void) | undefined;
  /** The address for clients, without a slash at the end; right once it listens. */
  readonly publicUrl: () => string;
  readonly onError: (what: string, error: unknown) => void;
  readonly background: Background;
  readonly inBackground: InBackground;
  readonly room: DiskRoom;
  readonly troubles: Troubles;
  readonly assertRoom: AssertRoom;
  /** Knows the credentials of apps and users. */
  readonly guard: AccessGuard;
  /** How an app names phones to others; undefined for one that has never had pseudonyms. */
  readonly pseudonymsOf: PseudonymsOf;
  /** Counts the changes of beacons and messages. */
  readonly siteRevision: CacheVersion;
  /** What is found out by looking, several times a second. */
  readonly pulse: Pulse;
  /** Which share of the work this node does. */
  readonly shares: WorkShares;
  /** Limits that survive a restart. */
  readonly lasting: LastingLimits | SharedLimits;
  readonly usage: UsageMeter;
  /** Counts what other rules would refuse. */
  readonly dryRuns: DryRunCounter;
  /** The log records of events. */
  readonly engineLogs: LogStore;
  readonly blobs: BlobStorage;
  readonly fileStorage: FileStorageWatch;
  /** Keeps credentials encrypted. */
  readonly secrets: SecretBox;
}

export async function createPlatform(options: PlatformOptions): Promise<Platform> {
  const { config, db, now, time, logStream, passwordCost, restart } = options;
  const server: FastifyInstance = createServer({
    logLevel: config.logLevel,
    trustProxy: config.trustProxy,
    onError: (error) => room.note(error),
    connectionsPerAddress: config.connectionsPerAddress,
    ...(logStream ? { logStream } : {}),
  });
  const onError = (what: string, error: unknown) => {
    room.note(error);
    server.log.error({ err: error }, what);
  };
  const troubles = new Troubles(now);
  const room = watchStorage({ config, db, log: server.log, onError, troubles });
  const assertRoom: AssertRoom = (kind) => {
    if (db.diskFailure) throw db.diskFailure;
    room.assertRoom(kind);
  };
  const background = new Background(onError);
  const inBackground: InBackground = (what, work) => background.run(what, work);
  const dryRuns = new DryRunCounter({ db, now, inBackground });
  const services = createServices({
    db,
    now,
    canMail: Boolean(config.smtpUrl),
    privateTargets: config.privateTargets,
    passwordCost,
  });
  const { cacheVersion, identities } = services;
  const pseudonymsOf = keptPseudonyms(db, cacheVersion);
  const guard = createGuard({ db, now, cacheVersion, identities, inBackground, dryRuns, pseudonymsOf });
  const siteRevision = new CacheVersion(db, 'site');
  const pulse = new Pulse(db);
  // First: what else is heard is compared with the time.
  if (time instanceof SharedTime) pulse.add(time.source);
  time?.onWarning((warning) =>
    server.log.warn(warning ?? 'the clocks of this machine and of the database agree again'),
  );
  // Where reads are local, caches ask by themselves.
  if (!db.readsAreLocal) for (const { source } of [cacheVersion, siteRevision]) pulse.add(source);
  const shares = new WorkShares({ db, now, works: config.worker, onError });
  pulse.add(shares.source);
  pulse.start();
  const lasting = db.readsAreLocal
    ? new LastingLimits({ db, now, inBackground })
    : new SharedLimits({ db, now, onError });
  await lasting.load();
  // Nodes of the previous version can write only to unpartitioned tables; an embedded database has no other nodes.
  const mayHaveOlderNodes = !db.readsAreLocal && (await listPartitions(db, logs.table.name)).length === 0;
  const blobs = await openBlobs(blobPlaces(config));
  guardFolder(db, blobs);
  return {
    ...services,
    config,
    db,
    now,
    time,
    issuersTime: new IssuersTime((text) => server.log.warn(text)),
    server,
    restart,
    publicUrl: () => config.publicUrl ?? listeningUrl(server, config),
    onError,
    background,
    inBackground,
    room,
    troubles,
    assertRoom,
    guard,
    pseudonymsOf,
    siteRevision,
    pulse,
    shares,
    lasting,
    dryRuns,
    engineLogs: createEngineLogs(mayHaveOlderNodes),
    usage: new UsageMeter({
      db,
      now,
      inBackground,
      countStored: async (appId, userId) => ({
        ...(await countFilesOf(db, appId, userId)),
        ...(await countRecordsOf(db, appId, userId)),
      }),
      isManager: async (appId, userId) => (await findUser(db, { appId, userId }))?.role === 'manager',
    }),
    blobs,
    fileStorage: new FileStorageWatch(blobs, now, (problem) => {
      if (problem === undefined) server.log.info('the storage of files answers again');
      else server.log.error(problem);
    }),
    secrets: createSecretBox({
      keys: config.secretKeys,
      // The nodes of a PostgreSQL database share no folder.
      folder: config.databaseUrl ? undefined : config.dataFolder,
    }),
  };
}

type GuardDeps = Pick<
  Platform,
  'db' | 'now' | 'cacheVersion' | 'identities' | 'inBackground' | 'dryRuns' | 'pseudonymsOf'
>;

function createGuard({
  db,
  now,
  cacheVersion,
  identities,
  inBackground,
  dryRuns,
  pseudonymsOf,
}: GuardDeps): AccessGuard {
  const guard = new AccessGuard(
    {
      findApp: async (appId) => {
        const app = await findAppAccess(db, appId, dryRuns);
        const pseudonyms = app && (await pseudonymsOf(appId));
        return app && { ...app, ...(pseudonyms ? { pseudonyms } : {}) };
      },
      findSession: (appId, tokenHash) => findUserSession(db, appId, tokenHash),
      acceptToken: (app, token) => identities.accept(app, token),
      noteKeyUse: (appId, keyId, at) => inBackground('noting the use of a key', () => noteKeyUse(db, appId, keyId, at)),
      noteSecretKeyUse: (appId, keyId, use) =>
        inBackground('noting the use of a secret key', () => noteSecretKeyUse(db, appId, keyId, use)),
      noteTokenUse: (appId, tokenHash, use) =>
        inBackground('noting the use of a token', () => noteTokenUse(db, appId, tokenHash, use)),
      noteTokenHeard: (appId, tokenHash) =>
        inBackground('noting that a token has arrived', () => noteTokenHeard(db, appId, tokenHash)),
      recheck: () => cacheVersion.recheck(),
    },
    now,
  );
  cacheVersion.onChange((appId) => guard.drop(appId));
  return guard;
}
