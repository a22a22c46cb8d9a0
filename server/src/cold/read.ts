import { fail } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import { WorkSlices } from '../base/work-slices.ts';
import type { Db, Row } from '../db/db.ts';
import type { Order, OrderTerm } from '../query/ast.ts';
import type { Page } from '../query/page.ts';
import { type Candidate, columnOf, FirstRows } from './first-rows.ts';
import type { Chunk } from './format/chunk.ts';
import type { NumberBound } from './format/ranges.ts';
import { chunksInOrder } from './in-order.ts';
import { placesIn } from './shadow.ts';
import {
  allHeads,
  type ChunkHead,
  type ColdScope,
  type IdRange,
  isUnpacked,
  listHeads,
  loadChunk,
  within,
} from './store.ts';
import { mayHave, type Sought } from './summaries.ts';

/**
 * Queries over rows of which some are packed. Stored rows are read first and packed ones afterwards, so a row that is packed in between is
 * found in both and counted once. If a chunk is replaced in between, the query starts again.
 */

/** Which rows are asked for. */
export interface ColdQuery extends ColdScope {
  readonly db: Db;
  /** A condition in SQL, with that on the app. */
  readonly condition: Sql;
  /** It restricts only the app. */
  readonly isAll: boolean;
  /** No row outside these ids matches. */
  readonly range: IdRange;
  /** It is true of no row that has not what each of them seeks. */
  readonly values: readonly Sought[];
  /** Nor of one that is not within each of these. */
  readonly bounds?: readonly NumberBound[];
}

export interface ColdPage extends Page {
  readonly order: Order;
  readonly orderBy: Sql;
  /** The columns to answer. */
  readonly selection: Sql;
}

export const mostTries = 5;
export const moving = () => fail('Timeout', { message: 'Old records are being moved. Try again.', retryAfter: 1 });
/** Of one query; more could not be looked at in its time. */
const mostChunks = 20_000;

class Replaced extends Error {}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = mostTries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Replaced)) throw error;
      if (left <= 1) throw moving();
    }
  }
}

const tooLong = () => fail('Timeout', { message: 'The query took too long. Narrow it down.' });

/** @throws Failure Timeout once a query has taken longer than it may */
function watch({ queryDeadlineMs = 5_000 }: Db): () => void {
  const end = performance.now() + queryDeadlineMs;
  return () => {
    if (performance.now() > end) throw tooLong();
  };
}

/** Chunks that are unpacked at the same time, of all queries of this process. */
const chunksAtOnce = 2;
const longestWaitMs = 5_000;

/**
 * Lists and counts take turns with each chunk, and so do apps: somebody's query over many chunks does not hold up another's over
 * one.
 */
const turns = new FairQueue(chunksAtOnce, longestWaitMs);

/** @throws Failure Timeout */
export const inTurn = <T>(appId: string, work: () => Promise<T>): Promise<T> => turns.run(appId, work);

/** @throws Failure Timeout */
async function open(query: ColdQuery, head: ChunkHead): Promise<Chunk> {
  const chunk = await loadChunk(query.db, query, head);
  if (!chunk) throw new Replaced();
  return chunk;
}

type First = { readonly orderBy: Sql; readonly limit: number };

/** The rows that have what is sought; undefined: all of them may. */
async function soughtIn(chunk: Chunk, values: readonly Sought[]): Promise<readonly number[] | undefined> {
  let found: readonly number[] | undefined;
  for (const { column, texts } of values) {
    const some = await chunk.placesOf(column, texts);
    const others = found && new Set(found);
    found = others ? some.filter((place) => others.has(place)) : some;
  }
  return found;
}

/** The places of the rows that are asked for, a part of the chunk at a time: each part in the order. */
async function* fitting(
  query: ColdQuery,
  chunk: Chunk,
  first?: First,
  chosen?: readonly number[],
): AsyncGenerator<readonly number[]> {
  const { db, table, appId, condition, values } = query;
  const among = chosen ?? (await soughtIn(chunk, values));
  if (query.isAll && !first) yield [...(among ?? chunk.places)];
  else yield* placesIn(db, chunk, { table, tenant: appId, condition, ...(first ? { first } : {}) }, among);
}

