import { t } from '../../lib/words/words.ts';
export type RowKind = 'new' | 'changed' | 'unchanged' | 'refused';

export interface Difference {
  readonly member: string;
  readonly before: string;
  readonly after: string;
}

/** What an import would do with one row of a file. */
export interface ImportRow {
  /** In the file, from 1; no two rows have the same. */
  readonly line: number;
  readonly kind: RowKind;
  readonly name: string;
  readonly differences: readonly Difference[];
  /** Why the row is rejected, as a sentence. */
  readonly problem?: string;
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

/** Imports rows a few at a time. A failed row does not stop the others. */
export async function applyRows<Row extends ImportRow>(
  rows: readonly Row[],
  apply: (row: Row) => Promise<unknown>,
  onProgress: (fresh: ReadonlyMap<number, RowOutcome>) => void,
): Promise<void> {
  const waiting = rows.values();
  let fresh = new Map<number, RowOutcome>();
  let drawnAt = performance.now();
  const draw = () => {
    onProgress(fresh);
    fresh = new Map();
    drawnAt = performance.now();
  };
  const work = async () => {
    for (const row of waiting) {
      const outcome: RowOutcome = await outcomeOf(apply(row));
      // Read `fresh` after waiting, because drawing replaces the map.
      fresh.set(row.line, outcome);
      if (performance.now() - drawnAt > drawEvery) draw();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  draw();
}

async function outcomeOf(applied: Promise<unknown>): Promise<RowOutcome> {
  try {
    await applied;
    return 'done';
  } catch (error) {
    return { failed: error instanceof Error ? error.message : t('The import failed.') };
  }
}
