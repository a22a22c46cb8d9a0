import { isDeepStrictEqual } from 'node:util';
import {
  type Condition,
  type Field,
  jsonColumnOf,
  type Literal,
  type Order,
  operators,
  slotOf,
  type Where,
} from '@pharos/query';

/** The second column of an index on two columns, by the first. Both come before object_id. */
export type Pairs = Readonly<Record<string, string>>;

/** Which indexes a list may rely on beside those that fields tell of. */
export interface ListIndexes {
  readonly pairs: Pairs;
  /**
   * By the column that leads the partial index `<table>_<column>` (`where <column> is not null`): all columns that the
   * index holds, so that no row is read for them. Where the database does not know sizes by itself.
   */
  readonly held: Readonly<Record<string, readonly string[]>>;
}

/** A list's query, whose parts together are `where`. */
export interface ListQuery {
  readonly where: Where | undefined;
  /** What is left of `where` for an index to find, once object ids say what it says of time. */
  readonly rest: Where | undefined;
  /** What the caller asks for. */
  readonly asks: Where | undefined;
  /** What an app's rule adds to it. */
  readonly rule: Where | undefined;
  readonly order: Order;
}

/**
 * How a page is found. Steps are tried one after the other, beside other requests; when none has found the page, all records are looked at
 * where nobody waits for it. What is found is checked again by the statement that reads it: a plan makes a list quick, never wrong.
 */
export interface ListPlan {
  /** An index leads the whole query to its records, so it needs no steps. */
  readonly isIndexed: boolean;
  readonly steps: readonly Step[];
}

export type Step = Walk | Few;

/** The first records in the order of the list that meet one of some wheres, each of which an index finds in this order. */
interface Walk {
  readonly kind: 'walk';
  /** A record that meets several is passed by the walk of each, and listed by the first; undefined is every record. */
  readonly of: readonly (Where | undefined)[];
  /** The records of the list are those, so that the page is the first of them. */
  readonly isWhole: boolean;
  /** The index holds these columns, which are all that are asked for. */
  readonly held: readonly string[] | undefined;
}

/** All records that meet the conditions on one indexed column, if these are few. */
interface Few {
  readonly kind: 'few';
  readonly of: readonly [Where];
  readonly held: readonly string[] | undefined;
}

/** Each is a walk of its own. */
const maxBranches = 6;
/** The conditions on more columns are not counted. */
const maxCounted = 2;

/** @param knowsSizes whether the database chooses among its indexes by itself */
export function planList(query: ListQuery, indexes: ListIndexes, knowsSizes: boolean): ListPlan {
  const { where, rest, asks, rule, order } = query;
  if (isIndexed(rest, order, indexes.pairs)) return { isIndexed: true, steps: [] };
  if ((where && !isOfColumns(where)) || order.some(({ field }) => jsonColumnOf(field) !== undefined))
    return { isIndexed: false, steps: [] };
  const values = rule && branchesOf(rule);
  const isById = order.length === 1 && order[0]?.name === 'objectId';
  const allowed = (isById && values) || [];
  if (knowsSizes) {
    // It is only kept from going far for a rule that no single index answers.
    const isFar = allowed.length > 1 && isIndexed(asks, order, indexes.pairs);
    return { isIndexed: false, steps: isFar ? [walk([asks])] : [] };
  }
  if (allowed.length > 0 && asks === undefined)
    return { isIndexed: false, steps: [{ ...walk(allowed), isWhole: true }] };
  const own = walkOwn(query, indexes);
  return {
    isIndexed: false,
    steps: [
      ...(allowed.length > 0 ? [walk(allowed)] : []),
      ...walkOthers(query, indexes).filter(({ of }) => !isDeepStrictEqual(of, own[0]?.of)),
      ...countColumns(query, indexes),
      ...own,
    ],
  };
}

/**
 * Whether an index leads a query with a limit straight to its records, so that it may run where it blocks others. That
 * is so without a condition, in an indexed order; with one value or a range of one indexed column or slot, in the order
 * of the same; with one value of it in the order of objectId, which is the last column of each such index; with values
 * of a unique column in any order of columns; and with one value of the first column of a pair, with a range or the
 * order of its second. This covers neither counting, which visits all records, nor the records that `skip` passes over.
 */