/** How many rows there are. @throws Failure Timeout */
export function countCold(query: ColdQuery): Promise<number> {
  const { db, table, appId, condition, range } = query;
  const check = watch(db);
  return again(async () => {
    // One statement sees one state: no row is in both, and none in neither.
    const rows = await db.all<{ n: number } & Partial<ChunkHead>>(
      sql`select stored.n, c.object_id, c.first_id, c.last_id, c.row_count
        from (select count(*) as n from ${raw(table.name)} where ${condition}) as stored
        left join cold_chunks c on ${within({ appId, table }, range, 'c')} limit ${mostChunks}`,
      { tenant: appId },
    );
    if (rows.length === mostChunks) throw tooLong();
    let count = Number(rows[0]?.n ?? 0);
    const heads = rows.filter(
      (row): row is { n: number } & ChunkHead =>
        typeof row.object_id === 'string' && row.row_count !== undefined && !isUnpacked({ row_count: row.row_count }),
    );
    if (query.isAll) return heads.reduce((sum, head) => sum + Number(head.row_count), count);
    for await (const head of mayHave(db, query, heads, query)) {
      check();
      await turns.run(appId, async () => {
        for await (const places of fitting(query, await open(query, head))) count += places.length;
      });
    }
    return count;
  });
}

/** A page by id with its end after so many rows is gathered with its rows; of others only the keys are kept. */
const gathered = 2_000;

const isById = (term: OrderTerm | undefined) => term?.name === 'objectId';

/** The page. @throws Failure Timeout */
export function listCold(query: ColdQuery, page: ColdPage): Promise<Row[]> {
  const check = watch(query.db);
  return again(async () => {
    const found = new Map<string, Row>();
    const candidates = await firstOf(query, page, { found, check });
    return resolve(query, page, { found, check, page: candidates.slice(page.skip, page.skip + page.limit) });
  });
}

interface Gathering {
  /** Rows from chunks, by their ids. */
  readonly found: Map<string, Row>;
  readonly check: () => void;
}

/** The first ones of the order, up to the end of the page. */
async function firstOf(query: ColdQuery, page: ColdPage, { found, check }: Gathering): Promise<readonly Candidate[]> {
  const { db, table, appId, condition, range } = query;
  const { order, orderBy } = page;
  const limit = page.skip + page.limit;
  const columns = [...new Set(['object_id', ...order.map(({ field }) => columnOf(field))])];
  const stored = await db.all(
    sql`select ${raw(columns.join(', '))} from ${raw(table.name)} where ${condition} order by ${orderBy} limit ${limit}`,
    { tenant: appId },
  );
  const first = new FirstRows(order, limit);
  await first.add(stored.map((key) => ({ key, from: undefined })));
  const byId = isById(order[0]);
  const isNewestFirst = !byId || order[0]?.descending === true;
  const heads = await listHeads(db, query, { range, isNewestFirst, limit: mostChunks });
  const inOrder = byId ? undefined : await chunksInOrder(db, query, heads, order);
  for await (const head of mayHave(db, query, inOrder?.heads ?? heads, query)) {
    check();
    const bound = inOrder && (await first.bound());
    if (bound && inOrder.isBehind(head, bound, first)) continue;
    if (byId) {
      const best = await first.all();
      const last = best.length === limit ? String(best.at(-1)?.key['object_id']) : undefined;
      // What is left is behind the end of the page.
      if (last !== undefined && (isNewestFirst ? head.last_id < last : head.first_id > last)) return best;
    }
    await turns.run(appId, async () => {
      const chunk = await open(query, head);
      const add = async (places: readonly number[]) => {
        const keys = await keysOf(chunk, columns, places);
        await first.add(keys.map((key, n) => ({ key, from: { head, place: places[n] ?? 0 } })));
      };
      if (byId && query.isAll) await add((isNewestFirst ? chunk.places.toReversed() : chunk.places).slice(0, limit));
      else {
        const before = await placesBefore(query, chunk, { first, order });
        for await (const places of fitting(query, chunk, { orderBy, limit }, before)) await add(places);
      }
      if (!byId || limit > gathered) return;
      const taken = (await first.all()).flatMap(({ from }) => (from?.head === head ? from.place : []));
      if (taken.length > 0) for (const row of await chunk.rows(taken)) found.set(String(row['object_id']), row);
    });
  }
  if (heads.length === mostChunks) throw tooLong();
  return first.all();
}

/** Of some rows what sorts them. */
async function keysOf(chunk: Chunk, columns: readonly string[], places: readonly number[]): Promise<Row[]> {
  const cells = await Promise.all(columns.map((name) => chunk.cells(name, places)));
  return places.map((_, row) => Object.fromEntries(columns.map((name, n) => [name, cells[n]?.[row] ?? null])));
}

