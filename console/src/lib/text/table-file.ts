import type { KeptFile } from '../actions/kept-file.ts';
import { t } from '../words/words.ts';
import { writeCsv } from './csv.ts';
import { decodeText } from './decode.ts';
import { readJson } from './json-text.ts';
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

/** A table may begin with a bracket, too: a file is JSON if it is called that, or if it can be read as such. */
export function isJsonFile({ name, text }: Pick<KeptFile, 'name' | 'text'>): boolean {
  if (/\.(json|jsonl|ndjson)$/i.test(name)) return true;
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return isJsonLines(text);
  }
}

/** Whether each line is JSON of its own: most of those that are not empty can be read as objects. */
export function isJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isObject = (line: string) => /^\s*\{/.test(line) && 'value' in readJson(line);
  return lines.length > 1 && lines.filter(isObject).length * 2 > lines.length;
}
