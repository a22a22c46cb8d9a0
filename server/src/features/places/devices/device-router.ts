import type { PollerSource } from '../../../db/nodes/poller.ts';
import type { DeviceLogin } from '../../../delivery/mqtt/mqtt-connection.ts';
import type { DeviceBroker, DeviceMessage, DeviceRoutes } from '../../../delivery/mqtt/mqtt-device-broker.ts';
import type { Published } from '../../../delivery/mqtt/mqtt-in-flight.ts';
import type { Context } from '../../context.ts';
import * as store from './session-store.ts';

/** How much longer than the device its node may take: two polls of the database, and a little, ms. */
const graceMs = 5_000;
/** How long a node may take to hear that a device has gone elsewhere, ms; a dead one never does. */
const noticeMs = 60_000;
/** A device that moves while a message is on its way is followed. */
const maxTries = 3;

export type DeviceRouterOptions = Pick<Context, 'db' | 'node' | 'now' | 'onError'>;

type LocalBroker = Pick<DeviceBroker, 'publishTo' | 'takeOver' | 'connections'>;

/**
 * Takes messages to devices that are connected to any of several nodes. The database says on which node a device listens; a
 * message for another node is written there as well, and comes back with what the device has answered. A message has the
 * same id at each try, so that what was handed over before its node died is not handed over a second time. The bus, where
 * there is one, saves the look (`Poller`).
 */
export class DeviceRouter implements DeviceRoutes {
  readonly #options: DeviceRouterOptions;
  #broker: LocalBroker | undefined;
  readonly #waiting = new Map<string, (result: Published) => void>();
  readonly #listeners: ((node: string) => void)[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #polling: Promise<void> | undefined;
  #again = false;

  constructor(options: DeviceRouterOptions) {
    this.#options = options;
  }

  attach(broker: LocalBroker): void {
    this.#broker = broker;
  }

  /** Calls the listener when another node should poll at once. */
  onMessage(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Called when another node says that something waits for this one. */
  heard(node: string): void {
    if (node === this.#options.node) void this.#poll();
  }

  readonly source: PollerSource = {
    ask: () => {
      // Nothing can wait for a node without devices that has handed nothing over.
      if (this.#waiting.size === 0 && !this.#broker?.connections) return undefined;
      const hear = (n: number | null) => void ((n ?? 0) > 0 && this.#poll());
      return { value: store.waitingFor(this.#options.node), hear };
    },
  };

  async began(login: DeviceLogin, session: string): Promise<void> {
    const { db, node, now } = this.#options;
    const { appId } = login;
    const concerned = await db.transaction(async (db) => {
      const before = await store.saveSession(db, { ...login, node, session });
      const nodes = new Set<string>();
      for (const former of before.filter((one) => one.node !== node)) {
        for (const sender of await store.returnHandovers(db, appId, former.session)) nodes.add(sender);
        const notice = { payload: null, seconds: 0, timeoutMs: 0, expiresAt: now() + noticeMs };
        const messageId = `gone ${former.session}`;
        await store.insertHandover(db, { ...former, ...notice, appId, messageId, sender: node });
        nodes.add(former.node);
      }
      return nodes;
    });
    for (const one of concerned) this.#tell(one);
  }

  async ended({ appId, deviceId }: DeviceLogin, session: string): Promise<void> {
    try {
      await store.deleteSession(this.#options.db, appId, deviceId, session);
    } catch (error) {
      this.#options.onError('forgetting where a device listened', error);
    }
  }

  /** Publishes to every device of the app that listens to the topic, on any node; returns the worst of the answers. */
  async publish(message: DeviceMessage): Promise<Published> {
    try {
      return await this.#publish(message);
    } catch (error) {
      this.#options.onError('finding the node of a device', error);
      return 'unanswered';
    }
  }

  async #publish(message: DeviceMessage): Promise<Published> {
    const { db, now } = this.#options;
    const results = new Map<string, Published>();
    const tried = new Set<string>();
    for (let tries = 0; tries < maxTries; tries++) {
      const sessions = (await store.findSessions(db, message.appId, message.topic, now())).filter(
        ({ session, deviceId }) => !tried.has(session) && (results.get(deviceId) ?? 'absent') === 'absent',
      );
      const found = await Promise.all(sessions.map((at) => this.#publishTo(at, message)));
      for (const [index, { deviceId, session }] of sessions.entries()) {
        tried.add(session);
        results.set(deviceId, found[index] ?? 'absent');
      }
      if (!found.includes('absent')) break;
    }
    const all = [...results.values()];
    return all.find((result) => result !== 'acknowledged') ?? all[0] ?? 'absent';
  }

  async #publishTo(at: store.DeviceSession, message: DeviceMessage): Promise<Published> {
    if (at.node !== this.#options.node) return this.#handOver(at, message);
    return (await this.#broker?.publishTo(at.session, message.payload, message)) ?? 'absent';
  }

  async #handOver(at: store.DeviceSession, message: DeviceMessage): Promise<Published> {
    const { db, node, now } = this.#options;
    const { appId, timeoutMs, seconds } = message;
    const messageId = `${message.id} ${at.session}`;
    const patience = timeoutMs + graceMs;
    const answer = new Promise<Published | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patience);
      this.#waiting.set(`${appId} ${messageId}`, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
    });
    try {
      const expiresAt = now() + 2 * patience;
      const payload = message.payload.toString();
      await store.insertHandover(db, { ...at, appId, messageId, sender: node, payload, seconds, timeoutMs, expiresAt });
      this.#tell(at.node);
      const result = await answer;
      if (result !== undefined) return result;
      return (await store.withdrawHandover(db, appId, messageId)) ? 'absent' : 'unanswered';
    } finally {
      this.#waiting.get(`${appId} ${messageId}`)?.('unanswered');
      this.#waiting.delete(`${appId} ${messageId}`);
    }
  }

  /** Takes what waits for this node. Never rejects. */
  #poll(): Promise<void> {
    this.#again = true;
    this.#polling ??= this.#pollUntilDone().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #pollUntilDone(): Promise<void> {
    const { db, node, onError } = this.#options;
    try {
      while (this.#again) {
        this.#again = false;
        for (const { appId, messageId, result } of await store.takeResults(db, node))
          this.#waiting.get(`${appId} ${messageId}`)?.(result);
        for (const handover of await store.takeHandovers(db, node)) this.#carryOut(handover);
      }
    } catch (error) {
      onError('taking messages for devices from other nodes', error);
    }
  }

  /** Hands a message to a device in the background, since devices are slow. */
  #carryOut(handover: store.Handover): void {
    const done = this.#deliver(handover)
      .catch((error) => this.#options.onError('passing a message of another node to a device', error))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #deliver(handover: store.Handover): Promise<void> {
    const { db } = this.#options;
    const { session, payload, sender } = handover;
    if (payload === null) {
      this.#broker?.takeOver(session);
      await store.deleteHandover(db, handover);
      return;
    }
    const result = (await this.#broker?.publishTo(session, Buffer.from(payload), handover)) ?? 'absent';
    await store.answerHandover(db, handover, result);
    this.#tell(sender);
  }

  #tell(node: string): void {
    if (node === this.#options.node) void this.#poll();
    for (const listener of this.#listeners) listener(node);
  }

  sweep(): Promise<void> {
    return store.sweepSessions(this.#options.db, this.#options.now());
  }

  /** Call it after the port is closed: its connections have ended by then, and what they answered is written. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    try {
      await store.deleteSessionsOf(this.#options.db, this.#options.node);
    } catch (error) {
      this.#options.onError('forgetting which devices listened here', error);
    }
  }
}
