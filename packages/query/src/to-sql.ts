import { type Condition, foldWhere, type Literal, type Logic, type Order, type Target, type Where } from './ast.ts';
import type { Field, ListMember, MemberField } from './fields.ts';
import { orderToSql } from './order.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import { always, jsonColumnOf, never, parenthesized, slotOf, sqlTarget } from './sql-target.ts';
import type { WhereDialect } from './where-dialect.ts';

/** NULL counts as false, also when it is negated. */
const logic: Logic<Sql> = {
  not: (part) => sql`(${part}) is not true`,
  all: (parts) => (parts.length === 0 ? always : parenthesized(parts, ' and ')),
  any: (parts) => (parts.length === 0 ? never : parenthesized(parts, ' or ')),
};

/**
 * A condition for a WHERE after `app_id = … and`. Conditions that columns and slots can answer stay outside the guard
 * around the JSON conditions, so that the databases can use their indexes.
 */
export function whereToSql(where: Where | undefined, dialect: WhereDialect): Sql {
  if (where === undefined) return always;
  const asked = flatten(where).map((part) => ({ part, indexed: listMembersToSql(part, dialect) }));
  const parts = asked.flatMap(({ part, indexed }) => (indexed ? [] : [part]));
  const columns = new Map(parts.map((part) => [part, [...new Set(jsonColumns(part))]]));
  const plain = parts.filter((part) => columns.get(part)?.length === 0);
  const guarded = parts.filter((part) => !plain.includes(part));
  const conditions = [
    ...asked.flatMap(({ indexed }) => indexed ?? []),
    ...plain.map((part) => partToSql(part, [], dialect)),
  ];
  if (guarded.length > 0) {
    const documents = [...new Set(guarded.flatMap((part) => columns.get(part) ?? []))];
    const inner = logic.all(guarded.map((part) => partToSql(part, documents, dialect)));
    conditions.push(dialect.guard(inner, documents));
  }
  return logic.all(conditions);
}

/** Whether columns and indexes answer everything, and no document has to be read. */
export const readsColumns = (where: Where, dialect: WhereDialect): boolean =>
  flatten(where).every((part) => jsonColumns(part).length === 0 || listMembersToSql(part, dialect) !== undefined);

/** How a where is checked for one record. */
export interface OneRecord {
  readonly objectId: string;
  /**
   * A condition on a column, for one record; undefined if it cannot be checked that way. `isOfValues`: it requires one of some values in
   * the column.
   */
  readonly ask: (field: Field, condition: Sql, isOfValues: boolean) => Sql | undefined;
}

/** A where for one record. Undefined if columns and the indexes of lists do not cover all of it. */
export function recordToSql(where: Where, dialect: WhereDialect, { objectId, ask }: OneRecord): Sql | undefined {
  let isSaid = true;
  const cannot = () => {
    isSaid = false;
    return never;
  };
  const ofList = ({ rows }: ListMember, literals: readonly Literal[]) =>
    literals.every(isShortText)
      ? sql`exists (${rows} and value in (${textsOf(literals)}) and object_id = ${objectId})`
      : cannot();
  const target = ({ field }: Condition): Target<Sql> => {
    const list = field.from === 'member' ? field.list : undefined;
    if (list) return { isNull: cannot, isOneOf: (of) => ofList(list, of), compare: cannot, isLike: cannot };
    if (jsonColumnOf(field) !== undefined) return { isNull: cannot, isOneOf: cannot, compare: cannot, isLike: cannot };
    const own = sqlTarget(field, [], dialect);
    return {
      isNull: () => ask(field, own.isNull(), true) ?? cannot(),
      // An index leads to nulls or to values.
      isOneOf: (literals) => {
        const values = literals.filter(({ kind }) => kind !== 'null');
        const asked = [...(values.length > 0 ? [own.isOneOf(values)] : [])];
        if (values.length < literals.length) asked.push(own.isNull());
        return logic.any(asked.map((condition) => ask(field, condition, true) ?? cannot()));
      },
      compare: (...given) => ask(field, own.compare(...given), false) ?? cannot(),
      isLike: (regex) => ask(field, own.isLike(regex), false) ?? cannot(),
    };
  };
  const condition = foldWhere(where, target, logic);
  return isSaid ? condition : undefined;
}

