/** Collects the items of one tick of the event loop and passes them on together at its end. */
export function perTick<T>(work: (all: readonly T[]) => void): (item: T) => void {
  let waiting: T[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    work(all);
  };
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(flush);
  };
}
