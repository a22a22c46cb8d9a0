import type { Given } from '../actions/kept-file.ts';
import { t } from '../words/words.ts';

export interface CsvTable {
  /** Empty for a column that is left out because another one has the same heading. */
  readonly header: readonly string[];
  readonly repeated: readonly Repeated[];
  readonly rows: readonly CsvRow[];
  /** The separator of cells. */
  readonly separator: Separator;
}

/** A heading that several columns have: one of them is read. */
export interface Repeated {
  readonly name: string;
  /** Their places, from 0. */
  readonly columns: readonly number[];
  readonly chosen: number;
}

export interface HeadOptions {
  /** Headings for which this is the same mean the same. */
  readonly same?: (name: string) => string;
  /** Which column to read for a heading that is there several times, by what `same` makes of it; otherwise the first. */
  readonly chosen?: Readonly<Record<string, number>>;
}

export type Separator = ',' | ';' | '\t';

export interface CsvRow {
  /** The line in the file where the row begins, from 1. */
  readonly line: number;
  /** One cell for each column of the header. */
  readonly cells: readonly string[];
  /** Why the row cannot be used, as a sentence; the others can. */
  readonly problem?: string;
}

/** A problem of the whole file. The message is a sentence. */
export class CsvError extends Error {}

/**
 * Reads CSV as in RFC 4180: fields with separators, quotes or line breaks are in double quotes, with quotes doubled. A
 * byte-order mark, all kinds of line breaks, empty rows, and semicolons or tabs in place of commas are accepted, as
 * spreadsheets write in some countries. Short rows are filled up. What is wrong with one row is its `problem`. Of columns
 * with the same heading one is read.
 *
 * A first line `sep=;`, by which Excel is told the separator, is no heading.
 *
 * @throws CsvError
 */
export function parseCsv(text: string, options: HeadOptions = {}): CsvTable {
  const source = text.replace(/^\uFEFF/, '');
  const [said, named] = /^"?sep=([,;\t])"?[ \t]*(?:\r\n|[\r\n]|$)/i.exec(source) ?? [];
  const separator = (named as Separator | undefined) ?? separatorOf(source);
  // What it says is left empty, so that lines keep their numbers.
  const [first, ...rows] = split(said === undefined ? source : source.slice(said.trimEnd().length), separator).filter(
    ({ cells }) => cells.some((cell) => cell.trim() !== ''),
  );
  if (!first) throw new CsvError(t('The file is empty.'));
  const given = withoutTrailing(first.cells.map((name) => name.trim()));
  const repeated = repeatedIn(given, options);
  const isLeft = (index: number) => repeated.some(({ columns, chosen }) => columns.includes(index) && chosen !== index);
  const header = given.map((name, index) => (isLeft(index) ? '' : name));
  return { header, repeated, rows: rows.map((row) => fitted(row, given.length)), separator };
}

/** A table with the columns that it lacks: each is another one of its columns, by its place, or has one value in all rows. */
export function completed(table: CsvTable, given: Given = {}): CsvTable {
  const names = new Map(
    Object.entries(given).flatMap(([name, one]) => ('column' in one ? [[one.column, name] as const] : [])),
  );
  const added = Object.entries(given).flatMap(([name, one]) => ('value' in one ? [[name, one.value] as const] : []));
  return {
    ...table,
    header: [...table.header.map((name, index) => names.get(index) ?? name), ...added.map(([name]) => name)],
    rows: table.rows.map((row) => ({ ...row, cells: [...row.cells, ...added.map(([, value]) => value)] })),
  };
}

function repeatedIn(header: readonly string[], { same = (name) => name, chosen = {} }: HeadOptions): Repeated[] {
  const places = Map.groupBy(header.keys(), (index) => same(header[index] ?? ''));
  return [...places].flatMap(([key, columns]) => {
    const [first = 0] = columns;
    const wanted = chosen[key];
    if (key === '' || columns.length < 2) return [];
    const found = wanted !== undefined && columns.includes(wanted) ? wanted : first;
    return [{ name: header[first] ?? key, columns, chosen: found }];
  });
}

/** Spreadsheets leave empty headings behind the last one. */
function withoutTrailing(header: readonly string[]): readonly string[] {
  const last = header.findLastIndex((name) => name !== '');
  return header.slice(0, last + 1);
}

