import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import { apnsDefinition } from '../../../delivery/apns/apns.ts';
import { fcmDefinition } from '../../../delivery/fcm/fcm.ts';
import { brokerDefinition } from '../../../delivery/mqtt/broker/mqtt-broker-sender.ts';
import { createEmbeddedMqttSender } from '../../../delivery/mqtt/mqtt-embedded-sender.ts';
import type { SenderDeps } from '../../../delivery/push/push-sender.ts';
import { webPushDefinition } from '../../../delivery/web-push/web-push.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { senderConsoleEndpoints } from './console-routes.ts';
import { createSenderRegistry, type RegistryDeps, type SenderRegistry } from './registry.ts';
import { SenderService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    readonly findSenders: SenderRegistry['find'];
    readonly senderRegistry: SenderRegistry;
    readonly senders: SenderService;
  }
}

export const makers: Makers<Context, 'findSenders' | 'senderRegistry' | 'senders'> = {
  findSenders: ({ senderRegistry }) => senderRegistry.find,
  senderRegistry(context) {
    const deps = registryDeps(context);
    const { broker } = context.devicePort;
    return createSenderRegistry({
      ...deps,
      // If an app does not have its own broker, its devices are reached through the ports of the nodes.
      builtIn: (appId) =>
        broker
          ? new Map([['mqtt', { sender: createEmbeddedMqttSender({ broker, appId, ...deps.senderDeps }), since: 0 }]])
          : new Map(),
      onError: context.onError,
    });
  },
  senders: (context) =>
    new SenderService({ ...registryDeps(context), now: context.now, onEntered: context.wakeSending }),
};

function registryDeps(context: Context): Pick<RegistryDeps, 'db' | 'secrets' | 'definitions' | 'senderDeps'> {
  const { db, now, secrets, config, targets, issuersTime } = context;
  const { definitions = [fcmDefinition, apnsDefinition, webPushDefinition, brokerDefinition(targets)] } = context;
  const { note: noteClock } = issuersTime;
  return {
    db,
    secrets,
    definitions,
    senderDeps: { now, timeoutMs: config.pushTimeoutMs, noteClock, ...networkOf(config) },
  };
}

function networkOf({ pushUrl, pushCa }: Config): Pick<SenderDeps, 'network'> {
  if (!pushUrl) return {};
  return { network: { origin: pushUrl, ...(pushCa ? { ca: readFileSync(pushCa, 'utf8') } : {}) } };
}

export const senderFeature = ({ senders: service, appsWith }: Context): Feature => ({
  consoleEndpoints: senderConsoleEndpoints(service),
  sweeps: { 'forgetting former credentials of senders': () => service.sweep(appsWith) },
});
