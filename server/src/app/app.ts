import type { FastifyInstance } from 'fastify';
import { recordChange } from '../access/audit.ts';
import { version } from '../config/version.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import type { AdminService } from '../features/admins/accounts/service.ts';
import type { SecretKeyService } from '../features/apps/secret-keys.ts';
import type { AppService } from '../features/apps/service.ts';
import type { BucketService } from '../features/buckets/service.ts';
import type { ProviderService } from '../features/identities/provider-service.ts';
import type { IdentityService } from '../features/identities/service.ts';
import { findHeld } from '../features/installations/store.ts';
import type { SenderService } from '../features/senders/service.ts';
import type { Ticker } from '../features/sightings/intake/ticker.ts';
import type { Retention } from '../features/sightings/record/retention.ts';
import type { UserService } from '../features/users/service.ts';
import { registerApi } from '../http/api.ts';
import { registerConsoleApi } from '../http/console/console-api.ts';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import { registerConsoleFiles } from '../http/console/console-files.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { registerHealth } from '../http/health.ts';
import { registerMetrics } from '../http/metrics.ts';
import { registerDocs } from '../http/openapi/docs.ts';
import type { JobHandler, JobHandlers } from '../jobs/job.ts';
import { countJobs, wakeFromFuture } from '../jobs/store.ts';
import { startSweeping, sweepDeadJobs } from '../jobs/sweep.ts';
import { createWorker } from '../jobs/worker.ts';
import type { DiskRoom } from '../limits/disk-room.ts';
import { IdempotencyKeys } from '../limits/idempotency.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { type Composition, composeFeatures } from './features.ts';
import { createIntegrations, type Integrations } from './integrations.ts';
import { createPlatform, type Platform, type PlatformOptions } from './platform.ts';

export interface AppOptions extends PlatformOptions {
  /** The push providers that apps can set up; those of the product by default. */
  readonly senders?: readonly SenderDefinition[];
}

/** The running service without a socket: `main` listens with it, and tests inject requests into it. */
export interface App {
  readonly server: FastifyInstance;
  readonly endpoints: readonly Endpoint[];
  readonly consoleEndpoints: readonly ConsoleEndpoint[];
  /** The address for clients; right once it listens. */
  publicUrl(): string;
  readonly admins: AdminService;
  readonly apps: AppService;
  readonly secretKeys: SecretKeyService;
  readonly buckets: BucketService;
  readonly users: UserService;
  readonly identityProviders: ProviderService;
  readonly identities: IdentityService;
  /** The port for MQTT devices, if there is one; open from its `listen` on. */
  readonly devices: DeviceBroker | undefined;
  readonly senders: SenderService;
  /** Ends visits and waits that are due. */
  readonly ticker: Ticker;
  /** Deletes records older than the app's retention. */
  readonly retention: Retention;
  /** The room on the disk; once started, it is watched and the reserve is kept. */
  readonly room: DiskRoom;
  /** Runs what is due in the outbox and in the background, and resolves when nothing is left. */
  idle(): Promise<void>;
  /** Stops accepting requests, finishes the accepted ones, and leaves the database to its owner. */
  close(): Promise<void>;
}

