/** A table of text cells. */
export interface CsvTable {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
}

export interface CsvRow {
  /** The line in the file where the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A problem of the whole file. The message is a sentence. */
export class CsvError extends Error {}

/**
 * Reads CSV as in RFC 4180: fields with commas, quotes or line breaks are in double quotes, with quotes doubled. Anything
 * else is rejected with its line number. A byte-order mark and both kinds of line breaks are accepted, and semicolons in
 * place of commas, as spreadsheets write in some countries.
 *
 * @throws CsvError
 */
export function parseCsv(text: string): CsvTable {
  const source = text.replace(/^\uFEFF/, '');
  const [first, ...rows] = split(source, separatorOf(source)).filter(
    ({ cells }) => cells.length > 1 || cells[0] !== '',
  );
  if (!first) throw new CsvError('The file is empty.');
  const header = first.cells.map((name) => name.trim());
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw new CsvError(`The column ${twice || 'without a name'} is there twice.`);
  for (const { line, cells } of rows)
    if (cells.length !== header.length)
      throw new CsvError(`Line ${line} has ${cells.length} fields, and the first line has ${header.length}.`);
  return { header, rows };
}

function separatorOf(source: string): string {
  const head = source.slice(0, source.search(/[\r\n]|$/));
  return head.includes(',') || !head.includes(';') ? ',' : ';';
}

function split(source: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let [line, at] = [1, 0];
  while (at < source.length) {
    const row = { line, cells: [] as string[] };
    rows.push(row);
    for (;;) {
      const field = source[at] === '"' ? quoted(source, at, line) : plain(source, at, separator, line);
      row.cells.push(field.text);
      line += field.text.split('\n').length - 1;
      at = field.end;
      if (source[at] !== separator) break;
      at++;
      // A separator at the very end is followed by an empty field.
      if (at >= source.length) row.cells.push('');
      if (at >= source.length) break;
    }
    if (source[at] === '\r') at++;
    if (source[at] === '\n') at++;
    line++;
  }
  return rows;
}

interface Field {
  readonly text: string;
  readonly end: number;
}

function plain(source: string, start: number, separator: string, line: number): Field {
  let end = start;
  while (end < source.length && source[end] !== separator && source[end] !== '\n' && source[end] !== '\r') end++;
  const text = source.slice(start, end);
  if (text.includes('"')) throw new CsvError(`Line ${line} has a quote inside a field that is not in quotes.`);
  return { text, end };
}

function quoted(source: string, start: number, line: number): Field {
  let end = start + 1;
  for (;;) {
    const quote = source.indexOf('"', end);
    if (quote < 0) throw new CsvError(`The quote that line ${line} opens is never closed.`);
    end = quote + 1;
    if (source[end] !== '"') break;
    end++;
  }
  if (end < source.length && !/[,;\r\n]/.test(source[end] ?? ''))
    throw new CsvError(`Line ${line} has text behind a closing quote.`);
  return {
    text: source
      .slice(start + 1, end - 1)
      .replaceAll('""', '"')
      .replaceAll('\r\n', '\n'),
    end,
  };
}

/** Writes CSV that `parseCsv` reads. */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

/**
 * Spreadsheets would run a field that begins like a formula; a leading tab keeps it text. Numbers are not changed.
 */
function field(text: string): string {
  const safe = /^[=+@-]/.test(text) && !/^[+-]?[\d.]+$/.test(text) ? `\t${text}` : text;
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
