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
  /** Why it is refused, as a sentence. */
  readonly problem?: string;
}

/** What became of a row: done, or the service's words. */
export type Outcome = 'done' | { readonly failed: string };

const atOnce = 4;

/** Milliseconds between two drawings of the progress. */
const drawEvery = 200;

/** Goes on after a row that the service refuses: every row ends as done or with its own words. */
export async function applyRows<Row extends ImportRow>(
  rows: readonly Row[],
  apply: (row: Row) => Promise<unknown>,
  onProgress: (fresh: ReadonlyMap<number, Outcome>) => void,
): Promise<void> {
  const waiting = rows.values();
  let fresh = new Map<number, Outcome>();
  let drawnAt = performance.now();
  const draw = () => {
    onProgress(fresh);
    fresh = new Map();
    drawnAt = performance.now();
  };
  const work = async () => {
    for (const row of waiting) {
      const outcome = await outcomeOf(apply(row));
      // Only now: what was drawn meanwhile is another map.
      fresh.set(row.line, outcome);
      if (performance.now() - drawnAt > drawEvery) draw();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  draw();
}

async function outcomeOf(applied: Promise<unknown>): Promise<Outcome> {
  try {
    await applied;
    return 'done';
  } catch (error) {
    return { failed: error instanceof Error ? error.message : 'It did not work.' };
  }
}
