import { joinSql, raw, replaceInValues, Shapes, type Sql, type SqlParameter, sql } from '../base/sql.ts';
import { type Db, fillPage, type Row, type RowBudget } from '../db/db.ts';
import type { Dialect } from '../db/dialect.ts';
import type { Condition, Literal, Order, Where } from '../query/ast.ts';
import type { Page } from '../query/page.ts';
import { always, jsonColumnOf, slotOf, sqlTarget } from '../query/sql-target.ts';
import { whereToSql } from '../query/to-sql.ts';
import type { WhereDialect } from '../query/where-dialect.ts';
import { pageInOrder, pageOf } from './narrow-list.ts';
import type { RecordTable } from './table.ts';

/** A list under a rule, in the order of ids. */
export interface RuledList {
  readonly table: Pick<RecordTable, 'name' | 'selection'>;
  readonly rule: Where;
  /** What stands for the user's id in it, if anything. */
  readonly standIn: string | undefined;
  /** What the caller asks for. */
  readonly asks: Where | undefined;
  /** What follows from that for ids. */
  readonly bounds: Sql;
  /** The rule and what is asked, together. */
  readonly condition: Sql;
  readonly orderBy: Sql;
  readonly order: Order;
  /** Whether an index answers what the caller asks for, without the rule. */
  readonly isAskedIndexed: boolean;
}

export interface WalkedPage {
  /** The rows that belong to the list at all. */
  readonly scope: Sql;
  readonly page: Page;
  readonly tenant: string;
  readonly within: RowBudget;
  /** Puts the user's id in the place of what stands for it. */
  readonly user: { readonly standIn: string; readonly value: string } | undefined;
}

/** Each is a walk of its own. */
const mostBranches = 6;
/** Records that are looked at for each that a page needs, and at most, where not all of those passed are answered. */
const lookedAtForEach = 10;
const mostLookedAt = 2_000;
/** After looking in vain it is not tried again for so many lists, twice as many each time. */
const mostPaused = 64;

/** One value of a column, whose index leads to its records in the order of their ids. */
interface Branch {
  readonly column: string;
  readonly condition: Sql;
}

interface Walk extends Branch {
  /** That a record is of no earlier branch, if it can be. */
  readonly isFirst: Sql | undefined;
}

/**
 * Lists under a rule that one index does not answer, beside other requests. SQLite walks the indexes of the values that the rule names: "it
 * is mine, or it is public". What is hidden is not even passed, so how much there is of it is not felt in the time of the answer.
 * PostgreSQL chooses among indexes by itself, and is only kept from going far.
 */
export class RuleWalk {
  readonly #list: RuledList;
  readonly #walks: readonly Walk[];
  /** Whether all that is passed is answered. */
  readonly #isAll: boolean;
  readonly #shapes = new Shapes();
  #paused = 0;
  #misses = 0;

  private constructor(list: RuledList, walks: readonly Walk[], isAll: boolean) {
    this.#list = list;
    this.#walks = walks;
    this.#isAll = isAll;
  }

  /** Undefined for rules and conditions that need more than columns. */
  static of({ where: dialect, knowsSizes }: Dialect, list: RuledList): RuleWalk | undefined {
    const { rule, asks, order, isAskedIndexed } = list;
    if (order.length !== 1 || order[0]?.name !== 'objectId' || (asks && !isQuick(asks))) return undefined;
    const branches = distinct(branchesOf(rule, dialect) ?? []);
    if (branches.length === 0 || branches.length > mostBranches) return undefined;
    if (knowsSizes && branches.length > 1) {
      if (asks && !isAskedIndexed) return undefined;
      const first = { column: '', condition: whereToSql(asks, dialect), isFirst: undefined };
      return new RuleWalk(list, [first], false);
    }
    const walks = branches.map((own, place) => ({ ...own, isFirst: isFirst(own, branches.slice(0, place), list) }));
    return new RuleWalk(list, walks, asks === undefined);
  }

