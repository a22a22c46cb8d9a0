import type { SqlValue } from '../../base/sql.ts';
import type { DbTable } from '../../db/table.ts';

/** Between which numbers the values of each column are, for those with numbers. No text is in it, and so no id. */

/** The least and the greatest number, if there is any; and 1 if a row has none. */
export type NumberRange = readonly [least: number | null, most: number | null, isOpen: 0 | 1];
export type Ranges = Readonly<Record<string, NumberRange>>;

export const numberColumns = ({ columns }: DbTable): readonly string[] =>
  Object.keys(columns).filter((name) => columns[name]?.type !== 'text');

export function rangeOfCells(cells: readonly SqlValue[]): NumberRange {
  let [least, most, isOpen]: [number | null, number | null, 0 | 1] = [null, null, 0];
  for (const cell of cells) {
    if (typeof cell !== 'number') {
      isOpen = 1;
      continue;
    }
    if (least === null || cell < least) least = cell;
    if (most === null || cell > most) most = cell;
  }
  return [least, most, isOpen];
}

/** What numbers a condition asks of a column, each bound included. */
export interface NumberBound {
  readonly column: string;
  readonly from?: number;
  readonly until?: number;
}

/** Whether there may be a row within all bounds. A range that is not known tells nothing. */
export const mayBeWithin = (ranges: Ranges, bounds: readonly NumberBound[]): boolean =>
  bounds.every(({ column, from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }) => {
    const [least, most] = ranges[column] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    return least !== null && most !== null && most >= from && least <= until;
  });
