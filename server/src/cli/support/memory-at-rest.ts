import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Only a last-resort collection gives back the pages that V8 has set aside. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: NodeJS.GCFunction = runInNewContext('gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Keeps the memory of a long-running command small. */
export function tidyAtRest(): { stop(): void } {
  let last = performance.eventLoopUtilization();
  const load = () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
  const timer = setInterval(createTidying({ load, collect }), checkMs).unref();
  // The heap is collected again when it is twice as large as what was in use; V8 would wait until it is four times as large, and keep the
  // pages. Not from the beginning: what Node and former starts have compiled is for V8 without this flag.
  setTimeout(() => setFlagsFromString('--heap-growing-percent=100'), checkMs).unref();
  return { stop: () => clearInterval(timer) };
}
