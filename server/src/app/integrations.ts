import { readFileSync } from 'node:fs';
import type { Background } from '../base/background.ts';
import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secrets.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/db.ts';
import type { CacheVersion } from '../db/nodes/cache-version.ts';
import type { Pulse } from '../db/nodes/pulse.ts';
import type { WorkShares } from '../db/nodes/work-shares.ts';
import { apnsDefinition } from '../delivery/apns/apns.ts';
import { fcmDefinition } from '../delivery/fcm/fcm.ts';
import { brokerDefinition } from '../delivery/mqtt/mqtt-broker-sender.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import { createEmbeddedMqttSender } from '../delivery/mqtt/mqtt-embedded-sender.ts';
import type { IssuersTime } from '../delivery/provider/issuer-clock.ts';
import type { TargetRules } from '../delivery/provider/target-rules.ts';
import { messagesPerSecond } from '../delivery/push/pace.ts';
import type { SenderDefinition, SenderDeps } from '../delivery/push/push-sender.ts';
import { webPushDefinition } from '../delivery/web-push/web-push.ts';
import type { Announce } from '../features/domain-event.ts';
import { createPushDelivery, type PushDelivery } from '../features/messages/push/delivery.ts';
import { requestProximityPushes } from '../features/messages/push/proximity.ts';
import type { ReachDeps } from '../features/messages/push/reach.ts';
import { wakeSending, wakeTarget } from '../features/messages/push/wake.ts';
import { createSenderRegistry } from '../features/messages/senders/registry.ts';
import { SenderService } from '../features/messages/senders/service.ts';
import { holdReach } from '../features/operate/admins/accounts/store.ts';
import { findApp, policyOf } from '../features/operate/apps/store.ts';
import { createBacklog } from '../features/operate/webhooks/backlog.ts';
import { createWebhookHandler } from '../features/operate/webhooks/deliver.ts';
import { createWebhookPublisher, webhookJob } from '../features/operate/webhooks/publish.ts';
import { WebhookService } from '../features/operate/webhooks/service.ts';
import { installations } from '../features/people/installations/resource.ts';
import {
  countAudience,
  countRoutes,
  markTokenDead,
  matchInstallations,
  walkInstallations,
} from '../features/people/installations/store.ts';
import { createDeviceCredentials, type DeviceCredentials } from '../features/places/devices/credentials.ts';
import type { DeviceRouter } from '../features/places/devices/device-router.ts';
import { Feed } from '../features/presence/live/feed.ts';
import { createLivePublisher } from '../features/presence/live/publish.ts';
import type { RequestPushes } from '../features/sightings/record/record.ts';
import type { JobHandlers } from '../jobs/job.ts';
import type { Outbox } from '../jobs/outbox.ts';
import { createDevicePort } from './device-port.ts';
import { concealing, type PseudonymsOf } from './phones/pseudonyms.ts';
import { tableOfRules } from './tables.ts';

export interface OutgoingDeps {
  readonly config: Config;
  readonly db: Database;
  readonly now: Clock;
  readonly cacheVersion: CacheVersion;
  readonly outbox: Outbox;
  readonly pseudonymsOf: PseudonymsOf;
  readonly pulse: Pulse;
  readonly shares: WorkShares;
  readonly background: Background;
  readonly secrets: SecretBox;
  readonly targets: TargetRules;
  readonly onError: (what: string, error: unknown) => void;
  readonly issuersTime: IssuersTime;
  /** The push providers that apps can set up; those of the product by default. */
  readonly definitions?: readonly SenderDefinition[];
}

/** The integrations and the functions that feed them: pushes, webhooks, messages to devices, live streams. */
export interface Integrations {
  readonly senders: SenderService;
  readonly deviceCredentials: DeviceCredentials;
  /** The port for MQTT devices, if there is one. */
  readonly devices: DeviceBroker | undefined;
  /** What takes messages to devices at other nodes. */
  readonly deviceRouter: DeviceRouter | undefined;
  readonly webhooks: WebhookService;
  readonly feed: Feed;
  /** Reports events to webhooks and listeners. */
  readonly announce: Announce;
  /** Reports to webhooks alone what happens rarely. */
  readonly tellWebhooks: Announce;
  /** What is needed to count whom a push would reach. */
  readonly reach: ReachDeps;
  readonly requestPushes: RequestPushes;
  /** The results of messages, for the metrics. */
  readonly counts: PushDelivery['counts'];
  /** Webhook calls that were given up, for the metrics. */
  readonly givenUpCalls: () => number;
  readonly pushJobs: JobHandlers;
  readonly webhookJobs: JobHandlers;
  /** Call it after the worker has stopped. */
  close(): Promise<void>;
}

