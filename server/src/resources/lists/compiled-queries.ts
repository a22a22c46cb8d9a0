import { isDeepStrictEqual } from 'node:util';
import { type Condition, joinWheres, type Order, parseOrder, parseWhere, type Where } from '@pharos/query';
import type { AskedRule } from '../../access/rules/rule.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import type { PhoneView } from '../members/phone-view.ts';
import { parsePhoneOrder, parsePhoneWhere } from '../members/phone-where.ts';
import { byCreation, type TimeOfIds } from './creation-order.ts';
import type { ListedTable } from './listed-table.ts';
import { type ListPlan, planList } from './plan.ts';
import { PageReader } from './read-page.ts';
import { ListStatements } from './statements.ts';

/** The texts of a list's query, and what stands for an order that is not given. */
interface ListQuestion {
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly defaultOrder: string;
  /** The time that objectIds were made from, if any. */
  readonly time: TimeOfIds | undefined;
  /** What the caller may list; it applies in addition to the query. */
  readonly rule: AskedRule | undefined;
  /** How the caller is shown phones, if under pseudonyms. */
  readonly phones?: PhoneView | undefined;
}

/** A query that was parsed, planned and translated to SQL. Where its rule is general, a text stands for the user's id in all of it. */
interface CompiledQuery {
  readonly asks: Where | undefined;
  readonly where: Where | undefined;
  readonly order: Order;
  readonly plan: ListPlan;
  readonly statements: ListStatements;
  readonly pages: PageReader;
}

const maxKnown = 500;
const maxKnownLength = 600;
/** Characters of all parameters: PostgreSQL's form of a short pattern may be a megabyte. */
const maxValues = 10_000;

/**
 * Parses a list's query. Screens send the same again and again, so the last few hundred short queries are remembered for each table. When a
 * bucket's definition or its columns in lists change, it has another one.
 */
class CompiledQueries {
  #known = new WeakMap<ListedTable, Map<string, CompiledQuery>>();
  #size = 0;

  /** @throws Failure InvalidQuery */
  read({ dialect }: Db, table: ListedTable, question: ListQuestion): CompiledQuery {
    const { where, order, defaultOrder, time, rule } = question;
    if (question.phones || (rule && !rule.general)) return ask(dialect, table, question, rule?.where);
    // Only what the client sends may contain spaces, and the length says where its first part ends.
    const asks = `${order?.length} ${order} ${where === undefined ? '' : `?${where}`}`;
    const key = `${dialect.name} ${defaultOrder} ${time} ${rule?.general?.key} ${asks}`;
    const known = this.#known.get(table)?.get(key);
    if (known) return known;
    const asked = ask(dialect, table, question, rule?.general?.where);
    if (key.length <= maxKnownLength && lengthOf(asked.statements.condition) <= maxValues)
      this.#remember(table, key, asked);
    return asked;
  }

  #remember(table: ListedTable, key: string, asked: CompiledQuery): void {
    if (this.#size >= maxKnown) {
      this.#known = new WeakMap();
      this.#size = 0;
    }
    const known = this.#known.get(table) ?? new Map<string, CompiledQuery>();
    this.#known.set(table, known.set(key, asked));
    this.#size++;
  }
}

export const compiledQueries = new CompiledQueries();

function lengthOf({ values }: Sql): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'string' ? value.length : 0), 0);
}

function ask(dialect: Db['dialect'], table: ListedTable, question: ListQuestion, rule?: Where): CompiledQuery {
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
  const plan = planList({ where, rest, asks, rule: left, order }, table, dialect.knowsSizes);
  const statements = new ListStatements(dialect, { table, where, bounds, order });
  return { asks, where, order, plan, statements, pages: new PageReader(plan, statements) };
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
