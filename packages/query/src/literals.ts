import type { Literal } from './ast.ts';
import type { Field } from './fields.ts';
import { isoOfDateObject, parseInstant } from './instant.ts';
import { isObject } from './is-object.ts';
import { canonicalJson, findJsonProblem } from './json.ts';

/** Greatest nesting of an object or array that a field is compared with. */
const maxDepth = 16;
export const maxListLength = 256;

/** Values that a list takes, or what is wrong with the operand. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };

const notIso = 'is not an ISO 8601 date such as 2024-05-31T10:20:30.000Z';

/** Whether strings written for the field, and stored in it, are dates. */
export function isDateField(field: Field): boolean {
  return field.from === 'column' ? field.type === 'date' : field.declared === 'date';
}

/**
 * The value to compare the field with. A string for a date field has to be an ISO date, and so has the `iso` of a
 * `{"__type": "Date"}` for any field. A value of a type that the field never has is allowed: it equals nothing. An
 * object with a member `$…` inside is refused, because that is an operator in the wrong place: it belongs to `a.b`.
 */
export function parseLiteral(value: unknown, field: Field): Parsed<Literal> {
  if (value === null) return literal({ kind: 'null' });
  if (typeof value === 'boolean') return literal({ kind: 'boolean', value });
  if (typeof value === 'number') return literal({ kind: 'number', value });
  if (typeof value === 'string' && !isDateField(field)) return literal({ kind: 'string', value });
  const iso = typeof value === 'string' ? value : isoOfDateObject(value);
  if (iso !== undefined) return parseDate(iso);
  return parseObject(value as object, field);
}

function literal(value: Literal): Parsed<Literal> {
  return { value: Object.freeze(value) };
}

function parseDate(iso: string): Parsed<Literal> {
  const value = parseInstant(iso);
  return value === undefined ? { problem: notIso } : literal({ kind: 'date', value });
}

function parseObject(value: object, field: Field): Parsed<Literal> {
  const problem = findJsonProblem(value, maxDepth);
  if (problem !== undefined) return { problem };
  if (hasOperator(value)) {
    return { problem: 'has an operator inside a value; write the path with dots and the operator at its end' };
  }
  const pointer = field.from === 'column' && field.type === 'pointer' ? readPointer(value) : undefined;
  return literal(pointer ?? { kind: 'json', value, canonical: canonicalJson(value) });
}

function hasOperator(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOperator);
  return isObject(value) && Object.entries(value).some(([name, member]) => name.startsWith('$') || hasOperator(member));
}

/** `{"__type": "Pointer", "className": "…", "objectId": "…"}`; further members do not matter. */
export function readPointer(value: unknown): (Literal & { kind: 'pointer' }) | undefined {
  if (!isObject(value) || !Object.hasOwn(value, '__type')) return undefined;
  const { __type: type, className, objectId } = value;
  if (type !== 'Pointer' || typeof className !== 'string' || typeof objectId !== 'string') return undefined;
  return { kind: 'pointer', className, objectId };
}

/** The values of `$in` and similar operators. */
export function parseLiterals(value: unknown, field: Field): Parsed<readonly Literal[]> {
  if (!Array.isArray(value)) return { problem: 'takes an array of values' };
  if (value.length > maxListLength) return { problem: `takes at most ${maxListLength} values` };
  const literals: Literal[] = [];
  for (const element of value) {
    const parsed = parseLiteral(element, field);
    if ('problem' in parsed) return parsed;
    literals.push(parsed.value);
  }
  return { value: Object.freeze(literals) };
}
