import type { Db } from '../../../db/db.ts';
import { contentOfTrigger, type ProximityMessage } from '../../../delivery/push/content.ts';
import { type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import type { Outbox } from '../../../jobs/outbox.ts';
import {
  type DeliveryOutcome,
  deliver,
  noteWritten,
  type PushDeliveryDeps,
  writeDown,
  writeOutcomes,
} from './deliver.ts';
import * as deliveries from './delivery-store.ts';

export const proximityJob = 'push.proximity';

type ProximityPayload = Pick<ProximityMessage, 'deliveryId' | 'kind' | 'content' | 'origin'>;

/** Writes the deliveries, and the jobs for those with a recipient. Repeated reports ask for a message once. */
export async function requestProximityPushes(
  db: Db,
  messages: readonly ProximityMessage[],
  { enqueueAll }: Pick<Outbox, 'enqueueAll'>,
): Promise<void> {
  const isNew = await deliveries.insertDeliveries(
    db,
    messages.map(({ hasPushTarget, origin, ...message }) => ({
      ...message,
      eventId: origin.eventId,
      triggerId: origin.triggerId,
      state: hasPushTarget ? 'queued' : 'noTarget',
      reason: hasPushTarget ? null : 'The installation has no device token that is alive.',
    })),
  );
  const sendable = messages.filter((message) => message.hasPushTarget && isNew(message));
  await enqueueAll(
    db,
    sendable.map(({ appId, deliveryId, kind, content, origin }) => {
      const payload: ProximityPayload = { deliveryId, kind, content, origin };
      return { appId, kind: proximityJob, payload, jobId: deliveryId };
    }),
  );
}

export function proximityHandler(deps: PushDeliveryDeps & { readonly db: Db }): JobHandler {
  return {
    concurrency: 512,
    perApp: 64,
    maxAttempts: Number.MAX_SAFE_INTEGER,
    baseDelayMs: 250,
    maxDelayMs: 10_000,
    run: (job, context) => sendProximity(deps, job, context),
  };
}

async function sendProximity(
  deps: PushDeliveryDeps & { readonly db: Db },
  job: Job,
  { signal, assertHeld }: JobContext,
): Promise<void> {
  const { db, now } = deps;
  const { appId } = job;
  const payload = job.payload as ProximityPayload;
  const recipient = await deliveries.findRecipient(db, appId, payload.deliveryId);
  if (!recipient) return;
  let waiting: DeliveryOutcome | undefined;
  const replaced = await deliver(deps, {
    appId,
    recipients: [recipient],
    // It was chosen when the message fired, and is noted.
    languageFor: () => null,
    contentFor: (deviceType) => contentOfTrigger(payload, deviceType),
    urgency: 'high',
    signal,
    write: async (outcomes) => {
      const store = async (db: Db, outcomes: readonly DeliveryOutcome[]) =>
        void (await writeOutcomes(db, { appId, outcomes, now: now() }, deps.markTokenDead));
      noteWritten(deps, await writeDown({ db, outcomes, assertHeld, store }));
      waiting = outcomes.find(({ state }) => state === 'queued');
    },
  });
  if (signal.aborted) throw new RetryLater('the service stops', 1);
  if (!waiting) return;
  const isFree = replaced.some((kind) => kind === waiting?.sender);
  throw new RetryLater('the message has to wait', isFree ? 1 : Math.max(1, waiting.runAt - now()));
}
