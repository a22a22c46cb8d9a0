import { following, unlessAborted, within } from './abort.ts';
import type { Call, CallOptions } from './call.ts';
import { PharosError } from './error.ts';
import { safely } from './report.ts';
import { locked } from './storage-lock.ts';
import type { JsonInput, Operations } from './wire.ts';

/** Where the queue keeps what is not sent yet, such as AsyncStorage or localStorage behind two functions. */
export interface QueueStorage {
  /** What `save` was last given, or null. */
  load(): Promise<string | null> | string | null;
  save(text: string): Promise<void> | void;
}

export type Sighting = JsonInput;
export type SightingAnswer = Operations['sendSightings']['answer']['result'];

/** How often the app is heard of: all the time in the foreground, or whenever the system wakes it. */
export type SightingSender = 'phone' | 'androidBackground' | 'iosBackground';

export interface SightingQueueOptions {
  /** The installation that has sensed them. */
  readonly installationId: string;
  /**
   * Without it, what is not sent is lost when the app ends. Several queues of one installation may share a storage;
   * another installation needs one of its own.
   */
  readonly storage?: QueueStorage;
  /**
   * What senses: `phone` in the foreground, `androidBackground` or `iosBackground` where the system wakes the app now and then,
   * so that the silence in between ends no visit. A function is asked whenever sightings are added; a sighting may
   * have a `sender` of its own. Without it, the foreground.
   */
  readonly sender?: SightingSender | (() => SightingSender | undefined);
  /** How many wait at most; then the oldest go. 10 000 by default. */
  readonly capacity?: number;
  /** Called with what had to go because the queue was full or the service refused it for good. */
  readonly onDropped?: (sightings: readonly Sighting[], reason: 'full' | 'refused', error?: PharosError) => void;
  /** Called with each answer: events, messages to show, problems. */
  readonly onAnswer?: (answer: SightingAnswer) => void;
  /**
   * What `onDropped` and `onAnswer` have thrown. Without it, that reaches the platform's `reportError` or its log of
   * errors.
   */
  readonly onError?: (error: unknown) => void;
  /** For tests. */
  readonly newId?: () => string;
  /** For tests: epoch milliseconds. */
  readonly now?: () => number;
  /** For tests: milliseconds that the storage may take; 10 000 by default. */
  readonly storageTimeout?: number;
}

/** The service takes no more at once. */
const batchSize = 1_000;

/** Ids that queues of this copy of the package have sent or dropped, the latest of them. */
const settled = new Set<string>();
const mostSettled = 20_000;

interface Stored {
  readonly text: string | null;
  readonly sightings: ReadonlyMap<string, Sighting>;
}

interface Flushing {
  readonly work: Promise<void>;
  readonly end: () => void;
  waiting: number;
}

/**
 * Keeps sightings while there is no way to the service, in their order. Each gets an `eventId` and an `occurredAt` when it
 * is added, so that sending it twice counts once and a late one still has its time.
 *
 * The storage is read again before it is written, because another tab may have written to it. Nothing is lost that way;
 * what two queues send both counts once.
 */
export class SightingQueue {
  readonly #call: Call;
  readonly #options: SightingQueueOptions;
  /** In their order; the key is the `eventId`. */
  #waiting = new Map<string, Sighting>();
  /** What this queue has added, until it is settled. */
  readonly #own = new Set<string>();
  /** What was sent or dropped here and may still be in the storage. */
  readonly #gone = new Set<string>();
  /** What the storage is known to hold, and as which text. */
  #stored: Stored = { text: null, sightings: new Map() };
  #synchronising: Promise<void> | undefined;
  #flushing: Flushing | undefined;

