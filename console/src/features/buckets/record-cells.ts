import type { JsonObject } from '@pharos/sdk';
import { numberIn, type Separator } from '../../lib/text/csv.ts';
import { t } from '../../lib/words/words.ts';

/** Declared columns of a bucket and their types: Number, String, Boolean or Date. */
export type Columns = Readonly<Record<string, string>>;

export const typeLabels: Readonly<Record<string, string>> = {
  String: t('Text'),
  Number: t('Number'),
  Boolean: t('Yes or no'),
  Date: t('Date'),
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A text that would be read as something else is written in quotes, as JSON. */
const needsQuotes = (text: string, type: string | undefined): boolean =>
  text === '' ||
  text !== text.trim() ||
  text === 'null' ||
  text.startsWith('"') ||
  (type === undefined && isJson(text));

/** A member as a table cell, from which `readCell` reads the same value. Empty if the member is missing. */
export function cellOf(value: unknown, type?: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return needsQuotes(value, type) ? JSON.stringify(value) : value;
}

/**
 * The value of a cell: by type in a declared column, otherwise as JSON if it is JSON, or else as text. Undefined for an
 * empty cell.
 *
 * @throws Error whose message ends a sentence that begins with the column's name
 */
export function readCell(cell: string, type?: string, separator?: Separator): unknown {
  // The tab stops a spreadsheet from running the text as a formula.
  const text = cell.replace(/^\t(?=[=+@-])/, '').trim();
  if (text === '') return undefined;
  if (text === 'null') return null;
  if (text.startsWith('"') && isJson(text)) return JSON.parse(text);
  switch (type) {
    case 'Number':
      return numberOf(text, separator);
    case 'Boolean':
      return booleanOf(text);
    case 'String':
      return text;
    case 'Date':
      return dateOf(text);
    default:
      return isJson(text) ? JSON.parse(text) : text;
  }
}

function numberOf(text: string, separator?: Separator): number {
  const value = numberIn(text, separator);
  if (!Number.isFinite(value)) throw new Error(t('must be a number'));
  return value;
}

function booleanOf(text: string): boolean {
  const known = { true: true, false: false, yes: true, no: false }[text.toLowerCase()];
  if (known === undefined) throw new Error(t('must be true or false'));
  return known;
}

function dateOf(text: string): unknown {
  if (text.startsWith('{') && isJson(text)) return JSON.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(t('must be a date such as 2026-05-04T09:30:00Z'));
  return text;
}

const stamps = ['objectId', 'createdAt', 'updatedAt'];
const prefix = 'metadata.';

/** The column header of a member. Names that every record has anyway get a prefix. */
export const headOf = (member: string): string =>
  stamps.includes(member) || member.startsWith(prefix) ? prefix + member : member;
export const memberOf = (head: string): string | undefined =>
  stamps.includes(head) ? undefined : head.startsWith(prefix) ? head.slice(prefix.length) : head;

const maxTitle = 80;

/** The title of a record in a list: its first text, or else the fallback. */
export function recordTitle(document: JsonObject, columns: Columns, fallback = ''): string {
  const declared = Object.keys(columns).filter((name) => columns[name] === 'String');
  const values = [...declared, ...Object.keys(document)].map((name) => document[name]);
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '') as string | undefined;
  return text === undefined ? fallback : text.length > maxTitle ? `${text.slice(0, maxTitle)}…` : text;
}
