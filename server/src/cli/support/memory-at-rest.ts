/** How often the load of the last while is looked at, and how many quiet ones in a row are a rest. */
const lookMs = 10_000;
const quietLooks = 6;
/** Parts of the time in which the main thread worked. */
const busy = 0.2;
const quiet = 0.05;

export interface Thread {
  /** Of the time since it was last asked, the part in which this thread worked. */
  readonly load: () => number;
  /** Looks the heap through and gives its free pages back; the thread stands still for some 50 ms. */
  readonly collect: () => void;
}

/**
 * Called once a while. Gives the heap's free pages back in the first rest after a start or a load: V8 keeps them for the
 * next load, and looks for garbage only while new objects are made.
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

/** Keeps the memory of a long-running command small while it rests. `collect` is there when Node runs with --expose-gc. */
export function tidyAtRest(collect = globalThis.gc): { stop(): void } {
  if (!collect) return { stop: () => undefined };
  let last = performance.eventLoopUtilization();
  const load = () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
  // The last resort is the only kind that gives back the pages that V8 has put by.
  const options = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;
  const timer = setInterval(createTidying({ load, collect: () => void collect(options) }), lookMs).unref();
  return { stop: () => clearInterval(timer) };
}
