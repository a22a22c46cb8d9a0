import type { BucketRecord, JsonObject, PharosProblem } from '@pharos/sdk';
import { canonical } from '../../../lib/text/json-compare.ts';
import { readJsonObject } from '../../../lib/text/json-text.ts';
import { instantOf, wallTime } from '../../../lib/time/zoned-time.ts';
import { t } from '../../../lib/words/words.ts';
import type { Columns } from '../record-cells.ts';

/** A document as the fields of a form, and back. What a field cannot hold is edited as JSON. */

export const kinds = ['text', 'number', 'boolean', 'date', 'day', 'pointer', 'file', 'list', 'json'] as const;
export type Kind = (typeof kinds)[number];

export const kindLabels: Readonly<Record<Kind, string>> = {
  text: t('Text'),
  number: t('Number'),
  boolean: t('Yes or no'),
  date: t('Date and time'),
  day: t('Day'),
  pointer: t('Another record'),
  file: t('File or picture'),
  list: t('List of texts'),
  json: t('Anything else (JSON)'),
};

export interface RecordRow {
  readonly name: string;
  readonly kind: Kind;
  readonly isDeclared: boolean;
  /** Of a pointer. */
  readonly className?: string;
  /** A date as the Parse family of services writes it. */
  readonly isTyped?: boolean;
  /** What the field shows: a text, or the entries of a list. Empty: the member is left out. */
  readonly value: string | readonly string[];
  /** What was stored, and how the field showed that: an untouched field stays exactly as it is. */
  readonly stored?: { readonly raw: unknown; readonly shown: string | readonly string[] };
}

/** The values of the form: fields, or the whole document as JSON. */
export interface RecordFields {
  readonly rows: readonly RecordRow[];
  readonly json?: string | undefined;
}

/** What the form knows of a bucket besides the record. */
export interface Ground {
  readonly columns: Columns;
  /** Other records of the bucket: what the app writes. */
  readonly sample: readonly BucketRecord[];
  readonly zone: string;
  /** Whether a text is the address of one of the app's files. */
  readonly isFile: (text: string) => boolean;
}

const ofColumn: Readonly<Record<string, Kind>> = { String: 'text', Number: 'number', Boolean: 'boolean', Date: 'date' };

/** The fields of a document: declared columns, its own members, and what most other records have. */
export function rowsOf(document: JsonObject, ground: Ground): readonly RecordRow[] {
  const { columns, sample } = ground;
  const counts = new Map<string, number>();
  for (const { metadata } of sample)
    for (const name of Object.keys(metadata)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count * 2 >= sample.length).map(([name]) => name);
  const names = [...new Set([...Object.keys(columns), ...Object.keys(document), ...common])];
  return names.map((name) => rowOf(name, document, ground));
}

/** A field for each member that is declared or that other records have, without a value. */
export function emptyRows(ground: Ground): readonly RecordRow[] {
  const { columns, sample } = ground;
  const names = new Set([...Object.keys(columns), ...sample.flatMap(({ metadata }) => Object.keys(metadata))]);
  return [...names].map((name) => rowOf(name, {}, ground));
}

/** What a single field says; undefined if it is empty. */
export function readRow(row: RecordRow, zone: string) {
  const problem = problemOf(row);
  if (problem !== undefined) return { problem };
  const value = memberValue(row, zone);
  return value === undefined ? undefined : { value };
}

function rowOf(name: string, document: JsonObject, ground: Ground): RecordRow {
  const raw: unknown = Object.hasOwn(document, name) ? document[name] : undefined;
  const isDeclared = name in ground.columns;
  const model = raw ?? modelOf(name, ground.sample);
  const kind = kindOf(model, ground.columns[name], ground);
  const row: RecordRow = { name, isDeclared, value: kind === 'list' ? [] : '', ...aboutOf(kind, model) };
  if (raw === undefined) return row;
  const shown = raw === null ? row.value : shownOf(raw, kind, ground.zone);
  return { ...row, value: shown, stored: { raw, shown } };
}

function aboutOf(kind: Kind, model: unknown): Pick<RecordRow, 'kind' | 'className' | 'isTyped'> {
  if (kind === 'pointer') return { kind, className: (model as { className: string }).className };
  return { kind, ...(isTypedDate(model) ? { isTyped: true } : {}) };
}

