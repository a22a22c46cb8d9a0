import { type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import type { Context } from '../../context.ts';
import { listOf, pushDeliveryId, type Slice } from './delivery-store.ts';
import { countAndTell } from './progress.ts';
import { audienceOf } from './reach.ts';
import * as store from './store.ts';

/**
 * From a push to one delivery for each recipient. The walk over the installations goes by their ids, a stretch at a
 * time, and each stretch is one transaction: deliveries, the job that sends them, and how far the walk has come. A
 * restart in the middle goes on behind the last stretch.
 */

export const expandJob = 'push.expand';
export const sendJob = 'push.send';

/** The payload of `push.send`: a part of the recipients. */
export interface PushSlice extends Slice {
  readonly pushId: string;
}

/** The audience of a push, and whether its sender may not learn its size (`seesAudiences`). */
export interface Addressed {
  readonly audience: string | null;
  readonly isBlind: boolean;
}

export interface ExpandDeps
  extends Pick<
    Context,
    'db' | 'now' | 'enqueue' | 'audienceFields' | 'announce' | 'walkInstallations' | 'matchInstallations'
  > {
  /** What it takes to send to an audience by now; null for no approval, or without such an app. */
  readonly approvalFor: (appId: string, sent: Addressed) => Promise<object | null>;
}

/** How many recipients a job sends to: enough to fill connections, few enough to be done long before a lease ends. */
const sliceSize = 500;
/** How many installations a condition looks at in one query. */
const stretchSize = 5_000;

export function expandHandler(deps: ExpandDeps): JobHandler {
  return {
    concurrency: 4,
    perApp: 1,
    // It stops by itself when the push has expired.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    baseDelayMs: 500,
    maxDelayMs: 30_000,
    run: (job, context) => expand(deps, job, context),
  };
}

interface ExpandPayload {
  readonly pushId: string;
  readonly edition?: number;
  readonly isBlind?: boolean;
}

async function expand(deps: ExpandDeps, job: Job, { signal, assertHeld }: JobContext): Promise<void> {
  const { db, now } = deps;
  const { pushId, edition = 0, isBlind = false } = job.payload as ExpandPayload;
  const push = await store.findPush(db, job.appId, pushId);
  // It was changed since, and another job sends it.
  if (!push || push.edition !== edition) return;
  if (push.expanded_to === null && (await waitsForSomebody(deps, job.appId, push, isBlind))) return;
  const step = { ...deps, appId: job.appId, pushId, push, assertHeld };
  let after = push.expanded_to ?? '';
  while (after !== store.walkEnd && !signal.aborted) {
    if (push.expires_at !== null && push.expires_at <= now())
      return store.failPush(db, job.appId, pushId, 'It expired before all its recipients were found.', now());
    const next = await expandStretch(step, after);
    if (next === undefined) return;
    after = next;
  }
  if (after !== store.walkEnd) throw new RetryLater('the service stops', 1);
}

/**
 * Whether a second person must approve it, perhaps only now because its audience has grown. Its job comes again when it expires, and
 * approving it makes another one.
 */
async function waitsForSomebody(
  deps: ExpandDeps,
  appId: string,
  push: store.PushRow,
  isBlind: boolean,
): Promise<boolean> {
  const { db, enqueue } = deps;
  const { object_id: pushId, edition, expires_at: expiresAt } = push;
  const now = deps.now();
  if (push.waits === 1) {
    if (expiresAt !== null && expiresAt <= now)
      await store.failPush(db, appId, pushId, 'It expired before somebody else had approved it.', now);
    return true;
  }
  if (push.approval !== null || push.state !== 'accepted') return false;
  const approval = await deps.approvalFor(appId, { audience: push.audience, isBlind });
  if (approval === null) return false;
  await db.transaction(async (db) => {
    const held = await store.holdPush(db, { appId, pushId, approval: JSON.stringify(approval), edition, now });
    if (held) await enqueue(db, { appId, kind: expandJob, payload: { pushId, edition }, runAt: expiresAt ?? now });
  });
  return true;
}

interface Step extends ExpandDeps {
  readonly appId: string;
  readonly pushId: string;
  readonly push: store.PushRow;
  readonly assertHeld: JobContext['assertHeld'];
}

/** Answers where the walk goes on; undefined when the push was cancelled. */
async function expandStretch(step: Step, after: string): Promise<string | undefined> {
  const { db, appId, push } = step;
  const where = push.audience === null || push.audience === '{}' ? undefined : push.audience;
  const walked = await step.walkInstallations(db, appId, after, where === undefined ? sliceSize : stretchSize);
  const upTo = walked.at(-1);
  if (upTo === undefined)
    return (await addRecipients(step, { installations: [], from: after, to: store.walkEnd }))
      ? store.walkEnd
      : undefined;
  const matching =
    where === undefined
      ? walked
      : await step.matchInstallations(db, appId, {
          after,
          upTo,
          condition: audienceOf(where, step),
        });
  let from = after;
  let left = matching;
  for (; left.length > sliceSize; left = left.slice(sliceSize)) {
    const part = left.slice(0, sliceSize);
    const to = part.at(-1) ?? upTo;
    if (!(await addRecipients(step, { installations: part, from, to }))) return undefined;
    from = to;
  }
  return (await addRecipients(step, { installations: left, from, to: upTo })) ? upTo : undefined;
}

interface Part {
  readonly installations: readonly string[];
  /** Nobody else is between these ids: `from` is excluded, `to` included. */
  readonly from: string;
  readonly to: string;
}

/** False if the push has been cancelled, or changed before anybody was found. */
async function addRecipients(step: Step, { installations, from, to }: Part): Promise<boolean> {
  const { enqueue, appId, pushId, push } = step;
  const now = step.now();
  return step.db.transaction(async (db) => {
    await step.assertHeld(db);
    const current = await store.lockPush(db, appId, pushId);
    if (current?.edition !== push.edition) return false;
    if (current.state !== 'accepted' && current.state !== 'sending') return false;
    let added = 0;
    if (installations.length > 0) {
      const expiresAt = push.expires_at ?? now;
      added = await store.insertRecipients(db, { appId, pushId, expiresAt, now }, listOf(installations));
      const payload: PushSlice = { pushId, from: pushDeliveryId(pushId, from), to: pushDeliveryId(pushId, to) };
      await enqueue(db, { appId, kind: sendJob, payload, subject: pushId });
    }
    await store.noteExpansion(db, { appId, pushId, now }, { expandedTo: to, added });
    if (to === store.walkEnd) await countAndTell(db, { appId, pushId, now }, new Map(), step.announce);
    return true;
  });
}