function fitted({ line, cells, problem }: CsvRow, width: number): CsvRow {
  const extra = cells.slice(width).filter((cell) => cell.trim() !== '');
  const found =
    problem ??
    (extra.length > 0
      ? t('Line {line} has more fields than there are headings: {list}.', { line, list: extra.join(', ') })
      : undefined);
  const whole = Array.from({ length: width }, (_, index) => cells[index] ?? '');
  return { line, cells: whole, ...(found === undefined ? {} : { problem: found }) };
}

/** The separator that occurs most in the first line, outside quotes. */
function separatorOf(source: string): Separator {
  const head = source.trimStart().replace(/"(?:[^"]|"")*"/g, '');
  const line = head.slice(0, head.search(/[\r\n]|$/));
  const count = (separator: Separator) => line.split(separator).length;
  return ([',', ';', '\t'] as const).reduce((best, one) => (count(one) > count(best) ? one : best), ',');
}

interface Reading {
  readonly line: number;
  readonly cells: string[];
  problem?: string;
}

function split(source: string, separator: Separator): CsvRow[] {
  const rows: CsvRow[] = [];
  let [line, at] = [1, 0];
  while (at < source.length) {
    const row: Reading = { line, cells: [] };
    rows.push(row);
    for (;;) {
      const field =
        source[at] === '"' ? quoted(source, at, { separator, line }) : plain(source, at, { separator, line });
      row.cells.push(field.text);
      if (field.problem !== undefined) row.problem ??= field.problem;
      line += field.lines;
      at = field.end;
      if (source[at] !== separator) break;
      at++;
      // A separator at the very end is followed by an empty field.
      if (at >= source.length) row.cells.push('');
      if (at >= source.length) break;
    }
    if (source[at] === '\r' && source[at + 1] === '\n') at++;
    at++;
    line++;
  }
  return rows;
}

interface Field {
  readonly text: string;
  readonly end: number;
  /** Line breaks inside. */
  readonly lines: number;
  readonly problem?: string;
}

interface Place {
  readonly separator: Separator;
  readonly line: number;
}

/** A quote inside is a character like others, as in `5" nail`. */
function plain(source: string, start: number, { separator }: Place): Field {
  let end = start;
  while (end < source.length && source[end] !== separator && source[end] !== '\n' && source[end] !== '\r') end++;
  return { text: source.slice(start, end), end, lines: 0 };
}

function quoted(source: string, start: number, place: Place): Field {
  let end = start + 1;
  for (;;) {
    const quote = source.indexOf('"', end);
    // Read as it stands, so that only this line is lost and not all that follow.
    if (quote < 0)
      return {
        ...plain(source, start, place),
        problem: t('The quote that line {line} opens is never closed.', { line: place.line }),
      };
    end = quote + 1;
    if (source[end] !== '"') break;
    end++;
  }
  const inner = source.slice(start + 1, end - 1);
  const rest = plain(source, end, place);
  const lines = inner.split(/\r\n|\r|\n/).length - 1;
  return {
    text: withoutGuards(inner.replaceAll('""', '"').replaceAll('\r\n', '\n')) + rest.text,
    end: rest.end,
    lines,
    ...(rest.text.trim() === ''
      ? {}
      : { problem: t('Line {line} has text behind a closing quote.', { line: place.line + lines }) }),
  };
}

/**
 * A number as a spreadsheet writes it. Where semicolons or tabs separate, a comma is the decimal sign and points may group.
 * NaN for other texts.
 */
export function numberIn(text: string, separator: Separator = ','): number {
  const plainNumber = text.trim();
  if (plainNumber === '') return Number.NaN;
  const hasComma = separator !== ',' && /^[+-]?\d{1,3}(\.\d{3})*,\d+$|^[+-]?\d+,\d+$/.test(plainNumber);
  return Number(hasComma ? plainNumber.replaceAll('.', '').replace(',', '.') : plainNumber);
}

/** Writes CSV that `parseCsv` reads. */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

/**
 * Spreadsheets would run a field that begins like a formula; a leading tab keeps it text. Numbers are not changed. Where a semicolon
 * separates fields, as in Germany and France, Excel splits at every semicolon and line break, also inside quotes that do not begin a line.
 */
function field(text: string): string {
  const safe = text.replace(/(^|[;\r\n])(?=\t*[=+@\uFF1D\uFF0B\uFF0D\uFF20-])(?![+-]?[\d.]+(?:[;\r\n]|$))/g, '$1\t');
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A field as it was before `writeCsv` kept it from being run. */
const withoutGuards = (field: string): string =>
  field.replace(/(^|[;\r\n])\t(?=\t*[=+@\uFF1D\uFF0B\uFF0D\uFF20-])/g, '$1');
