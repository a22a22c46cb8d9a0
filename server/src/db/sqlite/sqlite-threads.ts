import { Worker } from 'node:worker_threads';
import { fail } from '../../base/errors.ts';
import type { Sql } from '../../base/sql.ts';
import type { Row, RowBudget } from '../db.ts';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from './sqlite-thread.ts';

type Body<T> = T extends { id: number } ? Omit<T, 'id'> : never;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads whose database was closed, for the next check, backup or database: to start one takes a tenth of a second. */
const spare = new Map<Worker, NodeJS.Timeout>();
const maxSpare = 4;
const spareMs = 60_000;
/** Those that have run a query or a backup: they keep a lower priority, with which a busy machine would never checkpoint. */
const patient = new WeakSet<Worker>();

function keep(worker: Worker): void {
  forgetOwner(worker);
  worker.on('error', () => undefined).on('exit', () => forget(worker));
  // It keeps no process alive.
  worker.unref();
  const end = () => {
    // From now on nobody may take it: what one that is ending is asked fails.
    forget(worker);
    void worker.terminate();
  };
  spare.set(worker, setTimeout(end, spareMs).unref());
}

function takeSpare(kind: ThreadRequest['kind']): Worker | undefined {
  const worker = spare.keys().find((one) => kind !== 'checkpoint' || !patient.has(one));
  if (!worker) return undefined;
  forget(worker);
  forgetOwner(worker);
  return worker;
}

function forgetOwner(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

function forget(worker: Worker): void {
  clearTimeout(spare.get(worker));
  spare.delete(worker);
}

/**
 * One thread with a read connection. It is started with the first query, and again after it died or was ended because
 * it was idle for `restMs`: its heap and its cache are some 25 MB.
 */
export class SqliteThread {
  readonly #file: string;
  readonly #restMs: number | undefined;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #rest: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** Without `restMs` it stays, and so does what a `snapshot` has opened. */
  constructor(file: string, restMs?: number) {
    this.#file = file;
    this.#restMs = restMs;
  }

  query({ strings, values }: Sql, deadlineMs: number, within?: RowBudget): Promise<Row[]> {
    const question = { kind: 'query', strings, values, deadlineMs, ...(within ? { within } : {}) } as const;
    return this.#ask(question) as Promise<Row[]>;
  }

  /**
   * With `resets` nobody else may be writing: the log is reset if all of it is checkpointed and nobody reads it. The
   * part of its file beyond `logBytes` is then given back to the disk.
   */
  async checkpoint(resets = false, logBytes?: number): Promise<void> {
    await this.#ask({ kind: 'checkpoint', resets, logBytes });
  }

  async snapshot(open: boolean): Promise<void> {
    await this.#ask({ kind: 'snapshot', open });
  }

  async close(): Promise<void> {
    clearTimeout(this.#rest);
    const worker = this.#worker;
    if (!worker) return;
    if (this.#pending.size > 0 || spare.size >= maxSpare) {
      await worker.terminate();
      return;
    }
    const hasClosed = await this.#ask({ kind: 'close' }).then(
      () => true,
      () => false,
    );
    clearTimeout(this.#rest);
    this.#worker = undefined;
    if (hasClosed) keep(worker);
  }

  #ask(body: Body<ThreadRequest>): Promise<unknown> {
    this.#worker ??= this.#start(body.kind);
    const worker = this.#worker;
    if (body.kind === 'query' || body.kind === 'snapshot') patient.add(worker);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...body, id });
    });
  }

  #start(kind: ThreadRequest['kind']): Worker {
    const worker = takeSpare(kind) ?? new Worker(new URL('./sqlite-thread.ts', import.meta.url));
    worker.postMessage({ file: this.#file } satisfies ThreadStart);
    worker.on('message', (answer: ThreadAnswer) => this.#settle(worker, answer));
    const lost = (cause: unknown) => {
      // An ended thread has no answers to give; pending queries belong to the next one.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const pending of this.#pending.values()) pending.reject(fail('Timeout', { cause, retryAfter: 1 }));
      this.#pending.clear();
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    return worker;
  }

  #endLater(): void {
    if (this.#restMs === undefined) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.#pending.size > 0) return;
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, this.#restMs).unref();
  }

  #settle(worker: Worker, answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    // An idle thread must not keep a command-line process alive.
    if (this.#pending.size === 0) {
      worker.unref();
      this.#endLater();
    }
    if (!pending) return;
    if ('value' in answer) pending.resolve(answer.value);
    else if (answer.timedOut)
      pending.reject(
        fail('Timeout', { message: 'The query ran past its deadline. Narrow it, or filter on a declared column.' }),
      );
    else pending.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  }
}
