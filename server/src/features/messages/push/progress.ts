import type { Db } from '../../../db/db.ts';
import type { Announce } from '../../domain-event.ts';
import type { PushDeliveryState } from './schemas.ts';
import * as store from './store.ts';

/** Counts what has ended and reports the push's progress to listeners. `db` is the transaction of the change. */
export async function countAndTell(
  db: Db,
  push: { readonly appId: string; readonly pushId: string; readonly now: number },
  counts: ReadonlyMap<PushDeliveryState, number>,
  announce: Announce,
): Promise<void> {
  const row = await store.countEnded(db, push, counts);
  if (!row) return;
  await announce(db, push.appId, () => [
    {
      type: row.state === 'done' ? 'push.finished' : 'push.progress',
      at: push.now,
      data: {
        pushId: push.pushId,
        state: row.state,
        audience: row.audience_count,
        queued: row.audience_count - store.endedOf(row),
        sent: row.sent_count,
        failed: row.failed_count,
        expired: row.expired_count,
        noTarget: row.no_target_count,
        cancelled: row.cancelled_count,
      },
    },
  ]);
}
