import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';
import { listOf, pushDeliveryId } from './delivery-store.ts';
import { type PushSlice, sendJob } from './expand.ts';
import { countAndTell } from './progress.ts';
import * as store from './store.ts';

interface Notice {
  readonly appId: string;
  /** The installations that get it. */
  readonly phones: readonly string[];
  readonly data: { readonly title: string; readonly alert: string; readonly sound?: string };
  /** When it is no longer news, ms. */
  readonly expiresAt: number;
  readonly now: number;
}

/**
 * A notice of the service to some phones: a push like any other, except that its recipients are known, so none are looked up and nobody has
 * to approve it. `db` is the transaction of the reported change, so that it is sent once.
 */
export async function pushNotice(
  db: Db,
  { enqueue, announce }: Pick<Context, 'announce' | 'enqueue'>,
  notice: Notice,
): Promise<void> {
  const { appId, phones, data, expiresAt, now } = notice;
  if (phones.length === 0) return;
  const pushId = newObjectId(now);
  await store.insertPush(db, {
    appId,
    pushId,
    data: JSON.stringify(data),
    options: null,
    audience: JSON.stringify({ objectId: { $in: phones } }),
    language: null,
    translations: null,
    userId: null,
    approval: null,
    authors: JSON.stringify(['service']),
    isBlind: false,
    sendAt: null,
    expiresAt,
    now,
  });
  const added = await store.insertRecipients(db, { appId, pushId, expiresAt, now }, listOf(phones));
  const payload: PushSlice = { pushId, from: pushDeliveryId(pushId, ''), to: pushDeliveryId(pushId, store.walkEnd) };
  await enqueue(db, { appId, kind: sendJob, payload, subject: pushId });
  await store.noteExpansion(db, { appId, pushId, now }, { expandedTo: store.walkEnd, added });
  await countAndTell(db, { appId, pushId, now }, new Map(), announce);
}
