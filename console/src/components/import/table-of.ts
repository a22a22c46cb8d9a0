import type { KeptFile } from '../../lib/actions/kept-file.ts';
import { type CsvTable, parseCsv } from '../../lib/text/csv.ts';
import { isJsonFile } from '../../lib/text/table-file.ts';
import { t } from '../../lib/words/words.ts';

const maxSamples = 3;

/** Names a column by its position and some of its values. */
export function columnText(rows: CsvTable['rows'], index: number, head?: string): string {
  const samples = rows
    .map(({ cells }) => cells[index] ?? '')
    .filter((cell) => cell.trim() !== '')
    .slice(0, maxSamples)
    .join(', ');
  const text = samples || t('nothing');
  return head
    ? t('{head}: {samples}', { head, samples: text })
    : t('Column {place}: {samples}', { place: index + 1, samples: text });
}

/** Undefined for JSON and for a file that is no table. */
export function tableOf({ text, chosen, name }: KeptFile, same: (name: string) => string): CsvTable | undefined {
  if (isJsonFile({ text, name })) return undefined;
  try {
    return parseCsv(text, { same, ...(chosen ? { chosen } : {}) });
  } catch {
    return undefined;
  }
}
