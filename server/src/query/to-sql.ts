import { raw, type Sql, sql } from '../base/sql.ts';
import { foldWhere, type Logic, type Order, type Where } from './ast.ts';
import { orderToSql } from './order.ts';
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
  const parts = flatten(where);
  const columns = new Map(parts.map((part) => [part, [...new Set(jsonColumns(part))]]));
  const plain = parts.filter((part) => columns.get(part)?.length === 0);
  const guarded = parts.filter((part) => !plain.includes(part));
  const conditions = plain.map((part) => partToSql(part, [], dialect));
  if (guarded.length > 0) {
    const documents = [...new Set(guarded.flatMap((part) => columns.get(part) ?? []))];
    const inner = logic.all(guarded.map((part) => partToSql(part, documents, dialect)));
    conditions.push(dialect.guard(inner, documents));
  }
  return logic.all(conditions);
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
