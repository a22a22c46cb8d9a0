import type { FastifyInstance } from 'fastify';
import { Background } from '../base/background.ts';
import type { Clock } from '../base/clock.ts';
import type { PasswordCost } from '../base/passwords.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/db.ts';
import { CacheVersion } from '../db/nodes/cache-version.ts';
import { Poller } from '../db/nodes/poller.ts';
import { SharedTime, type SteadyTime } from '../db/nodes/shared-time.ts';
import type { Siblings } from '../db/nodes/siblings.ts';
import { WorkShares } from '../db/nodes/work-shares.ts';
import { type WriteWatch, watchWrites } from '../db/writes/watched-database.ts';
import { IssuersTime } from '../delivery/provider/issuer-clock.ts';
import type { InBackground } from '../features/feature.ts';
import type { AssertRoom } from '../http/mount-endpoints.ts';
import { createServer } from '../http/server/server.ts';
import { SharedLimits } from '../limits/shared-limits.ts';
import { watchStorage } from '../limits/storage/database-watch.ts';
import { Troubles } from '../limits/storage/troubles.ts';
import { createServices } from './services.ts';

export interface ProcessOptions {
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
  /** The other processes of this service, if it has several. */
  readonly siblings?: Siblings | undefined;
}

export type Process = Awaited<ReturnType<typeof createProcess>>;

/** What a serving process has one of, of the floors below the features. */
export async function createProcess(options: ProcessOptions) {
  const { config, now, time, logStream, passwordCost, restart, siblings } = options;
  const writes: WriteWatch = {};
  const db = watchWrites(options.db, writes);
  const server: ReturnType<typeof createServer> = createServer({
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
  const services = createServices({
    db,
    now,
    inBackground,
    canMail: Boolean(config.smtpUrl),
    privateTargets: config.privateTargets,
    passwordCost,
  });
  const siteRevision = new CacheVersion(db, 'site');
  const poller = new Poller(db);
  // First: what else is heard is compared with the time.
  if (time instanceof SharedTime) poller.add(time.source);
  time?.onWarning((warning) =>
    server.log.warn(warning ?? 'the clocks of this machine and of the database agree again'),
  );
  // Where reads are local, caches ask by themselves.
  if (!db.readsAreLocal) for (const { source } of [services.cacheVersion, siteRevision]) poller.add(source);
  const shares = new WorkShares({ db, now, works: config.worker, onError });
  poller.add(shares.source);
  poller.start();
  const persistentLimits = new SharedLimits({ db, now, onError });
  await persistentLimits.load();
  return {
    ...{ services, config, server, restart, siblings, onError, background, time, room, assertRoom, troubles },
    ...{ siteRevision, poller, shares, persistentLimits, writes },
    issuersTime: new IssuersTime((text) => server.log.warn(text)),
    publicUrl: () => config.publicUrl ?? listeningUrl(server, config),
  };
}

/**
 * The address at which the service can be reached from its own machine, without a slash at the end. If the port is 0,
 * the real one is known only once the service listens.
 */
function listeningUrl(server: FastifyInstance, configured: { readonly host: string; readonly port: number }): string {
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound ? bound.port : configured.port;
  const host = ['0.0.0.0', '::', ''].includes(configured.host) ? 'localhost' : configured.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
