/**
 * A value that is usually available and sometimes has to be awaited. Awaiting an available value costs a tick of the
 * microtask queue, so code on the path of every request uses `andThen` instead.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value, at once if it is available. What `next` throws is thrown or rejects accordingly. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
