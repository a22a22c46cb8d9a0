import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { recordChange } from '../access/audit.ts';
import { version } from '../config/version.ts';
import type { Bus } from '../db/nodes/bus.ts';
import type { Pulse } from '../db/nodes/pulse.ts';
import type { WorkShares } from '../db/nodes/work-shares.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import type { BucketService } from '../features/data/buckets/service.ts';
import type { Rollups } from '../features/insights/analytics/rollups.ts';
import type { SenderService } from '../features/messages/senders/service.ts';
import type { AdminService } from '../features/operate/admins/accounts/service.ts';
import type { SecretKeyService } from '../features/operate/apps/secret-keys.ts';
import type { AppService } from '../features/operate/apps/service.ts';
import type { ProviderService } from '../features/people/identities/provider-service.ts';
import type { IdentityService } from '../features/people/identities/service.ts';
import { findHeld } from '../features/people/installations/store.ts';
import type { UserService } from '../features/people/users/service.ts';
import type { Retention } from '../features/sightings/record/retention.ts';
import type { Ticker } from '../features/sightings/ticker.ts';
import { registerApi } from '../http/api.ts';
import { registerConsoleApi } from '../http/console/console-api.ts';
import { findConsoleCookies } from '../http/console/console-cookies.ts';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import { registerConsoleFiles } from '../http/console/console-files.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { registerHandbook } from '../http/handbook/handbook.ts';
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
import { SharedLimits } from '../limits/shared-limits.ts';
import { connectBus, createBus } from './bus.ts';
import { type Composition, composeFeatures } from './features.ts';
import { createIntegrations, type Integrations } from './integrations.ts';
import { createPlatform, type Platform, type PlatformOptions } from './platform.ts';

export interface AppOptions extends PlatformOptions {
  /** The push providers that apps can set up; those of the product by default. */
  readonly senders?: readonly SenderDefinition[];
  /** False: only `sweep` sweeps, as in tests with a simulated clock. */
  readonly sweepsHourly?: boolean;
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
  /** Writes what is held of tracks in memory and is due; answers of how many. */
  readonly flushTracks: () => Promise<number>;
  /** Deletes records older than the app's retention. */
  readonly retention: Retention;
  /** Counts visits. */
  readonly rollups: Rollups;
  /** Looks at once at what may need a person, and tells whom it concerns. */
  look(): Promise<void>;
  /** Looks at once whether there are more visitors somewhere than may be. */
  lookInside(): Promise<void>;
  /** Looks at once for reports by mail that are due. */
  report(): Promise<void>;
  /** Makes a scheduled backup if one is due. */
  backUp(): Promise<void>;
  /** Looks at once for what other nodes have changed and for work that is due. */
  readonly pulse: Pulse;
  /** Which share of the work this node does. */
  readonly shares: WorkShares;
  /** What the nodes tell one another over, if one is configured. */
  readonly bus: Bus | undefined;
  /** The room on the disk; once started, it is watched and the reserve is kept. */
  readonly room: DiskRoom;
  /** Starts the hourly tasks now; `idle` waits for them. */
  sweep(): void;
  /** Runs what is due in the outbox and in the background, and resolves when nothing is left. */
  idle(): Promise<void>;
  /**
   * Keeps serving for this many milliseconds, while `/readyz` answers 503 and every answer ends its connection, so that load
   * balancers take this node away before it stops.
   */
  drain(ms: number): Promise<void>;
  /** Stops accepting requests, finishes the accepted ones, and leaves the database to its owner. */
  close(): Promise<void>;
}

