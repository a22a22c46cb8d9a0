import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CsvError, parse } from 'csv-parse';
import type { Document, Item, Source } from './item.ts';

/**
 * Columns by what they are called, without case, spaces and punctuation, by Estimote Cloud, the panel of Kontakt.io and this
 * service's own export. What else a file has goes into `metadata`.
 */
const columns = {
  id: ['objectid', 'identifier', 'uniqueid', 'deviceid', 'id', 'mac', 'macaddress'],
  name: ['name', 'alias', 'devicename', 'beaconname'],
  uuid: ['uuid', 'proximity', 'proximityuuid', 'ibeaconuuid', 'proximityid'],
  major: ['major', 'ibeaconmajor'],
  minor: ['minor', 'ibeaconminor'],
} as const;
type Column = keyof typeof columns;

const known = new Map<string, Column>(
  Object.entries(columns).flatMap(([column, names]) => names.map((name) => [name, column as Column] as const)),
);
const columnOf = (heading: string) => known.get(heading.toLowerCase().replace(/[^a-z]/g, ''));

/** A list of beacons in a CSV file with headings, separated by commas, semicolons or tabs. */
export const beaconCsv =
  (file: string): Source =>
  () =>
    itemsOf(file);

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* itemsOf(file: string): AsyncGenerator<Item> {
  const createdAt = Math.floor((await stat(file)).mtimeMs);
  const broken: CsvError[] = [];
  const options = {
    bom: true,
    delimiter: [',', ';', '\t'],
    info: true,
    relaxColumnCount: true,
    relaxQuotes: true,
    skipEmptyLines: true,
    skipRecordsWithError: true,
    onSkip: (error: CsvError | undefined) => void (error && broken.push(error)),
    ltrim: true,
  };
  const rows = createReadStream(file).pipe(parse({ ...options, maxRecordSize: 100_000 })) as AsyncIterable<Row>;
  const place = (line: unknown) => `${basename(file)}:${line}`;
  let headings: readonly string[] | undefined;
  for await (const { record, info } of rows)
    if (headings !== undefined)
      yield {
        ...beaconOf(headings, record),
        ...{ at: place(info.lines), isUndated: true, createdAt, updatedAt: createdAt },
      };
    else headings = headingsOf(file, record);
  for (const error of broken) yield { kind: 'refused', at: place(error['lines']), problem: error.message };
}

function headingsOf(file: string, record: readonly string[]): readonly string[] {
  const missing = (['uuid', 'major', 'minor'] as const).filter((name) => !record.some((one) => columnOf(one) === name));
  if (missing.length > 0) throw new Error(`${basename(file)} has no column for ${missing.join(', ')}.`);
  return record;
}

function beaconOf(headings: readonly string[], cells: readonly string[]) {
  const found: Partial<Record<Column, string>> = {};
  const metadata: Record<string, string> = {};
  for (const [place, heading] of headings.entries()) {
    const [cell, column] = [bare(cells[place] ?? ''), columnOf(heading)];
    if (cell === '') continue;
    if (column === undefined || found[column] !== undefined) metadata[heading.trim()] = cell;
    else found[column] = cell;
  }
  const { id, uuid = '', major = '', minor = '', name = id ?? `${major}/${minor}` } = found;
  const numbers = { major: numberIn(major), minor: numberIn(minor) };
  const body: Document = {
    name: name.slice(0, 50),
    uuid,
    ...numbers,
    metadata: { ...metadata, ...(id === undefined ? {} : { importedId: id }) },
  };
  return { kind: 'beacon', of: 'beacons', id: `${uuid.toLowerCase()} ${major} ${minor}`, body } as const;
}

/** Without the spaces around quotes, which are kept with them. */
const bare = (cell: string) => cell.trim().replace(/^"(.*)"$/s, '$1');

/** The text itself where it is no number, for the error. */
const numberIn = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);
