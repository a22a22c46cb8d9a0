import { type JsonObject, literalPattern } from '@pharos/sdk';
import type { ReactNode } from 'react';
import { dayStart } from '../../lib/time/range.ts';
import { timesIn } from '../../lib/time/times.ts';
import { instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';

export type FilterKind = 'text' | 'number' | 'boolean' | 'date' | 'choice' | 'pointer' | 'member' | 'presence' | 'tag';

export interface ControlProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** `member`: any JSON below the field; the row asks for the path. `tag`: one of a list of texts. */
  readonly kind: FilterKind;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** For pointers. */
  readonly className?: string;
  /** In place of a text input for the value, such as a choice by name. */
  readonly control?: (props: ControlProps) => ReactNode;
  /** A value in the words of the page, where it is an id. */
  readonly textOf?: (value: string) => ReactNode;
  /** For dates: the zone that days and times are in; UTC unless given. */
  readonly zone?: string;
}

/** The fields with their dates in the zone of the page. */
export const fieldsIn = (zone: string, fields: readonly FilterField[]): readonly FilterField[] =>
  fields.map((field) => (field.kind === 'date' ? { ...field, zone } : field));

export interface FilterRow {
  readonly field: string;
  /** Below the field, for a `member`. */
  readonly path: string;
  readonly operator: string;
  readonly value: string;
}

interface Operator {
  readonly label: string;
  readonly takesNoValue?: true;
  /** The condition on the field; undefined while the value is incomplete. */
  write(value: string, field: FilterField): unknown;
  /** The value of a condition with this operator; undefined for other conditions. */
  read(condition: unknown, field: FilterField): string | undefined;
}

const only = (condition: unknown, operator: string): unknown => {
  if (typeof condition !== 'object' || condition === null) return undefined;
  const entries = Object.entries(condition);
  return entries.length === 1 && entries[0]?.[0] === operator ? entries[0][1] : undefined;
};

/** A value as the service compares it: values of different types are never equal. */
function typed(text: string, field: FilterField): unknown {
  switch (field.kind) {
    case 'number':
      return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
    case 'boolean':
      return text === 'true';
    case 'pointer':
      return text.trim() === '' ? undefined : { __type: 'Pointer', className: field.className, objectId: text.trim() };
    case 'date':
      return instantIn(text, field.zone ?? 'UTC');
    case 'member':
      return text === '' ? undefined : scalar(text);
    default:
      return text === '' ? undefined : text;
  }
}

/** `3`, `true` and `null` are read as JSON; in quotes they are text. */
function scalar(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? text : value;
  } catch {
    return text;
  }
}

/** A day (`2026-05-04`) begins at its first moment in the zone; a time without an offset is one in the zone. */
function instantIn(text: string, zone: string): string | undefined {
  if (Number.isNaN(Date.parse(text))) return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isWall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text);
  const at = isDay ? dayStart(text, zone) : isWall ? instantOf(text, zone) : Date.parse(text);
  return new Date(at).toISOString();
}

/** An instant as the row has it: a day where it is the first moment of one. */
function dayOrTime(iso: unknown, zone: string | undefined): string | undefined {
  if (typeof iso !== 'string') return undefined;
  if (zone === undefined || Number.isNaN(Date.parse(iso))) return iso;
  const wall = wallTime(Date.parse(iso), zone);
  const day = wall.slice(0, 10);
  if (dayStart(day, zone) === Date.parse(iso)) return day;
  return instantOf(wall, zone) === Date.parse(iso) ? wall : iso;
}

function shown(value: unknown, field: FilterField): string | undefined {
  if (field.kind === 'date') return dayOrTime(value, field.zone);
  if (field.kind === 'pointer') return (value as { objectId?: string } | null)?.objectId;
  if (field.kind === 'member')
    return typeof value === 'string' && scalar(value) === value ? value : JSON.stringify(value);
  return typeof value === 'object' ? undefined : String(value);
}

const compare = (label: string, operator: string): Operator => ({
  label,
  write: (text, field) => {
    const value = typed(text, field);
    return value === undefined ? undefined : { [operator]: value };
  },
  read: (condition, field) => {
    const value = only(condition, operator);
    return value === undefined ? undefined : shown(value, field);
  },
});

const equal: Operator = {
  label: t('is'),
  write: (text, field) => typed(text, field),
  read: (condition, field) => {
    const isPlain = typeof condition !== 'object' || (condition as { __type?: string } | null)?.__type === 'Pointer';
    return isPlain ? shown(condition, field) : undefined;
  },
};

const pattern = (label: string, prefix: string): Operator => ({
  label,
  write: (text) => (text === '' ? undefined : { $regex: prefix + literalPattern(text) }),
  read: (condition) => {
    const regex = only(condition, '$regex');
    if (typeof regex !== 'string' || !regex.startsWith(prefix)) return undefined;
    const text = regex.slice(prefix.length).replace(/\\(.)/g, '$1');
    return literalPattern(text) === regex.slice(prefix.length) ? text : undefined;
  },
});

const presence = (label: string, isThere: boolean): Operator => ({
  label,
  takesNoValue: true,
  write: () => ({ $exists: isThere }),
  read: (condition) => (only(condition, '$exists') === isThere ? '' : undefined),
});