/** Rows that are compared between two looks at the clock. */
const comparedAtOnce = 256;

/**
 * The rows that have what is sought and do not come behind the first ones that are known, by the first term of the order; the database
 * need not look at others. Undefined: all of them may.
 */
async function placesBefore(
  { values }: ColdQuery,
  chunk: Chunk,
  { first, order }: { readonly first: FirstRows; readonly order: Order },
): Promise<readonly number[] | undefined> {
  const some = await soughtIn(chunk, values);
  const [term] = order;
  const last = await first.bound();
  // A path leads into a document, which would have to be parsed.
  if (!last || !term || term.field.from !== 'column' || term.field.path !== undefined) return some;
  const slices = new WorkSlices();
  const name = columnOf(term.field);
  const cells = await chunk.cells(name, some ?? chunk.places);
  const left: number[] = [];
  for (const [n, place] of (some ?? chunk.places).entries()) {
    if (!first.isBehind({ [name]: cells[n] ?? null }, last, term)) left.push(place);
    if (n % comparedAtOnce === 0) await slices.rest();
  }
  return left;
}

interface Resolving extends Gathering {
  readonly page: readonly Candidate[];
}

/** The rows themselves, in the same order. */
async function resolve(query: ColdQuery, { selection }: ColdPage, { found, check, page }: Resolving): Promise<Row[]> {
  const { db, table, appId, condition } = query;
  const idOf = ({ key }: Candidate) => String(key['object_id']);
  const stored = page.filter(({ from }) => from === undefined).map((one) => sql`${idOf(one)}`);
  if (stored.length > 0) {
    const ids = joinSql(stored, ', ');
    const rows = await db.all(
      sql`select ${selection} from ${raw(table.name)} where ${condition} and object_id in (${ids})`,
      { tenant: appId },
    );
    for (const row of rows) found.set(String(row['object_id']), row);
  }
  const missing = page.filter((one) => one.from && !found.has(idOf(one)));
  for (const [head, some] of Map.groupBy(missing, ({ from }) => from?.head)) {
    check();
    if (!head) continue;
    await turns.run(appId, async () => {
      const chunk = await open(query, head);
      for (const row of await chunk.rows(some.map(({ from }) => from?.place ?? 0)))
        found.set(String(row['object_id']), row);
    });
  }
  const rows = page.map((one) => found.get(idOf(one)));
  if (!rows.every((row) => row !== undefined)) throw new Replaced();
  return rows;
}

/**
 * All matching packed rows, a chunk at a time; a row may come twice if its chunk was replaced in between. `seen` are the ids of chunks that are
 * passed over; those that were looked at are added.
 */
export async function* coldRows(query: ColdQuery, seen = new Set<string>()): AsyncGenerator<Row[]> {
  for (let left = mostTries; ; left--) {
    let isWhole = true;
    for await (const heads of allHeads(query.db, query, query.range)) {
      const others = heads.filter(({ object_id }) => !seen.has(object_id));
      for (const { object_id } of others) seen.add(object_id);
      for await (const head of mayHave(query.db, query, others, query)) {
        const chunk = await loadChunk(query.db, query, head);
        if (!chunk) {
          isWhole = false;
          continue;
        }
        const places: number[] = [];
        for await (const some of fitting(query, chunk)) places.push(...some);
        if (places.length > 0) yield await chunk.rows(places);
      }
    }
    if (isWhole) return;
    if (left <= 1) throw moving();
  }
}

/** All matching rows, stored and packed, each once, in any order. */
export async function withColdRows<T extends object = Row>(query: ColdQuery, stored: readonly T[]): Promise<T[]> {
  const idOf = (row: object) => (row as Row)['object_id'];
  const seen = new Set(stored.map(idOf));
  const all = [...stored];
  for await (const rows of coldRows(query))
    for (const row of rows) {
      if (seen.has(idOf(row))) continue;
      seen.add(idOf(row));
      all.push(row as T);
    }
  return all;
}

/** The packed row with an id. */
export async function findCold(db: Db, scope: ColdScope, objectId: string): Promise<Row | undefined> {
  const range = { from: objectId, until: objectId };
  return again(async () => {
    for await (const heads of allHeads(db, scope, range))
      for (const head of heads) {
        const chunk = await loadChunk(db, scope, head);
        if (!chunk) throw new Replaced();
        const [place] = await chunk.placesOf('object_id', [objectId]);
        if (place !== undefined) return (await chunk.rows([place]))[0];
      }
    return undefined;
  });
}
