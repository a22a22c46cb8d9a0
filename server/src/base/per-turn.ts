/** Gathers what one turn of the event loop brings, and hands it on at the turn's end, all together. */
export function perTurn<T>(work: (all: readonly T[]) => void): (item: T) => void {
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