const operators: Readonly<Record<string, Operator>> = {
  startsWith: pattern(t('starts with'), '(?i)^'),
  contains: pattern('contains', '(?i)'),
  is: equal,
  isNot: compare(t('is not'), '$ne'),
  atLeast: compare(t('is at least'), '$gte'),
  greater: compare(t('is more than'), '$gt'),
  atMost: compare(t('is at most'), '$lte'),
  less: compare(t('is less than'), '$lt'),
  from: compare(t('is from'), '$gte'),
  before: compare(t('is before'), '$lt'),
  set: presence(t('is set'), true),
  unset: presence(t('is not set'), false),
};

const comparisons = ['atLeast', 'greater', 'atMost', 'less'];
const ofKind: Readonly<Record<FilterKind, readonly string[]>> = {
  text: [t('contains'), 'startsWith', t('is'), 'isNot', 'set', 'unset'],
  number: ['is', 'isNot', ...comparisons, 'set', 'unset'],
  boolean: ['is'],
  date: ['from', 'before'],
  choice: ['is', 'isNot', 'set', 'unset'],
  pointer: ['is', 'isNot', 'set', 'unset'],
  presence: ['set', 'unset'],
  tag: ['is', 'isNot', 'set', 'unset'],
  member: ['is', 'isNot', 'contains', ...comparisons, 'set', 'unset'],
};

export const operatorsOf = (kind: FilterKind) =>
  ofKind[kind].map((value) => ({ value, label: operators[value]?.label ?? value }));
export const takesValue = (operator: string): boolean => !operators[operator]?.takesNoValue;

export function newRow(field: FilterField): FilterRow {
  const value = field.kind === 'boolean' ? 'true' : (field.choices?.[0]?.value ?? '');
  return { field: field.name, path: '', operator: ofKind[field.kind][0] ?? 'is', value };
}

/** The condition of a row; undefined while it is incomplete. */
export function conditionOf(row: FilterRow, fields: readonly FilterField[]): JsonObject | undefined {
  const field = fields.find(({ name }) => name === row.field);
  const condition = field && operators[row.operator]?.write(row.value, field);
  if (!field || condition === undefined) return undefined;
  if (field.kind !== 'member') return { [field.name]: condition };
  return row.path.trim() === '' ? undefined : { [`${field.name}.${row.path.trim()}`]: condition };
}

export interface Filter {
  readonly rows: readonly FilterRow[];
  /** One matching row is enough. */
  readonly isAny: boolean;
}

/** The condition of a filter, without incomplete rows. */
export function whereOf({ rows, isAny }: Filter, fields: readonly FilterField[]): JsonObject | undefined {
  const conditions = rows.map((row) => conditionOf(row, fields)).filter((condition) => condition !== undefined);
  if (conditions.length < 2) return conditions[0];
  if (isAny) return { $or: conditions };
  const names = conditions.flatMap((condition) => Object.keys(condition));
  return new Set(names).size === names.length ? Object.assign({}, ...conditions) : { $and: conditions };
}

/** The rows of a condition; undefined if rows cannot express it. */
export function filterOf(where: JsonObject | undefined, fields: readonly FilterField[]): Filter | undefined {
  if (!where) return { rows: [], isAny: false };
  const [first] = Object.entries(where);
  const [key, list] = first ?? ['', undefined];
  const isGroup = Object.keys(where).length === 1 && (key === '$or' || key === '$and') && Array.isArray(list);
  const parts = isGroup ? (list as JsonObject[]) : Object.entries(where).map(([name, value]) => ({ [name]: value }));
  const rows = parts.map((part) => rowOf(part, fields));
  return rows.includes(undefined) ? undefined : { rows: rows as FilterRow[], isAny: key === '$or' && isGroup };
}

function rowOf(part: JsonObject, fields: readonly FilterField[]): FilterRow | undefined {
  const [first, ...others] = Object.entries(part);
  if (!first || others.length > 0) return undefined;
  const [name, condition] = first;
  const field = fields.find((one) => one.name === name || (one.kind === 'member' && name.startsWith(`${one.name}.`)));
  if (!field) return undefined;
  const order = Object.keys(operators).filter((operator) => ofKind[field.kind].includes(operator));
  for (const operator of order) {
    const value = operators[operator]?.read(condition, field);
    if (value !== undefined) return { field: field.name, path: name.slice(field.name.length + 1), operator, value };
  }
  return undefined;
}

/** A day or a time as the page writes it. */
function dateText(value: string, field: FilterField | undefined): string {
  if (field?.kind !== 'date' || !field.zone) return value;
  const iso = instantIn(value, field.zone);
  if (iso === undefined) return value;
  return value.length === 10 ? timesIn(field.zone).date(iso) : timesIn(field.zone).minute(iso);
}

/** `Major is at least 3` */
export function rowText({ field: name, path, operator, value }: FilterRow, fields: readonly FilterField[]): string {
  const field = fields.find((one) => one.name === name);
  const label = field?.kind === 'member' ? path : (field?.label ?? name);
  const shownValue = field?.choices?.find((choice) => choice.value === value)?.label ?? dateText(value, field);
  return `${label} ${operators[operator]?.label ?? operator}${takesValue(operator) ? ` ${shownValue}` : ''}`;
}