export async function createIntegrations(deps: OutgoingDeps): Promise<Integrations> {
  const { config, db, now, cacheVersion, outbox, pulse, background, secrets, targets, onError } = deps;
  const { enqueue } = outbox;
  const definitions = deps.definitions ?? [fcmDefinition, apnsDefinition, webPushDefinition, brokerDefinition(targets)];
  const { note: noteClock } = deps.issuersTime;
  const senderDeps = { now, timeoutMs: config.pushTimeoutMs, noteClock, ...networkOf(config) };
  const deviceCredentials = createDeviceCredentials({ db, cacheVersion, now });
  const port = await createDevicePort({ ...deps, credentials: deviceCredentials });
  const devices = port?.broker;
  const registry = createSenderRegistry({
    db,
    secrets,
    definitions,
    senderDeps,
    // If an app does not have its own broker, its devices are reached through the ports of the nodes.
    builtIn: (appId) =>
      devices
        ? new Map([['mqtt', { sender: createEmbeddedMqttSender({ broker: devices, appId, ...senderDeps }), since: 0 }]])
        : new Map(),
    onError,
  });
  const webhookDeps = { db, cacheVersion, now, enqueue, secrets, targets };
  const feed = new Feed({ db, cacheVersion, now, onError });
  const backlog = createBacklog({
    db,
    now,
    mostWaiting: config.webhookBacklog,
    run: (work) => background.run('giving up calls of a webhook', work),
  });
  const webhookPublisher = createWebhookPublisher({
    cacheVersion,
    now,
    enqueue,
    backlog,
    conceal: concealing(deps.pseudonymsOf, tableOfRules),
  });
  pulse.add(feed.source);
  const tellListeners = createLivePublisher({ cacheVersion, now, wake: feed.wake });
  const announce: Announce = async (db, appId, tell) => {
    await webhookPublisher.tell(db, appId, tell);
    await tellListeners(db, appId, tell);
  };
  const push = createPushDelivery({
    db,
    now,
    enqueue,
    audienceFields: installations.records.lookup,
    audience: { walk: walkInstallations, match: matchInstallations },
    countAudience,
    markTokenDead,
    findSenders: registry.find,
    findPolicy: async (appId) => {
      const app = await findApp(db, appId);
      return app && policyOf(app);
    },
    perSecond: (kind) => messagesPerSecond[kind],
    announce,
    onError,
  });
  // Messages for a device that was away are sent when it comes back.
  devices?.onListening((appId, topic) =>
    background.run('sending what waited for a device', () => wakeTarget(db, appId, topic, now())),
  );
  return {
    senders: new SenderService({ db, now, secrets, definitions, senderDeps, onEntered: wakeSending }),
    deviceCredentials,
    devices,
    deviceRouter: port?.router,
    webhooks: new WebhookService({ ...webhookDeps, holdReach }),
    feed,
    announce,
    tellWebhooks: webhookPublisher.tellRare,
    reach: { db, findSenders: registry.find, audienceFields: installations.records.lookup, countRoutes },
    requestPushes: (db, messages) => requestProximityPushes(db, messages, outbox),
    counts: push.counts,
    givenUpCalls: backlog.givenUp,
    pushJobs: push.handlers,
    webhookJobs: { [webhookJob]: createWebhookHandler(webhookDeps) },
    async close() {
      await registry.close();
      await port?.close();
    },
  };
}

function networkOf({ pushUrl, pushCa }: Config): Pick<SenderDeps, 'network'> {
  if (!pushUrl) return {};
  return { network: { origin: pushUrl, ...(pushCa ? { ca: readFileSync(pushCa, 'utf8') } : {}) } };
}
