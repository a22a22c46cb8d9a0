import type { Comparison, Literal, Target } from './ast.ts';
import type { Field } from './fields.ts';
import { isDateField } from './literals.ts';
import type { Regex } from './regex/regex.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import type { JsonPlace, WhereDialect } from './where-dialect.ts';

/** A field as SQL. `keys` are its sort keys. */
export interface SqlTarget extends Target<Sql> {
  readonly keys: readonly Sql[];
}

export const never = sql`(1 = 0)`;
export const always = sql`(1 = 1)`;

/** The JSON column that a guard has to parse for the field; undefined if a plain column or a slot answers. */
export function jsonColumnOf(field: Field): string | undefined {
  if (field.from === 'column') return field.type === 'json' ? field.column : undefined;
  return slotOf(field) === undefined ? field.column : undefined;
}

/** The slot of a member, which only a declared member can have. */
export function slotOf(field: Field): string | undefined {
  return field.from === 'member' && field.declared !== undefined ? field.slot : undefined;
}

/** `documents` are the JSON columns of the surrounding guard. */
export function sqlTarget(field: Field, documents: readonly string[], dialect: WhereDialect): SqlTarget {
  const column = jsonColumnOf(field);
  if (column !== undefined) {
    const place = { document: dialect.document(column, documents.indexOf(column)), path: field.path ?? [] };
    return jsonTarget(place, isDateField(field), dialect);
  }
  return typedTarget(field.from === 'column' ? columnStorage(field, dialect) : slotStorage(field, dialect), dialect);
}

/** The expressions for a column with values of one type. */
interface Storage {
  readonly column: Sql;
  /** The column as it compares and sorts. */
  readonly ordered: Sql;
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'pointer';
  readonly className?: string;
  readonly isNull: Sql;
  /** The value below all others, which stands for missing ones; a range from below has to exclude it. */
  readonly floor?: Sql;
  /** Prefix of stored text. */
  readonly prefix: string;
}

function columnStorage(field: Field & { from: 'column' }, dialect: WhereDialect): Storage {
  const column = raw(field.column);
  const type = field.type === 'json' ? 'string' : field.type;
  const ordered = type === 'string' || type === 'pointer' ? dialect.byCodePoint(column) : column;
  return {
    column,
    ordered,
    type,
    className: field.className,
    isNull: sql`${column} is null`,
    prefix: '',
  };
}

function slotStorage(field: Field & { from: 'member' }, dialect: WhereDialect): Storage {
  const column = raw(field.slot ?? '');
  const type = field.declared ?? 'string';
  const isText = type === 'string';
  const floor = isText ? sql`${''}` : dialect.number(Number.NEGATIVE_INFINITY);
  const ordered = isText ? dialect.byCodePoint(column) : column;
  return { column, ordered, type, isNull: sql`${column} = ${floor}`, floor, prefix: isText ? 'v' : '' };
}

function typedTarget(storage: Storage, dialect: WhereDialect): SqlTarget {
  const { column, ordered, floor } = storage;
  return {
    keys: [ordered],
    isNull: () => storage.isNull,
    isOneOf(literals) {
      const values = literals.flatMap((literal) => encode(storage, literal, dialect) ?? []);
      const parts = values.length === 0 ? [] : [isAmong(column, values)];
      if (literals.some(({ kind }) => kind === 'null')) parts.push(storage.isNull);
      return parts.length === 0 ? never : parenthesized(parts, ' or ');
    },
    compare(comparison, literal) {
      const value = storage.type === literal.kind ? encode(storage, literal, dialect) : undefined;
      if (value === undefined || literal.kind === 'boolean') return never;
      const range = sql`${ordered} ${raw(comparison)} ${value}`;
      return floor === undefined || comparison.startsWith('>') ? range : sql`(${range} and ${ordered} > ${floor})`;
    },
    isLike: (regex) => (storage.type === 'string' ? isLike(storage, regex, dialect) : never),
  };
}

