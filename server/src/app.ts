import type { FastifyInstance } from 'fastify';
import { Background } from './background.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './db/db.ts';
import { Revision } from './db/revision.ts';
import { type AppService, createAppService } from './features/apps/service.ts';
import { findAppAccess, noteKeyUse } from './features/apps/store.ts';
import { beaconEndpoints } from './features/beacons/routes.ts';
import { findMissingBeacons } from './features/beacons/store.ts';
import { BucketDirectory } from './features/buckets/directory.ts';
import { recordEndpoints } from './features/buckets/record-routes.ts';
import { schemaEndpoints } from './features/buckets/schema-routes.ts';
import { type BucketService, createBucketService } from './features/buckets/service.ts';
import { deviceEndpoints } from './features/devices/routes.ts';
import { notificationEndpoints } from './features/notifications/routes.ts';
import { storylineEndpoints } from './features/storylines/routes.ts';
import { AccessGuard } from './http/access.ts';
import { registerApi } from './http/api.ts';
import { registerDocs } from './http/docs.ts';
import type { Endpoint } from './http/endpoint.ts';
import { registerHealth } from './http/health.ts';
import { registerMetrics } from './http/metrics.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { createServer } from './http/server.ts';
import { version } from './version.ts';

export interface AppOptions {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly logStream?: { write(line: string): void };
}

/** The running service without a socket: what `main` listens with and what tests inject requests into. */
export interface App {
  readonly server: FastifyInstance;
  readonly endpoints: readonly Endpoint[];
  readonly apps: AppService;
  readonly buckets: BucketService;
  /** Stops taking requests, finishes what was accepted, and leaves the database to its owner. */
  close(): Promise<void>;
}

/** The composition root: the one place that knows every adapter and every feature. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, db, now } = options;
  const server = createServer({
    logLevel: config.logLevel,
    trustProxy: config.trustProxy,
    ...(options.logStream ? { logStream: options.logStream } : {}),
  });
  const background = new Background((what, error) => server.log.error({ err: error }, what));
  const revision = new Revision(db);
  const limiter = new RateLimiter();
  const apps = createAppService({ db, revision, now });
  const directory = new BucketDirectory(db, revision);
  const buckets = createBucketService({ db, revision, now, enqueue: async () => undefined });
  const guard = new AccessGuard(
    {
      findApp: (appId) => findAppAccess(db, appId),
      findSession: async () => undefined,
      noteKeyUse: (appId, keyId, at) =>
        background.run('noting the use of a key', () => noteKeyUse(db, appId, keyId, at)),
      noteTokenUse: () => undefined,
    },
    now,
  );
  revision.onChange(() => guard.drop());
  revision.start();

  const endpoints: readonly Endpoint[] = [
    ...beaconEndpoints(db),
    ...notificationEndpoints({ db, findMissingBeacons }),
    ...storylineEndpoints({ db, findMissingBeacons }),
    ...schemaEndpoints({ db, directory, service: buckets }),
    ...recordEndpoints({ db, directory, markInexact: buckets.markInexact }),
    ...deviceEndpoints(db),
  ];

  const health = registerHealth(server, db);
  registerMetrics(server, { database: () => db.stats(), jobs: async () => ({}) });
  registerDocs(server, { endpoints, version, publicUrl: () => config.publicUrl ?? '/' });
  await registerApi(server, {
    endpoints,
    guard,
    limiter,
    revision,
    now,
    headerPrefixes: config.headerPrefixes,
    corsOrigins: config.corsOrigins,
  });

  return {
    server,
    endpoints,
    apps,
    buckets,
    async close() {
      health.stopping();
      await server.close();
      revision.stop();
      await background.idle();
    },
  };
}
