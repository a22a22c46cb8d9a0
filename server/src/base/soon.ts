/**
 * A value that is usually available and sometimes has to be awaited. Awaiting an available value costs a tick of the
 * microtask queue, so code on the path of every request uses `whenThere` instead.
 */
export type Soon<T> = T | Promise<T>;

/** Continues with the value, at once if it is available. What `next` throws is thrown or rejects accordingly. */
export function whenThere<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