  constructor(call: Call, options: SightingQueueOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** How many are not sent yet. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when they are kept.
   *
   * @throws PharosError StorageFailed when they could not be written, such as with a full quota. They wait in memory all
   * the same and are written with the next ones: do not add them again.
   * @throws TypeError for what JSON cannot say; then none of them is added
   */
  async add(...sightings: readonly Sighting[]): Promise<void> {
    const { newId = randomId, now = Date.now, sender: named } = this.#options;
    const sender = typeof named === 'function' ? named() : named;
    const known = sender === undefined ? {} : { sender };
    const occurredAt = new Date(now()).toISOString();
    // A copy, so that nothing that the caller does with it later can change or break what waits.
    const copies = JSON.parse(JSON.stringify(sightings)) as readonly Sighting[];
    for (const sighting of copies) {
      const eventId = String(sighting['eventId'] ?? newId());
      this.#waiting.set(eventId, { occurredAt, ...known, ...sighting, eventId });
      this.#own.add(eventId);
    }
    await this.#synchronise();
  }

  /**
   * Sends what waits. Resolves when nothing waits any more; called while it sends, it is the same sending. A signal ends
   * the wait, and the sending with the last one that waits.
   *
   * @throws PharosError when the service cannot be reached; everything not acknowledged stays
   */
  async flush({ signal, timeout }: CallOptions = {}): Promise<void> {
    const flushing = this.#flushing ?? this.#begin(timeout);
    flushing.waiting++;
    try {
      await unlessAborted(flushing.work, signal);
    } finally {
      flushing.waiting--;
      if (flushing.waiting === 0) flushing.end();
    }
  }

  #begin(timeout: number | undefined): Flushing {
    const { controller } = following(undefined);
    const end = () => {
      controller.abort();
      if (this.#flushing === flushing) this.#flushing = undefined;
    };
    const options = { signal: controller.signal, ...(timeout === undefined ? {} : { timeout }) };
    const flushing: Flushing = { work: this.#sendAll(options, () => end()), end, waiting: 0 };
    this.#flushing = flushing;
    return flushing;
  }

  /** `onEnd` is called at once when it ends, so that a later flush begins anew. */
  async #sendAll(options: CallOptions, onEnd: () => void): Promise<void> {
    // A storage that cannot be read does not hold up what waits in memory.
    const unread = await this.#synchronise().catch((error: unknown) => ({ error }));
    try {
      await this.#sendWaiting(options);
    } finally {
      onEnd();
    }
    if (unread) throw unread.error;
  }

  async #sendWaiting(options: CallOptions): Promise<void> {
    let size = batchSize;
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.values()].slice(0, size);
      try {
        const { installationId, onAnswer, onError } = this.#options;
        const sentAt = new Date((this.#options.now ?? Date.now)()).toISOString();
        const body = { installationId, sightings: batch, sentAt };
        const { result } = await this.#call('sendSightings', { body, ...options });
        safely(() => onAnswer?.(result), onError);
        await this.#remove(batch);
      } catch (error) {
        if (!isAboutThese(error)) throw error;
        // One that the service cannot take must not hold up the others: halves, until it stands alone.
        if (batch.length > 1) size = Math.ceil(batch.length / 2);
        else {
          this.#drop(batch, 'refused', error);
          await this.#remove(batch);
          size = batchSize;
        }
      }
    }
  }