/** A value that other records have for the member. */
function modelOf(name: string, sample: readonly BucketRecord[]): unknown {
  for (const { metadata } of sample)
    if (Object.hasOwn(metadata, name) && metadata[name] !== null) return metadata[name];
  return undefined;
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTypedDate = (value: unknown) =>
  isObject(value) && value['__type'] === 'Date' && typeof value['iso'] === 'string';

function kindOf(value: unknown, type: string | undefined, { isFile }: Pick<Ground, 'isFile'>): Kind {
  if (type === 'Date') return typeof value === 'string' && dayForm.test(value) ? 'day' : 'date';
  if (typeof value === 'string' && isFile(value)) return 'file';
  // A value from before the column was declared may have any type.
  if (type !== undefined && (value === undefined || typeof value === type.toLowerCase()))
    return ofColumn[type] ?? 'json';
  if (type !== undefined) return 'json';
  if (value === undefined || typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? 'list' : 'json';
  return isObject(value) ? objectKind(value) : 'json';
}

function objectKind(value: JsonObject): Kind {
  if (isTypedDate(value)) return 'date';
  const isPointer = value['__type'] === 'Pointer' && Object.keys(value).length === 3;
  return isPointer && typeof value['className'] === 'string' && typeof value['objectId'] === 'string'
    ? 'pointer'
    : 'json';
}

function shownOf(raw: unknown, kind: Kind, zone: string): string | readonly string[] {
  switch (kind) {
    case 'text':
    case 'file':
    case 'day':
      return String(raw);
    case 'number':
    case 'boolean':
      return String(raw);
    case 'date': {
      const iso = String(isTypedDate(raw) ? (raw as { iso: string }).iso : raw);
      return Number.isNaN(Date.parse(iso)) ? '' : wallTime(Date.parse(iso), zone);
    }
    case 'pointer':
      return String((raw as { objectId: unknown }).objectId);
    case 'list':
      return raw as readonly string[];
    case 'json':
      return JSON.stringify(raw, null, 2);
  }
}

/** The value of a field; undefined: the member is left out. */
function memberValue(row: RecordRow, zone: string): unknown {
  const { kind, value, stored, className } = row;
  if (stored && canonical(stored.shown) === canonical(value)) return stored.raw;
  if (value.length === 0 || (typeof value === 'string' && value.trim() === '')) return undefined;
  const text = String(value);
  switch (kind) {
    case 'text':
    case 'file':
    case 'day':
      return text;
    case 'number':
      return Number(text.replace(',', '.'));
    case 'boolean':
      return text === 'true';
    case 'date': {
      const iso = new Date(instantOf(text, zone)).toISOString();
      return row.isTyped ? { __type: 'Date', iso } : iso;
    }
    case 'pointer':
      return { __type: 'Pointer', className, objectId: text };
    case 'list':
      return value;
    case 'json':
      return JSON.parse(text);
  }
}

/** The document that the form means. Only without problems. */
export function documentOf({ rows, json }: RecordFields, zone: string): JsonObject {
  if (json !== undefined) {
    const read = readJsonObject(json);
    return 'value' in read ? read.value : { document: json };
  }
  const members = rows.map((row) => [row.name.trim(), safeValue(row, zone)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** What cannot be read is a text until it is mended. */
function safeValue(row: RecordRow, zone: string): unknown {
  try {
    return memberValue(row, zone);
  } catch {
    return String(row.value);
  }
}

/** What the form finds wrong before the service is asked. */
export function recordProblems({ rows, json }: RecordFields): readonly PharosProblem[] {
  if (json !== undefined) {
    const read = readJsonObject(json);
    return 'problem' in read ? [{ field: 'json', problem: read.problem.message }] : [];
  }
  return rows.flatMap((row) => {
    const problem = problemOf(row);
    return problem === undefined ? [] : [{ field: fieldOf(row.name), problem }];
  });
}

/** As the service names members in its errors. */
export const fieldOf = (name: string) => `metadata.${name}`;

function problemOf({ kind, value, stored }: RecordRow): string | undefined {
  const text = String(value).trim();
  if (text === '' || (stored && canonical(stored.shown) === canonical(value))) return undefined;
  if (kind === 'number' && !Number.isFinite(Number(text.replace(',', '.')))) return t('must be a number, such as 2.5');
  if (kind !== 'json') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return t('is no JSON: texts stand in quotes, such as "west", and lists in brackets, such as [1, 2]');
  }
}

/** A field that somebody adds. */
export const newRow = (name: string, kind: Kind, className?: string): RecordRow => ({
  name,
  kind,
  isDeclared: false,
  value: kind === 'list' ? [] : '',
  ...(className === undefined ? {} : { className }),
});
