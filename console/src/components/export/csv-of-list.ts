import type { JsonObject, Query } from '@pharos/sdk';
import { allRecords, type RecordPageOf } from '../../lib/data/all-records.ts';
import { writeCsv } from '../../lib/text/csv.ts';

type Rows = readonly (readonly string[])[];

/** The columns of a CSV file. */
export interface CsvColumns<T> {
  readonly header: readonly string[];
  /** The cells of a page of records; may look names up. */
  readonly rows: (records: readonly T[]) => Rows | Promise<Rows>;
  /** The newest records come first unless set. */
  readonly order?: 'objectId' | '-objectId';
}

interface Source<T> {
  readonly list: (query: Query) => Promise<RecordPageOf<T>>;
  readonly where: JsonObject | undefined;
  readonly columns: CsvColumns<T>;
}

/** Reads a list and writes each page as CSV at once. `onCount` takes the number of records so far. */
export async function csvOfList<T extends { readonly objectId: string }>(
  { list, where, columns: { header, rows, order = '-objectId' } }: Source<T>,
  onCount: (records: number) => void,
): Promise<{ readonly parts: readonly string[]; readonly count: number }> {
  const parts = [writeCsv([header])];
  let count = 0;
  for await (const records of allRecords(list, where, order)) {
    parts.push(writeCsv(await rows(records)));
    count += records.length;
    onCount(count);
  }
  return { parts, count };
}
