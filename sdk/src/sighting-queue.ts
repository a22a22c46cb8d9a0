import type { Call } from './call.ts';
import { PharosError } from './error.ts';
import type { JsonObject, Operations } from './wire.ts';

/** Where the queue keeps what is not sent yet, such as AsyncStorage or localStorage behind two functions. */
export interface QueueStorage {
  /** What `save` was last given, or null. */
  load(): Promise<string | null> | string | null;
  save(text: string): Promise<void> | void;
}

export type Sighting = JsonObject;
export type SightingAnswer = Operations['sendSightings']['answer']['result'];

export interface SightingQueueOptions {
  /** The installation that has sensed them. */
  readonly installationId: string;
  /** Without it, what is not sent is lost when the app ends. */
  readonly storage?: QueueStorage;
  /** How many wait at most; then the oldest go. 10 000 by default. */
  readonly capacity?: number;
  /** Called with what had to go because the queue was full or the service refused it for good. */
  readonly onDropped?: (sightings: readonly Sighting[], reason: 'full' | 'refused', error?: PharosError) => void;
  /** Called with each answer: events, messages to show, problems. */
  readonly onAnswer?: (answer: SightingAnswer) => void;
  /** For tests. */
  readonly newId?: () => string;
  /** For tests: epoch milliseconds. */
  readonly now?: () => number;
}

/** The service takes no more at once. */
const batchSize = 1_000;

/**
 * Keeps sightings while there is no way to the service, in their order. Each gets an `eventId` and an `occurredAt` when it
 * is added, so that sending it twice counts once and a late one still has its time.
 */
export class SightingQueue {
  readonly #call: Call;
  readonly #options: SightingQueueOptions;
  #waiting: Sighting[] = [];
  #loaded: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(call: Call, options: SightingQueueOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** How many are not sent yet. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Resolves when they are kept. */
  async add(...sightings: readonly Sighting[]): Promise<void> {
    const { newId = randomId, now = Date.now } = this.#options;
    const occurredAt = new Date(now()).toISOString();
    const marked = sightings.map((sighting) => ({ occurredAt, ...sighting, eventId: sighting['eventId'] ?? newId() }));
    await this.#load();
    this.#waiting.push(...marked);
    this.#dropOldest();
    await this.#save();
  }

  /**
   * Sends what waits. Resolves when nothing waits any more; called while it sends, it is the same sending.
   *
   * @throws PharosError when the service cannot be reached; everything not acknowledged stays
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#sendAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #sendAll(): Promise<void> {
    await this.#load();
    let size = batchSize;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, size);
      try {
        const { installationId, onAnswer } = this.#options;
        const sentAt = new Date((this.#options.now ?? Date.now)()).toISOString();
        const { result } = await this.#call('sendSightings', { body: { installationId, sightings: batch, sentAt } });
        await this.#remove(batch);
        onAnswer?.(result);
      } catch (error) {
        if (!isAboutThese(error)) throw error;
        // One that the service cannot take must not hold up the others: halves, until it stands alone.
        if (batch.length > 1) size = Math.ceil(batch.length / 2);
        else {
          await this.#refuse(batch, error);
          size = batchSize;
        }
      }
    }
  }

  async #refuse(batch: readonly Sighting[], error: PharosError): Promise<void> {
    await this.#remove(batch);
    this.#options.onDropped?.(batch, 'refused', error);
  }

  async #remove(sent: readonly Sighting[]): Promise<void> {
    // While they were on their way, a full queue may have dropped some of them.
    const gone = new Set(sent);
    this.#waiting = this.#waiting.filter((sighting) => !gone.has(sighting));
    await this.#save();
  }

  #dropOldest(): void {
    const { capacity = 10_000, onDropped } = this.#options;
    const excess = this.#waiting.length - capacity;
    if (excess > 0) onDropped?.(this.#waiting.splice(0, excess), 'full');
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #read(): Promise<void> {
    const kept = readKept(await this.#options.storage?.load());
    this.#waiting = [...kept, ...this.#waiting];
    this.#dropOldest();
  }

  /** One after the other, so that an older state never overwrites a newer one. */
  #save(): Promise<void> {
    const { storage } = this.#options;
    if (!storage) return Promise.resolve();
    const saving = this.#saving.catch(() => undefined).then(() => storage.save(JSON.stringify(this.#waiting)));
    this.#saving = saving;
    return saving;
  }
}

/** What the service will never take, as opposed to what it cannot take now. */
function isAboutThese(error: unknown): error is PharosError {
  return error instanceof PharosError && (error.status === 400 || error.status === 413);
}

/** A storage that something else has written to is begun anew. */
function readKept(text: string | null | undefined): Sighting[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(kept) ? (kept as Sighting[]) : [];
  } catch {
    return [];
  }
}

/** React Native has no crypto.randomUUID; these only have to differ within one installation. */
function randomId(): string {
  const part = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36)}-${part()}${part()}`;
}
