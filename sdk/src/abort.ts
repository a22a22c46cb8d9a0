/**
 * What the platforms lack: React Native has no AbortSignal.any and no AbortSignal.timeout, and its `fetch` may ignore
 * the signal altogether. So waits are ended here, even if the work behind them continues.
 */

/** The error of an aborted call: the given reason, or the error that `fetch` would have thrown. */
export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' });
}

/** Settles as `work` does, or rejects as soon as the signal aborts; `work` itself may go on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(reasonOf(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Settles as `work` does, or rejects with the result of `late` after `ms` milliseconds; 0 waits without a limit. */
export function within<T>(milliseconds: number, work: Promise<T>, late: () => unknown): Promise<T> {
  if (!isLimit(milliseconds)) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Timers hold 31 bits; a longer wait would end at once. */
const isLimit = (milliseconds: number) => milliseconds > 0 && milliseconds < 2 ** 31;

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** A controller that follows another signal until `release` is called. */
export function following(signal: AbortSignal | undefined): {
  readonly controller: AbortController;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  return { controller, release: () => signal?.removeEventListener('abort', stop) };
}