  /** Undefined if a page is not found among the first records. */
  async select(db: Db, { scope, page, tenant, within, user }: WalkedPage): Promise<Row[] | undefined> {
    if (this.#paused > 0) {
      this.#paused--;
      return undefined;
    }
    const needed = page.limit + page.skip;
    // A record that several branches lead to is passed several times.
    const most = this.#isAll ? needed * this.#walks.length : Math.min(mostLookedAt, needed * lookedAtForEach);
    const slow = { tenant, within, isBrief: true } as const;
    const ask = <T extends object = Row>(statement: Sql) =>
      db.all<T>(user ? replaceInValues(statement, user.standIn, user.value) : statement, slow);
    const rows = await ask(this.#page(db.dialect, { scope, page, most }));
    if (this.#isAll || fillPage(rows, page.limit, within)) return this.#found(rows);
    const [walked] = await ask<{ n: number }>(this.#count(scope, most + 1));
    return this.#found(Number(walked?.n ?? 0) <= most ? rows : undefined);
  }

  #found(rows: Row[] | undefined): Row[] | undefined {
    this.#misses = rows ? 0 : this.#misses + 1;
    this.#paused = rows ? 0 : Math.min(mostPaused, 2 ** this.#misses);
    return rows;
  }

  #page({ knowsSizes }: Dialect, asked: Asked): Sql {
    const { scope, page, most } = asked;
    const { bounds, condition } = this.#list;
    // The same order as in the text.
    const values: SqlParameter[] = [];
    for (const walk of this.#walks) values.push(...scope.values, ...bounds.values, ...walk.condition.values);
    values.push(most, ...scope.values, ...condition.values);
    for (const { isFirst } of this.#walks) values.push(...(isFirst?.values ?? []));
    values.push(page.limit, page.skip);
    return this.#shapes.of(scope.strings.join('?'), values, () =>
      knowsSizes ? this.#among(asked) : this.#joined(asked),
    );
  }

  /** That a subquery with a limit keeps its order is not promised by SQL but is so in SQLite; the tests would notice. */
  #joined({ scope, page, most }: Asked): Sql {
    const { table, bounds } = this.#list;
    const walks = this.#walks.map(
      ({ condition }, place) =>
        sql`select ${raw(String(place))} as walk_branch, object_id as walk_id, rowid as listed_row
          from ${raw(table.name)} where ${scope} and ${bounds} and ${condition}`,
    );
    const walked = sql`${joinSql(walks, ' union all ')} order by walk_id${this.#direction} limit ${most}`;
    const isFirst = this.#walks.flatMap(({ isFirst }, place) =>
      isFirst ? sql` and (walk_branch <> ${raw(String(place))} or ${isFirst})` : [],
    );
    const condition = joinSql([this.#list.condition, ...isFirst], '');
    return pageInOrder({ table, scope, condition, page }, walked);
  }

  /** The walked rows bear the table's name, which conditions may say. */
  #among({ scope, page, most }: Asked): Sql {
    const { table, bounds, condition, orderBy } = this.#list;
    const name = raw(table.name);
    const [walk] = this.#walks;
    const first = sql`select * from ${name} where ${scope} and ${bounds} and ${walk?.condition ?? always} order by ${orderBy} limit ${most}`;
    return pageOf({ table, scope, condition, page }, orderBy, sql`(${first}) as ${name}`);
  }

  #count(scope: Sql, most: number): Sql {
    const { table, bounds } = this.#list;
    const each = this.#walks.map(
      ({ condition }) => sql`select 1 from ${raw(table.name)} where ${scope} and ${bounds} and ${condition}`,
    );
    return sql`select count(*) as n from (${joinSql(each, ' union all ')} limit ${most}) as walked`;
  }

  get #direction(): Sql {
    return raw(this.#list.order[0]?.descending ? ' desc' : '');
  }
}

type Asked = Pick<WalkedPage, 'scope' | 'page'> & { readonly most: number };

/** Each value that a record may have to be allowed; undefined for any other rule. */
function branchesOf(rule: Where, dialect: WhereDialect): readonly Branch[] | undefined {
  if (rule.kind === 'condition') return branchesOfCondition(rule, dialect);
  const isOne = rule.kind === 'any' || (rule.kind === 'all' && rule.parts.length === 1);
  if (!isOne || rule.parts.length === 0) return undefined;
  const parts = rule.parts.map((part) => branchesOf(part, dialect));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function branchesOfCondition(
  { field, operator, operand }: Condition,
  dialect: WhereDialect,
): readonly Branch[] | undefined {
  const column = field.from === 'member' ? slotOf(field) : field.indexed === undefined ? undefined : field.column;
  if (column === undefined || jsonColumnOf(field) !== undefined || (operator !== '$eq' && operator !== '$in'))
    return undefined;
  const target = sqlTarget(field, [], dialect);
  const literals = operator === '$eq' ? [operand as Literal] : (operand as readonly Literal[]);
  return literals.map((literal) => ({ column, condition: target.isOneOf([literal]) }));
}

/** A value may be named twice. */
function distinct(branches: readonly Branch[]): readonly Branch[] {
  const byText = new Map(
    branches.map((each) => [JSON.stringify([each.condition.strings, each.condition.values]), each]),
  );
  return [...byText.values()];
}

/** Two values of one column exclude each other, unless one is the user's id. */
function isFirst(own: Branch, earlier: readonly Branch[], { standIn }: RuledList): Sql | undefined {
  const isOfUser = ({ condition }: Branch) =>
    standIn !== undefined && condition.values.some((value) => typeof value === 'string' && value.includes(standIn));
  const others = earlier.filter((other) => other.column !== own.column || isOfUser(other) || isOfUser(own));
  if (others.length === 0) return undefined;
  const conditions = others.map(({ condition }) => condition);
  return sql`(${joinSql(conditions, ' or ')}) is not true`;
}

/** Whether columns say it all, without a pattern, which would take time for each record. */
function isQuick(where: Where): boolean {
  if (where.kind !== 'condition') return where.parts.every(isQuick);
  return where.operator !== '$regex' && jsonColumnOf(where.field) === undefined;
}
