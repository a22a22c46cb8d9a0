import type { Problem } from '../../../base/errors.ts';

/** Names are labels on plans, rows of lists and cells of CSV files: a line break in one would look like another row there. */
export function nameProblems(names: Readonly<Record<string, string | undefined>>): readonly Problem[] {
  return Object.entries(names).flatMap(([field, name]) =>
    name !== undefined && severalLines.test(name) ? [{ field, problem: 'must be one line, without line breaks' }] : [],
  );
}

const severalLines = /[\n\v\f\r\u0085\u2028\u2029]/;
