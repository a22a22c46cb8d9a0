import { inLanguage, languageFor } from '@pharos/engine/decide';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../../db/db.ts';
import { contentOfPush } from '../../../delivery/push/content.ts';
import type { PushOptions } from '../../../delivery/push/options.ts';
import { createPace, messagesPerSecond, type Pace } from '../../../delivery/push/pace.ts';
import type { JobHandlers } from '../../../jobs/job.ts';
import { type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import type { Context } from '../../context.ts';
import type { Announce } from '../../domain-event.ts';
import { approvalFor } from './approval.ts';
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
import { type Addressed, type ExpandDeps, expandHandler, expandJob, sendJob } from './expand.ts';
import { countAndTell } from './progress.ts';
import { proximityHandler, proximityJob } from './proximity.ts';
import * as store from './store.ts';

type PushJobDeps = Omit<ExpandDeps, 'approvalFor'> &
  Pick<Context, 'markTokenDead' | 'countAudience' | 'onError' | 'findSenders' | 'findPolicy'>;

/** How many paces are remembered; one that was not used for long begins at full pace. */
const maxPaces = 2_000;

function createPaces(now: Clock): PushDeliveryDeps['paceOf'] {
  const paces = new BoundedMap<string, Pace>(maxPaces);
  return (appId, kind, since) => {
    const key = `${appId} ${kind} ${since}`;
    const pace = paces.get(key) ?? createPace({ perSecond: messagesPerSecond[kind], now });
    paces.delete(key);
    paces.set(key, pace);
    return pace;
  };
}

export interface PushDelivery {
  readonly handlers: JobHandlers;
  /** What this process has written down since its start, by provider and state; for metrics. */
  readonly counts: () => readonly DeliveryCount[];
}

export function createPushDelivery(deps: PushJobDeps): PushDelivery {
  const { db, now, findSenders, findPolicy, announce, onError, markTokenDead } = deps;
  const { enqueue, audienceFields, walkInstallations, matchInstallations } = deps;
  const counts = new Map<string, DeliveryCount & { count: number }>();
  const onWritten: PushDeliveryDeps['onWritten'] = (sender, state, count) => {
    const key = `${sender} ${state}`;
    const known = counts.get(key) ?? { sender: sender ?? 'none', state, count: 0 };
    known.count += count;
    counts.set(key, known);
  };
  const paceOf = createPaces(now);
  const delivering = {
    db,
    now,
    findSenders,
    findPolicy,
    paceOf,
    random: Math.random,
    announce,
    onError,
    onWritten,
    markTokenDead,
  };
  return {
    handlers: {
      [expandJob]: expandHandler({
        ...{ db, now, announce, enqueue, audienceFields, walkInstallations, matchInstallations },
        approvalFor: (appId, sent) => approvalIn(deps, appId, sent),
      }),
      [sendJob]: sendHandler(delivering),
      [proximityJob]: proximityHandler(delivering),
    },
    counts: () => [...counts.values()],
  };
}

async function approvalIn(deps: PushJobDeps, appId: string, sent: Addressed) {
  const policy = await deps.findPolicy(appId);
  return policy ? approvalFor(deps, { appId, policy }, sent) : null;
}

/** `queued` counts tries that have to be repeated. */
interface DeliveryCount {
  readonly sender: string;
  readonly state: string;
  readonly count: number;
}

/** Sends one slice of a push. What cannot be sent yet keeps the job waiting; it ends when nobody of it is queued. */

interface SendDeps extends PushDeliveryDeps {
  readonly db: Db;
  readonly announce: Announce;
}

function sendHandler(deps: SendDeps): JobHandler {
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
