import type { Period } from '../period.ts';

/** What the CSV files of numbers have in common: English columns that say what is in them, for programs and spreadsheets. */

/** Rows of cells; the first has the names of the columns. */
export type CsvRows = readonly (readonly string[])[];

/** A member of the interface that is a duration. */
export const inSeconds = (member: string): string => `${member}Seconds`;

interface OfPeriod {
  readonly period: Pick<Period, 'from' | 'until'>;
  /** Undefined until they are known. */
  readonly rows: CsvRows | undefined;
}

/** The rows of a period and, below them, those of the one that it is compared with; the first columns say which is which. */
export function csvOfPeriods(...parts: readonly (OfPeriod | undefined)[]): string[][] {
  const known = parts.flatMap((part) => (part?.rows ? [{ ...part.period, rows: part.rows }] : []));
  const [header = []] = known[0]?.rows ?? [];
  return [
    ['periodFrom', 'periodUntil', ...header],
    ...known.flatMap(({ from, until, rows }) => rows.slice(1).map((row) => [from, until, ...row])),
  ];
}

export interface ChosenPlace {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export const csvOfPlace = (rows: CsvRows, place: ChosenPlace | undefined): string[][] =>
  place
    ? rows.map((row, index) => [
        ...(index === 0 ? ['placeKind', 'placeId', 'placeName'] : [place.kind, place.id, place.name]),
        ...row,
      ])
    : rows.map((row) => [...row]);
