import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { AccessGuard } from '../access/access.ts';
import { recordChange } from '../access/audit.ts';
import type { FindHeld } from '../access/caller.ts';
import { readPolicy } from '../access/policy.ts';
import { Background } from '../base/background.ts';
import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/errors.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { type Config, filesFolder } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { Database, Db } from '../db/db.ts';
import { probePostgresRoom } from '../db/postgres/postgres-room.ts';
import { Revision } from '../db/revision.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import { tokenFault } from '../delivery/token-fault.ts';
import { auditEndpoints } from '../features/admins/audit-routes.ts';
import { adminEndpoints } from '../features/admins/routes.ts';
import type { AdminService } from '../features/admins/service.ts';
import { sessionEndpoints } from '../features/admins/session-routes.ts';
import { createAdminSessions } from '../features/admins/sessions.ts';
import { appConsoleEndpoints } from '../features/apps/console-routes.ts';
import { findDemoMark } from '../features/apps/demo-mark.ts';
import type { AppService } from '../features/apps/service.ts';
import { findAppAccess, listApps, noteKeyUse } from '../features/apps/store.ts';
import { usageConsoleEndpoints } from '../features/apps/usage-routes.ts';
import { backupConsoleEndpoints } from '../features/backups/console-routes.ts';
import { createBackupService } from '../features/backups/service.ts';
import { beaconEndpoints } from '../features/beacons/routes.ts';
import { findMissingBeacons } from '../features/beacons/store.ts';
import { bucketConsoleEndpoints } from '../features/buckets/console-routes.ts';
import { BucketDirectory } from '../features/buckets/directory.ts';
import { bucketJobHandlers } from '../features/buckets/jobs.ts';
import { AskedMembers } from '../features/buckets/learn.ts';
import { createRecordInserter } from '../features/buckets/record-inserter.ts';
import { recordEndpoints } from '../features/buckets/record-routes.ts';
import { schemaEndpoints } from '../features/buckets/schema-routes.ts';
import type { BucketService } from '../features/buckets/service.ts';
import { deviceConsoleEndpoints } from '../features/devices/console-routes.ts';
import { deviceEndpoints } from '../features/devices/routes.ts';
import { eventEndpoints } from '../features/events/routes.ts';
import { fileConsoleEndpoints } from '../features/files/console-routes.ts';
import { fileErasureHandlers } from '../features/files/erasure.ts';
import { startFileHousekeeping } from '../features/files/housekeeping.ts';
import { fileEndpoints } from '../features/files/routes.ts';
import { registerFileServing } from '../features/files/serve.ts';
import { settleFiles } from '../features/files/settle.ts';
import { sweepOrphans } from '../features/files/sweep.ts';
import { installationEndpoints } from '../features/installations/routes.ts';
import { createInstallationService } from '../features/installations/service.ts';
import { findHeld, findHolder, installationTable } from '../features/installations/store.ts';
import { liveEndpoints } from '../features/live/routes.ts';
import { logEndpoints } from '../features/logs/routes.ts';
import { notificationEndpoints } from '../features/notifications/routes.ts';
import { overviewConsoleEndpoints } from '../features/overview/console-routes.ts';
import { deliveryEndpoints } from '../features/push/delivery-routes.ts';
import { pushEndpoints } from '../features/push/routes.ts';
import { senderConsoleEndpoints } from '../features/senders/console-routes.ts';
import type { SenderService } from '../features/senders/service.ts';
import { mendFuturePresences } from '../features/sightings/decide/presence-store.ts';
import { sightingEndpoints } from '../features/sightings/intake/routes.ts';
import { createSightingService, noteClientLog } from '../features/sightings/intake/service.ts';
import { createTicker, type Ticker } from '../features/sightings/intake/ticker.ts';
import { erasureJobHandlers, forgetInstallation } from '../features/sightings/record/erasure.ts';
import { createRetention, type Retention } from '../features/sightings/record/retention.ts';
import { simulationEndpoints } from '../features/sightings/simulate/simulation-routes.ts';
import { calibrationEndpoints } from '../features/sightings/site/calibration-routes.ts';
import { SiteCache } from '../features/sightings/site/site-cache.ts';
import { findInstallationId } from '../features/sightings/site/site-store.ts';
import { storylineEndpoints } from '../features/storylines/routes.ts';
import { systemConsoleEndpoints } from '../features/system/console-routes.ts';
import { AttemptLimits } from '../features/users/attempts.ts';
import { userConsoleEndpoints } from '../features/users/console-routes.ts';
import { createPasswordReset, createResetMailHandler, type FindApp } from '../features/users/password-reset.ts';
import { registerResetPage } from '../features/users/reset-page.ts';
import { userEndpoints } from '../features/users/routes.ts';
import type { UserService } from '../features/users/service.ts';
import { findSession, noteTokenUse, userExists } from '../features/users/store.ts';
import { visitEndpoints } from '../features/visits/routes.ts';
import { webhookConsoleEndpoints } from '../features/webhooks/console-routes.ts';
import { type AssertRoom, registerApi } from '../http/api.ts';
import { registerConsoleApi } from '../http/console/console-api.ts';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import { registerConsoleFiles } from '../http/console/console-files.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { registerHealth } from '../http/health.ts';
import { listeningUrl } from '../http/listening-url.ts';
import { registerMetrics } from '../http/metrics.ts';
import { registerDocs } from '../http/openapi/docs.ts';
import { createServer } from '../http/server/server.ts';
import { countJobs, wakeFromFuture } from '../jobs/store.ts';
import { startSweeping, sweepDeadJobs } from '../jobs/sweep.ts';
import { createWorker } from '../jobs/worker.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { DiskRoom } from '../limits/disk-room.ts';
import { LastingLimits } from '../limits/lasting-limits.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { UsageMeter } from '../limits/usage.ts';
import { createSmtpSender } from '../mail/smtp.ts';
import { createOutgoing } from './outgoing.ts';
import { createServices } from './services.ts';

