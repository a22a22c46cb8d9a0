import { heldOut } from '@pharos/engine';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import { readPages } from '../../../../base/work-slices.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { AskedPlace } from '../numbers/question.ts';
import type { TimeSpan } from './store.ts';
import { messagePlaceRollups, messageRollups } from './tables.ts';

/** SQL of what was counted of messages in a day, and nothing else. */

export type MessageRollup = RowOf<typeof messageRollups>;
export type MessagePlaceRollup = RowOf<typeof messagePlaceRollups>;
export const metrics = ['reached', 'opened_by', 'acted', 'shown', 'received', 'opened', 'withdrawn'] as const;
export type Sums = Record<(typeof metrics)[number], number>;

/** What a message did at one beacon in one hour of a day. */
export interface CountedPart extends Readonly<Sums> {
  readonly message_group: string;
  /** Empty: the place was not noted. */
  readonly beacon_id: string;
  /** The number of the hour in the day. */
  readonly hour: number;
}

export function countDay(
  db: Db,
  { appId, triggerId, from, until }: TimeSpan & { readonly appId: string; readonly triggerId: string },
): Promise<CountedPart[]> {
  return db.all<CountedPart>(sql`select s.message_group, coalesce(place.beacon_id, '') as beacon_id,
      cast((s.shown_at - ${from}) / 3600000 as bigint) as hour,
      cast(sum(s.is_first) as bigint) as reached,
      cast(sum(case when s.is_first = 1 and exists (select 1 from message_showings other where other.app_id = s.app_id
        and other.installation_id = s.installation_id and other.trigger_id = s.trigger_id
        and other.opened_at is not null) then 1 else 0 end) as bigint) as opened_by,
      cast(sum(case when s.is_first = 1 and s.acted_at is not null then 1 else 0 end) as bigint) as acted,
      cast(sum(case when s.message_group = ${heldOut} then 0 else 1 end) as bigint) as shown,
      cast(sum(case when s.received_at is null then 0 else 1 end) as bigint) as received,
      cast(sum(case when s.opened_at is null then 0 else 1 end) as bigint) as opened,
      cast(sum(case when s.withdrawn_at is null then 0 else 1 end) as bigint) as withdrawn
    from message_showings s
    left join message_places place on place.app_id = s.app_id and place.object_id = s.object_id
    where s.app_id = ${appId} and s.trigger_id = ${triggerId} and s.shown_at >= ${from} and s.shown_at < ${until}
    group by 1, 2, 3`);
}

const newRollups = bulkInsert(messageRollups);
const newPlaceRollups = bulkInsert(messagePlaceRollups);

type OfDay = 'app_id' | 'started_at' | 'trigger_id';

export interface CountedDay {
  readonly rows: readonly Omit<MessageRollup, OfDay>[];
  readonly byPlace: readonly Omit<MessagePlaceRollup, OfDay>[];
}

export async function saveDay(
  db: Db,
  key: { readonly appId: string; readonly triggerId: string; readonly startedAt: number },
  { rows, byPlace }: CountedDay,
): Promise<void> {
  const { appId, triggerId, startedAt } = key;
  const ofDay = { app_id: appId, started_at: startedAt, trigger_id: triggerId };
  await db.run(sql`delete from message_rollups
    where app_id = ${appId} and started_at = ${startedAt} and trigger_id = ${triggerId}`);
  await db.run(sql`delete from message_place_rollups
    where app_id = ${appId} and started_at = ${startedAt} and trigger_id = ${triggerId}`);
  const named = rows.map((row) => ({ ...row, ...ofDay }));
  await newRollups.run(db, named);
  const placed = byPlace.map((row) => ({ ...row, ...ofDay }));
  await newPlaceRollups.run(db, placed);
}

export interface AskedRollups {
  readonly triggerId: string | undefined;
  readonly place: AskedPlace | undefined;
}

const columnOf = { beacon: 'beacon_id', zone: 'zone_id', floor: 'floor_id', venue: 'venue_id' } as const;
const keys = raw('started_at, trigger_id, message_group');
const summed = raw(metrics.map((metric) => `cast(sum(${metric}) as bigint) as ${metric}`).join(', '));

/** Rows of all messages or of one, everywhere or at one place, in order of time, taken in slices beside other requests. */
export function readRollups(
  db: Db,
  { appId, from, until }: TimeSpan & { readonly appId: string },
  { triggerId, place }: AskedRollups,
): AsyncGenerator<MessageRollup> {
  const only = triggerId === undefined ? raw('') : sql`and trigger_id = ${triggerId}`;
  const behind = (after: Sql): Sql =>
    sql`where app_id = ${appId} and started_at < ${until} and (started_at, trigger_id, message_group) >= ${after} ${only}`;
  const page = (after: Sql): Sql =>
    place === undefined
      ? sql`select * from message_rollups ${behind(after)} order by ${keys} limit ${pageSize}`
      : sql`select ${keys}, ${summed} from message_place_rollups ${behind(after)}
          and ${raw(columnOf[place.dimension])} = ${place.id} group by ${keys} order by ${keys} limit ${pageSize}`;
  return readPages(pageSize, (last?: MessageRollup) => {
    // The smallest text after this one.
    const after = last
      ? sql`(${last.started_at}, ${last.trigger_id}, ${`${last.message_group}\u0001`})`
      : sql`(${from}, ${''}, ${''})`;
    return db.all<MessageRollup>(page(after), { tenant: appId });
  });
}

const pageSize = 2_000;
