import type { JsonObject, Query } from '@pharos/sdk';
import { allRecords, type RecordPageOf } from '../../lib/data/all-records.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import { writeWorkbook } from '../../lib/text/workbook.ts';
import { t } from '../../lib/words/words.ts';

type Rows = readonly (readonly string[])[];

export interface CsvColumns<T> {
  readonly header: readonly string[];
  /** The cells of a page of records; may look names up. Without it, the members that the header names. */
  readonly rows?: (records: readonly T[]) => Rows | Promise<Rows>;
  /** The newest records come first unless set. */
  readonly order?: 'objectId' | '-objectId';
}

/** Members by name: pointers by their objectId, lists with blanks between, and what is not there as nothing. */
export const cellsIn = (header: readonly string[], records: readonly object[]): Rows =>
  records.map((record) => header.map((name) => cellOf((record as Readonly<Record<string, unknown>>)[name])));

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return String(typeof value === 'object' && value && 'objectId' in value ? value.objectId : (value ?? ''));
}

interface Source<T> {
  readonly list: (query: Query) => Promise<RecordPageOf<T>>;
  readonly where: JsonObject | undefined;
  readonly columns: CsvColumns<T>;
}

/** Excel opens no more rows. */
const maxSheetRows = 1_000_000;

/** Reads a list and writes it as CSV, page by page, or as a workbook. `onCount` takes the number of records so far. */
export async function tableOfList<T extends { readonly objectId: string }>(
  format: 'csv' | 'xlsx',
  { list, where, columns: { header, rows = (records) => cellsIn(header, records), order = '-objectId' } }: Source<T>,
  onCount: (records: number) => void,
): Promise<{ readonly parts: readonly (string | Blob)[]; readonly count: number }> {
  const texts = [writeCsv([header])];
  const sheet: (readonly string[])[] = [header];
  let count = 0;
  for await (const records of allRecords(list, where, order)) {
    const cells = await rows(records);
    if (format === 'csv') texts.push(writeCsv(cells));
    else sheet.push(...cells);
    count += records.length;
    if (format === 'xlsx' && count > maxSheetRows)
      throw new Error(t('A workbook holds a million rows at most. Filter the list, or export it as CSV.'));
    onCount(count);
  }
  return { parts: format === 'csv' ? texts : [await writeWorkbook(sheet)], count };
}
