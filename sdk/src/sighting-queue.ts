import { following, unlessAborted, within } from './abort.ts';
import type { CallOptions } from './call.ts';
import type { PharosClient } from './client.ts';
import { PharosError } from './error.ts';
import * as operations from './operations.ts';
import { randomId } from './random-id.ts';
import { safely } from './report.ts';
import { locked, type TextStorage } from './storage-lock.ts';
import type { JsonInput, Operations } from './wire.ts';

/** Where the queue keeps unsent sightings. */
export type QueueStorage = TextStorage;

export type Sighting = JsonInput;
export type SightingAnswer = Operations['sendSightings']['answer']['result'];

/** How often the app is heard of: all the time in the foreground, or whenever the system wakes it. */
export type SightingSender = 'phone' | 'androidBackground' | 'iosBackground';

export interface SightingQueueOptions {
  /** The installation that sensed them. */
  readonly installationId: string;
  /**
   * Without it, unsent sightings are lost when the app ends. Several queues of one installation may share a storage;
   * another installation needs its own.
   */
  readonly storage?: QueueStorage;
  /**
   * What senses: `phone` in the foreground, `androidBackground` or `iosBackground` where the system wakes the app from time to
   * time, so that the silence in between does not end a visit. A function is called whenever sightings are added; a sighting may
   * have its own `sender`. Without it, the foreground.
   */
  readonly sender?: SightingSender | (() => SightingSender | undefined);
  /** How many may wait; beyond that the oldest are dropped. 10 000 by default. */
  readonly capacity?: number;
  /** Called with sightings that were dropped because the queue was full or the service refused them permanently. */
  readonly onDropped?: (sightings: readonly Sighting[], reason: 'full' | 'refused', error?: PharosError) => void;
  /** Called with each answer: events, messages to show, problems. */
  readonly onAnswer?: (answer: SightingAnswer) => void;
  /**
   * Receives the exceptions of `onDropped` and `onAnswer`. Without it they reach the platform's `reportError` or its
   * error log.
   */
  readonly onError?: (error: unknown) => void;
  /** For tests. */
  readonly newId?: () => string;
  /** For tests: epoch milliseconds. */
  readonly now?: () => number;
  /** For tests: milliseconds that the storage may take; 10 000 by default. */
  readonly storageTimeout?: number;
}

/** The service accepts no more at once. */
const batchSize = 1_000;

/** Ids that queues of this copy of the package have sent or dropped most recently. */
const settled = new Set<string>();
const maxSettled = 20_000;

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
 * Keeps sightings, in their order, while the service cannot be reached. Each gets an `eventId` and an `occurredAt` when
 * it is added, so that sending it twice counts once and a late one still has its time.
 *
 * The storage is read again before it is written, because another tab may have written to it. Nothing is lost that way;
 * what two queues both send counts once.
 */
export class SightingQueue {
  readonly #client: Pick<PharosClient, 'call'>;
  readonly #options: SightingQueueOptions;
  /** In their order; the key is the `eventId`. */
  #waiting = new Map<string, Sighting>();
  /** What this queue has added, until it is sent or dropped. */
  readonly #own = new Set<string>();
  /** What was sent or dropped here and may still be in the storage. */
  readonly #gone = new Set<string>();
  /** What the storage is known to contain, as its text. */
  #stored: Stored = { text: null, sightings: new Map() };
  #synchronising: Promise<void> | undefined;
  #flushing: Flushing | undefined;

  constructor(client: Pick<PharosClient, 'call'>, options: SightingQueueOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The number of unsent sightings. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when they are stored.
   *
   * @throws PharosError StorageFailed when they could not be written, for example because a quota is full. They are
   * still kept in memory and written with the next ones: do not add them again.
   * @throws TypeError for values that JSON cannot express; then none of them is added
   */
  async add(...sightings: readonly Sighting[]): Promise<void> {
    const { newId = randomId, now = Date.now, sender: named } = this.#options;
    const sender = typeof named === 'function' ? named() : named;
    const known = sender === undefined ? {} : { sender };
    const occurredAt = new Date(now()).toISOString();
    // A copy, so that nothing that the caller does with it later can change or break the stored one.
    const copies = JSON.parse(JSON.stringify(sightings)) as readonly Sighting[];
    for (const sighting of copies) {
      const eventId = String(sighting['eventId'] ?? newId());
      this.#waiting.set(eventId, { occurredAt, ...known, ...sighting, eventId });
      this.#own.add(eventId);
    }
    await this.#synchronise();
  }

  /**
   * Sends the waiting sightings. Resolves when none are left; a call while it is sending joins the same sending. A
   * signal ends the caller's wait; the sending itself ends with its last waiting caller.
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

  /** `onEnd` is called at once when it ends, so that a later flush begins again. */
  async #sendAll(options: CallOptions, onEnd: () => void): Promise<void> {
    // An unreadable storage does not hold up the sightings in memory.
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
        const { result } = await this.#client.call(operations.sendSightings, { body, ...options });
        safely(() => onAnswer?.(result), onError);
        await this.#remove(batch);
      } catch (error) {
        if (!isAboutThese(error)) throw error;
        // A sighting that the service cannot accept must not hold up the others: the batch is halved until it is alone.
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
    // Sightings that stay in an unwritable storage are sent again after a restart, and count once.
    await this.#synchronise().catch(() => undefined);
  }

  #settle(eventId: string): void {
    this.#waiting.delete(eventId);
    this.#own.delete(eventId);
    if (this.#options.storage) this.#gone.add(eventId);
    settled.add(eventId);
    for (const oldest of settled) {
      if (settled.size <= maxSettled) break;
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

  /** Synchronises memory and storage: reads what other queues have added and removed, and writes everything. */
  #synchronise(): Promise<void> {
    const { storage, storageTimeout = 10_000 } = this.#options;
    if (!storage) {
      this.#dropOldest();
      return Promise.resolve();
    }
    // Sightings that are added before it begins are part of it.
    this.#synchronising ??= locked((isExclusive) => {
      this.#synchronising = undefined;
      const time = { isUp: false };
      const late = () => {
        time.isUp = true;
        return new Error(`The storage did not answer within ${storageTimeout / 1000} s.`);
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
    // A storage that answers too late may contain something else by now.
    if (time.isUp) return;
    const kept = text === this.#stored.text ? this.#stored.sightings : readKept(text, this.#options.newId ?? randomId);
    const merged = new Map<string, Sighting>();
    for (const [eventId, sighting] of kept ?? []) if (!this.#gone.has(eventId)) merged.set(eventId, sighting);
    for (const [eventId, sighting] of this.#waiting) {
      // If something stored is gone, another queue has sent or dropped it; or it has overwritten it, where nothing
      // keeps two queues from writing at once. If it is sent twice, it counts once.
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

/** Names of errors about the text of a body, whatever is in it. */
const bodyErrors: readonly string[] = ['InvalidJSON', 'ObjectTooLarge'];

/**
 * Refused permanently, as opposed to not accepted now. A proxy may be the one that finds it too large. Whatever else is wrong with the
 * request, such as its headers or the installationId, does not mean that the sightings are.
 */
function isAboutThese(error: unknown): error is PharosError {
  if (!(error instanceof PharosError)) return false;
  if (error.status === 413 || bodyErrors.includes(error.name)) return true;
  return error.name === 'ValidationError' && error.details.some(({ field }) => field.startsWith('sightings'));
}

/**
 * The readable entries of the storage; undefined if it contains nothing or something else, which does not mean that
 * anything has been sent.
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