  async #remove(sent: readonly Sighting[]): Promise<void> {
    for (const { eventId } of sent) this.#settle(eventId as string);
    // What stays in a storage that cannot be written is sent again after a restart, and counts once.
    await this.#synchronise().catch(() => undefined);
  }

  #settle(eventId: string): void {
    this.#waiting.delete(eventId);
    this.#own.delete(eventId);
    if (this.#options.storage) this.#gone.add(eventId);
    settled.add(eventId);
    for (const oldest of settled) {
      if (settled.size <= mostSettled) break;
      settled.delete(oldest);
    }
  }

  #drop(sightings: readonly Sighting[], reason: 'full' | 'refused', error?: PharosError): void {
    safely(() => this.#options.onDropped?.(sightings, reason, error), this.#options.onError);
  }

  #dropOldest(): void {
    const excess = this.#waiting.size - (this.#options.capacity ?? 10_000);
    if (excess <= 0) return;
    const oldest = [...this.#waiting].slice(0, excess);
    for (const [eventId] of oldest) this.#settle(eventId);
    this.#drop(
      oldest.map(([, sighting]) => sighting),
      'full',
    );
  }

  /** Brings memory and storage to the same: reads what other queues have added and removed, and writes it all. */
  #synchronise(): Promise<void> {
    const { storage, storageTimeout = 10_000 } = this.#options;
    if (!storage) {
      this.#dropOldest();
      return Promise.resolve();
    }
    // What is added before it begins is part of it.
    this.#synchronising ??= locked((isExclusive) => {
      this.#synchronising = undefined;
      const time = { isUp: false };
      const late = () => {
        time.isUp = true;
        return new Error(`The storage has not answered within ${storageTimeout / 1000} s.`);
      };
      return within(storageTimeout, this.#merge(storage, isExclusive, time), late);
    }).catch((cause: unknown) => {
      this.#dropOldest();
      const message = 'The sightings could not be stored. They wait in memory.';
      throw new PharosError(message, { name: 'StorageFailed', code: 0, status: 0, cause });
    });
    return this.#synchronising;
  }

  async #merge(storage: QueueStorage, isExclusive: boolean, time: { readonly isUp: boolean }): Promise<void> {
    const text = (await storage.load()) ?? null;
    // A storage that answers too late may hold something else by now.
    if (time.isUp) return;
    const kept = text === this.#stored.text ? this.#stored.sightings : readKept(text, this.#options.newId ?? randomId);
    const merged = new Map<string, Sighting>();
    for (const [eventId, sighting] of kept ?? []) if (!this.#gone.has(eventId)) merged.set(eventId, sighting);
    for (const [eventId, sighting] of this.#waiting) {
      // What was stored and is no longer there, another queue has sent or dropped; or it has overwritten it, where
      // nothing keeps two of them from writing at once. Sent twice, it counts once.
      const wasStored = this.#stored.sightings.has(eventId) && kept !== undefined;
      const mayBeLost = this.#own.has(eventId) && !isExclusive && !settled.has(eventId);
      if (!wasStored || mayBeLost || kept.has(eventId)) merged.set(eventId, sighting);
    }
    this.#waiting = merged;
    this.#dropOldest();
    const now = { text: JSON.stringify([...this.#waiting.values()]), sightings: new Map(this.#waiting) };
    const gone = [...this.#gone];
    if (now.text !== (text ?? '[]')) await storage.save(now.text);
    this.#stored = now;
    for (const eventId of gone) this.#gone.delete(eventId);
  }
}

/** What the service will never take, as opposed to what it cannot take now. A proxy may be the one that finds it large. */
function isAboutThese(error: unknown): error is PharosError {
  if (!(error instanceof PharosError)) return false;
  // An installationId that is not taken says nothing against the sightings.
  if (error.details.some(({ field }) => field === 'installationId')) return false;
  return (error.status === 400 && error.code !== 0) || error.status === 413;
}

/**
 * What can be read of the storage, a damaged entry left out; undefined where it holds nothing or something else, which
 * says nothing about what has been sent.
 */
function readKept(text: string | null, newId: () => string): Map<string, Sighting> | undefined {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
  if (!Array.isArray(kept)) return undefined;
  const sightings = (kept as unknown[]).filter(
    (entry): entry is Sighting => typeof entry === 'object' && entry !== null && !Array.isArray(entry),
  );
  return new Map(
    sightings.map((sighting) => {
      const eventId: unknown = sighting['eventId'];
      const id = typeof eventId === 'string' ? eventId : newId();
      return [id, { ...sighting, eventId: id }];
    }),
  );
}

/** React Native has no crypto.randomUUID; these only have to differ within one installation. */
function randomId(): string {
  const part = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36)}-${part()}${part()}`;
}