/** The composition root. `features.ts` says what each feature consists of; here their parts are combined. */
export async function createApp(options: AppOptions): Promise<App> {
  const platform = await createPlatform(options);
  const { db, now, server, background, lasting } = platform;
  const definitions = options.senders ? { definitions: options.senders } : {};
  const integrations = await createIntegrations({ ...platform, ...definitions });
  const bus = await createBus(platform);
  if (bus) connectBus(bus, { ...platform, ...integrations, caches: [platform.cacheVersion, platform.siteRevision] });
  const composition = composeFeatures(platform, integrations);
  const { features } = composition;
  const owns = db.readsAreLocal ? undefined : (appId: string) => platform.shares.owns(appId);
  const worker = createWorker({
    ...platform,
    ...(owns ? { owns } : {}),
    leaseMs: options.config.jobLeaseMs,
    handlers: jobsOf(composition),
  });
  const own: Sweeps = Object.assign({}, ...features.map(({ ownSweeps }) => ownSweeps));
  const sweeping = startSweeping(
    platform.inBackground,
    {
      'sweeping limits': () => lasting.sweep(),
      'sweeping dead jobs': () => sweepDeadJobs(db, now()),
      ...Object.assign({}, ...features.map(({ sweeps }) => sweeps)),
      ...own,
    },
    (what) => what in own || platform.shares.owns(what),
  );
  if (options.sweepsHourly === false) sweeping.stop();
  const { health, endpoints, consoleEndpoints } = await openToHttp(platform, integrations, composition);
  await platform.shares.start();
  const { ticker } = composition.sightings;
  platform.pulse.add(ticker.source);
  platform.shares.onGained(() => ticker.wake());
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
    flushTracks: composition.sightings.flush,
    retention: composition.sightings.retention,
    rollups: composition.rollups,
    pulse: platform.pulse,
    shares: platform.shares,
    bus,
    room: platform.room,
    sweep: sweeping.sweep,
    look: () => composition.alerts.look(),
    lookInside: () => composition.occupancy.look(),
    report: () => composition.reports.look(),
    backUp: () => composition.backups.schedule.run(),
    async idle() {
      // Either may have given the other more to do.
      await background.idle();
      await worker.drain();
      await background.idle();
    },
    async drain(ms) {
      health.draining();
      server.leaving.now = true;
      await delay(ms);
    },
    async close() {
      await platform.room.stop();
      for (const feature of features) feature.stop?.();
      health.stopping();
      sweeping.stop();
      await platform.shares.stop();
      await server.close();
      await worker.stop();
      // What can no longer be written must not keep the rest from ending.
      for (const feature of features) background.run('what a feature does at the end', async () => feature.close?.());
      await background.idle();
      await integrations.close();
      await bus?.close();
      await closePlatform(platform);
    },
  };
}

type Sweeps = Readonly<Record<string, () => Promise<unknown>>>;

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
  const { config, db, now, time, issuersTime, server, room, cacheVersion, guard, assertRoom, fileStorage } = platform;
  const endpoints = features.flatMap((feature) => feature.endpoints ?? []);
  const consoleEndpoints = features.flatMap((feature) => feature.consoleEndpoints ?? []);
  const clocks = () => [time?.warning(), issuersTime.warning()];
  const health = registerHealth(server, { db, room, files: () => fileStorage.problem(), clocks });
  registerMetrics(server, metricsOf(platform, integrations));
  registerDocs(server, { endpoints, version, publicUrl: () => config.publicUrl ?? '/' });
  registerHandbook(server);
  for (const feature of features) await feature.register?.(server);
  const { lasting } = platform;
  // One process of an embedded database keeps these in memory; several share them.
  const memory = lasting instanceof SharedLimits ? (name: string) => lasting.memory(name) : undefined;
  const idempotencyKeys = new IdempotencyKeys(db);
  await registerApi(server, {
    endpoints,
    guard,
    limiter: new RateLimiter(undefined, memory?.('requests')),
    wrongKeys: new RateLimiter(undefined, memory?.('wrong keys')),
    cacheVersion,
    now,
    headerPrefixes: config.headerPrefixes,
    corsOrigins: config.corsOrigins,
    assertRoom,
    findHeld: (appId, userId) => findHeld(db, appId, userId),
    idempotencyKeys,
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
      idempotencyKeys,
    },
    findSession: admins.findSession,
    now,
    publicUrl: config.publicUrl,
    cookies: await findConsoleCookies(db, config.publicUrl),
  });
  registerConsoleFiles(server);
  return { health, endpoints, consoleEndpoints };
}

function metricsOf({ db, now, room, blobs }: Platform, { counts, givenUpCalls }: Integrations) {
  return {
    database: () => db.stats(),
    jobs: () => countJobs(db, now()),
    storage: () => ({
      ...room.report(),
      isRefusing: room.problem() !== undefined,
      hasFailed: db.diskFailure !== undefined,
    }),
    files: blobs.counts,
    deliveries: counts,
    givenUpCalls,
  };
}

async function closePlatform({ pulse, background, usage, blobs, onError }: Platform): Promise<void> {
  pulse.stop();
  await background.idle();
  await usage.write({ isLast: true }).catch((error) => onError('noting what is stored', error));
  blobs.close();
}
