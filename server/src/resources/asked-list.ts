import { isDeepStrictEqual } from 'node:util';
import type { AskedRule } from '../access/rules/rule.ts';
import { replaceInValues, Shapes, type Sql, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Condition, Order, Where } from '../query/ast.ts';
import type { FieldLookup } from '../query/fields.ts';
import { parseOrder } from '../query/order.ts';
import { parseWhere } from '../query/parse.ts';
import { isIndexed } from '../query/plan.ts';
import { joinWheres } from '../query/template/template.ts';
import { queryToSql } from '../query/to-sql.ts';
import { byCreation } from './creation-order.ts';
import type { PhoneView } from './members/phone-view.ts';
import { parsePhoneOrder, parsePhoneWhere } from './members/phone-where.ts';
import { RuleWalk } from './rule-walk.ts';
import type { RecordTable } from './table.ts';

/** The texts of a list's query, and what stands for an order that is not given. */
export interface ListQuestion {
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly defaultOrder: string;
  /** The time that objectIds were made from, if any. */
  readonly time: 'createdAt' | 'occurredAt' | undefined;
  /** What the caller may list; it applies in addition to the query. */
  readonly rule: AskedRule | undefined;
  /** How the caller is shown phones, if under pseudonyms. */
  readonly phones?: PhoneView | undefined;
}

/** A query that was parsed and translated to SQL. */
export interface AskedList {
  readonly where: Where | undefined;
  readonly order: Order;
  /** What `where` says of objectIds through the time that they were made from. */
  readonly bounds: Sql;
  /** All of `where`, the bounds included. */
  readonly condition: Sql;
  readonly orderBy: Sql;
  readonly isIndexed: boolean;
  /** Another way where that is not so. */
  readonly walk: RuleWalk | undefined;
  /** Its statements, by the text of their scope. */
  readonly shapes: Shapes;
}

const mostKnown = 500;
const longestKnown = 600;
/** Characters of all parameters: PostgreSQL's form of a short pattern may be a megabyte. */
const longestValues = 10_000;

/**
 * Parses a list's query. Screens send the same again and again, so the last few hundred short queries are remembered, each with
 * the fields by which it was parsed: when a bucket's definition changes it has other ones.
 */
class AskedLists {
  #known = new WeakMap<FieldLookup, Map<string, AskedList>>();
  #size = 0;

  /** @throws Failure InvalidQuery */
  read({ dialect }: Db, table: RecordTable, question: ListQuestion): AskedList {
    const { where, order, defaultOrder, time, rule } = question;
    if (question.phones || (rule && !rule.general)) return put(dialect, table, question, rule?.where);
    // Only what the client sends may contain spaces, and the length says where its first part ends.
    const asks = `${order?.length} ${order} ${where === undefined ? '' : `?${where}`}`;
    const key = `${dialect.name} ${defaultOrder} ${time} ${rule?.general?.key} ${asks}`;
    const known = this.#known.get(table.lookup)?.get(key);
    if (known) return rule?.general ? forUser(known, table, question, rule) : known;
    const asked = put(dialect, table, question, rule?.general?.where);
    if (key.length <= longestKnown && lengthOf(asked.condition) <= longestValues)
      this.#remember(table.lookup, key, asked);
    return rule?.general ? forUser(asked, table, question, rule) : asked;
  }

  #remember(lookup: FieldLookup, key: string, asked: AskedList): void {
    if (this.#size >= mostKnown) {
      this.#known = new WeakMap();
      this.#size = 0;
    }
    const known = this.#known.get(lookup) ?? new Map<string, AskedList>();
    this.#known.set(lookup, known.set(key, asked));
    this.#size++;
  }
}

export const askedLists = new AskedLists();

/** The list of one user, from that of a user whose id was not known. */
function forUser(asked: AskedList, table: RecordTable, question: ListQuestion, rule: AskedRule): AskedList {
  const { standIn, value } = rule.general as NonNullable<AskedRule['general']>;
  const { order, isIndexed, walk, shapes } = asked;
  // Parts that the chosen plan does not need are not built.
  return {
    order,
    isIndexed,
    walk,
    shapes,
    get where() {
      const asks = parseWhere(question.where, table.lookup);
      return joinWheres(rule.where && without(rule.where, asks), asks);
    },
    get bounds() {
      return replaceInValues(asked.bounds, standIn, value);
    },
    get condition() {
      return replaceInValues(asked.condition, standIn, value);
    },
    get orderBy() {
      return replaceInValues(asked.orderBy, standIn, value);
    },
  };
}

function lengthOf({ values }: Sql): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'string' ? value.length : 0), 0);
}

function put(dialect: Db['dialect'], table: RecordTable, question: ListQuestion, rule?: Where): AskedList {
  const { phones, defaultOrder, time } = question;
  const asks = phones ? parsePhoneWhere(question.where, table, phones) : parseWhere(question.where, table.lookup);
  const left = rule && without(rule, asks);
  const where = joinWheres(left, asks);
  const asked = phones
    ? parsePhoneOrder(question.order, table, defaultOrder)
    : parseOrder(question.order, table.lookup, defaultOrder);
  const { bounds, rest, order } = time
    ? byCreation(where, asked, time)
    : { bounds: sql`(1 = 1)`, rest: where, order: asked };
  const isAnswered = isIndexed(rest, order, table.pairs);
  const standIn = question.rule?.general?.standIn;
  const isAskedIndexed = isIndexed(asks, order, table.pairs);
  const { condition: meets, orderBy } = queryToSql({ where, order }, dialect.where);
  const statement = { condition: sql`${bounds} and ${meets}`, orderBy };
  const walk =
    left && !isAnswered && !phones
      ? RuleWalk.of(dialect, { table, rule: left, standIn, asks, bounds, ...statement, order, isAskedIndexed })
      : undefined;
  return { where, order, bounds, ...statement, isIndexed: isAnswered, walk, shapes: new Shapes() };
}

/** A rule without the parts that the query implies; undefined if nothing is left. */
function without(rule: Where, asks: Where | undefined): Where | undefined {
  if (asks?.kind === 'all')
    return asks.parts.reduce<Where | undefined>((left, part) => left && without(left, part), rule);
  if (rule.kind === 'all' && rule.parts.length > 0) {
    const left = rule.parts.flatMap((part) => without(part, asks) ?? []);
    return left.length === 0 ? undefined : { kind: 'all', parts: left };
  }
  if (rule.kind === 'any') return rule.parts.some((part) => without(part, asks) === undefined) ? undefined : rule;
  return rule.kind === 'condition' && asks?.kind === 'condition' && follows(rule, asks) ? undefined : rule;
}

/** Whether every record that the query matches meets the rule. */
function follows(rule: Condition, asks: Condition): boolean {
  if (rule.name !== asks.name) return false;
  if (rule.operator === asks.operator && isDeepStrictEqual(rule.operand, asks.operand)) return true;
  const allowed = valuesOf(rule);
  const isAllowed = (value: unknown) => allowed?.some((other) => isDeepStrictEqual(value, other));
  return valuesOf(asks)?.every(isAllowed) ?? false;
}

function valuesOf({ operator, operand }: Condition): readonly unknown[] | undefined {
  return operator === '$eq' ? [operand] : operator === '$in' ? (operand as readonly unknown[]) : undefined;
}
