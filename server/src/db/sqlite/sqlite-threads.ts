import { Worker } from 'node:worker_threads';
import { fail } from '../../base/errors.ts';
import type { Sql } from '../../base/sql.ts';
import type { Row, RowBudget } from '../db.ts';
import type { ThreadAnswer, ThreadRequest } from './sqlite-thread.ts';

type Body<T> = T extends { id: number } ? Omit<T, 'id'> : never;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
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
    await this.#worker?.terminate();
  }

  #ask(body: Body<ThreadRequest>): Promise<unknown> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...body, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url), { workerData: this.#file });
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
