import { setTimeout as delay } from 'node:timers/promises';
import { countDown } from '../../../base/caches/count-down.ts';
import { fail } from '../../../base/errors.ts';
import { firstIdAt } from '../../../base/id.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import type { PollerSource } from '../../../db/nodes/poller.ts';
import { clientNetwork } from '../../../limits/rate-limit.ts';
import type { Context } from '../../context.ts';
import { Channel } from './channel.ts';
import { type Numbers, plainNumbers } from './numbers.ts';
import * as store from './store.ts';

export interface FeedDeps extends Pick<Context, 'db' | 'now' | 'onError'> {
  readonly cacheVersion: Pick<CacheVersion, 'change'>;
}

export interface LiveSubscription {
  readonly appId: string;
  readonly address: string;
  /** The number after which to go on; undefined: from now on. */
  readonly after: number | undefined;
  /** The kinds of events that are wanted; undefined: all. */
  readonly kinds?: ReadonlySet<string> | undefined;
  /** How numbers are shown to the listener; undefined: as they are. */
  readonly numbers?: Numbers;
  /** What of these events the listener may see; all without it. */
  readonly show?: (events: readonly store.LiveEvent[]) => Promise<readonly store.LiveEvent[]>;
}

/** How often keeping events is renewed for apps with listeners. */
const wantEveryMs = 30_000;
/** How long events are kept after the last listener has gone, for listeners that come back. */
export const keptMs = 600_000;
const heartbeatMs = 15_000;
/** Other nodes know within a second that an app is listened to (`CacheVersion`); a stream is ready when they do. */
const settleMs = 1_100;
export const streamLimits = Object.freeze({ perApp: 100, perAddress: 20 });
const sweepStep = 500;

