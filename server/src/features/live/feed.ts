import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { firstIdAt } from '../../base/id.ts';
import type { CacheVersion } from '../../db/cache-version.ts';
import type { Database } from '../../db/db.ts';
import { clientNetwork } from '../../limits/rate-limit.ts';
import { Channel } from './channel.ts';
import * as store from './store.ts';

export interface FeedDeps {
  readonly db: Database;
  readonly cacheVersion: Pick<CacheVersion, 'change'>;
  readonly now: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

export interface Listening {
  readonly appId: string;
  readonly address: string;
  /** The number behind which to go on; undefined: from now on. */
  readonly after: number | undefined;
  /** What of these events the listener may see; all without it. */
  readonly show?: (events: readonly store.LiveEvent[]) => Promise<readonly store.LiveEvent[]>;
}

/** Another node's events are found by then; this one's are announced at once. */
const lookEveryMs = 500;
/** How long events are kept after the last listener has gone, for listeners that come back. */
export const keptMs = 600_000;
const heartbeatMs = 15_000;
/** Other nodes know within half a second that an app is listened to (`CacheVersion`); a stream is ready when they do. */
const settleMs = 1_100;
export const streamLimits = Object.freeze({ perApp: 100, perAddress: 20 });
const sweepStep = 500;

/** Server-sent events of apps, in this process. */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #counts = new Map<string, number>();
  readonly #wantedUntil = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Something of the app was committed by this process. */
  readonly wake = (appId: string): void => {
    // Whoever waits for the channel is told why it could not be started.
    void this.#channels.get(appId)?.then(
      (channel) => channel.look(),
      () => undefined,
    );
  };

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Takes a place. The events are to be asked for at once, for the place is given back when they end.
   *
   * @throws Failure APICallLimit
   */
  open(listening: Listening): (signal: AbortSignal) => AsyncIterable<string> {
    const places = [`app ${listening.appId}`, `${listening.appId} ${clientNetwork(listening.address)}`] as const;
    const [ofApp, ofAddress] = places.map((place) => this.#counts.get(place) ?? 0);
    if ((ofApp ?? 0) >= streamLimits.perApp) throw tooMany(`${streamLimits.perApp} streams of this app`);
    if ((ofAddress ?? 0) >= streamLimits.perAddress) throw tooMany(`${streamLimits.perAddress} streams of one address`);
    for (const place of places) this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
    const leave = () => {
      for (const place of places) {
        const left = (this.#counts.get(place) ?? 1) - 1;
        if (left === 0) this.#counts.delete(place);
        else this.#counts.set(place, left);
      }
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

  async *#listen({ appId, after, show }: Listening, signal: AbortSignal, leave: () => void): AsyncGenerator<string> {
    let channel: Channel | undefined;
    try {
      if (signal.aborted) return;
      yield 'retry: 2000\n\n';
      channel = await this.#join(appId);
      yield* this.#events(channel, { appId, after, ...(show ? { show } : {}) }, signal);
    } finally {
      leave();
      if (channel) this.#leave(appId, channel);
    }
  }

  async *#events(
    channel: Channel,
    { appId, after, show }: Pick<Listening, 'appId' | 'after' | 'show'>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    await channel.look();
    const app = await store.findLiveApp(this.#deps.db, appId);
    const isKnown = after !== undefined && after >= (app?.floor_seq ?? 0) && after <= channel.seq;
    let seq = isKnown ? after : channel.seq;
    if (after !== undefined && !isKnown) yield lost(seq);
    yield `id: ${seq}\nevent: ready\ndata: {}\n\n`;
    while (!signal.aborted) {
      const events = await channel.after(seq);
      const [first] = events;
      if (first && first.seq !== seq + 1) yield lost(first.seq - 1);
      seq = events.at(-1)?.seq ?? seq;
      if (first) {
        const shown = show ? await show(events) : events;
        if (shown.length > 0) yield shown.map(render).join('');
      } else {
        const before = channel.seq;
        await channel.news(heartbeatMs, signal);
        if (channel.seq === before && !signal.aborted) yield ': \n\n';
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
    this.#timer ??= setInterval(() => this.#tick(), lookEveryMs);
    this.#timer.unref();
    return new Channel(db, app, (error) => onError('reading live events', error));
  }

  #leave(appId: string, channel: Channel): void {
    channel.listeners--;
    if (channel.listeners > 0) return;
    this.#channels.delete(appId);
    if (this.#channels.size === 0) this.stop();
  }

  async #want(appId: string): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    const until = now() + keptMs;
    this.#wantedUntil.set(appId, until);
    await cacheVersion.change((db) => store.wantEvents(db, appId, now(), until));
  }

  #tick(): void {
    const { now, onError } = this.#deps;
    for (const appId of this.#channels.keys()) {
      this.wake(appId);
      if ((this.#wantedUntil.get(appId) ?? 0) - now() < keptMs / 2)
        this.#want(appId).catch((error: unknown) => onError('keeping live events', error));
    }
  }
}

/** What lies between could not be kept; the client reads the lists if it needs it. */
const lost = (seq: number) => `id: ${seq}\nevent: lost\ndata: {}\n\n`;

const render = ({ seq, event, data }: store.LiveEvent) => `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`;

function tooMany(what: string) {
  return fail('APICallLimit', { message: `There are ${what} already. Close one, or try again later.`, retryAfter: 10 });
}
