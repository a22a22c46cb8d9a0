/**
 * A value that is usually there and sometimes has to be waited for. To wait for what is there costs a turn of the
 * microtask queue; what stands on the path of every request asks with `whenThere` instead.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with the value: at once when it is there. What `next` throws is thrown, or rejects, accordingly. */
export function whenThere<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
