import type { Condition, Order, Where } from './ast.ts';
import type { Field } from './fields.ts';
import { operators } from './operators.ts';
import { jsonColumnOf, slotOf } from './sql-target.ts';

/** The second column of an index on two columns, by the first. Both come before object_id. */
export type Pairs = Readonly<Record<string, string>>;

/**
 * Whether an index leads a query with a limit straight to its records, so that it may run where it blocks others. That
 * is so without a condition, in an indexed order; with one value or a range of one indexed column or slot, in the order
 * of the same; with one value of it in the order of objectId, which is the last column of each such index; with values
 * of a unique column in any order of columns; and with one value of the first column of a pair, with a range or the
 * order of its second. This covers neither counting, which visits all records, nor the records that `skip` passes over.
 */
export function isIndexed(where: Where | undefined, order: Order, pairs: Pairs = {}): boolean {
  const conditions = where === undefined ? [] : listConditions(where);
  if (conditions === undefined) return false;
  if (isPaired(conditions, order, pairs)) return true;
  if (conditions.length > 0 && conditions.every(isUnique)) return !order.some(({ field }) => jsonColumnOf(field));
  const first = order[0];
  if (first === undefined || !isOrderIndexed(order)) return false;
  const column = indexColumn(first.field);
  return conditions.every((condition) => {
    if (!isLookup(condition)) return false;
    const own = indexColumn(condition.field);
    if (own === undefined) return false;
    return own === column || (conditions.length === 1 && condition.operator === '$eq' && first.name === 'objectId');
  });
}

function isPaired(conditions: readonly Condition[], order: Order, pairs: Pairs): boolean {
  const [first, second, ...rest] = order;
  if (first === undefined || rest.length > 0 || !conditions.every(isLookup)) return false;
  if (second !== undefined && (second.name !== 'objectId' || second.descending !== first.descending)) return false;
  const led = conditions.find((each) => each.operator === '$eq' && pairs[ownColumn(each.field) ?? ''] !== undefined);
  const other = led && pairs[ownColumn(led.field) ?? ''];
  if (other === undefined) return false;
  const others = conditions.filter((each) => each !== led);
  if (!others.every((each) => ownColumn(each.field) === other)) return false;
  if (ownColumn(first.field) === other) return true;
  return first.name === 'objectId' && others.length === 1 && others[0]?.operator === '$eq';
}

/** How a query with several conditions that no single index answers can still be answered by looking at few records. */
export interface NarrowPlan {
  /** The conditions on each indexed column. If few records meet one of these, only those are checked for the rest. */
  readonly groups: readonly IndexedCondition[];
  /** How to walk the order's index, if it has one. */
  readonly walk: Walk | undefined;
  /**
   * All conditions but one, if an index finds their matches in the requested order: if many records meet the one, such as the
   * owner of a record, the first of these contain a page of them.
   */
  readonly near: Where | undefined;
  /** The columns that conditions and order need, besides objectId. */
  readonly columns: readonly string[];
}

export interface IndexedCondition {
  /** The column that leads the index. */
  readonly column: string;
  readonly where: Where;
}

interface Walk {
  readonly column: string;
  /** The condition on the order's own column; undefined is the whole index. */
  readonly where: Where | undefined;
  /** Only the columns of the order. */
  readonly columns: readonly string[];
  /** Whether all other conditions are on one other indexed column. */
  readonly besideOneGroup: boolean;
}

/**
 * What an index could answer although documents have to be read for it now: conditions joined by AND, and the order.
 */
export function documentFields(where: Where | undefined, order: Order): readonly Field[] {
  const conditions = (where === undefined ? [] : listConditions(where)) ?? [];
  const fields = [...conditions.filter(isLookup), ...order.slice(0, 1)].map(({ field }) => field);
  return fields.filter(readsDocument);
}

const readsDocument = (field: Field) =>
  jsonColumnOf(field) !== undefined && !(field.from === 'member' && field.list !== undefined);

/** What the index of a list could answer in a `$or`: "it is mine, or it is shared with me". */
export function alternativeFields(where: Where | undefined): readonly Field[] {
  if (where?.kind === 'all') return where.parts.flatMap(alternativeFields);
  const parts = where?.kind === 'any' ? where.parts.map(listConditions) : [];
  if (!parts.every((list) => list?.length === 1)) return [];
  return parts.flatMap((list) => list?.filter(isLookup).map(({ field }) => field) ?? []).filter(readsDocument);
}