/** The parameter for a value of the column's type. */
function encode(storage: Storage, literal: Literal, dialect: WhereDialect): Sql | undefined {
  if (literal.kind !== storage.type) return undefined;
  if (literal.kind === 'string') return sql`${storage.prefix + literal.value}`;
  if (literal.kind === 'boolean') return dialect.number(literal.value ? 1 : 0);
  if (literal.kind === 'number' || literal.kind === 'date') return dialect.number(literal.value);
  if (literal.kind !== 'pointer' || literal.className !== storage.className) return undefined;
  return sql`${literal.objectId}`;
}

function isAmong(column: Sql, values: readonly Sql[]): Sql {
  return values.length === 1 ? sql`${column} = ${values[0]!}` : sql`${column} in (${joinSql(values, ', ')})`;
}

function isLike(storage: Storage, regex: Regex, dialect: WhereDialect): Sql {
  if (storage.prefix === '') return dialect.isLike(storage.column, regex);
  // Nested, because AND guarantees no order, and the pattern may well match the text that stands for "missing".
  const text = sql`substr(${storage.column}, ${raw(String(storage.prefix.length + 1))})`;
  return sql`case when ${storage.column} <> ${''} then ${dialect.isLike(text, regex)} end`;
}

/** A value of any type inside a document. */
function jsonTarget(place: JsonPlace, isDate: boolean, dialect: WhereDialect): SqlTarget {
  return {
    keys: jsonKeys(place, isDate, dialect),
    isNull: () => dialect.isNull(place),
    isOneOf(literals) {
      const parts: Sql[] = [];
      const scalars = literals.filter(({ kind }) => kind !== 'json' && kind !== 'date');
      if (scalars.length > 0) parts.push(dialect.holdsOneOf(place, scalars));
      const dates = literals.flatMap((literal) => (literal.kind === 'date' ? dialect.number(literal.value) : []));
      if (dates.length > 0) parts.push(isAmong(dialect.asInstant(place, isDate), dates));
      for (const literal of literals)
        if (literal.kind === 'json') parts.push(dialect.equalsJson(place, literal.canonical));
      return parts.length === 0 ? never : parenthesized(parts, ' or ');
    },
    compare: (comparison, literal) => compareJson(place, { comparison, literal, isDate }, dialect),
    isLike: (regex) => (isDate ? never : dialect.isLike(dialect.asString(place), regex)),
  };
}

interface JsonComparison {
  readonly comparison: Comparison;
  readonly literal: Literal;
  readonly isDate: boolean;
}

function compareJson(place: JsonPlace, { comparison, literal, isDate }: JsonComparison, dialect: WhereDialect): Sql {
  const sign = raw(comparison);
  if (literal.kind === 'number') return sql`${dialect.asNumber(place)} ${sign} ${dialect.number(literal.value)}`;
  if (literal.kind === 'string') return sql`${dialect.asString(place)} ${sign} ${literal.value}`;
  if (literal.kind !== 'date') return never;
  return sql`${dialect.asInstant(place, isDate)} ${sign} ${dialect.number(literal.value)}`;
}

/** Missing and null, then booleans, numbers, strings, dates of a declared date, and the rest by its canonical text. */
function jsonKeys(place: JsonPlace, isDate: boolean, dialect: WhereDialect): readonly Sql[] {
  const [boolean, number, string] = [dialect.asBoolean(place), dialect.asNumber(place), dialect.asString(place)];
  const instant = dialect.asInstant(place, true);
  const dateRank = isDate ? sql`when ${instant} is not null then 4 ` : raw('');
  const rank = sql`case when ${dialect.isNull(place)} then 0 when ${boolean} is not null then 1 when ${number} is not null then 2 ${dateRank}when ${string} is not null then 3 else 5 end`;
  const value = isDate ? sql`coalesce(${boolean}, ${number}, ${instant})` : sql`coalesce(${boolean}, ${number})`;
  const text = sql`coalesce(${string}, ${dialect.asJson(place)})`;
  // Two texts of the same instant are equal.
  return [rank, value, isDate ? sql`case when ${instant} is null then ${text} end` : text];
}

export function parenthesized(parts: readonly Sql[], separator: string): Sql {
  return parts.length === 1 ? parts[0]! : sql`(${joinSql(parts, separator)})`;
}
