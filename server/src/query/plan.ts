import type { Condition, Order, Where } from './ast.ts';
import type { Field } from './fields.ts';
import { operators } from './operators.ts';
import { jsonColumnOf, slotOf } from './sql-target.ts';

/**
 * Whether an index leads a query with a limit straight to its records, so that it may run where it blocks others. That
 * is so without a condition in an indexed order; with one value or a range of one indexed column or slot and the order
 * of the same; with one value of it in the order of objectId, which is the last column of each such index; and with values of
 * a unique column in any order of columns. It says nothing of counting, which visits all, nor of the records that `skip` passes over.
 */
export function isIndexed(where: Where | undefined, order: Order): boolean {
  const conditions = where === undefined ? [] : listConditions(where);
  if (conditions === undefined) return false;
  if (conditions.length > 0 && conditions.every(isUnique)) return !order.some(({ field }) => jsonColumnOf(field));
  const first = order[0];
  if (first === undefined || !isOrderIndexed(order)) return false;
  const column = indexColumn(first.field);
  return conditions.every((condition) => {
    if (operators.get(condition.operator)?.lookup === undefined || isLargeJson(condition)) return false;
    const own = indexColumn(condition.field);
    if (own === undefined) return false;
    return own === column || (conditions.length === 1 && condition.operator === '$eq' && first.name === 'objectId');
  });
}

/** The conditions when they are all joined by AND. */
function listConditions(where: Where): readonly Condition[] | undefined {
  if (where.kind === 'condition') return [where];
  if (where.kind !== 'all') return undefined;
  const lists = where.parts.map(listConditions);
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

function isUnique({ field, operator }: Condition): boolean {
  return field.from === 'column' && field.indexed === 'unique' && (operator === '$eq' || operator === '$in');
}

/** One indexed field and then nothing but objectId, in the same direction. */
function isOrderIndexed([first, second, ...rest]: Order): boolean {
  if (first === undefined || rest.length > 0 || indexColumn(first.field) === undefined) return false;
  return second === undefined || (second.name === 'objectId' && second.descending === first.descending);
}

function indexColumn(field: Field): string | undefined {
  if (field.from === 'member') return slotOf(field);
  return field.indexed === undefined ? undefined : field.column;
}

function isLargeJson({ field }: Condition): boolean {
  return field.from === 'column' && field.type === 'json';
}
