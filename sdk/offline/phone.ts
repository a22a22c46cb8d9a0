import { compareSamples, type Firing, normalise, type Sample, timeOfId } from '@pharos/engine';
import {
  type Bundle,
  type BundledSite,
  byClockAhead,
  type Decision,
  type Fired,
  fromStored,
  InMemory,
  inLanguage,
  languageFor,
  type Memory,
  nothingKnown,
  type Shown,
  type StoredRecord,
  siteOf,
  toStored,
  withAnswer,
} from '@pharos/engine/decide';
import type { PharosClient } from '../src/client.ts';
import * as operations from '../src/operations.ts';
import { randomId } from '../src/random-id.ts';
import { safely } from '../src/report.ts';
import type { JsonInput, Operations } from '../src/wire.ts';
import type { ConsentTexts, OfflineBundle, OfflineMessage, OfflineOptions, OfflinePlace } from './options.ts';
import { type OfflineStorage, Waiting } from './waiting.ts';

/** What is kept across restarts, beside the bundle and the sightings. */
interface State {
  readonly memory: Memory;
  /** Told with the sightings that it follows from. */
  readonly shown: readonly Shown[];
  /** All until then was decided here, ms by the phone's clock, as all that is told. */
  readonly until: number;
  /** By how much the phone's clock is ahead, ms, as far as the service has said: decisions go by the service's clock. */
  readonly ahead: number;
  readonly elsewhere: readonly Firing[];
  /** Ids of what was shown last. */
  readonly deliveries: readonly string[];
  readonly pages: readonly number[];
}

type StoredState = Omit<State, 'memory'> & {
  readonly memory: Omit<Memory, 'record'> & { readonly record: StoredRecord | null };
};

const newState: State & StoredState = {
  ...{ memory: { ...nothingKnown, record: null }, shown: [], until: 0, ahead: 0 },
  ...{ elsewhere: [], deliveries: [], pages: [] },
};

/** The service accepts no more at once. */
const maxSightings = 1_000;
const maxShown = 200;
const maxDeliveries = 300;
/** After a call that failed, the next one waits, ms. */
const pauseMs = 10_000;
/** While nothing happens, what is known is written so seldom, ms; after a restart it goes on from the sightings that wait. */
const writtenEveryMs = 5_000;
/** A clock that goes back by more was set: what is known of the presence belongs to other times. */
const setBackMs = 60_000;

type Answer = Operations['sendSightings']['answer']['result'];

/**
 * Decides on the phone what the service would decide, whenever the service cannot be asked: it keeps the bundle of a place, what it
 * knows of the visitor's presence, and everything that it has to tell later.
 */
export class OfflinePhone {
  readonly #client: Pick<PharosClient, 'call'>;
  readonly #options: OfflineOptions;
  readonly #waiting: Waiting;
  #state: State;
  #bundle: Bundle | null;
  #site: BundledSite | undefined;
  #pausedUntil = 0;
  #writtenAt = 0;
  /** Of the sightings, as they were written. */
  #pages = '';
  /** One thing after the other. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    client: Pick<PharosClient, 'call'>,
    options: OfflineOptions,
    kept: { readonly state: State; readonly bundle: Bundle | null; readonly waiting: Waiting },
  ) {
    this.#client = client;
    this.#options = options;
    this.#state = kept.state;
    this.#bundle = kept.bundle;
    this.#waiting = kept.waiting;
  }

  /** With what was kept; a text that cannot be read counts as nothing. */
  static async open(client: Pick<PharosClient, 'appId' | 'call'>, options: OfflineOptions): Promise<OfflinePhone> {
    // Of another app nothing is shown, and nothing told to this one.
    const storage: OfflineStorage = (name) => options.storage(`${client.appId}-${name}`);
    const stored = { ...newState, ...readJson<StoredState>(await storage('state').load()) };
    const { record } = stored.memory;
    const state: State = { ...stored, memory: { ...stored.memory, record: record && fromStored(record) } };
    const bundle = readJson<Bundle>(await storage('bundle').load());
    const waiting = await Waiting.open(storage, state.pages);
    const phone = new OfflinePhone(client, { ...options, storage }, { state, bundle, waiting });
    await phone.#catchUp();
    return phone;
  }

  /** How many sightings the service has not acknowledged. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** What the app may show of the place: the lists of `GET /bundle` in parts; null before the first `refresh`. */
  get bundle(): OfflineBundle | null {
    return this.#bundle as OfflineBundle | null;
  }

