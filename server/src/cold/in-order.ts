import type { Db } from '../db/db.ts';
import type { Order, OrderTerm } from '../query/ast.ts';
import { type Candidate, columnOf, type FirstRows } from './first-rows.ts';
import { type NumberRange, numberColumns } from './format/ranges.ts';
import type { ChunkHead, ColdScope } from './store.ts';
import { rangesOf } from './summaries.ts';

/** In which order chunks are opened for a page that is not in the order of ids: what comes first may be in the first ones. */

export interface ChunksInOrder {
  readonly heads: readonly ChunkHead[];
  /** Whether no row of a chunk comes before a row that is the last one of the page so far. */
  isBehind(head: ChunkHead, last: Candidate, first: FirstRows): boolean;
}

/** By the value of each chunk that comes first in the order, where that is known; the others come before them. */
export async function chunksInOrder(
  db: Db,
  scope: ColdScope,
  heads: readonly ChunkHead[],
  order: Order,
): Promise<ChunksInOrder> {
  const [term, next] = order;
  if (term?.field.from !== 'column' || term.field.path !== undefined) return unordered(heads);
  const column = columnOf(term.field);
  if (!numberColumns(scope.table).includes(column)) return unordered(heads);
  const ranges = await rangesOf(db, scope, heads, column);
  const isDown = next?.name === 'objectId' && next.descending;
  const firstOf = ({ object_id }: ChunkHead) => bestOf(ranges.get(object_id), term);
  // Those with none first when it ascends, and last when it descends, as in lists.
  const rank = (head: ChunkHead) => {
    const best = firstOf(head);
    if (best === undefined) return Number.NEGATIVE_INFINITY;
    if (best === null) return term.descending ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    return term.descending ? -best : best;
  };
  const ranked = heads.map((head) => ({ head, rank: rank(head) }));
  ranked.sort((a, b) => {
    if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
    if (isDown) return a.head.last_id > b.head.last_id ? -1 : 1;
    return a.head.first_id < b.head.first_id ? -1 : 1;
  });
  return {
    heads: ranked.map(({ head }) => head),
    isBehind(head, last, first) {
      const best = firstOf(head);
      if (best === undefined) return false;
      const key = { [column]: best };
      if (first.isBehind(key, last, term)) return true;
      // Of rows with the same value the id decides.
      if (next?.name !== 'objectId' || !isSame(best, last.key[column])) return false;
      const id = String(last.key['object_id']);
      return isDown ? head.last_id < id : head.first_id > id;
    },
  };
}

const isSame = (best: number | null, value: unknown) => (value ?? null) === best;

const unordered = (heads: readonly ChunkHead[]): ChunksInOrder => ({ heads, isBehind: () => false });

/** The value that comes first in the order; null if it is none, undefined if that is not known. */
function bestOf(range: NumberRange | undefined, { descending }: OrderTerm): number | null | undefined {
  if (range === undefined) return undefined;
  const [least, most, isOpen] = range;
  if (descending) return most;
  return isOpen ? null : least;
}