/** Undefined if documents would have to be read to check a record. */
export function planNarrowly(where: Where | undefined, order: Order, pairs: Pairs = {}): NarrowPlan | undefined {
  const conditions = where === undefined ? undefined : listConditions(where);
  const fields = [...(conditions ?? []), ...order].map(({ field }) => field);
  if (!conditions || fields.some((field) => jsonColumnOf(field) !== undefined)) return undefined;
  // Without a lookup it is a pattern or a negation; patterns take time on each record.
  if (conditions.some(({ operator }) => operators.get(operator)?.lookup === undefined)) return undefined;
  const columns = new Set(conditions.flatMap(({ field }) => leadingColumn(field, pairs) ?? []));
  const groups = [...columns].map((column) => groupOf(column, conditions));
  const near = nearOf(conditions, order, pairs);
  return { groups, walk: walkOf(conditions, order), near, columns: columnsOf(fields) };
}

function nearOf(conditions: readonly Condition[], order: Order, pairs: Pairs): Where | undefined {
  for (const one of conditions) {
    // Values in slots have better ways.
    if (one.field.from !== 'column' || one.operator !== '$eq' || conditions.length === 1) continue;
    const where: Where = { kind: 'all', parts: conditions.filter((other) => other !== one) };
    if (isIndexed(where, order, pairs)) return where;
  }
  return undefined;
}

function groupOf(column: string, conditions: readonly Condition[]): IndexedCondition {
  return { column, where: { kind: 'all', parts: conditions.filter(({ field }) => ownColumn(field) === column) } };
}

function walkOf(conditions: readonly Condition[], order: Order): Walk | undefined {
  const first = order[0];
  const own = isOrderIndexed(order) && first ? indexColumn(first.field) : undefined;
  if (own === undefined) return undefined;
  const isOwn = ({ field }: Condition) => indexColumn(field) === own;
  const others = new Set(conditions.filter((each) => !isOwn(each)).map(({ field }) => indexColumn(field)));
  return {
    column: own,
    where: conditions.some(isOwn) ? groupOf(own, conditions).where : undefined,
    columns: columnsOf(order.map(({ field }) => field)),
    besideOneGroup: others.size === 1 && !others.has(undefined),
  };
}

function columnsOf(fields: readonly Field[]): readonly string[] {
  return [...new Set(fields.flatMap((field) => (field.from === 'column' ? field.column : (slotOf(field) ?? []))))];
}

/** The conditions, if they are all joined by AND. */
function listConditions(where: Where): readonly Condition[] | undefined {
  if (where.kind === 'condition') return [where];
  if (where.kind !== 'all') return undefined;
  const lists = where.parts.map(listConditions);
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

function isUnique({ field, operator }: Condition): boolean {
  return field.from === 'column' && field.indexed === 'unique' && (operator === '$eq' || operator === '$in');
}

/** One indexed field followed only by objectId, in the same direction. */
function isOrderIndexed([first, second, ...rest]: Order): boolean {
  if (first === undefined || rest.length > 0 || indexColumn(first.field) === undefined) return false;
  return second === undefined || (second.name === 'objectId' && second.descending === first.descending);
}

function indexColumn(field: Field): string | undefined {
  if (field.from === 'member') return slotOf(field);
  return field.indexed === undefined ? undefined : field.column;
}

/** The same column, or the first column of a pair. */
function leadingColumn(field: Field, pairs: Pairs): string | undefined {
  const column = ownColumn(field);
  return indexColumn(field) ?? (column !== undefined && pairs[column] !== undefined ? column : undefined);
}

/** The field whose own column keeps the value. */
function ownColumn(field: Field): string | undefined {
  if (field.from === 'member') return slotOf(field);
  return field.type === 'json' ? undefined : field.column;
}

function isLookup(condition: Condition): boolean {
  return operators.get(condition.operator)?.lookup !== undefined && !isLargeJson(condition);
}

function isLargeJson({ field }: Condition): boolean {
  return field.from === 'column' && field.type === 'json';
}