export interface AppOptions {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly logStream?: { write(line: string): void };
  /** The push providers that apps can set up; those of the product by default. */
  readonly senders?: readonly SenderDefinition[];
}

/** The running service without a socket: what `main` listens with and what tests inject requests into. */
export interface App {
  readonly server: FastifyInstance;
  readonly endpoints: readonly Endpoint[];
  readonly consoleEndpoints: readonly ConsoleEndpoint[];
  /** Where clients reach it; right once it listens. */
  publicUrl(): string;
  readonly admins: AdminService;
  readonly apps: AppService;
  readonly buckets: BucketService;
  readonly users: UserService;
  /** Where devices connect by MQTT, if anywhere; from its `listen` on. */
  readonly devices: DeviceBroker | undefined;
  readonly senders: SenderService;
  /** Ends the visits and waits whose time has come. */
  readonly ticker: Ticker;
  /** Deletes what is older than the apps keep it. */
  readonly retention: Retention;
  /** The room on the disk; from its `start` on it is watched, and the reserve is kept. */
  readonly room: DiskRoom;
  /** Does what is due in the outbox and in the background, and resolves when nothing is left. */
  idle(): Promise<void>;
  /** Stops taking requests, finishes what was accepted, and leaves the database to its owner. */
  close(): Promise<void>;
}

