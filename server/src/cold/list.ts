import { firstIdAt } from '../base/id.ts';
import { type Sql, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import type { Order, Where } from '../query/ast.ts';
import type { Page } from '../query/page.ts';
import { daysAgo, leastColdDays, packedAfterDays } from './ever.ts';
import { numberColumns } from './format/ranges.ts';
import { numbersOf, rangeOf, type TimeOfIds, valuesOf } from './ranges.ts';
import { type ColdQuery, countCold, listCold } from './read.ts';
import { hasChunks } from './store.ts';
import type { Sought } from './summaries.ts';

/** A list's query, parsed and as SQL. */
export interface AskedList {
  readonly where: Where | undefined;
  readonly order: Order;
  readonly condition: Sql;
  readonly orderBy: Sql;
}

/** Lists of tables whose old rows may be packed (ADR 83). */
export interface ColdList {
  readonly db: Db;
  readonly packed: DbTable;
  readonly appId: string;
  readonly scope: Sql;
  readonly asked: AskedList;
  readonly time: TimeOfIds;
  /** The installations of which all rows in question name one. */
  readonly installations: Sought | undefined;
  /** Every row of the app is asked for. */
  readonly isAll: boolean;
}

/** No node packs newer rows, unless its time is a day ahead. */
const recentFrom = (db: Db, packedAfter: number) => firstIdAt(daysAgo(db, packedAfter - 1));

/** Whether packed rows may be among those of a page, of which `rows` are those that are stored, or counted with them. */
export async function reachesCold(
  { db, packed, appId, asked, time }: ColdList,
  page: Page,
  rows: readonly Row[],
): Promise<boolean> {
  const [first] = asked.order;
  const isNewestFirst = first?.name === 'objectId' && first.descending;
  const isFull = page.limit > 0 && rows.length === page.limit;
  // The newest rows are stored: only what is older than the end of the page may be packed.
  const end = isNewestFirst && isFull ? String(rows.at(-1)?.['object_id']) : '';
  const { from = '', until } = rangeOf(asked.where, time);
  const oldest = from < end ? end : from;
  if (oldest > recentFrom(db, leastColdDays)) return false;
  const packedAfter = await packedAfterDays(db);
  if (!Number.isFinite(packedAfter) || oldest > recentFrom(db, packedAfter)) return false;
  return hasChunks(db, { appId, table: packed }, { from: oldest, until });
}

const queryOf = ({ db, packed: table, appId, scope, asked, time, installations, isAll }: ColdList): ColdQuery => {
  const values = valuesOf(asked.where, table.packed?.foundBy ?? []);
  return {
    db,
    table,
    appId,
    condition: sql`${scope} and ${asked.condition}`,
    isAll,
    range: rangeOf(asked.where, time),
    values: installations ? [...values, installations] : values,
    bounds: numbersOf(asked.where, numberColumns(table)),
  };
};

/** The page of stored and packed rows. @throws Failure Timeout */
export const listFromCold = (list: ColdList, page: Page, selection: Sql): Promise<Row[]> =>
  listCold(queryOf(list), { ...page, order: list.asked.order, orderBy: list.asked.orderBy, selection });

/** How many stored and packed rows there are. @throws Failure Timeout */
export const countWithCold = (list: ColdList): Promise<number> => countCold(queryOf(list));
