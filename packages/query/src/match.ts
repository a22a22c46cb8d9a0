import {
  type Comparison,
  type Condition,
  foldWhere,
  type Literal,
  type Logic,
  type Order,
  type Target,
  type Where,
} from './ast.ts';
import type { Field } from './fields.ts';
import { readInstant } from './instant.ts';
import { isObject } from './is-object.ts';
import { canonicalJson, compareText, readPath } from './json.ts';
import { isDateField, readPointer } from './literals.ts';

/**
 * The value of a field: as a list returns it, or as its column stores it (a date as epoch milliseconds, a pointer as
 * its id, a boolean as 0 or 1). Undefined if it is missing. For a field with a path, the value at the path.
 */
export type ReadField = (field: Field, name: string) => unknown;

const logic: Logic<boolean> = {
  not: (part) => !part,
  all: (parts) => parts.every(Boolean),
  any: (parts) => parts.some(Boolean),
};

/** Whether the values that `read` returns satisfy the condition; without a condition everything does. */
export function matches(where: Where | undefined, read: ReadField): boolean {
  return where === undefined || foldWhere(where, (condition) => valueTarget(condition, read), logic);
}

/** Matches a record as a list returns it, such as `{objectId, createdAt, metadata: {…}}`. */
export function matchesRecord(where: Where | undefined, record: unknown): boolean {
  return matches(where, fieldReader(record));
}

/** Reads fields by their names, which are paths into a record as a list returns it. */
export function fieldReader(record: unknown): ReadField {
  return (_field, name) => readPath(record, name.split('.'));
}

function valueTarget({ field, name }: Condition, read: ReadField): Target<boolean> {
  const value = normalize(field, read(field, name));
  const isDate = isDateField(field);
  return {
    isNull: () => value === null,
    isOneOf: (literals) => literals.some((literal) => equals(value, literal, isDate)),
    compare: (comparison, literal) => compare(value, { comparison, literal, isDate }),
    isLike: (regex) => !isDate && typeof value === 'string' && regex.test(value),
  };
}

/** A pointer in either of its two forms. */
class Pointer {
  readonly className: string;
  readonly objectId: string;

  constructor(className: string, objectId: string) {
    this.className = className;
    this.objectId = objectId;
  }
}

/** Missing becomes null, and stored values become what they mean. */
function normalize(field: Field, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (field.from !== 'column') return value;
  if (field.type === 'boolean' && typeof value === 'number') return value !== 0;
  if (field.type === 'date' && typeof value === 'number') return new Date(value).toISOString();
  if (field.type !== 'pointer') return value;
  const pointer =
    typeof value === 'string' ? { className: field.className ?? '', objectId: value } : readPointer(value);
  return pointer === undefined ? null : new Pointer(pointer.className, pointer.objectId);
}

function equals(value: unknown, literal: Literal, isDate: boolean): boolean {
  if (literal.kind === 'date') return readInstant(value, isDate) === literal.value;
  if (literal.kind === 'json') return equalsJson(value, literal.value);
  if (literal.kind === 'pointer') {
    return value instanceof Pointer && value.className === literal.className && value.objectId === literal.objectId;
  }
  const wanted = literal.kind === 'null' ? null : literal.value;
  return value === wanted || (Array.isArray(value) && value.includes(wanted));
}

function equalsJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((element, index) => equalsJson(element, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equalsJson(left[name], right[name]));
}

interface ValueComparison {
  readonly comparison: Comparison;
  readonly literal: Literal;
  readonly isDate: boolean;
}

function compare(value: unknown, { comparison, literal, isDate }: ValueComparison): boolean {
  const difference = differenceOf(value, literal, isDate);
  if (difference === undefined) return false;
  if (comparison === '<') return difference < 0;
  if (comparison === '<=') return difference <= 0;
  return comparison === '>' ? difference > 0 : difference >= 0;
}

function differenceOf(value: unknown, literal: Literal, isDate: boolean): number | undefined {
  if (literal.kind === 'date') {
    const instant = readInstant(value, isDate);
    return instant === undefined ? undefined : instant - literal.value;
  }
  if (literal.kind === 'number') return typeof value === 'number' ? compareNumbers(value, literal.value) : undefined;
  if (literal.kind !== 'string' || typeof value !== 'string' || isDate) return undefined;
  return compareText(value, literal.value);
}

/** Subtracting would lose the difference between numbers near the largest and the smallest. */
function compareNumbers(left: number, right: number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Compares two records as `orderToSql` sorts them. */
export function compareByOrder(order: Order, left: ReadField, right: ReadField): number {
  for (const { field, name, descending } of order) {
    const difference = compareValues(sortKey(field, left(field, name)), sortKey(field, right(field, name)));
    if (difference !== 0) return descending ? -difference : difference;
  }
  return 0;
}

type SortKey = readonly [rank: number, value: number | string];

function sortKey(field: Field, read: unknown): SortKey {
  const value = normalize(field, read);
  if (value === null) return [0, 0];
  if (typeof value === 'boolean') return [1, value ? 1 : 0];
  if (typeof value === 'number') return [2, value];
  const instant = isDateField(field) ? readInstant(value, true) : undefined;
  if (instant !== undefined) return [4, instant];
  if (typeof value === 'string') return [3, value];
  return [5, value instanceof Pointer ? value.objectId : canonicalJson(value)];
}

function compareValues([leftRank, left]: SortKey, [rightRank, right]: SortKey): number {
  if (leftRank !== rightRank) return leftRank - rightRank;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return typeof left === 'number' && typeof right === 'number' ? compareNumbers(left, right) : 0;
}
