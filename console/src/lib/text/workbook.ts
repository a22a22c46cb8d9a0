import { loadPart } from '../actions/load-part.ts';
import { t } from '../words/words.ts';
import { CsvError } from './csv.ts';

/** Excel workbooks, read and written by libraries that are loaded when they are needed. */

type Cell = string | number | boolean | Date | null | undefined;

/** The first bytes of every zip archive, which a workbook is. */
export const isWorkbook = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

/** The first sheet as text cells. @throws CsvError when it cannot be read */
export async function readWorkbook(bytes: ArrayBuffer): Promise<string[][]> {
  const { readSheet } = await loadPart(() => import('read-excel-file/universal'));
  try {
    const rows = (await readSheet(bytes)) as unknown as readonly (readonly Cell[])[];
    return rows.map((row) => row.map(textOf));
  } catch (cause) {
    throw new CsvError(t('The workbook cannot be read: {message}', { message: (cause as Error).message }));
  }
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (!(cell instanceof Date)) return String(cell);
  const iso = cell.toISOString();
  // A day in a spreadsheet has no time.
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso;
}

/** Text that is a number and looks the same as one; others, such as codes with leading zeros, stay text. */
const isPlainNumber = (text: string): boolean => /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(text) && text !== '-0';

/** A workbook with one sheet; the first row is its heading. */
export async function writeWorkbook(rows: readonly (readonly string[])[]): Promise<Blob> {
  const { default: writeXlsxFile } = await loadPart(() => import('write-excel-file/universal'));
  const sheet = rows.map((cells, index) =>
    cells.map((text) => {
      if (text === '') return null;
      if (index === 0) return { value: text, type: String, fontWeight: 'bold' as const };
      return isPlainNumber(text) ? { value: Number(text), type: Number } : { value: text, type: String };
    }),
  );
  return writeXlsxFile(sheet as never, { stickyRowsCount: 1 }).toBlob() as unknown as Promise<Blob>;
}
