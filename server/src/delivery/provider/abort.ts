const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when the signal aborts. It uses one listener per signal however many callers wait: an EventTarget
 * walks all its listeners to add one, which a thousand sends under one signal would pay a thousand times.
 *
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = listeners.get(signal);
  if (!callbacks) {
    const all = new Set<() => void>();
    signal.addEventListener(
      'abort',
      () => {
        for (const each of all) each();
        all.clear();
      },
      { once: true },
    );
    listeners.set(signal, all);
    callbacks = all;
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}
