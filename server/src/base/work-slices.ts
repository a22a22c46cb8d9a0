import { setImmediate as nextTick } from 'node:timers/promises';

/** How long (ms) a slice takes at most before other requests have their turn. */
const sliceMs = 4;

/** Work of unknown length on the main thread, in slices, between which everything else that waits can run. */
export class WorkSlices {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs;
  }

  /** Lets others run, if the slice is over. To be awaited after each small part of the work. */
  async rest(): Promise<void> {
    if (!this.isOver) return;
    await nextTick();
    this.#began = performance.now();
  }
}

/**
 * Rows that are read page by page and taken in slices.
 *
 * @param read reads at most `size` rows behind the last of the page before
 */
export async function* readPages<R>(
  size: number,
  read: (last: R | undefined) => Promise<readonly R[]>,
): AsyncGenerator<R> {
  const slices = new WorkSlices();
  let last: R | undefined;
  do {
    const rows = await read(last);
    for (const row of rows) {
      yield row;
      if (slices.isOver) await slices.rest();
    }
    last = rows.length < size ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** Others have been at work if a turn of the event loop took longer, ms. */
const quietMs = 0.5;
const maxTurns = 20;

/** Waits until the others have nothing to do, or have had many turns. To be awaited between slices of work that is not urgent. */
export async function whenQuiet(): Promise<void> {
  for (let turn = 0; turn < maxTurns; turn++) {
    const began = performance.now();
    await nextTick();
    if (performance.now() - began < quietMs) return;
  }
}