/** The parts that are joined by AND at the top level. */
function flatten(where: Where): readonly Where[] {
  return where.kind === 'all' ? where.parts.flatMap(flatten) : [where];
}

function jsonColumns(where: Where): readonly string[] {
  if (where.kind !== 'condition') return where.parts.flatMap(jsonColumns);
  const column = jsonColumnOf(where.field);
  return column === undefined ? [] : [column];
}

function partToSql(part: Where, documents: readonly string[], dialect: WhereDialect): Sql {
  return foldWhere(part, ({ field }) => sqlTarget(field, documents, dialect), logic);
}

/**
 * A query as a store needs it. `condition` also states that the slots of the order are not null, which is always true
 * and lets the databases use the slots' partial indexes.
 */
export function queryToSql(
  query: { readonly where: Where | undefined; readonly order: Order },
  dialect: WhereDialect,
): { readonly condition: Sql; readonly orderBy: Sql } {
  const slots = query.order.flatMap(({ field }) => slotOf(field) ?? []);
  const present = slots.map((slot) => sql`${raw(slot)} is not null`);
  return {
    condition: logic.all([...present, whereToSql(query.where, dialect)]),
    orderBy: orderToSql(query.order, dialect),
  };
}

/** Longer texts are not in the index. */
const longest = 255;

type ListCondition = Condition & { readonly field: MemberField & { readonly list: ListMember } };

const literalsOf = ({ operator, operand }: Condition): readonly Literal[] =>
  operator === '$eq' ? [operand as Literal] : operator === '$in' ? (operand as readonly Literal[]) : [];

function isOfList(condition: Condition): condition is ListCondition {
  if (condition.field.from !== 'member' || condition.field.list === undefined) return false;
  const literals = literalsOf(condition);
  return literals.length > 0 && literals.every(isShortText);
}

const isShortText = (literal: Literal) => literal.kind === 'string' && literal.value.length <= longest;

/** One value of a column: each is found by an index, or the whole is not worth it. */
const isOfColumn = (condition: Condition) =>
  literalsOf(condition).length > 0 &&
  jsonColumnOf(condition.field) === undefined &&
  (condition.field.from === 'member' || condition.field.indexed !== undefined);

/** Unwraps a part of a `$or` that holds a single condition. */
function alone(part: Where): Where {
  const [only, ...others] = part.kind === 'condition' ? [] : part.parts;
  return only !== undefined && others.length === 0 && part.kind !== 'none' ? alone(only) : part;
}

/**
 * Conditions that the index of a list member answers: that it holds one of some texts, alone or beside (`$or`) conditions on
 * columns, such as "it is mine, or it is shared with me". Undefined for all others, which read the documents.
 */
function listMembersToSql(where: Where, dialect: WhereDialect): Sql | undefined {
  const parts = where.kind === 'condition' ? [where] : where.kind === 'any' ? where.parts.map(alone) : [];
  const conditions = parts.filter((part) => part.kind === 'condition');
  const lists = conditions.filter(isOfList);
  const first = lists[0];
  if (!first || conditions.length !== parts.length) return undefined;
  const others = conditions.filter((condition) => !isOfList(condition));
  if (!others.every(isOfColumn)) return undefined;
  const { all } = first.field.list;
  const rows = [
    ...lists.map((condition) => sql`${condition.field.list.rows} and value in (${textsOf(literalsOf(condition))})`),
    ...others.map((condition) => sql`${all} and ${columnToSql(condition, dialect)}`),
  ];
  // A record that several of them find is found once.
  return dialect.isAmongRows(sql`object_id`, joinSql(rows, ' union all '));
}

function textsOf(literals: readonly Literal[]): Sql {
  const values = literals.map((literal) => sql`${literal.kind === 'string' ? literal.value : ''}`);
  return joinSql(values, ', ');
}

const columnToSql = (condition: Condition, dialect: WhereDialect): Sql =>
  condition.evaluate(sqlTarget(condition.field, [], dialect), logic);
