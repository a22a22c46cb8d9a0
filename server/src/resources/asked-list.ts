import type { AskedRule } from '../access/rules/rules.ts';
import { Shapes, Sql, type SqlValue, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Order, Where } from '../query/ast.ts';
import type { FieldLookup } from '../query/fields.ts';
import { parseOrder } from '../query/order.ts';
import { parseWhere } from '../query/parse.ts';
import { isIndexed } from '../query/plan.ts';
import { joinWheres } from '../query/template/template.ts';
import { queryToSql } from '../query/to-sql.ts';
import { byCreation } from './creation-order.ts';
import type { RecordTable } from './table.ts';

/** The texts of a list's query, and what stands for an order that is not given. */
export interface ListQuestion {
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly defaultOrder: string;
  /** The time that objectIds were made from, if any. */
  readonly time: 'createdAt' | 'occurredAt' | undefined;
  /** What the caller may list; it holds beside what she asks. */
  readonly rule: AskedRule | undefined;
}

/** A question that was read and put into SQL. */
export interface AskedList {
  readonly where: Where | undefined;
  readonly order: Order;
  /** What `where` says of objectIds through the time that they were made from. */
  readonly bounds: Sql;
  readonly condition: Sql;
  readonly orderBy: Sql;
  readonly isIndexed: boolean;
  /** Its statements, by the text of their scope. */
  readonly shapes: Shapes;
}

const mostKnown = 500;
const longestKnown = 600;
/** Characters of all parameters: PostgreSQL's form of a short pattern may be a megabyte. */
const longestValues = 10_000;

/**
 * Reads what a list is asked for. Screens ask the same again and again, so the last few hundred short questions are
 * remembered, each with the fields that it was read by: when a bucket's definition changes it has other ones.
 */
class AskedLists {
  #known = new WeakMap<FieldLookup, Map<string, AskedList>>();
  #size = 0;

  /** @throws Failure InvalidQuery */
  read({ dialect }: Db, table: RecordTable, question: ListQuestion): AskedList {
    const { where, order, defaultOrder, time, rule } = question;
    if (rule && !rule.general) return put(dialect, table, question, rule.where);
    const key = JSON.stringify([dialect.name, where, order, defaultOrder, time, rule?.general?.key]);
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
  const fill = <V extends SqlValue>(text: V) =>
    typeof text === 'string' && text.includes(standIn) ? text.replaceAll(standIn, value) : text;
  const filled = ({ strings, values }: Sql) =>
    new Sql(
      strings,
      values.map((each) => (Array.isArray(each) ? each.map(fill) : fill(each as SqlValue))),
    );
  return {
    ...asked,
    get where() {
      return joinWheres(rule.where, parseWhere(question.where, table.lookup));
    },
    bounds: filled(asked.bounds),
    condition: filled(asked.condition),
    orderBy: filled(asked.orderBy),
  };
}

function lengthOf({ values }: Sql): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'string' ? value.length : 0), 0);
}

function put(dialect: Db['dialect'], table: RecordTable, { time, ...question }: ListQuestion, rule?: Where): AskedList {
  const where = joinWheres(rule, parseWhere(question.where, table.lookup));
  const asked = parseOrder(question.order, table.lookup, question.defaultOrder);
  const { bounds, rest, order } = time
    ? byCreation(where, asked, time)
    : { bounds: sql`(1 = 1)`, rest: where, order: asked };
  return {
    where,
    order,
    bounds,
    ...queryToSql({ where, order }, dialect.where),
    isIndexed: isIndexed(rest, order, table.pairs),
    shapes: new Shapes(),
  };
}
