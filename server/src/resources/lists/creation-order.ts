import type { Condition, Literal, Order, Where } from '@pharos/query';
import { firstIdAt } from '../../base/id.ts';
import { joinSql, type Sql, sql } from '../../base/sql.ts';

/** The member whose time a record's objectId begins with. */
export type TimeOfIds = 'createdAt' | 'occurredAt';

/**
 * A query over records whose objectId begins with the time of their createdAt (or another member), said in terms of the
 * objectId, so that the indexes that end with object_id also serve ranges of time and the order of time.
 */
export interface ByCreation {
  /** Follows from `where`; it is added to it, never replaces it. */
  readonly bounds: Sql;
  /**
   * What is left of `where` for an index to find. All of it, when other conditions stand beside the time: then it is
   * the database's guess which of two indexes it takes.
   */
  readonly rest: Where | undefined;
  readonly order: Order;
}

export function byCreation(where: Where | undefined, order: Order, time: TimeOfIds = 'createdAt'): ByCreation {
  const { bounds, rest } = split(where, time);
  return {
    bounds: joinSql([sql`(1 = 1)`, ...bounds], ' and '),
    rest: bounds.length > 0 && rest !== undefined ? where : rest,
    order: withoutTime(order, time),
  };
}

/** Oldest first is also the order of the ids; the same holds backwards. */
function withoutTime(order: Order, time: TimeOfIds): Order {
  const [first, second, ...more] = order;
  const isSame = first?.name === time && second?.name === 'objectId' && second.descending === first.descending;
  return isSame && second && more.length === 0 ? [second] : order;
}

interface Split {
  readonly bounds: readonly Sql[];
  readonly rest: Where | undefined;
}

function split(where: Where | undefined, time: TimeOfIds): Split {
  if (where === undefined || where.kind === 'any' || where.kind === 'none') return { bounds: [], rest: where };
  if (where.kind === 'condition') {
    const bounds = where.name === time ? boundsOf(where) : [];
    return { bounds, rest: bounds.length > 0 ? undefined : where };
  }
  const parts = where.parts.map((part) => split(part, time));
  const rests = parts.flatMap(({ rest }) => rest ?? []);
  return {
    bounds: parts.flatMap(({ bounds }) => bounds),
    rest: rests.length === 0 ? undefined : { kind: 'all', parts: rests },
  };
}

function boundsOf({ operator, operand }: Condition): readonly Sql[] {
  const literal = operand as Literal | undefined;
  if (literal?.kind !== 'date') return [];
  const from = (time: number) => sql`object_id >= ${firstIdAt(time)}`;
  const before = (time: number) => sql`object_id < ${firstIdAt(time)}`;
  const { value } = literal;
  switch (operator) {
    case '$eq':
      return [from(value), before(value + 1)];
    case '$gte':
      return [from(value)];
    case '$gt':
      return [from(value + 1)];
    case '$lt':
      return [before(value)];
    case '$lte':
      return [before(value + 1)];
    default:
      return [];
  }
}
