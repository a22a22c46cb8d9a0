import { inLanguage, languageFor } from '@pharos/engine/decide';
import type { Db } from '../../../db/db.ts';
import { contentOfPush } from '../../../delivery/push/content.ts';
import type { PushOptions } from '../../../delivery/push/options.ts';
import { type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import type { Announce } from '../../domain-event.ts';
import {
  type DeliveryOutcome,
  deliver,
  noteWritten,
  type PushDeliveryDeps,
  waitsForFormer,
  writeDown,
  writeOutcomes,
} from './deliver.ts';
import * as deliveries from './delivery-store.ts';
import type { PushSlice } from './expand.ts';
import { countAndTell } from './progress.ts';
import * as store from './store.ts';

/** Sends one slice of a push. What cannot be sent yet keeps the job waiting; it ends when nobody of it is queued. */

export interface SendDeps extends PushDeliveryDeps {
  readonly db: Db;
  readonly announce: Announce;
}

export function sendHandler(deps: SendDeps): JobHandler {
  return {
    concurrency: 32,
    // A provider that does not answer holds places of its app until the time-out; the others have theirs.
    perApp: 4,
    // Each recipient has its own tries and its own expiry.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    baseDelayMs: 500,
    maxDelayMs: 30_000,
    run: (job, context) => sendSlice(deps, job, context),
  };
}

async function sendSlice(deps: SendDeps, job: Job, { signal, assertHeld }: JobContext): Promise<void> {
  const { db, now, announce } = deps;
  const { appId } = job;
  const { pushId, ...slice } = job.payload as PushSlice;
  const push = await store.findPush(db, appId, pushId);
  // One whose author was erased is cancelled like any other.
  if (!push || push.state === 'cancelled') return cancelSlice(deps, { appId, pushId, slice, assertHeld });
  const data = JSON.parse(push.data) as Readonly<Record<string, unknown>>;
  const options = push.options === null ? {} : (JSON.parse(push.options) as PushOptions);
  const words = store.wordsOf(push);
  const startedAt = now();
  const queued = await deliveries.findQueued(db, appId, slice);
  const senders = await deps.findSenders(appId);
  const replaced = await deliver(deps, {
    appId,
    recipients: queued.filter(
      (one) => one.run_at <= startedAt || one.expires_at <= startedAt || waitsForFormer(senders, one),
    ),
    languageFor: (locale) => languageFor(words, locale),
    contentFor: (_deviceType, language) => contentOfPush(inLanguage(data, words, language), options),
    urgency: 'normal',
    signal,
    write: async (outcomes) => {
      const at = now();
      const store = async (db: Db, outcomes: readonly DeliveryOutcome[]) => {
        const counts = await writeOutcomes(db, { appId, outcomes, now: at }, deps.markTokenDead);
        await countAndTell(db, { appId, pushId, now: at }, counts, announce);
      };
      noteWritten(deps, await writeDown({ db, outcomes, assertHeld, store }));
    },
  });
  if (signal.aborted) throw new RetryLater('the service stops', 1);
  if (replaced.length > 0) await deliveries.endPauses(db, appId, { ...slice, kinds: replaced, now: now() });
  const due = await deliveries.nextDue(db, appId, slice);
  if (due !== undefined) throw new RetryLater('some recipients have to wait', Math.max(1, due - now()));
}

async function cancelSlice(
  { db, now, announce }: SendDeps,
  {
    appId,
    pushId,
    slice,
    assertHeld,
  }: {
    readonly appId: string;
    readonly pushId: string;
    readonly slice: deliveries.Slice;
    readonly assertHeld: JobContext['assertHeld'];
  },
): Promise<void> {
  const at = now();
  await db.transaction(async (db) => {
    await assertHeld(db);
    const end = { ...slice, state: 'cancelled', reason: 'The push was cancelled.', now: at } as const;
    const cancelled = await deliveries.endQueued(db, appId, end);
    await countAndTell(db, { appId, pushId, now: at }, new Map([['cancelled', cancelled]]), announce);
  });
}
