import { firstIdAt } from '../base/id.ts';
import type { Condition, Literal, Where } from '../query/ast.ts';
import type { NumberBound } from './format/ranges.ts';
import type { IdRange } from './store.ts';
import type { Sought } from './summaries.ts';

/** What a condition says that allows skipping chunks without reading them. */

/** The time that objectIds were made from, if any. */
export type TimeOfIds = 'createdAt' | 'occurredAt' | false | undefined;

function conditionsOf(where: Where | undefined): readonly Condition[] {
  if (where?.kind === 'condition') return [where];
  return where?.kind === 'all' ? where.parts.flatMap(conditionsOf) : [];
}

/** The range of ids outside which no row matches. */
export function rangeOf(where: Where | undefined, time: TimeOfIds): IdRange {
  let [from, until]: (string | undefined)[] = [];
  for (const condition of conditionsOf(where)) {
    const bounds = boundsOf(condition, time);
    if (bounds.from !== undefined && (from === undefined || bounds.from > from)) from = bounds.from;
    if (bounds.until !== undefined && (until === undefined || bounds.until < until)) until = bounds.until;
  }
  return { from, until };
}

function boundsOf({ name, operator, operand }: Condition, time: TimeOfIds): IdRange {
  if (name === 'objectId') {
    const ids = textsOf(operator, operand);
    if (ids && ids.length > 0) return { from: least(ids), until: least(ids, -1) };
    const literal = operand as Literal | undefined;
    if (literal?.kind !== 'string') return {};
    if (operator === '$gt' || operator === '$gte') return { from: literal.value };
    return operator === '$lt' || operator === '$lte' ? { until: literal.value } : {};
  }
  const literal = operand as Literal | undefined;
  if (name !== time || literal?.kind !== 'date') return {};
  const from = firstIdAt(literal.value);
  // Longer than any id, and so behind all of this moment.
  const until = `${firstIdAt(literal.value)}~`;
  if (operator === '$eq') return { from, until };
  if (operator === '$gt' || operator === '$gte') return { from };
  return operator === '$lt' || operator === '$lte' ? { until } : {};
}

const least = (ids: readonly string[], sign = 1) =>
  ids.reduce((one, other) => ((one < other ? -1 : 1) * sign < 0 ? one : other));

/** What each condition on one of these columns seeks that asks for texts. */
export function valuesOf(where: Where | undefined, columns: readonly string[]): readonly Sought[] {
  return conditionsOf(where).flatMap(({ field, operator, operand }) => {
    if (field.from !== 'column' || field.path !== undefined || !columns.includes(field.column)) return [];
    const texts = textsOf(operator, operand);
    return texts ? [{ column: field.column, texts }] : [];
  });
}

const isLeast = (operator: string) => operator === '$gt' || operator === '$gte' || operator === '$eq';
const isMost = (operator: string) => operator === '$lt' || operator === '$lte' || operator === '$eq';

/** What each condition on one of these columns asks that compares it with a number or a time. */
export function numbersOf(where: Where | undefined, columns: readonly string[]): readonly NumberBound[] {
  return conditionsOf(where).flatMap(({ field, operator, operand }) => {
    if (field.from !== 'column' || field.path !== undefined || !columns.includes(field.column)) return [];
    const literal = operand as Literal | undefined;
    if ((literal?.kind !== 'number' && literal?.kind !== 'date') || !(isLeast(operator) || isMost(operator))) return [];
    return {
      column: field.column,
      ...(isLeast(operator) ? { from: literal.value } : {}),
      ...(isMost(operator) ? { until: literal.value } : {}),
    };
  });
}

/** The texts of `$eq` and `$in`; undefined if other values are allowed too. */
function textsOf(operator: string, operand: unknown): readonly string[] | undefined {
  if (operator !== '$eq' && operator !== '$in') return undefined;
  const literals = operator === '$eq' ? [operand as Literal] : (operand as readonly Literal[]);
  const texts = literals.map((literal) =>
    literal.kind === 'string' ? literal.value : literal.kind === 'pointer' ? literal.objectId : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