export function isIndexed(where: Where | undefined, order: Order, pairs: Pairs = {}): boolean {
  const conditions = listConditions(where);
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

const walk = (of: Walk['of'], held?: Walk['held']): Walk => ({ kind: 'walk', of, isWhole: false, held });

/** Without some condition, or without the rule: if many records meet that, the first of the others contain a page. */
function walkOthers({ where, asks, rule, order }: ListQuery, { pairs }: ListIndexes): Walk[] {
  const parts = partsOf(where);
  const isFound = (part: Where) => isOne(part) && leadingColumn(part.field, pairs) !== undefined;
  const some = [
    allOf(parts.filter(isFound)),
    ...parts.map((one) => allOf(parts.filter((other) => other !== one))),
    ...(rule ? [allOf(partsOf(asks))] : []),
  ];
  // How many hidden records were passed would be felt in the time, and an index finds those that are not hidden.
  const isRuleFound = rule !== undefined && (branchesOf(rule) ?? partsOf(rule)).some(isFound);
  return some
    .filter((each) => isIndexed(each, order, pairs) && !(each === undefined && isRuleFound))
    .slice(0, 1)
    .map((each) => walk([each]));
}

/** The index of the order's own column, if it holds all that is asked for: those that fit are often near its beginning. */
function walkOwn({ where, order }: ListQuery, { held }: ListIndexes): Walk[] {
  const first = order[0];
  const own = isOrderIndexed(order) && first ? indexColumn(first.field) : undefined;
  const columns = own === undefined ? undefined : heldBy(held[own], where, order);
  if (columns === undefined) return [];
  const conditions = partsOf(where).filter(isOne);
  const of = [allOf(conditions.filter(({ field }) => indexColumn(field) === own))];
  return [walk(of, columns)];
}

function countColumns({ where, order }: ListQuery, { pairs, held }: ListIndexes): Few[] {
  const conditions = partsOf(where).filter(isOne);
  const columns = new Set(conditions.flatMap(({ field }) => leadingColumn(field, pairs) ?? []));
  return [...columns].slice(0, maxCounted).map((column) => ({
    kind: 'few',
    of: [{ kind: 'all', parts: conditions.filter(({ field }) => ownColumn(field) === column) }],
    held: heldBy(held[column], where, order),
  }));
}

/** The columns that are asked for, if an index holds all of them. */
function heldBy(index: readonly string[] | undefined, where: Where | undefined, order: Order) {
  const fields = [...(where === undefined ? [] : fieldsOf(where)), ...order.map(({ field }) => field)];
  const columns = [...new Set(fields.map((field) => ownColumn(field) ?? ''))].filter((name) => name !== 'object_id');
  return index && columns.every((name) => index.includes(name)) ? columns : undefined;
}

const fieldsOf = (where: Where): readonly Field[] =>
  where.kind === 'condition' ? [where.field] : where.parts.flatMap(fieldsOf);

const allOf = (parts: readonly Where[]): Where | undefined => (parts.length === 0 ? undefined : { kind: 'all', parts });

/** A condition that an index could find. */
const isOne = (part: Where): part is Condition => part.kind === 'condition' && isLookup(part);

/** Each value that a record may have to be allowed; undefined for any other rule, and for none or too many values. */
function branchesOf(rule: Where): readonly Condition[] | undefined {
  const branches = valuesOf(rule);
  return branches && branches.length > 0 && branches.length <= maxBranches ? branches : undefined;
}

function valuesOf(rule: Where): readonly Condition[] | undefined {
  if (rule.kind === 'condition') {
    const { operator, operand, field } = rule;
    if (indexColumn(field) === undefined || (operator !== '$eq' && operator !== '$in')) return undefined;
    const literals = operator === '$eq' ? [operand as Literal] : (operand as readonly Literal[]);
    return literals.map((literal) => ({
      ...rule,
      operator: '$eq',
      operand: literal,
      evaluate: (target) => target.isOneOf([literal]),
    }));
  }
  if (rule.kind !== 'any' && (rule.kind !== 'all' || rule.parts.length !== 1)) return undefined;
  const parts = rule.parts.map(valuesOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** Whether columns say it all, without a pattern, which would take time for each record. */
function isOfColumns(where: Where): boolean {
  if (where.kind !== 'condition') return where.parts.every(isOfColumns);
  return where.operator !== '$regex' && jsonColumnOf(where.field) === undefined;
}

/** The parts that are joined by AND. */
function partsOf(where: Where | undefined): readonly Where[] {
  if (where === undefined) return [];
  return where.kind === 'all' ? where.parts.flatMap(partsOf) : [where];
}

/** The conditions, if they are all joined by AND. */
function listConditions(where: Where | undefined): readonly Condition[] | undefined {
  const parts = partsOf(where);
  return parts.every((part) => part.kind === 'condition') ? parts : undefined;
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

/** The column itself, or the first column of its pair. */
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

/** What an index could answer although documents have to be read for it now: conditions joined by AND, and the order. */
export function documentFields(where: Where | undefined, order: Order): readonly Field[] {
  const conditions = listConditions(where) ?? [];
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

/** The plan in a line, without the values: `walk createdBy $eq, few metadata.room $eq, all`. */
export function explain({ isIndexed, steps }: ListPlan): string {
  if (isIndexed) return 'index';
  const texts = steps.map(({ kind, of, held }) => `${held ? 'held ' : ''}${kind} ${of.map(describe).join(' | ')}`);
  return [...texts, 'all'].join(', ');
}

function describe(where: Where | undefined): string {
  if (where === undefined) return 'everything';
  if (where.kind === 'condition') return `${where.name} ${where.operator}`;
  const parts = where.parts.map(describe);
  if (where.kind === 'none') return `not (${parts.join(' or ')})`;
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(where.kind === 'all' ? ' and ' : ' or ')})`;
}
