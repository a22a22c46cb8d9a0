import type { FastifyInstance } from 'fastify';
import { AccessGuard } from '../access/access.ts';
import { Background } from '../base/background.ts';
import type { Clock } from '../base/clock.ts';
import { createSecretBox, type SecretBox } from '../base/secrets.ts';
import { createDiskBlobStore, type DiskBlobStore } from '../blobs/disk.ts';
import { type Config, filesFolder } from '../config/config.ts';
import { CacheVersion } from '../db/cache-version.ts';
import type { Database } from '../db/db.ts';
import { DryRunCounter } from '../features/apps/rules/dry-run-meter.ts';
import { noteSecretKeyUse } from '../features/apps/secret-key-store.ts';
import { findAppAccess, noteKeyUse } from '../features/apps/store.ts';
import type { InBackground } from '../features/feature.ts';
import { findUserSession, noteTokenUse } from '../features/users/session-store.ts';
import { listeningUrl } from '../http/listening-url.ts';
import type { AssertRoom } from '../http/mount-endpoints.ts';
import { createServer } from '../http/server/server.ts';
import type { DiskRoom } from '../limits/disk-room.ts';
import { LastingLimits } from '../limits/lasting-limits.ts';
import { UsageMeter } from '../limits/usage.ts';
import { createServices, type Services } from './services.ts';
import { watchStorage } from './storage-watch.ts';

export interface PlatformOptions {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly logStream?: { write(line: string): void };
}

/** What the features build on: one of each per process. */
export interface Platform extends Services {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly server: FastifyInstance;
  /** The address for clients, without a slash at the end; right once it listens. */
  readonly publicUrl: () => string;
  readonly onError: (what: string, error: unknown) => void;
  readonly background: Background;
  readonly inBackground: InBackground;
  readonly room: DiskRoom;
  readonly assertRoom: AssertRoom;
  /** Knows the credentials of apps and users. */
  readonly guard: AccessGuard;
  /** Counts the changes of beacons and messages. */
  readonly siteRevision: CacheVersion;
  /** Limits that survive a restart. */
  readonly lasting: LastingLimits;
  readonly usage: UsageMeter;
  /** Counts what other rules would refuse. */
  readonly dryRuns: DryRunCounter;
  readonly blobs: DiskBlobStore;
  /** Keeps credentials encrypted. */
  readonly secrets: SecretBox;
}

export async function createPlatform({ config, db, now, logStream }: PlatformOptions): Promise<Platform> {
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
  const room = watchStorage({ config, db, log: server.log, onError });
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
  });
  const { cacheVersion, identities } = services;
  const guard = createGuard({ db, now, cacheVersion, identities, inBackground, dryRuns });
  cacheVersion.start();
  const siteRevision = new CacheVersion(db, 'site');
  siteRevision.start();
  const lasting = new LastingLimits({ db, now, inBackground });
  await lasting.load();
  return {
    ...services,
    config,
    db,
    now,
    server,
    publicUrl: () => config.publicUrl ?? listeningUrl(server, config),
    onError,
    background,
    inBackground,
    room,
    assertRoom,
    guard,
    siteRevision,
    lasting,
    dryRuns,
    usage: new UsageMeter({ db, now, inBackground }),
    blobs: createDiskBlobStore(filesFolder(config)),
    secrets: createSecretBox({
      keys: config.secretKeys,
      // The nodes of a PostgreSQL database share no folder.
      folder: config.databaseUrl ? undefined : config.dataFolder,
    }),
  };
}

type GuardDeps = Pick<Platform, 'db' | 'now' | 'cacheVersion' | 'identities' | 'inBackground' | 'dryRuns'>;

function createGuard({ db, now, cacheVersion, identities, inBackground, dryRuns }: GuardDeps): AccessGuard {
  const guard = new AccessGuard(
    {
      findApp: (appId) => findAppAccess(db, appId, dryRuns),
      findSession: (appId, tokenHash) => findUserSession(db, appId, tokenHash),
      acceptToken: (app, token) => identities.accept(app, token),
      noteKeyUse: (appId, keyId, at) => inBackground('noting the use of a key', () => noteKeyUse(db, appId, keyId, at)),
      noteSecretKeyUse: (appId, keyId, use) =>
        inBackground('noting the use of a secret key', () => noteSecretKeyUse(db, appId, keyId, use)),
      noteTokenUse: (appId, tokenHash, use) =>
        inBackground('noting the use of a token', () => noteTokenUse(db, appId, tokenHash, use)),
      recheck: () => cacheVersion.recheck(),
    },
    now,
  );
  cacheVersion.onChange(() => guard.drop());
  return guard;
}
