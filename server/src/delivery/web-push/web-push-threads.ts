import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { EncryptionDone, EncryptionTask } from './web-push-thread.ts';

/** Small enough that the first message of a burst does not wait long for the last one. */
const largestBatch = 64;

interface Waiting {
  readonly task: EncryptionTask;
  readonly resolve: (body: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Work that was given to the thread and is not back yet, by id. */
  readonly given: Map<number, Waiting>;
}

/**
 * Encrypts off the main thread, where 4,000 messages a second would leave no time for anything else. Threads start with
 * the first message and keep the process alive only while they have work.
 */
export class EncryptionThreads {
  readonly #most: number;
  readonly #threads = new Set<Thread>();
  readonly #queue: Waiting[] = [];
  #lastId = 0;

  /**
   * By default one thread less than there are cores, but at least two and at most three: on two cores one thread left a
   * third of them idle, and two send 40 % more.
   */
  constructor(most = Math.min(3, Math.max(2, availableParallelism() - 1))) {
    this.#most = most;
  }

  /** The body of the push request; undefined if the subscription's key is invalid. Rejects when a thread breaks. */
  encrypt(task: Omit<EncryptionTask, 'id'>): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ task: { id: ++this.#lastId, ...task }, resolve, reject });
      // At the end of the tick, so that all messages of one tick go in one batch.
      if (this.#queue.length === 1) setImmediate(() => this.#feed());
    });
  }

  #feed(): void {
    while (this.#queue.length > 0) {
      const thread = this.#free();
      if (!thread) return;
      const batch = this.#queue.splice(0, largestBatch);
      for (const waiting of batch) thread.given.set(waiting.task.id, waiting);
      thread.worker.ref();
      thread.worker.postMessage(batch.map(({ task }) => task));
    }
  }

  /** A thread with at most one batch ahead: the next batch is ready when that one is done. */
  #free(): Thread | undefined {
    for (const thread of this.#threads) if (thread.given.size === 0) return thread;
    if (this.#threads.size < this.#most) return this.#start();
    for (const thread of this.#threads) if (thread.given.size <= largestBatch) return thread;
    return undefined;
  }

  #start(): Thread {
    const worker = new Worker(new URL('./web-push-thread.ts', import.meta.url));
    const thread: Thread = { worker, given: new Map() };
    worker.unref();
    worker.on('message', (done: EncryptionDone) => {
      take(thread, done);
      if (thread.given.size === 0) worker.unref();
      this.#feed();
    });
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#threads.delete(thread);
      for (const { reject } of thread.given.values()) reject(new Error('the encryption thread has ended'));
      this.#feed();
    });
    this.#threads.add(thread);
    return thread;
  }
}

function take({ given }: Thread, { ids, lengths, bytes }: EncryptionDone): void {
  let offset = 0;
  ids.forEach((id, index) => {
    const length = lengths[index] ?? 0;
    given.get(id)?.resolve(length === 0 ? undefined : bytes.subarray(offset, offset + length));
    given.delete(id);
    offset += length;
  });
}
