import type { KeptFile } from '../actions/kept-file.ts';
import { t } from '../words/words.ts';
import { writeCsv } from './csv.ts';
import { decodeText } from './decode.ts';
import { isWorkbook, readWorkbook } from './workbook.ts';

/** How a workbook was read. */
export const workbookText = t('Excel workbook, first sheet');

/** Reads a file that a person has chosen, whatever program has written it. A workbook becomes CSV. @throws CsvError */
export async function readTableFile(file: File): Promise<KeptFile> {
  const buffer = await file.arrayBuffer();
  const bytes = new Uint8Array(buffer);
  if (isWorkbook(bytes)) return { name: file.name, text: writeCsv(await readWorkbook(buffer)), readAs: workbookText };
  const { text, encoding } = decodeText(bytes);
  return { name: file.name, text, readAs: encoding };
}
