import { setTimeout as delay } from 'node:timers/promises';
import type { IClientOptions, MqttClient } from 'mqtt';
import { publishLimits } from '../../../../delivery/mqtt/mqtt-publishing.ts';
import type { Context } from '../../../context.ts';
import type { GatewayIntake, GatewayPayload, GatewaySender } from '../intake.ts';
import { connectToBroker } from './broker-connection.ts';
import { FairShares } from './fair-shares.ts';

export interface SubscriptionDeps
  extends Pick<Context, 'assertRoom' | 'config' | 'findOpenApp' | 'log' | 'now' | 'onError' | 'owns'> {
  readonly intake: Pick<GatewayIntake, 'receive'>;
  readonly gatewayStates: Pick<Context['gatewayStates'], 'lastHeard'>;
}

export interface Subscription {
  start(): void;
  close(): Promise<void>;
}

/** So many nodes at most divide the topics. */
const connections = 4;

/** The connection that takes the messages of a topic. */
function connectionOf(topic: string): number {
  let sum = 0;
  for (let at = 0; at < topic.length; at++) sum = (31 * sum + topic.charCodeAt(at)) >>> 0;
  return sum % connections;
}

/** Messages of a connection that are not stored yet. */
const maxUnderWay = 64;
/** How long the broker keeps messages while nobody is connected, s. */
const sessionSeconds = 3_600;
/** How long after it has gone on with a session (ms) a connection may get what the broker has kept. Brokers keep 1,000 messages by default. */
const keptMs = 10_000;
const retryMs = 1_000;
const divideMs = 2_000;
const policyMs = 10_000;
const tellEveryMs = 60_000;

interface Connection {
  readonly client: MqttClient;
  readonly ending: AbortController;
  isSubscribed: boolean;
}

/**
 * Hears what gateways publish at a broker that is there already; a message with QoS 1 is acknowledged when it is stored. Each connection
 * subscribes to everything and takes the topics that are its own. Several nodes divide the connections; who takes one over goes on with its
 * session. A shared subscription would lose what comes after a restart of the broker: Mosquitto forgets it.
 */
export function createSubscription(deps: SubscriptionDeps): Subscription | undefined {
  const { gatewayBrokerUrl: url, gatewayBrokerTopics: topics, gatewayBrokerApp: appId } = deps.config;
  if (url === undefined || appId === undefined) return undefined;
  const receive = receiving(deps, appId);
  const tell = telling(deps, new URL(url).host);
  const shares = new FairShares(deps.now, (gateway) => deps.gatewayStates.lastHeard(appId, gateway));
  const open = new Map<number, Connection>();
  let timer: NodeJS.Timeout | undefined;
  let busy = Promise.resolve();

  async function openOne(index: number): Promise<void> {
    const ending = new AbortController();
    const options: IClientOptions = {
      ...{ clientId: `pharos-${appId}-${index}`, clean: false },
      properties: {
        sessionExpiryInterval: sessionSeconds,
        maximumPacketSize: publishLimits.packetBytes,
        receiveMaximum: maxUnderWay,
      },
    };
    const client = await connectToBroker(url as string, options, ({ message }) =>
      tell(message || 'it cannot be reached'),
    );
    const connection: Connection = { client, ending, isSubscribed: false };
    open.set(index, connection);
    // What is retained was heard when it came.
    takeMessages(client, {
      ...{ receive, shares, now: deps.now },
      ending: ending.signal,
      isMine: (topic, { retain }) => !retain && connectionOf(topic) === index,
    });
    client.on('close', () => {
      connection.isSubscribed = false;
    });
    client.on('connect', () => {
      client.subscribe([...topics], { qos: 1 }, (error, granted = []) => {
        const refused = granted.filter(({ qos }) => qos >= 0x80).map(({ topic }) => topic);
        connection.isSubscribed = !error && refused.length === 0;
        if (!connection.isSubscribed) tell(error?.message ?? `it does not allow ${refused.join(', ')}`);
        else if (open.values().every(({ isSubscribed }) => isSubscribed)) tell();
      });
    });
  }

  async function closeOne(index: number, { client, ending }: Connection): Promise<void> {
    open.delete(index);
    ending.abort();
    await client.endAsync();
  }

  /** Opens the connections that are this node's now, and closes the others. */
  async function divide(): Promise<void> {
    for (let index = 0; index < connections; index++) {
      const isOwn = timer !== undefined && deps.owns(`what comes by a broker ${index}`);
      const known = open.get(index);
      if (isOwn && !known) await openOne(index);
      else if (!isOwn && known) await closeOne(index, known);
    }
  }

  const divideSoon = () => {
    busy = busy.then(divide).catch((error) => deps.onError('subscribing to the broker of gateways', error));
  };

  return {
    start() {
      timer = setInterval(divideSoon, divideMs).unref();
      divideSoon();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      divideSoon();
      await busy;
    },
  };
}

