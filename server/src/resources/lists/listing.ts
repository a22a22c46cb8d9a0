import { whereToSql } from '@pharos/query';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { joinSql, raw, Sql, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import type { Call, Endpoint, ListFollowing } from '../../http/endpoint.ts';
import { type ListOptions, listRecords } from './list.ts';
import type { ListedTable } from './listed-table.ts';

/** Everything that decides what a caller is answered by a list. */
export interface Listing {
  readonly db: Db;
  readonly table: ListedTable;
  readonly options: ListOptions;
}

/** How an endpoint answers a list, and how that is followed: both ask the same. */
export function listing<L = undefined>(
  ask: (call: Call<undefined, L>) => MaybePromise<Listing>,
): Required<Pick<Endpoint<undefined, L>, 'handle' | 'follow'>> {
  return {
    handle: async (call) => andThen(ask(call), ({ db, table, options }) => listRecords(db, table, options)),
    follow: async (call) => followingOf(await ask(call)),
  };
}

/** Lengths of lists of ids, so that few texts are prepared. */
const lengths = [1, 4, 16, 64];
const maxAskedIds = 64;

function followingOf(asked: Listing): ListFollowing {
  const { db, table, options } = asked;
  // What each caller is shown of phones is her own, as is what a rendering of her own leaves out.
  const isOwn = options.phones !== undefined || options.render !== undefined;
  // Which phones are hers may have changed since.
  const isNarrowed = options.allowed !== undefined && 'visible' in options.allowed;
  return {
    table: table.name,
    ...(isOwn ? {} : { sharedAs: textOf(asked) }),
    async mayHave(ids) {
      if (isOwn || isNarrowed || ids.length > maxAskedIds) return true;
      const length = lengths.find((each) => each >= ids.length) ?? ids.length;
      const padded = Array.from({ length }, (_, place) => sql`${ids[place] ?? ids[0] ?? ''}`);
      const scope = sql`${options.scope} and ${raw(table.name)}.object_id in (${joinSql(padded, ', ')})`;
      const { onDocumentsRead: _, ...others } = options;
      const query = { ...options.query, limit: '1', skip: undefined, count: undefined };
      const found = await listRecords(db, table, { ...others, scope, query, render: () => '1' });
      return found.text !== '{"results":[]}';
    },
  };
}

/** Equal texts are equal questions: it has all that the statement says, and the values in it. */
function textOf({ db, table, options }: Listing): string {
  const { scope, allowed, query, defaultLimit, defaultOrder, idsFollowCreation, idsFollowOccurrence } = options;
  const condition =
    allowed && ('where' in allowed ? whereToSql(allowed.where, db.dialect.where) : allowed.visible.condition);
  return JSON.stringify(
    [
      ...[table.name, table.selection, numberOf(table.render), scope, condition],
      ...[query['where'], query['order'], query['limit'], defaultLimit],
      ...[defaultOrder, idsFollowCreation, idsFollowOccurrence],
    ],
    (_, value: unknown) => (value instanceof Sql ? { strings: value.strings, values: value.values } : value),
  );
}

const numbers = new WeakMap<object, number>();
let count = 0;

/** Tells functions apart. */
function numberOf(one: object): number {
  const known = numbers.get(one);
  if (known !== undefined) return known;
  numbers.set(one, ++count);
  return count;
}
