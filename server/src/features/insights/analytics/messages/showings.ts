import { listsSql, raw, type Sql, sql } from '../../../../base/sql.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { Showing } from '../../../showing.ts';
import { messagePlaces, messageShowings } from './tables.ts';

/** What is noted of messages in the transactions in which it happens. */

const whereNew = { conflict: raw('on conflict (app_id, object_id) do nothing') };
const newShowings = bulkInsert(messageShowings, whereNew);
const newPlaces = bulkInsert(messagePlaces, whereNew);

/** Notes showings; existing ones stay as they are. */
export function noteShowings(dialect: Dialect, showings: readonly Showing[]): Sql[] {
  const rows = showings.map(({ appId, deliveryId, installationId, triggerId, group, at }) => ({
    app_id: appId,
    object_id: deliveryId,
    installation_id: installationId,
    trigger_id: triggerId,
    message_group: group,
    shown_at: at,
    is_first: 0,
    received_at: null,
    opened_at: null,
    acted_at: null,
    withdrawn_at: null,
    changes: 1,
  }));
  const places = showings.map(({ appId, deliveryId, installationId, beaconId, at }) => ({
    app_id: appId,
    object_id: deliveryId,
    installation_id: installationId,
    shown_at: at,
    beacon_id: beaconId,
  }));
  return [...newShowings.each(dialect, rows), ...newPlaces.each(dialect, places)];
}

interface Receipt {
  readonly deliveryId: string;
  readonly installationId: string;
  readonly event: 'received' | 'opened';
  /** Epoch ms. */
  readonly at: number;
}

/** The first report counts; whoever opens a message has received it. Of other deliveries nothing is noted. */
export async function noteReceiptOfShowing(
  db: Db,
  appId: string,
  { deliveryId, installationId, event, at }: Receipt,
): Promise<void> {
  const [opened, isKnown] =
    event === 'opened'
      ? [sql`, opened_at = coalesce(opened_at, ${at})`, sql`opened_at is null`]
      : [sql``, sql`received_at is null`];
  await db.run(sql`update message_showings set received_at = coalesce(received_at, ${at})${opened}, changes = changes + 1
    where app_id = ${appId} and object_id = ${deliveryId} and installation_id = ${installationId} and ${isKnown}`);
}

/** Visits of these installations have changed: whether they have reached a goal is looked at again. */
export async function noteVisitors(db: Db, appId: string, ids: readonly string[]): Promise<void> {
  for (const list of listsSql(ids)) {
    await db.run(sql`update message_showings set changes = changes + 1
      where app_id = ${appId} and installation_id in (${list}) and is_first = 1`);
  }
}