  /** What to ask the visitor, as the editors wrote it; null where they did not, or before the first `refresh`. */
  get consentTexts(): ConsentTexts | null {
    const texts = this.#bundle?.app.consentTexts;
    if (!texts?.version) return null;
    const { language: _, translations: __, ...own } = texts;
    return inLanguage(own, texts, languageFor(texts, this.#options.installation.localeIdentifier));
  }

  /**
   * Fetches what has changed of the place. Call it at each start with a network, and when the visitor comes to another venue.
   *
   * @throws PharosError when the service cannot be reached; what was kept stays
   */
  refresh(place: OfflinePlace = {}): Promise<void> {
    return this.#inTurn(async () => {
      const { venues, near, at } = place;
      const query = {
        ...(venues ? { venues: venues.join(',') } : {}),
        ...(near ? { near: near.join(',') } : {}),
        ...at,
        ...(this.#bundle ? { since: this.#bundle.tag } : {}),
      };
      const { result } = await this.#client.call(operations.getBundle, { query });
      this.#bundle = withAnswer(this.#bundle, result as unknown as Bundle & { readonly isWhole: boolean });
      this.#site = undefined;
      await this.#options.storage('bundle').save(JSON.stringify(this.#bundle));
    });
  }

  /** Takes what the phone hears now, such as the beacons of one second. Resolves when what follows was shown. */
  sense(...sightings: readonly JsonInput[]): Promise<void> {
    return this.#inTurn(async () => {
      const now = this.#now();
      const sender = this.#options.sender?.();
      const { newId = randomId } = this.#options;
      const stamped = sightings.map((sighting) => ({
        occurredAt: new Date(now).toISOString(),
        ...(sender === undefined ? {} : { sender }),
        ...sighting,
        eventId: String(sighting['eventId'] ?? newId()),
      }));
      const fired = await this.#decide(stamped, now);
      if (stamped.length > 0) await this.#waiting.add(stamped);
      await this.#settle(fired, now);
    });
  }

  /** Lets time pass: call it every few seconds while nothing is heard, so that visits end. */
  passTime(): Promise<void> {
    return this.sense();
  }

  /** Sends what waits, now. @throws PharosError when the service cannot be reached */
  flush(): Promise<void> {
    return this.#inTurn(async () => {
      this.#pausedUntil = 0;
      await this.#send();
      await this.#save();
    });
  }

  /** What was sensed after the last writing. */
  #catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      const now = this.#now();
      this.#showOwn(await this.#decide(this.#waiting.first(Number.POSITIVE_INFINITY), now), now);
      await this.#save();
    });
  }

  #now = (): number => (this.#options.now ?? Date.now)();

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** What the phone itself would show. It counts once it is shown. */
  async #decide(sightings: readonly JsonInput[], ownNow: number): Promise<readonly Fired[]> {
    if (this.#bundle === null) return [];
    this.#site ??= siteOf(this.#bundle);
    const { elsewhere, ahead, shown } = this.#state;
    const now = ownNow - ahead;
    // What was not told yet counts, too.
    const own = shown.map(({ triggerId, visitId, at }): Firing => ({ triggerId, visitId, at: at - ahead }));
    const memory = { ...this.#state.memory, fired: [...this.#state.memory.fired, ...own] };
    const since = memory.record?.track.at ?? null;
    // The visits of another time do not go on; what was shown still counts.
    const known = since !== null && since > now + setBackMs ? { ...memory, record: null, deadline: null } : memory;
    const installation = this.#installation(this.#site, known, elsewhere);
    const decisions: Decision[] = [];
    if (known.deadline !== null && known.deadline <= now) decisions.push(await installation.lapse(now));
    const samples = this.#samples(this.#site, sightings).filter(
      ({ occurredAt }) => occurredAt > (installation.memory.record?.track.at ?? Number.NEGATIVE_INFINITY),
    );
    if (samples.length > 0) decisions.push(await installation.take(samples, now));
    this.#state = { ...this.#state, memory: { ...installation.memory, fired: this.#state.memory.fired } };
    for (const { event, beaconId, at } of decisions.flatMap(({ events }) => events))
      safely(() => this.#options.onEvent?.({ event, beaconId, at }), this.#options.onError);
    return decisions.flatMap(({ fired }) => fired);
  }

  #installation(site: BundledSite, memory: Memory, elsewhere: readonly Firing[]): InMemory {
    const { objectId, localeIdentifier = null } = this.#options.installation;
    const { policy } = (this.#bundle as Bundle).app;
    const isAssumed = policy.consent !== 'required';
    const permissions = this.#options.consents?.() ?? { messages: isAssumed, analytics: isAssumed };
    return new InMemory(
      { ...site, firings: async () => elsewhere },
      { installationId: objectId, policy, hasTarget: true, hasPushTarget: true, locale: localeIdentifier, permissions },
      memory,
    );
  }

  #samples(site: BundledSite, sightings: readonly JsonInput[]): Sample[] {
    const { ahead } = this.#state;
    return sightings
      .flatMap((sighting): Sample[] => {
        const read = normalise(sighting, { receivedAt: this.#now() });
        const beaconId = read.ok ? site.beaconOf(read.subject) : undefined;
        if (!read.ok || beaconId === undefined) return [];
        const { observation } = read;
        return [{ ...observation, beaconId, occurredAt: observation.occurredAt - ahead }];
      })
      .sort(compareSamples);
  }

  /** The service says what is shown; if it cannot be asked, the phone. */
  async #settle(fired: readonly Fired[], now: number): Promise<void> {
    const before = this.#state;
    const isAsked = now >= this.#pausedUntil && this.#waiting.size > 0;
    const isAnswered = isAsked && (await this.#within((signal) => this.#send(signal)).then(isTrue, isUnanswered));
    if (!isAnswered) {
      if (isAsked) this.#pausedUntil = now + pauseMs;
      this.#showOwn(fired, now);
    }
    const isQuiet =
      !isAnswered && before.shown.length === this.#state.shown.length && this.#pages === String(this.#waiting.numbers);
    if (!isQuiet || now - this.#writtenAt >= writtenEveryMs || now < this.#writtenAt) await this.#save();
  }

  /** Sends all that waits, in batches; each with what was shown until its last sighting. @throws PharosError */
  async #send(signal?: AbortSignal): Promise<void> {
    const { installationId } = this.#options.installation;
    while (this.#waiting.size > 0 || this.#state.shown.length > 0) {
      const sightings = this.#waiting.first(maxSightings);
      const isLast = sightings.length === this.#waiting.size;
      const last = Date.parse(String(sightings[sightings.length - 1]?.['occurredAt']));
      const reported = this.#state.shown.filter(({ at }) => isLast || at <= last).slice(0, maxShown);
      const body = {
        installationId,
        sightings: [...sightings],
        sentAt: new Date(this.#now()).toISOString(),
        decided: { until: new Date(this.#state.until).toISOString(), shown: reported.map(toSent) },
      };
      const { result } = await this.#client.call(operations.sendSightings, { body, ...(signal ? { signal } : {}) });
      this.#state = { ...this.#state, shown: this.#state.shown.filter((one) => !reported.includes(one)) };
      await this.#waiting.remove(sightings.length);
      this.#takeAnswer(result, reported);
    }
  }

  /** All attempts together: the visitor waits. What is left of a long backlog is sent with what is sensed next. */
  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), this.#options.patience ?? 3_000);
    try {
      return await work(waiting.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #takeAnswer({ messages, elsewhere = [], clockErrorMs = 0 }: Answer, reported: readonly Shown[]): void {
    const { memory, ahead } = this.#state;
    const firings = [
      ...reported.map(({ at, ...one }) => ({ ...one, at: at - clockErrorMs })),
      ...messages.map(({ eventId, ...one }) => ({ ...one, at: timeOfId(eventId) })),
    ].map(({ triggerId, visitId, at }): Firing => ({ triggerId, visitId, at }));
    const moved = clockErrorMs === ahead ? memory : byClockAhead(memory, ahead - clockErrorMs);
    this.#state = {
      ...this.#state,
      ahead: clockErrorMs,
      memory: { ...moved, fired: [...memory.fired, ...firings].slice(-maxSightings) },
      elsewhere: elsewhere.map(({ triggerId, shownAt }) => ({
        triggerId,
        visitId: '',
        at: Date.parse(shownAt),
        isElsewhere: true,
      })),
    };
    for (const message of messages) {
      const { deliveryId, kind, triggerId, event, beaconId, language } = message;
      const content = message[kind] ?? {};
      const named = language === undefined ? {} : { language };
      this.#show({
        deliveryId,
        kind,
        triggerId,
        event,
        beaconId: beaconId.objectId,
        ...named,
        content,
        isOffline: false,
      });
    }
  }

  #showOwn(fired: readonly Fired[], now: number): void {
    const { ahead, shown } = this.#state;
    const own = fired.map(({ beaconId, verdict: { triggerId, event, at, eventId, visitId, group } }) => ({
      ...{ triggerId, beaconId, event, at: at + ahead, eventId, visitId },
      ...(group === undefined ? {} : { group }),
    }));
    this.#state = { ...this.#state, until: now, shown: [...shown, ...own].slice(-maxSightings) };
    for (const { deliveryId, beaconId, verdict, shown: what, language } of fired)
      this.#show({
        ...{ deliveryId, kind: verdict.kind, triggerId: verdict.triggerId, event: verdict.event, beaconId },
        ...(language === null ? {} : { language }),
        content: what.content,
        isOffline: true,
      });
  }

  #show(message: OfflineMessage): void {
    const { deliveries } = this.#state;
    if (deliveries.includes(message.deliveryId)) return;
    this.#state = { ...this.#state, deliveries: [...deliveries, message.deliveryId].slice(-maxDeliveries) };
    safely(() => this.#options.onMessage(message), this.#options.onError);
  }

  async #save(): Promise<void> {
    const { memory } = this.#state;
    const record = memory.record && toStored(memory.record);
    const state: StoredState = { ...this.#state, memory: { ...memory, record }, pages: this.#waiting.numbers };
    this.#writtenAt = this.#now();
    this.#pages = String(state.pages);
    await this.#options.storage('state').save(JSON.stringify(state));
  }
}

const toSent = ({ beaconId, at, ...one }: Shown) => ({ ...one, beacon: beaconId, shownAt: new Date(at).toISOString() });

const isTrue = () => true;

/** A refusal will not become an answer by waiting; the phone goes on by itself either way. */
const isUnanswered = () => false;

function readJson<T>(text: string | null): T | null {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    return typeof read === 'object' && read !== null ? (read as T) : null;
  } catch {
    return null;
  }
}