/** The composition root. `features.ts` says what each feature consists of; here their parts are combined. */
export async function createApp(options: AppOptions): Promise<App> {
  const platform = await createPlatform(options);
  const { db, now, server, background, lasting } = platform;
  const definitions = options.senders ? { definitions: options.senders } : {};
  const integrations = await createIntegrations({ ...platform, ...definitions });
  const composition = composeFeatures(platform, integrations);
  const { features } = composition;
  const worker = createWorker({ ...platform, leaseMs: options.config.jobLeaseMs, handlers: jobsOf(composition) });
  const sweeping = startSweeping(platform.inBackground, {
    'sweeping limits': () => lasting.sweep(),
    'sweeping dead jobs': () => sweepDeadJobs(db, now()),
    ...Object.assign({}, ...features.map(({ sweeps }) => sweeps)),
  });
  const { health, endpoints, consoleEndpoints } = await openToHttp(platform, integrations, composition);
  if (options.config.worker) worker.start();
  background.run('waits after a clock that was set back', () => wakeFromFuture(db, now()));
  for (const feature of features) feature.start?.();
  return {
    server,
    endpoints,
    consoleEndpoints,
    publicUrl: platform.publicUrl,
    admins: platform.admins,
    apps: platform.apps,
    secretKeys: platform.secretKeys,
    buckets: platform.buckets,
    users: platform.users,
    identityProviders: platform.identityProviders,
    identities: platform.identities,
    devices: integrations.devices,
    senders: integrations.senders,
    ticker: composition.sightings.ticker,
    retention: composition.sightings.retention,
    room: platform.room,
    async idle() {
      // Either may have given the other more to do.
      await background.idle();
      await worker.drain();
      await background.idle();
    },
    async close() {
      await platform.room.stop();
      for (const feature of features) feature.stop?.();
      health.stopping();
      sweeping.stop();
      await server.close();
      await worker.stop();
      // What can no longer be written must not keep the rest from ending.
      for (const feature of features) background.run('what a feature does at the end', async () => feature.close?.());
      await background.idle();
      await integrations.close();
      await closePlatform(platform);
    },
  };
}

/** @throws Error when two features claim the same kind of job */
function jobsOf({ features }: Composition): JobHandlers {
  const handlers: Record<string, JobHandler> = {};
  for (const [kind, handler] of features.flatMap(({ jobs = {} }) => Object.entries(jobs))) {
    if (kind in handlers) throw new Error(`Two features do the jobs of the kind ${kind}.`);
    handlers[kind] = handler;
  }
  return handlers;
}

/** Registers everything that HTTP reaches. */
async function openToHttp(platform: Platform, integrations: Integrations, { features, admins }: Composition) {
  const { config, db, now, server, room, cacheVersion, guard, assertRoom } = platform;
  const endpoints = features.flatMap((feature) => feature.endpoints ?? []);
  const consoleEndpoints = features.flatMap((feature) => feature.consoleEndpoints ?? []);
  const health = registerHealth(server, db, room);
  registerMetrics(server, metricsOf(platform, integrations));
  registerDocs(server, { endpoints, version, publicUrl: () => config.publicUrl ?? '/' });
  for (const feature of features) await feature.register?.(server);
  await registerApi(server, {
    endpoints,
    guard,
    limiter: new RateLimiter(),
    wrongKeys: new RateLimiter(),
    cacheVersion,
    now,
    headerPrefixes: config.headerPrefixes,
    corsOrigins: config.corsOrigins,
    assertRoom,
    findHeld: (appId, userId) => findHeld(db, appId, userId),
    idempotencyKeys: new IdempotencyKeys(db),
    record: (change) => recordChange(db, change),
  });
  await registerConsoleApi(server, {
    endpoints: consoleEndpoints,
    data: {
      endpoints,
      findApp: async (appId) => {
        await cacheVersion.fresh();
        return guard.appOfConsole(appId);
      },
      record: (change) => recordChange(db, change),
      assertRoom,
    },
    findSession: admins.findSession,
    now,
    publicUrl: config.publicUrl,
  });
  registerConsoleFiles(server);
  return { health, endpoints, consoleEndpoints };
}

function metricsOf({ db, now, room }: Platform, { counts, givenUpCalls }: Integrations) {
  return {
    database: () => db.stats(),
    jobs: () => countJobs(db, now()),
    storage: () => ({
      ...room.report(),
      isRefusing: room.problem() !== undefined,
      hasFailed: db.diskFailure !== undefined,
    }),
    deliveries: counts,
    givenUpCalls,
  };
}

async function closePlatform({ cacheVersion, siteRevision, background, usage, onError }: Platform): Promise<void> {
  cacheVersion.stop();
  siteRevision.stop();
  await background.idle();
  await usage.write({ isLast: true }).catch((error) => onError('noting what is stored', error));
}
