import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '../db/nodes/bus.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import type { Context } from '../features/context.ts';
import type { Feature } from '../features/feature.ts';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { ReadMetrics } from '../http/server/metrics-of-all.ts';
import type { JobHandler, JobHandlers } from '../jobs/job.ts';
import { wakeFromFuture } from '../jobs/store.ts';
import { startSweeping, sweepDeadJobs } from '../jobs/sweep.ts';
import { createWorker } from '../jobs/worker.ts';
import { connectBus, createBus } from './bus.ts';
import { createContext } from './context.ts';
import { openToHttp } from './http.ts';
import { createProcess, type ProcessOptions } from './process.ts';

export interface AppOptions extends ProcessOptions {
  /** The push providers that apps can set up; those of the product by default. */
  readonly senders?: readonly SenderDefinition[];
  /** False: what is done every hour, minute or so is only done when it is asked for, as in tests with a simulated clock. */
  readonly repeats?: boolean;
}

/** The running service without a socket: `main` listens with it, and tests inject requests into it. */
export interface App
  extends Pick<Context, 'admins' | 'apps' | 'secretKeys' | 'buckets' | 'users' | 'identityProviders' | 'identities'>,
    Pick<Context, 'server' | 'publicUrl' | 'senders' | 'rollups' | 'poller' | 'shares' | 'room'>,
    Pick<Context['sightings'], 'ticker' | 'retention'> {
  readonly endpoints: readonly Endpoint[];
  readonly consoleEndpoints: readonly ConsoleEndpoint[];
  readonly metrics: ReadMetrics;
  /** The port for MQTT devices, if there is one; open from its `listen` on. */
  readonly devices: DeviceBroker | undefined;
  /** Looks at once at what may need a person, and tells whom it concerns. */
  checkAlerts(): Promise<void>;
  /** Looks at once whether there are more visitors somewhere than may be. */
  checkOccupancy(): Promise<void>;
  /** Looks at once for reports by mail that are due. */
  report(): Promise<void>;
  /** Makes a scheduled backup if one is due. */
  backUp(): Promise<void>;
  /** What the nodes tell one another over, if one is configured. */
  readonly bus: Bus | undefined;
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

/** The composition root: the parts of all features are combined, and nothing else is known about them. */
export async function createApp(options: AppOptions): Promise<App> {
  const own = await createProcess(options);
  const { context, features } = await createContext(own, options.senders);
  const { config, db, now, server, outbox, owns, shares, poller, sightings, devicePort } = context;
  const { background, persistentLimits } = own;
  const bus = await createBus(context, options.siblings);
  if (bus) connectBus(bus, context);
  const worker = createWorker({
    ...{ db, now, outbox, poller, onError: context.onError },
    ...(db.readsAreLocal ? {} : { owns }),
    leaseMs: config.jobLeaseMs,
    handlers: jobsOf(features),
  });
  const ownSweeps: Sweeps = Object.assign({}, ...features.map(({ ownSweeps }) => ownSweeps));
  const sweeping = startSweeping(
    context.inBackground,
    {
      'sweeping limits': () => persistentLimits.sweep(),
      'sweeping dead jobs': () => sweepDeadJobs(db, now()),
      ...Object.assign({}, ...features.map(({ sweeps }) => sweeps)),
      ...ownSweeps,
    },
    (what) => what in ownSweeps || owns(what),
  );
  if (options.repeats === false) sweeping.stop();
  const { health, metrics, endpoints, consoleEndpoints } = await openToHttp(own, context, features);
  await shares.start();
  const { ticker, retention } = sightings;
  poller.add(ticker.source);
  shares.onGained(() => ticker.wake());
  if (config.worker) worker.start();
  background.run('waits after a clock that was set back', () => wakeFromFuture(db, now()));
  for (const feature of features) feature.start?.();
  const repeats = features.flatMap(({ repeats = {} }) => Object.entries(repeats));
  const timers = (options.repeats === false ? [] : repeats).map(([what, { everyMs, work }]) =>
    setInterval(() => context.inBackground(what, work), everyMs).unref(),
  );
  return {
    ...context,
    ...{ metrics, endpoints, consoleEndpoints, devices: devicePort.broker, ticker, retention, bus },
    sweep: sweeping.sweep,
    checkAlerts: () => context.alerts.check(),
    checkOccupancy: () => context.occupancyWatch.check(),
    report: () => context.reportWatch.check(),
    backUp: () => context.backupSchedule.run(),
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
      await context.room.stop();
      for (const timer of timers) clearInterval(timer);
      for (const feature of features) feature.stop?.();
      health.stopping();
      sweeping.stop();
      await shares.stop();
      await server.close();
      await worker.stop();
      await persistentLimits.compare();
      // What can no longer be written must not keep the rest from ending.
      for (const feature of features) background.run('what a feature does at the end', async () => feature.close?.());
      await background.idle();
      await context.senderRegistry.close();
      await devicePort.close();
      await bus?.close();
      poller.stop();
      await background.idle();
      await context.usage.write({ isLast: true }).catch((error) => context.onError('noting what is stored', error));
      context.blobs.close();
    },
  };
}

type Sweeps = Readonly<Record<string, () => Promise<unknown>>>;

/** @throws Error when two features claim the same kind of job */
function jobsOf(features: readonly Feature[]): JobHandlers {
  const handlers: Record<string, JobHandler> = {};
  for (const [kind, handler] of features.flatMap(({ jobs = {} }) => Object.entries(jobs))) {
    if (kind in handlers) throw new Error(`Two features do the jobs of the kind ${kind}.`);
    handlers[kind] = handler;
  }
  return handlers;
}
