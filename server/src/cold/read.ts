import { fail } from '../base/errors.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { Order, OrderTerm } from '../query/ast.ts';
import type { Field } from '../query/fields.ts';
import { readPath } from '../query/json.ts';
import { compareByOrder, type ReadField } from '../query/match.ts';
import type { Page } from '../query/page.ts';
import type { Chunk } from './chunk.ts';
import { placesIn } from './shadow.ts';
import {
  allHeads,
  type ChunkHead,
  type ColdScope,
  type IdRange,
  isWithout,
  listHeads,
  loadChunk,
  within,
} from './store.ts';

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
  /** Every matching row has at least one of the texts of each list. */
  readonly values: readonly (readonly string[])[];
}

export interface ColdPage extends Page {
  readonly order: Order;
  readonly orderBy: Sql;
  /** The columns to answer. */
  readonly selection: Sql;
}

const mostTries = 5;
/** The most chunks of one query; more could not be read within its deadline. */
const mostChunks = 20_000;

class Replaced extends Error {}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = mostTries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Replaced)) throw error;
      if (left <= 1) throw fail('Timeout', { message: 'Old records are being moved. Try again.', retryAfter: 1 });
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

/** @throws Failure Timeout */
async function open(query: ColdQuery, head: ChunkHead): Promise<Chunk | undefined> {
  if (await isWithout(query.db, query, head, query.values)) return undefined;
  const chunk = await loadChunk(query.db, query, head);
  if (!chunk) throw new Replaced();
  return chunk;
}

type First = { readonly orderBy: Sql; readonly limit: number };

/** The positions of the matching rows. */
async function fitting(query: ColdQuery, chunk: Chunk, first?: First): Promise<readonly number[]> {
  if (query.isAll && !first) return [...chunk.places];
  const { db, table, appId, condition } = query;
  return placesIn(db, chunk, { table, tenant: appId, condition, ...(first ? { first } : {}) });
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
    for (const head of rows.filter((row): row is { n: number } & ChunkHead => typeof row.object_id === 'string')) {
      check();
      if (query.isAll) count += Number(head.row_count);
      else {
        const chunk = await open(query, head);
        if (chunk) count += (await fitting(query, chunk)).length;
      }
    }
    return count;
  });
}

/** What sorts a row, and where the row is. */
interface Candidate {
  readonly key: Row;
  /** Undefined for a stored row. */
  readonly from: { readonly head: ChunkHead; readonly place: number } | undefined;
}

/** A page that ends within this many rows is collected with its rows; for later pages only the keys are kept. */
const gathered = 2_000;

const columnOf = (field: Field) => field.column;

/** The stored value, or the value at the path in a JSON text. */
function reader(key: Row): ReadField {
  return (field) => {
    const value = key[columnOf(field)] ?? null;
    if (typeof value !== 'string' || field.from !== 'column' || field.type !== 'json') return value;
    return readPath(JSON.parse(value), field.path ?? []);
  };
}

const isById = (term: OrderTerm | undefined) => term?.name === 'objectId';

/** The page. @throws Failure Timeout */
export function listCold(query: ColdQuery, page: ColdPage): Promise<Row[]> {
  const check = watch(query.db);
  return again(async () => {
    const found = new Map<string, Row>();
    const candidates = await firstOf(query, page, { found, check });
    return resolve(query, page, { found, page: candidates.slice(page.skip, page.skip + page.limit) });
  });
}

interface Gathering {
  /** Rows from chunks, by their ids. */
  readonly found: Map<string, Row>;
  readonly check: () => void;
}

