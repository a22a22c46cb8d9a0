/** How often the load is checked, and how many quiet checks in a row count as rest. */
const checkMs = 10_000;
const quietLooks = 6;
/** Fractions of the time in which the main thread was busy. */
const busy = 0.2;
const quiet = 0.05;

export interface Thread {
  /** The fraction of the time since the last call in which this thread was busy. */
  readonly load: () => number;
  /** Collects the heap and gives its free pages back; the thread stops for some 50 ms. */
  readonly collect: () => void;
}

/**
 * To be called regularly. Gives the heap's free pages back in the first rest after a start or a load: V8 keeps them for
 * the next load, and collects garbage only while new objects are created.
 */
export function createTidying({ load, collect }: Thread): () => void {
  let isDue = true;
  let inARow = 0;
  return () => {
    const now = load();
    if (now >= busy) isDue = true;
    inARow = now < quiet ? inARow + 1 : 0;
    if (isDue && inARow >= quietLooks) {
      isDue = false;
      collect();
    }
  };
}

/**
 * Keeps the memory of a long-running command small while it is idle. `collect` exists when Node runs with --expose-gc.
 */
export function tidyAtRest(collect = globalThis.gc): { stop(): void } {
  if (!collect) return { stop: () => undefined };
  let last = performance.eventLoopUtilization();
  const load = () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
  // Only a last-resort collection gives back the pages that V8 has set aside.
  const options = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;
  const timer = setInterval(createTidying({ load, collect: () => void collect(options) }), checkMs).unref();
  return { stop: () => clearInterval(timer) };
}
