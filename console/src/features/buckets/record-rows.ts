import type { BucketRecord, JsonObject } from '@pharos/sdk';
import type { ImportRow } from '../../components/import/import-rows.ts';
import { CsvError, type HeadOptions, parseCsv } from '../../lib/text/csv.ts';
import { canonical, differenceText } from '../../lib/text/json-compare.ts';
import { readJson } from '../../lib/text/json-text.ts';
import { isJsonLines } from '../../lib/text/table-file.ts';
import { t } from '../../lib/words/words.ts';
import { type Columns, headOf, memberOf, readCell, recordTitle } from './record-cells.ts';

export interface FileRecord {
  readonly line: number;
  readonly objectId: string | undefined;
  /** The members; undefined where a cell is empty. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The members replace the whole document; otherwise other members are kept. */
  readonly isWhole: boolean;
  /** What is wrong with the row as a whole. */
  readonly problems: readonly string[];
  /** Cells that cannot be read, and why. */
  readonly unread?: readonly string[];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A heading as the bucket writes it: people and spreadsheets change the case. */
export function knownHead(head: string, columns: Columns): string {
  const names = ['objectId', 'createdAt', 'updatedAt', ...Object.keys(columns).map(headOf)];
  if (names.includes(head)) return head;
  return names.find((name) => name.toLowerCase() === head.toLowerCase()) ?? head;
}

/** @throws CsvError, whose message is about the file as a whole */
export function readCsvRecords(text: string, columns: Columns, options: HeadOptions = {}): FileRecord[] {
  const same = (head: string) => knownHead(head, columns);
  const { header: given, rows, separator } = parseCsv(text, { same, ...options });
  const header = given.map((head) => knownHead(head, columns));
  return rows.map(({ line, cells, problem }) => {
    const members: Record<string, unknown> = {};
    const problems: string[] = problem === undefined ? [] : [problem.replace(/\.$/, '')];
    const unread: string[] = [];
    header.forEach((head, index) => {
      const member = memberOf(head);
      if (member === undefined || head === '') return;
      try {
        members[member] = readCell(cells[index] ?? '', columns[member], separator);
      } catch (error) {
        unread.push(`${head} ${(error as Error).message}`);
      }
    });
    const objectId = cells[header.indexOf('objectId')]?.trim() || undefined;
    return { line, objectId, members, isWhole: false, problems, ...(unread.length > 0 ? { unread } : {}) };
  });
}

/**
 * Reads an array of documents, an array of records as exported, a list as the service answers, or JSON Lines, of which each
 * line is read by itself. The line of a record is its position in the array, or in the file.
 *
 * @throws CsvError, whose message is about the file as a whole
 */
export function readJsonRecords(text: string): FileRecord[] {
  const source = text.replace(/^\uFEFF/, '');
  const read = readJson(source);
  if ('problem' in read && isJsonLines(source)) return readJsonLines(source);
  if ('problem' in read) throw new CsvError(t('The file is not JSON. {problem}', { problem: read.problem.message }));
  const { value } = read;
  const list = isObject(value) && Array.isArray(value['results']) ? value['results'] : value;
  if (!Array.isArray(list)) throw new CsvError(t('The file must hold an array of objects.'));
  return list.map((item: unknown, index) => recordOf(item, index + 1));
}

function readJsonLines(text: string): FileRecord[] {
  return text.split('\n').flatMap((source, index) => {
    if (source.trim() === '') return [];
    const line = index + 1;
    const read = readJson(source);
    if ('value' in read) return [recordOf(read.value, line)];
    const { column = 1 } = read.problem;
    return [unusable(line, t('it is not JSON from column {column} on', { column }))];
  });
}

const unusable = (line: number, problem: string): FileRecord => ({
  line,
  objectId: undefined,
  members: {},
  isWhole: true,
  problems: [problem],
});

function recordOf(item: unknown, line: number): FileRecord {
  if (!isObject(item)) return unusable(line, t('it must be an object'));
  const isRecord = isObject(item['metadata']) && typeof item['objectId'] === 'string';
  const members = isRecord ? (item['metadata'] as JsonObject) : item;
  return { line, objectId: isRecord ? String(item['objectId']) : undefined, members, isWhole: true, problems: [] };
}

export interface RecordRow extends ImportRow {
  /** The record that changes. */
  readonly objectId?: string;
  /** What that had. */
  readonly before?: JsonObject;
  readonly document: JsonObject;
  /** Of the records with this content, it is to be this one, counted from 1. Undefined: one more in any case. */
  readonly copy?: number;
}

interface Known {
  readonly columns: Columns;
  readonly records: readonly BucketRecord[];
  /** Every row adds a record, even if it has an objectId. */
  readonly isCopy: boolean;
  /** Rows go in without the cells that cannot be read. */
  readonly isLenient?: boolean;
}

/**
 * What an import would do with each row. A row with an objectId stands for that record. A row without one adds a record,
 * unless the bucket has a record with the same content that no earlier row stands for. So an interrupted import can be
 * run again.
 */
export function planRecords(
  rows: readonly FileRecord[],
  { columns, records, isCopy, isLenient = false }: Known,
): RecordRow[] {
  const byId = new Map(records.map((record) => [record.objectId, record]));
  const left = new Map<string, number>();
  for (const { metadata } of records) {
    const key = canonical(metadata);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const seen = new Map<string, number>();
  const copies = new Map<string, number>();
  return rows.map((row) => {
    const { line, members, problems, unread } = row;
    const objectId = isCopy ? undefined : row.objectId;
    const own = definedOf(members);
    const known = objectId === undefined ? undefined : byId.get(objectId);
    const name = recordTitle(own, columns, objectId);
    const planned = { line, name, document: own, differences: [] as const, ...(unread ? { unread } : {}) };
    const refused = (problem: string): RecordRow => ({ ...planned, kind: 'refused', problem });
    const misfits = [...problems, ...(isLenient ? [] : (unread ?? [])), ...typeProblems(own, columns)];
    if (misfits.length > 0) return refused(`${misfits.join('; ')}.`);
    if (objectId === undefined) {
      const key = canonical(own);
      const same = left.get(key) ?? 0;
      if (same > 0) left.set(key, same - 1);
      const copy = (copies.get(key) ?? 0) + 1;
      copies.set(key, copy);
      return { ...planned, kind: same > 0 ? 'unchanged' : 'new', ...(isCopy ? {} : { copy }) };
    }
    if (!known) return refused(t('The bucket has no record with the objectId {objectId}.', { objectId }));
    const before = seen.get(objectId);
    seen.set(objectId, line);
    if (before !== undefined) return refused(t('Line {before} is about the same record.', { before }));
    return compare({ ...planned, objectId }, known, row);
  });
}

function compare(
  planned: Omit<RecordRow, 'kind'>,
  { metadata }: BucketRecord,
  { members, isWhole }: FileRecord,
): RecordRow {
  const document = isWhole ? planned.document : definedOf({ ...metadata, ...members });
  const names = [...new Set([...Object.keys(metadata), ...Object.keys(document)])];
  const differences = names
    .filter((member) => canonical(metadata[member]) !== canonical(document[member]))
    .map((member) => ({ member, before: differenceText(metadata[member]), after: differenceText(document[member]) }));
  return {
    ...planned,
    before: metadata,
    document,
    differences,
    kind: differences.length > 0 ? 'changed' : 'unchanged',
  };
}

function definedOf(members: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

const typeTexts: Readonly<Record<string, string>> = {
  Number: t('a number'),
  String: t('a text'),
  Boolean: t('true or false'),
  Date: t('a date such as 2026-05-04T09:30:00Z'),
};

function typeProblems(document: JsonObject, columns: Columns): string[] {
  return Object.entries(columns)
    .filter(([name, type]) => document[name] !== undefined && document[name] !== null && !fits(document[name], type))
    .map(([name, type]) => t('{name} must be {value}', { name, value: typeTexts[type] }));
}

function fits(value: unknown, type: string): boolean {
  if (type !== 'Date') return typeof value === type.toLowerCase();
  const iso = isObject(value) && value['__type'] === 'Date' ? value['iso'] : value;
  return typeof iso === 'string' && !Number.isNaN(Date.parse(iso));
}