/** The first ones of the order, up to the end of the page. */
async function firstOf(query: ColdQuery, page: ColdPage, { found, check }: Gathering): Promise<Candidate[]> {
  const { db, table, appId, condition, range } = query;
  const { order, orderBy } = page;
  const limit = page.skip + page.limit;
  const columns = [...new Set(['object_id', ...order.map(({ field }) => columnOf(field))])];
  const stored = await db.all(
    sql`select ${raw(columns.join(', '))} from ${raw(table.name)} where ${condition} order by ${orderBy} limit ${limit}`,
    { tenant: appId },
  );
  let best: Candidate[] = stored.map((key) => ({ key, from: undefined }));
  const byId = isById(order[0]);
  const isNewestFirst = !byId || order[0]?.descending === true;
  const heads = await listHeads(db, query, { range, isNewestFirst, limit: mostChunks });
  for (const head of heads) {
    check();
    const last = best.length === limit ? String(best.at(-1)?.key['object_id']) : undefined;
    // In the order of objectIds, the remaining chunks come after the end of the page.
    if (byId && last !== undefined && (isNewestFirst ? head.last_id < last : head.first_id > last)) return best;
    const chunk = await open(query, head);
    if (!chunk) continue;
    const all = byId && query.isAll ? chunk.places : undefined;
    const places = all
      ? (isNewestFirst ? all.toReversed() : all).slice(0, limit)
      : await fitting(query, chunk, { orderBy, limit });
    const cells = await Promise.all(columns.map((name) => chunk.column(name)));
    const own = places.map((place): Candidate => {
      const key = Object.fromEntries(columns.map((name, n) => [name, cells[n]?.[place] ?? null]));
      return { key, from: { head, place } };
    });
    best = merge(order, best, own).slice(0, limit);
    const taken = limit <= gathered ? best.flatMap(({ from }) => (from?.head === head ? from.place : [])) : [];
    if (taken.length > 0) for (const row of await chunk.rows(taken)) found.set(String(row['object_id']), row);
  }
  if (heads.length === mostChunks) throw tooLong();
  return best;
}

/** A row that was packed after it was read is kept once. */
function merge(order: Order, some: readonly Candidate[], others: readonly Candidate[]): Candidate[] {
  const merged: Candidate[] = [];
  let [left, right] = [0, 0];
  while (left < some.length && right < others.length) {
    const [one, other] = [some[left] as Candidate, others[right] as Candidate];
    if (one.key['object_id'] === other.key['object_id']) {
      merged.push(other);
      left++;
      right++;
    } else if (compareByOrder(order, reader(one.key), reader(other.key)) <= 0) {
      merged.push(one);
      left++;
    } else {
      merged.push(other);
      right++;
    }
  }
  return [...merged, ...some.slice(left), ...others.slice(right)];
}

interface Resolving {
  readonly found: Map<string, Row>;
  readonly page: readonly Candidate[];
}

/** The rows themselves, in the same order. */
async function resolve(query: ColdQuery, { selection }: ColdPage, { found, page }: Resolving): Promise<Row[]> {
  const { db, table, appId } = query;
  const idOf = ({ key }: Candidate) => String(key['object_id']);
  const stored = page.filter(({ from }) => from === undefined).map((one) => sql`${idOf(one)}`);
  if (stored.length > 0) {
    const ids = joinSql(stored, ', ');
    const rows = await db.all(
      sql`select ${selection} from ${raw(table.name)} where app_id = ${appId} and object_id in (${ids})`,
      { tenant: appId },
    );
    for (const row of rows) found.set(String(row['object_id']), row);
  }
  const missing = page.filter((one) => one.from && !found.has(idOf(one)));
  for (const [head, some] of Map.groupBy(missing, ({ from }) => from?.head)) {
    const chunk = head && (await loadChunk(db, query, head));
    if (!chunk) throw new Replaced();
    for (const row of await chunk.rows(some.map(({ from }) => from?.place ?? 0)))
      found.set(String(row['object_id']), row);
  }
  const rows = page.map((one) => found.get(idOf(one)));
  if (!rows.every((row) => row !== undefined)) throw new Replaced();
  return rows;
}

/** All matching packed rows, a chunk at a time; a row may come twice if its chunk was replaced in between. */
export async function* coldRows(query: ColdQuery): AsyncGenerator<Row[]> {
  const seen = new Set<string>();
  for (let left = mostTries; ; left--) {
    let isWhole = true;
    for await (const head of allHeads(query.db, query, query.range)) {
      if (seen.has(head.object_id)) continue;
      seen.add(head.object_id);
      if (await isWithout(query.db, query, head, query.values)) continue;
      const chunk = await loadChunk(query.db, query, head);
      if (chunk) yield await chunk.rows(await fitting(query, chunk));
      else isWhole = false;
    }
    if (isWhole) return;
    if (left <= 1) throw fail('Timeout', { message: 'Old records are being moved. Try again.', retryAfter: 1 });
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
    for await (const head of allHeads(db, scope, range)) {
      const chunk = await loadChunk(db, scope, head);
      if (!chunk) throw new Replaced();
      const place = (await chunk.column('object_id')).indexOf(objectId);
      if (place >= 0) return (await chunk.rows([place]))[0];
    }
    return undefined;
  });
}
