import { type Order, type Page, queryToSql, type Where, whereToSql } from '@pharos/query';
import { hole, joinSql, Prepared, raw, type Shape, Sql, shapeOf, sql } from '../../base/sql.ts';
import type { Dialect } from '../../db/dialect.ts';
import type { ListedTable } from './listed-table.ts';
import type { Step } from './plan.ts';

export interface StatedQuery {
  readonly table: Pick<ListedTable, 'name' | 'selection'>;
  readonly where: Where | undefined;
  /** What `where` says of objectIds through the time that they were made from. */
  readonly bounds: Sql;
  readonly order: Order;
}

/** What differs between two requests. */
export interface Asking {
  /** The rows that belong to the list at all. */
  readonly scope: Sql;
  /** The index to use, where the database must be given it. */
  readonly index: string | undefined;
  readonly page: Pick<Page, 'limit' | 'skip'>;
}

type Known = Map<Shape, Prepared>;
const [most, needed, limit, skip] = [hole(), hole(), hole(), hole()];
/** More than any value of which there are few has; a limit keeps the database from taking another index. */
const fence = 100_000;

/**
 * The statements of one list. `page` makes all that return rows: whatever finds them, each row belongs to the list and meets the whole
 * condition, which has the rule in it. So a step that is wrong can only miss some.
 */
export class ListStatements {
  readonly #dialect: Dialect;
  readonly #query: StatedQuery;
  readonly #pages = new Map<Step | undefined, Known>();
  readonly #counts = new Map<Step, Known>();
  /** All that is asked of a row of the list. */
  readonly condition: Sql;
  readonly orderBy: Sql;

  constructor(dialect: Dialect, query: StatedQuery) {
    const { condition, orderBy } = queryToSql(query, dialect.where);
    this.#dialect = dialect;
    this.#query = query;
    this.condition = sql`${query.bounds} and ${condition}`;
    this.orderBy = orderBy;
  }

  /** The page, found among all records or by a step that looks at `most`. */
  page(asking: Asking, step?: Step, most = 0): Sql {
    return filled(knownOf(this.#pages, step), asking, most, (scope) => this.#page(scope, asking.index, step));
  }

  /** How many records the list has, as `n`. */
  countAll({ scope, index }: Omit<Asking, 'page'>): Sql {
    return sql`select count(*) as n from ${this.#table(index)} where ${scope} and ${this.condition}`;
  }

  /** How many records a step would look at, as `n`, counted to one beyond `most`. */
  count(asking: Asking, step: Step, most: number): Sql {
    return filled(knownOf(this.#counts, step), asking, most + 1, (scope) => this.#count(scope, step));
  }

  #page(scope: Sql, index: string | undefined, step: Step | undefined): Sql {
    const { table } = this.#query;
    const name = raw(table.name);
    const select = sql`select ${table.selection} from`;
    const belongs = sql`where ${scope} and ${this.condition}`;
    const end = sql`limit ${limit} offset ${skip}`;
    // SQLite walks a cross join from the left, so the page stays in its order, and no document is sorted.
    if (step && !this.#dialect.knowsSizes)
      return sql`${select} (${this.#places(scope, step)}) as listed cross join ${name} on ${name}.rowid = listed_row${this.#isFirst(step)} ${belongs} ${end}`;
    // The records that a step looks at bear the table's name, which conditions may say.
    const first =
      step && sql`(${this.#records(scope, step, raw('*'))} order by ${this.orderBy} limit ${most}) as ${name}`;
    return sql`${select} ${first ?? this.#table(index)} ${belongs} order by ${this.orderBy} ${end}`;
  }

  #table(index: string | undefined): Sql {
    const { name } = this.#query.table;
    return raw(index === undefined ? name : `${name} indexed by ${index}`);
  }

  /**
   * The rowids, in the order of the list, of what a step looks at. That a subquery with a limit keeps its order is not promised by SQL but is
   * so in SQLite; the tests would notice.
   */
  #places(scope: Sql, step: Step): Sql {
    const { kind, of, held } = step;
    const { order, table } = this.#query;
    if (kind === 'walk' && !held) {
      const orderBy = of.length === 1 ? this.orderBy : raw(`listed_id${order[0]?.descending ? ' desc' : ''}`);
      const columns = raw('object_id as listed_id, rowid as listed_row');
      return sql`${this.#records(scope, step, columns)} order by ${orderBy} limit ${most}`;
    }
    // From the index alone, if it holds what is asked for.
    const columns = raw(['rowid as listed_row', ...(held ? ['object_id', ...held] : ['*'])].join(', '));
    const end = kind === 'walk' ? sql`order by ${this.orderBy} limit ${most}` : sql`limit ${fence}`;
    const sorted = kind === 'walk' ? raw('') : sql`order by ${this.orderBy}`;
    return sql`select listed_row from (${this.#records(scope, step, columns)} ${end}) as ${raw(table.name)} where ${this.condition} ${sorted} limit ${needed}`;
  }

  #count(scope: Sql, step: Step): Sql {
    return sql`select count(*) as n from (${this.#records(scope, step, raw('1'))} limit ${most}) as counted`;
  }

  /**
   * That no earlier walk lists the record as well. It is checked after the walks: a walk that checked it could read the rows of all records of
   * its index before it passes one.
   */
  #isFirst({ of }: Step): Sql {
    const { where } = this.#dialect;
    const each = of.map((_, place) => {
      const earlier: Where = { kind: 'none', parts: of.slice(0, place).flatMap((one) => one ?? []) };
      return sql` and (listed_by <> ${raw(String(place))} or ${whereToSql(earlier, where)})`;
    });
    return joinSql(each.slice(1), '');
  }

  /** What a step looks at, in any order; `listed_by` is the place of the walk that passes it. */
  #records(scope: Sql, { kind, of }: Step, columns: Sql): Sql {
    const { table, bounds, order } = this.#query;
    const dialect = this.#dialect.where;
    const each = of.map((where, place) => {
      const meets = kind === 'walk' ? queryToSql({ where, order }, dialect).condition : whereToSql(where, dialect);
      return sql`select ${raw(String(place))} as listed_by, ${columns} from ${raw(table.name)} where ${scope} and ${bounds} and ${meets}`;
    });
    return joinSql(each, ' union all ');
  }
}

function knownOf<Key>(all: Map<Key, Known>, key: Key): Known {
  const known = all.get(key) ?? new Map<Shape, Prepared>();
  all.set(key, known);
  return known;
}

/** Scopes with equal texts differ only in their values. */
function filled(known: Known, { scope, index, page }: Asking, looked: number, make: (scope: Sql) => Sql): Sql {
  const shape = index === undefined ? shapeOf(scope) : `${index} ${scope.strings.join('?')}`;
  let prepared = known.get(shape);
  if (!prepared) {
    const given = scope.values.map(hole);
    const open = new Sql(
      scope.strings,
      given.flatMap(({ values }) => values),
    );
    prepared = new Prepared(make(open), [most, needed, limit, skip, ...given]);
    known.set(shape, prepared);
  }
  return prepared.fill([looked, page.limit + page.skip, page.limit, page.skip, ...scope.values]);
}