type Receive = (message: GatewayPayload) => Promise<boolean>;

/** Handles a message; false if it could not be stored now. */
function receiving({ assertRoom, findOpenApp, intake, now, onError }: SubscriptionDeps, appId: string): Receive {
  let known: { readonly sender: GatewaySender | undefined; readonly at: number } | undefined;
  let loggedAt = Number.NEGATIVE_INFINITY;

  async function sender(): Promise<GatewaySender | undefined> {
    if (known && Math.abs(now() - known.at) < policyMs) return known.sender;
    const app = await findOpenApp(appId);
    known = {
      sender: app && { appId, policy: app.policy, keyId: 'broker', gateway: undefined, gateways: undefined },
      at: now(),
    };
    return known.sender;
  }

  return async (message) => {
    try {
      const by = await sender();
      if (!by) throw new Error(`PHAROS_GATEWAY_BROKER_APP: there is no app ${appId}, or it is switched off.`);
      assertRoom('create');
      await intake.receive(by, message);
      return true;
    } catch (error) {
      if (Math.abs(now() - loggedAt) >= tellEveryMs) {
        loggedAt = now();
        onError('storing what a gateway has published', error);
      }
      return false;
    }
  };
}

async function untilStored(receive: () => Promise<boolean>, until: AbortSignal): Promise<boolean> {
  while (!until.aborted) {
    if (await receive()) return !until.aborted;
    await delay(retryMs, undefined, { signal: until }).catch(() => undefined);
  }
  return false;
}

interface Taking extends Pick<Context, 'now'> {
  readonly receive: Receive;
  readonly shares: FairShares;
  readonly isMine: (topic: string, packet: { readonly retain: boolean }) => boolean;
  /** Aborted when the connection is no longer this node's. */
  readonly ending: AbortSignal;
}

/**
 * Takes messages, one beside the other, and acknowledges those with QoS 1 when they are stored, in the order in which they came
 * (MQTT-4.6.0-2). While many are not stored yet, no more is read.
 */
function takeMessages(client: MqttClient, { receive, shares, now, isMine, ending }: Taking): void {
  let underWay = 0;
  let goOn: (() => void) | undefined;
  let isLost = new AbortController();
  let acknowledged: Promise<unknown> = Promise.resolve();
  let resumedAt = Number.NEGATIVE_INFINITY;
  client.on('close', () => {
    isLost.abort();
    isLost = new AbortController();
    acknowledged = Promise.resolve();
  });
  client.on('packetreceive', (packet) => {
    // The library would read nothing else until it has acknowledged this one.
    if (packet.cmd === 'publish') packet.qos = 0;
    if (packet.cmd === 'connack' && packet.sessionPresent) resumedAt = now();
  });
  client.on('message', (topic, payload, packet) => {
    const { messageId } = packet;
    const until = AbortSignal.any([ending, isLost.signal]);
    const mayBeKept = now() - resumedAt < keptMs;
    const store = async (): Promise<boolean> => {
      if (!isMine(topic, packet)) return true;
      let may: Promise<boolean> | undefined;
      const mayTake = (gateway: string) => {
        may ??= shares.take(gateway, payload.length);
        return may;
      };
      const message = { topic, payload, mayTake, mayBeKept };
      if (messageId === undefined) return receive(message);
      return untilStored(() => receive({ ...message, isHeldBack: true }), until);
    };
    underWay++;
    const [before, stored] = [acknowledged, store()];
    acknowledged = stored.then(async (isStored) => {
      await before;
      // Otherwise the broker sends it again on another connection.
      if (messageId !== undefined && isStored && !until.aborted) client.stream.write(puback(messageId));
      underWay--;
      // What it reads next may have to wait as well.
      const next = goOn;
      goOn = undefined;
      next?.();
    });
  });
  client.handleMessage = (_packet, callback) => {
    if (underWay < maxUnderWay) callback();
    else goOn = callback;
  };
}

const puback = (messageId: number) => Buffer.of(0x40, 2, messageId >> 8, messageId & 0xff);

/** Logs the state of the connection to the broker, once for all connections, whenever it changes. */
function telling({ log }: SubscriptionDeps, host: string): (problem?: string) => void {
  let logged: string | undefined;
  return (problem) => {
    const now = problem ?? '';
    if (now === logged) return;
    logged = now;
    if (problem === undefined) log('info', `subscribed to what gateways publish at ${host}`);
    else log('error', `nothing comes from gateways by the broker at ${host}: ${problem}`);
  };
}
