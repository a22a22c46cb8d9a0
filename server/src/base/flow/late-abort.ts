const checks = new WeakMap<AbortSignal, () => boolean>();

/**
 * Makes a signal abort as soon as somebody asks and `isOver` says so. A process that stood still for a while (suspended, or starved of
 * processor time) would otherwise go on with what it was doing until a timer of its own tells it that its time is over.
 */
export function abortOnceOver(controller: AbortController, isOver: () => boolean): void {
  checks.set(controller.signal, () => {
    if (isOver()) controller.abort();
    return controller.signal.aborted;
  });
}

/** For the moment before something that must not be done twice; a glance at two clocks. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted || (checks.get(signal)?.() ?? false);
}