/** The composition root: the one place that knows every adapter and every feature. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, db, now } = options;
  const server: FastifyInstance = createServer({
    logLevel: config.logLevel,
    trustProxy: config.trustProxy,
    onError: (error) => room.note(error),
    connectionsPerAddress: config.connectionsPerAddress,
    ...(options.logStream ? { logStream: options.logStream } : {}),
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
  db.onTrouble?.((trouble) => {
    if (trouble) server.log.error({ err: trouble.failure.cause }, trouble.failure.message);
    else server.log.warn('the database answers again');
  });
  const services = createServices({ db, now });
  const { revision, outbox, passwords, apps, buckets, admins, users } = services;
  const limiter = new RateLimiter();
  const directory = new BucketDirectory(db, revision);
  const asked = new AskedMembers((appId, bucketId, members) =>
    background.run('asking for an index', () => buckets.askToLearn(appId, bucketId, members)),
  );
  const guard = new AccessGuard(
    {
      findApp: (appId) => findAppAccess(db, appId),
      findSession: (appId, tokenHash) => findSession(db, appId, tokenHash),
      noteKeyUse: (appId, keyId, at) =>
        background.run('noting the use of a key', () => noteKeyUse(db, appId, keyId, at)),
      noteTokenUse: (appId, tokenHash, use) =>
        background.run('noting the use of a token', () => noteTokenUse(db, appId, tokenHash, use)),
      recheck: () => revision.recheck(),
    },
    now,
  );
  revision.onChange(() => guard.drop());
  revision.start();
  const siteRevision = new Revision(db, 'site');
  siteRevision.start();

  const publicUrl = () => config.publicUrl ?? listeningUrl(server, config);
  const blobs = createDiskBlobStore(filesFolder(config));
  let isStopping = false;
  const housekeeping = startFileHousekeeping({
    sweepUnfinished: () => blobs.sweepUnfinished(now()),
    sweepOrphans: () => sweepOrphans({ db, blobs, now, isStopping: () => isStopping }),
    settle: (all) =>
      settleFiles(
        { db, blobs, now, isStopping: () => isStopping, log: (level, message) => server.log[level](message) },
        all,
      ),
    run: (what, work) => background.run(what, work),
  });
  const attempt = (what: string, work: () => Promise<unknown>) =>
    new Promise<void>((resolve) => background.run(what, () => work().finally(resolve)));

  const mail = config.smtpUrl ? createSmtpSender({ url: config.smtpUrl, from: config.mailFrom }) : undefined;
  const reset = createPasswordReset({
    db,
    revision,
    now,
    passwords,
    enqueue: outbox.enqueue,
    canMail: mail !== undefined,
  });
  const lasting = new LastingLimits({ db, now, inBackground: (what, work) => background.run(what, work) });
  await lasting.load();
  const limits = new AttemptLimits(new RateLimiter(undefined, lasting));
  const findLiveApp: FindApp = async (appId) => {
    const app = await findAppAccess(db, appId);
    return app?.disabled ? undefined : app;
  };
  const outgoing = await createOutgoing({
    config,
    db,
    now,
    revision,
    outbox,
    background,
    onError,
    ...(options.senders ? { definitions: options.senders } : {}),
  });
  const { announce, requestPushes, webhooks, feed } = outgoing;
  const worker = createWorker({
    db,
    outbox,
    now,
    leaseMs: config.jobLeaseMs,
    handlers: {
      ...outgoing.handlers,
      ...bucketJobHandlers({ db, revision, now }),
      ...erasureJobHandlers(db),
      ...fileErasureHandlers(db, blobs),
      ...(mail ? { 'mail.send': createResetMailHandler({ db, now, mail, findApp: findLiveApp, publicUrl }) } : {}),
    },
    onError,
  });
  const retention = createRetention({
    db,
    now,
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: readPolicy(app.policy) })),
  });
  const usage = new UsageMeter({ db, now, inBackground: (what, work) => background.run(what, work) });
  const sweeping = startSweeping((what, work) => background.run(what, work), {
    'sweeping expired tokens': () => users.sweep(),
    'sweeping limits': () => lasting.sweep(),
    'counting what is stored': () => usage.sweep(),
    'sweeping dead jobs': () => sweepDeadJobs(db, now()),
    'purging old traces': () => retention.sweep(),
    'forgetting old live events': () => feed.sweep(),
    'purging old webhook deliveries': async () => webhooks.sweep((await listApps(db)).map((app) => app.app_id)),
  });
  const installations = createInstallationService({
    db,
    now,
    userExists,
    tokenFault: (registered) => tokenFault(registered, config.pushUrl),
  });

  const ticker = createTicker({
    db,
    now,
    requestPushes,
    announce,
    findPolicy: async (appId) => (await findAppAccess(db, appId))?.policy,
  });
  const site = new SiteCache(db, siteRevision);
  const sightings = createSightingService({ db, site, requestPushes, expect: ticker.expect, announce });
  const noteChange = (db: Db) => siteRevision.note(db);
  const ownOf: FindHeld = (appId, userId) => findHeld(db, appId, userId);

  const quotas = new ClientQuotas(new RateLimiter(undefined, lasting));

  const endpoints: readonly Endpoint[] = [
    ...userEndpoints({ db, service: users, reset, limits }),
    ...installationEndpoints({
      db,
      service: installations,
      forget: (db, appId, id) => forgetInstallation(db, appId, id, { enqueue: outbox.enqueue, now: now() }),
    }),
    ...pushEndpoints({ db, enqueue: outbox.enqueue, quotas, audienceFields: installationTable.lookup }),
    ...deliveryEndpoints({ db, findInstallationId, findHeld: ownOf }),
    ...beaconEndpoints({ db, noteChange }),
    ...notificationEndpoints({ db, findMissingBeacons, noteChange }),
    ...storylineEndpoints({ db, findMissingBeacons, noteChange }),
    ...schemaEndpoints({ db, directory, service: buckets }),
    ...recordEndpoints({
      db,
      directory,
      asked,
      insert: createRecordInserter(db),
      usage,
      markInexact: buckets.markInexact,
    }),
    ...deviceEndpoints(db),
    ...fileEndpoints({
      db,
      blobs,
      maxFileBytes: config.maxFileBytes,
      publicUrl,
      usage,
      quotas,
      attempt,
      claimRoom: (bytes) => room.claim(bytes),
    }),
    ...sightingEndpoints(sightings),
    ...simulationEndpoints(db, ownOf),
    ...calibrationEndpoints(db, noteChange),
    ...visitEndpoints(db, ownOf),
    ...eventEndpoints(db, ownOf),
    ...liveEndpoints(feed, ownOf),
    ...logEndpoints({
      db,
      findMissingBeacons,
      findHolder,
      findHeld: ownOf,
      noteVisit: (db, log) => noteClientLog(db, log, announce),
    }),
  ];

  const sessions = createAdminSessions({
    db,
    now,
    passwords,
    limiter: new RateLimiter(10_000, lasting),
    inBackground: (what, work) => background.run(what, work),
  });
  const backups = createBackupService({
    db,
    blobs,
    folder: join(config.dataFolder, 'backups'),
    now,
    inBackground: (what, work) => background.run(what, work),
    assertRoom: () => assertRoom('create'),
  });
  const consoleEndpoints: readonly ConsoleEndpoint[] = [
    ...sessionEndpoints({ admins, sessions, isDemo: async () => (await findDemoMark(db)) !== undefined }),
    ...adminEndpoints(admins),
    ...appConsoleEndpoints(apps),
    ...bucketConsoleEndpoints({ db, service: buckets, assertApp: (appId) => apps.get(appId) }),
    ...senderConsoleEndpoints({
      service: outgoing.senders,
      assertApp: (appId) => apps.get(appId),
    }),
    ...userConsoleEndpoints({ db, now, service: users, assertApp: (appId) => apps.get(appId) }),
    ...overviewConsoleEndpoints({
      db,
      assertApp: (appId) => apps.get(appId),
      countWebhookTrouble: webhooks.countTrouble,
    }),
    ...deviceConsoleEndpoints({ credentials: outgoing.deviceCredentials, assertApp: (appId) => apps.get(appId) }),
    ...webhookConsoleEndpoints({ service: webhooks, assertApp: (appId) => apps.get(appId) }),
    ...fileConsoleEndpoints({ db, assertApp: (appId) => apps.get(appId) }),
    ...usageConsoleEndpoints({ usage, getApp: (appId) => apps.get(appId) }),
    ...auditEndpoints(db),
    ...systemConsoleEndpoints({
      db,
      now,
      version,
      dataFolder: config.dataFolder,
      storage: async () => {
        await room.look();
        const { minFreeBytes, reserveBytes } = room.report();
        const problem = db.diskFailure?.message ?? room.problem();
        return { problem, warning: room.warning(), minFreeBytes, reserveBytes };
      },
      countJobs: () => countJobs(db, now()),
    }),
    ...backupConsoleEndpoints(backups),
  ];

  const health = registerHealth(server, db, room);
  registerMetrics(server, {
    database: () => db.stats(),
    jobs: () => countJobs(db, now()),
    storage: () => ({
      ...room.report(),
      isRefusing: room.problem() !== undefined,
      hasFailed: db.diskFailure !== undefined,
    }),
    deliveries: outgoing.counts,
    givenUpCalls: outgoing.givenUpCalls,
  });
  registerDocs(server, { endpoints, version, publicUrl: () => config.publicUrl ?? '/' });
  registerFileServing(server, { db, blobs });
  await registerResetPage(server, { findApp: findLiveApp, reset, limits, now });
  await registerApi(server, {
    endpoints,
    guard,
    limiter,
    wrongKeys: new RateLimiter(),
    revision,
    now,
    headerPrefixes: config.headerPrefixes,
    corsOrigins: config.corsOrigins,
    assertRoom,
  });

  await registerConsoleApi(server, {
    endpoints: consoleEndpoints,
    data: {
      endpoints,
      findApp: async (appId) => {
        await revision.fresh();
        return guard.appOfConsole(appId);
      },
      record: (change) => recordChange(db, change),
      assertRoom,
    },
    findSession: (token) => sessions.find(token),
    now,
    publicUrl: config.publicUrl,
  });
  registerConsoleFiles(server);

  if (config.worker) worker.start();
  background.run('waits after a clock that was set back', async () => {
    await wakeFromFuture(db, now());
    await mendFuturePresences(db, now());
  });
  ticker.start((what, work) => background.run(what, work));
  return {
    server,
    endpoints,
    consoleEndpoints,
    publicUrl,
    admins,
    apps,
    buckets,
    users,
    devices: outgoing.devices,
    senders: outgoing.senders,
    ticker,
    retention,
    room,
    async idle() {
      // Either may have asked the other for something.
      await background.idle();
      await worker.drain();
      await background.idle();
    },
    async close() {
      isStopping = true;
      await room.stop();
      housekeeping.stop();
      backups.stop();
      health.stopping();
      sweeping.stop();
      ticker.stop();
      await server.close();
      feed.stop();
      await worker.stop();
      await outgoing.close();
      mail?.close();
      revision.stop();
      siteRevision.stop();
      await background.idle();
      await usage.write({ isLast: true }).catch((error) => onError('noting what is stored', error));
    },
  };
}

/** Watches what the database says of its disk, and the room on the disk of the data folder. */
function watchStorage({
  config,
  db,
  log,
  onError,
}: Pick<AppOptions, 'config' | 'db'> & {
  readonly log: FastifyInstance['log'];
  readonly onError: (what: string, error: unknown) => void;
}): DiskRoom {
  const room = new DiskRoom({
    dataFolder: config.dataFolder,
    minFreeBytes: config.minFreeBytes,
    reserveBytes: config.reserveBytes,
    isEmbedded: config.databaseUrl === undefined,
    probeDatabase: () => probePostgresRoom(db),
    log: (level, message) => log[level](message),
    fitDatabase: (freeBytes) => db.fitInto(freeBytes),
  });
  const failed = (error: Failure) => {
    room.note(error);
    log.fatal({ err: error.cause ?? error }, 'the disk has failed: nothing more is written until a new start');
  };
  if (db.diskFailure) failed(db.diskFailure);
  db.listen({
    failed,
    full: () => room.makeRoom(),
    troubled: (error) => onError('taking the write-ahead log in', error),
  });
  return room;
}
