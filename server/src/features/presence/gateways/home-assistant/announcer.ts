import type { MqttClient } from 'mqtt';
import { randomText } from '../../../../base/id.ts';
import type { Context } from '../../../context.ts';
import { connectToBroker } from '../broker/broker-connection.ts';
import {
  type AnnouncedBeacon,
  type AnnouncedZone,
  announced,
  configTopics,
  prefixTopic,
  type Retained,
  rootOf,
  statusTopic,
} from './entities.ts';

export interface AnnouncerDeps extends Pick<Context, 'config' | 'onError'> {
  /** Whether this node does it; of several only one. */
  readonly isOurs: () => boolean;
  /** Undefined: there is no such app, or it is switched off. */
  readonly read: (
    appId: string,
  ) => Promise<{ readonly zones: readonly AnnouncedZone[]; readonly beacons: readonly AnnouncedBeacon[] } | undefined>;
}

export interface Announcer {
  start(): void;
  stop(): void;
  close(): Promise<void>;
}

const everyMs = 10_000;
const tellEveryMs = 60_000;

/**
 * Keeps the retained messages of an app at the broker as they have to be: those for Home Assistant if it is to be told, and none if not,
 * whatever an earlier start has left there. What the broker has is read from itself.
 */
export function createAnnouncer(deps: AnnouncerDeps): Announcer | undefined {
  const { gatewayBrokerUrl: url, gatewayBrokerApp: appId, gatewayBrokerDiscovery: prefix } = deps.config;
  if (url === undefined || appId === undefined) return undefined;
  let client: MqttClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let opened: Promise<void> | undefined;
  let busy = Promise.resolve();
  /** What the broker has; undefined: not known. */
  let there: Map<string, string> | undefined;
  let connections = 0;
  let isWaiting = false;
  let loggedAt = Number.NEGATIVE_INFINITY;

  async function wanted(): Promise<Retained> {
    const found = prefix === undefined ? undefined : await deps.read(appId as string);
    return found ? announced(prefix as string, appId as string, found) : new Map();
  }

  async function reconcile(): Promise<void> {
    if (!client?.connected) return;
    if (!deps.isOurs()) {
      there = undefined;
      return;
    }
    const connection = connections;
    const found = there ?? (await readAnnounced(client, appId as string, prefix));
    const next = await wanted();
    // It was lost meanwhile: what came is not all.
    if (connection !== connections) return;
    there = found;
    for (const topic of [...found.keys()]) if (!next.has(topic)) await say(client, topic, '');
    // What is announced has a state first; that somebody is online may have been withdrawn by the end of another node.
    for (const [topic, text] of [...next].toSorted(([a], [b]) => Number(isConfig(a)) - Number(isConfig(b))))
      if (found.get(topic) !== text || topic === statusTopic(appId as string)) await say(client, topic, text);
    if (prefix === undefined) await client.endAsync();
  }

  async function say(own: MqttClient, topic: string, text: string): Promise<void> {
    await own.publishAsync(topic, text, { qos: 1, retain: true });
    if (text === '') there?.delete(topic);
    else there?.set(topic, text);
  }

  async function sayGoodbye(own: MqttClient): Promise<void> {
    await busy;
    if (there && prefix !== undefined) await say(own, statusTopic(appId as string), 'offline');
  }

  const failed = (error: unknown) => {
    // Where nothing was ever told, its user may not even be allowed to look.
    if (prefix === undefined) return void client?.end(true);
    if (performance.now() - loggedAt < tellEveryMs) return;
    loggedAt = performance.now();
    deps.onError('telling Home Assistant', error);
  };

  const tick = () => {
    if (isWaiting) return;
    isWaiting = true;
    busy = busy
      .then(() => {
        isWaiting = false;
        return reconcile();
      })
      .catch(failed);
  };

  async function open(): Promise<void> {
    const will = {
      topic: statusTopic(appId as string),
      payload: Buffer.from('offline'),
      qos: 1,
      retain: true,
    } as const;
    const options = {
      clientId: `pharos-${appId}-told-${randomText(12)}`,
      ...(prefix === undefined ? {} : { will }),
    };
    // The subscription to the same broker tells what is wrong with it.
    client = await connectToBroker(url as string, options, () => undefined);
    client.on('connect', () => {
      // Others may have written there meanwhile, and the broker has said that this one is offline.
      there = undefined;
      connections++;
      tick();
    });
    client.on('close', () => {
      if (prefix === undefined && connections > 0) client?.end(true);
    });
  }

  return {
    start() {
      opened = open().catch(failed);
      timer = setInterval(tick, everyMs).unref();
    },
    stop: () => clearInterval(timer),
    async close() {
      await opened;
      if (client?.connected) await Promise.race([lossOf(client), sayGoodbye(client)]);
      await client?.endAsync(true);
    },
  };
}

/** Reads what is retained at the broker: a message to itself comes after all of it. */
async function readAnnounced(own: MqttClient, appId: string, prefix: string | undefined): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const read = async (topics: readonly string[]) => {
    const end = `${rootOf(appId)}/look/${randomText(12)}`;
    const done = Promise.withResolvers<void>();
    const take = (topic: string, payload: Buffer) => {
      if (topic === end) done.resolve();
      else if (payload.length > 0 && !topic.includes('/look/')) found.set(topic, payload.toString());
    };
    own.on('message', take);
    own.once('close', done.resolve);
    await own.subscribeAsync([...topics, end], { qos: 0 });
    await own.publishAsync(end, 'end');
    await done.promise;
    own.off('message', take);
    own.off('close', done.resolve);
    await own.unsubscribeAsync([...topics, end]);
  };
  await read([`${rootOf(appId)}/#`]);
  const prefixes = new Set([prefix, found.get(prefixTopic(appId))].filter((one) => one !== undefined));
  if (prefixes.size > 0) await read([...prefixes].map((one) => configTopics(one, appId)));
  return found;
}

const lossOf = (client: MqttClient) => new Promise<void>((resolve) => void client.once('close', resolve));
const isConfig = (topic: string): boolean => topic.endsWith('/config');
