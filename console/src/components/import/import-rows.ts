import { isBackAfter, isSignedOut } from '../../lib/data/signing-in.ts';
import { t } from '../../lib/words/words.ts';

export type RowKind = 'new' | 'changed' | 'unchanged' | 'refused';

export interface Difference {
  readonly member: string;
  readonly before: string;
  readonly after: string;
}

export interface ImportRow {
  /** In the file, from 1; no two rows have the same. */
  readonly line: number;
  readonly kind: RowKind;
  readonly name: string;
  readonly differences: readonly Difference[];
  /** Why the row is rejected, as a sentence. */
  readonly problem?: string;
  /** What somebody should know before the row goes in, as a sentence. */
  readonly warning?: string;
  /** Cells that cannot be read, each as a sentence: the row is refused, or goes in without them if that was chosen. */
  readonly unread?: readonly string[];
}

export interface PlanOptions {
  /** Rows go in without the cells that cannot be read. */
  readonly isLenient: boolean;
}

/** The result of a row: done, or the error message. */
export type RowOutcome = 'done' | { readonly failed: string };

const atOnce = 4;

/** Milliseconds between two drawings of the progress. */
const drawEvery = 200;

/**
 * Imports rows a few at a time. A failed row does not stop the others. If the session ends, they wait until somebody signs in again.
 *
 * @throws PharosError if nobody does; `onProgress` has told what is done by then
 */
export async function applyRows<Row extends ImportRow>(
  rows: readonly Row[],
  apply: (row: Row) => Promise<unknown>,
  onProgress: (fresh: ReadonlyMap<number, RowOutcome>) => void,
): Promise<void> {
  const waiting = rows.values();
  let fresh = new Map<number, RowOutcome>();
  let drawnAt = performance.now();
  let ended: Error | undefined;
  const draw = () => {
    onProgress(fresh);
    fresh = new Map();
    drawnAt = performance.now();
  };
  let asking: Promise<boolean> | undefined;
  /** Asked once for all that are under way, also for those that fail when somebody has declined already. */
  const isBack = async (error: Error) => {
    const isFirst = asking === undefined;
    asking ??= isBackAfter(error);
    const is = await asking;
    if (is) asking = undefined;
    else if (isFirst) ended = error;
    return is;
  };
  const work = async () => {
    for (const row of waiting) {
      if (ended) return;
      let outcome = await outcomeOf(apply(row));
      while (outcome instanceof Error && (await isBack(outcome))) outcome = await outcomeOf(apply(row));
      if (outcome instanceof Error) return;
      // Read `fresh` after waiting, because drawing replaces the map.
      fresh.set(row.line, outcome);
      if (performance.now() - drawnAt > drawEvery) draw();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  draw();
  if (ended) throw ended;
}

/** An error: nobody is signed in any more. */
async function outcomeOf(applied: Promise<unknown>): Promise<RowOutcome | Error> {
  try {
    await applied;
    return 'done';
  } catch (error) {
    if (isSignedOut(error)) return error as Error;
    return { failed: error instanceof Error ? error.message : t('The import failed.') };
  }
}