/** Server-sent events of apps, in this process. */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #channels = new Map<string, Promise<Channel>>();
  /** The channels that are ready. */
  readonly #open = new Map<string, Channel>();
  readonly #counts = new Map<string, number>();
  readonly #wantedUntil = new Map<string, number>();
  /** How many listen to positions, by app. */
  readonly #watching = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  readonly #tell: ((appId: string) => void)[] = [];

  /** Calls the listener when something of an app was committed by this process. */
  onOwnEvent(listener: (appId: string) => void): void {
    this.#tell.push(listener);
  }

  /** Something of the app was committed by this process. */
  readonly wake = (appId: string): void => {
    this.poll(appId);
    for (const tell of this.#tell) tell(appId);
  };

  /** Looks for events of the app, if somebody listens to it here. */
  poll(appId: string): void {
    // Those who wait for the channel learn why it could not be started.
    void this.#channels.get(appId)?.then(
      (channel) => channel.poll(),
      () => undefined,
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Takes a place. The events are to be asked for at once, for the place is given back when they end.
   *
   * @throws Failure APICallLimit
   */
  open(listening: LiveSubscription): (signal: AbortSignal) => AsyncIterable<string> {
    const places = [`app ${listening.appId}`, `${listening.appId} ${clientNetwork(listening.address)}`] as const;
    const [ofApp, ofAddress] = places.map((place) => this.#counts.get(place) ?? 0);
    if ((ofApp ?? 0) >= streamLimits.perApp) throw tooMany(`${streamLimits.perApp} streams of this app`);
    if ((ofAddress ?? 0) >= streamLimits.perAddress) throw tooMany(`${streamLimits.perAddress} streams of one address`);
    for (const place of places) this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
    const leave = () => {
      for (const place of places) countDown(this.#counts, place);
    };
    return (signal) => this.#listen(listening, signal, leave);
  }

  /** Deletes what nobody can ask for any more. */
  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    const before = firstIdAt(now() - keptMs);
    for (const { app_id } of await store.listLiveApps(db))
      while ((await store.forgetOldEvents(db, app_id, before, sweepStep)) === sweepStep);
  }

  async *#listen(listening: LiveSubscription, signal: AbortSignal, leave: () => void): AsyncGenerator<string> {
    const { appId, kinds } = listening;
    const isWatching = kinds?.has('position.changed') ?? true;
    let channel: Channel | undefined;
    if (isWatching) this.#watching.set(appId, (this.#watching.get(appId) ?? 0) + 1);
    try {
      if (signal.aborted) return;
      yield 'retry: 2000\n\n';
      channel = await this.#join(appId);
      if (isWatching) await this.#wantPositions(appId);
      yield* this.#events(channel, listening, signal);
    } finally {
      if (isWatching) countDown(this.#watching, appId);
      leave();
      if (channel) this.#leave(appId, channel);
    }
  }

  async *#events(
    channel: Channel,
    { appId, after, show, kinds, numbers = plainNumbers }: Omit<LiveSubscription, 'address'>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    await channel.poll();
    const app = await store.findLiveApp(this.#deps.db, appId);
    const wanted = after === undefined ? undefined : numbers.decode(after);
    const isKnown = wanted !== undefined && wanted >= (app?.floor_seq ?? 0) && wanted <= channel.seq;
    let seq = isKnown ? wanted : channel.seq;
    if (after !== undefined && !isKnown) yield lost(numbers.encode(seq));
    yield `id: ${numbers.encode(seq)}\nevent: ready\ndata: {}\n\n`;
    // Counted from what this listener was sent last: events that are not shown make no difference.
    let dueAt = performance.now() + heartbeatMs;
    while (!signal.aborted) {
      const known = channel.seq;
      const events = await channel.after(seq);
      const [first] = events;
      if (first && first.seq !== seq + 1) yield lost(numbers.encode(first.seq - 1));
      seq = events.at(-1)?.seq ?? seq;
      if (first) {
        const asked = kinds ? events.filter(({ event }) => kinds.has(event)) : events;
        const shown = show && asked.length > 0 ? await show(asked) : asked;
        if (shown.length > 0) {
          yield shown.map((event) => render(event, numbers)).join('');
          dueAt = performance.now() + heartbeatMs;
        }
      } else await channel.news(known, Math.max(0, dueAt - performance.now()), signal);
      if (!signal.aborted && performance.now() >= dueAt) {
        yield ': \n\n';
        dueAt = performance.now() + heartbeatMs;
      }
    }
  }

  async #join(appId: string): Promise<Channel> {
    for (;;) {
      const known = this.#channels.get(appId) ?? this.#start(appId);
      this.#channels.set(appId, known);
      try {
        const channel = await known;
        // The last listener may have left, and then nobody looks for this channel's events any more.
        if (this.#channels.get(appId) !== known) continue;
        channel.listeners++;
        this.#open.set(appId, channel);
        return channel;
      } catch (error) {
        this.#channels.delete(appId);
        throw error;
      }
    }
  }

  async #start(appId: string): Promise<Channel> {
    const { db, now, onError } = this.#deps;
    const before = await store.findLiveApp(db, appId);
    await this.#want(appId);
    // Events that another node writes before it knows would be missed.
    if (!db.readsAreLocal && (before?.wanted_until ?? 0) <= now()) await delay(settleMs);
    const app = await store.findLiveApp(db, appId);
    if (!app) throw new Error(`the live events of app ${appId} are not kept`);
    this.#timer ??= setInterval(() => this.#wantOn(), wantEveryMs);
    this.#timer.unref();
    return new Channel(db, app, (error) => onError('reading live events', error));
  }

  #leave(appId: string, channel: Channel): void {
    channel.listeners--;
    if (channel.listeners > 0) return;
    this.#channels.delete(appId);
    this.#open.delete(appId);
    if (this.#channels.size === 0) this.stop();
  }

  async #want(appId: string): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    const until = now() + keptMs;
    this.#wantedUntil.set(appId, until);
    const positionsUntil = this.#watching.has(appId) ? until : 0;
    await cacheVersion.change(appId, (db) => store.wantEvents(db, appId, { now: now(), until, positionsUntil }));
  }

  /** The app was listened to before, but not to where its visitors are. */
  async #wantPositions(appId: string): Promise<void> {
    const { db, now } = this.#deps;
    const app = await store.findLiveApp(db, appId);
    if ((app?.positions_until ?? 0) > now()) return;
    await this.#want(appId);
    if (!db.readsAreLocal) await delay(settleMs);
  }

  /** Another node's events are found by looking, for all apps together; this one's are announced at once. */
  readonly source: PollerSource = {
    ask: () => {
      const apps = [...this.#open].map(([appId, { seq }]) => ({ appId, seq }));
      if (apps.length === 0) return undefined;
      if (apps.length > store.maxAsked) {
        for (const { appId } of apps) this.poll(appId);
        return undefined;
      }
      const hear = (isNews: number | null) => {
        if (isNews !== null) for (const { appId } of apps) this.poll(appId);
      };
      return { value: store.newsOf(apps), hear };
    },
  };

  #wantOn(): void {
    const { now, onError } = this.#deps;
    for (const appId of this.#channels.keys()) {
      if ((this.#wantedUntil.get(appId) ?? 0) - now() < keptMs / 2)
        this.#want(appId).catch((error: unknown) => onError('keeping live events', error));
    }
  }
}

/** The event for a gap that could not be kept; the client reads the lists if it needs to. */
const lost = (seq: number) => `id: ${seq}\nevent: lost\ndata: {}\n\n`;

const render = ({ seq, event, data }: store.LiveEvent, { encode }: Numbers) =>
  `id: ${encode(seq)}\nevent: ${event}\ndata: ${data}\n\n`;

function tooMany(what: string) {
  return fail('APICallLimit', { message: `There are ${what} already. Close one, or try again later.`, retryAfter: 10 });
}
