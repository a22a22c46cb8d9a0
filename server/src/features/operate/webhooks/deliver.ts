import { recordChange, service } from '../../../access/audit.ts';
import { untilStored } from '../../../base/flow/until-stored.ts';
import type { SecretBox } from '../../../base/secrets.ts';
import type { Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { type CallResult, callReceiver } from '../../../delivery/webhooks/webhook-call.ts';
import { signatureHeaders } from '../../../delivery/webhooks/webhook-signature.ts';
import { backOff, type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import type { Context } from '../../context.ts';
import { ConcurrencySlots } from './concurrency-slots.ts';
import * as store from './store.ts';

export interface WebhookDeliveryDeps extends Pick<Context, 'db' | 'now' | 'targets'> {
  readonly cacheVersion: Pick<CacheVersion, 'change'>;
  readonly secrets: Pick<SecretBox, 'open'>;
  readonly timeoutMs?: number;
  readonly maxAnswerBytes?: number;
  /** 0 to 1, for the pause before a retry. */
  readonly random?: () => number;
}

const callTimeoutMs = 10_000;
const gone = 410;
/** A receiver's `Retry-After` may be in the past if its clock is behind: the usual growing pause applies all the same, up to this. */
const maxBesideAskedMs = 60_000;
const lastTryMs = 60_000;

export const secretContext = (appId: string, webhookId: string) => `webhook ${appId} ${webhookId}`;

/** Signs one message and posts it. */
export async function callWebhook(
  deps: Pick<WebhookDeliveryDeps, 'secrets' | 'targets' | 'now' | 'timeoutMs' | 'maxAnswerBytes'>,
  webhook: store.WebhookRow,
  message: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<CallResult> {
  const { secrets, targets, now, timeoutMs = callTimeoutMs, maxAnswerBytes } = deps;
  const context = secretContext(webhook.app_id, webhook.object_id);
  const isOldAlive = webhook.old_secret !== null && (webhook.old_secret_until ?? 0) > now();
  const sealed = [webhook.secret, ...(isOldAlive ? [webhook.old_secret as string] : [])];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Pharos-Webhooks/1',
    ...signatureHeaders(
      { ...message, at: now() },
      sealed.map((text) => secrets.open(text, context)),
    ),
  };
  return callReceiver(
    { url: webhook.url, headers, body: message.body },
    { targets, timeoutMs, now, maxAnswerBytes },
    signal,
  );
}

/**
 * Sends deliveries to their receivers. The result of a delivery is in its own row, so the job itself always ends well.
 */
export function createWebhookHandler(deps: WebhookDeliveryDeps): JobHandler {
  const { db, now, random = Math.random } = deps;
  const slots = new ConcurrencySlots();
  const pauses = { baseDelayMs: 5_000, maxDelayMs: 3_600_000 };
  const handler: JobHandler = { concurrency: 128, maxAttempts: Number.MAX_SAFE_INTEGER, ...pauses, run };

  async function run(job: Job, context: JobContext): Promise<void> {
    const { deliveryId } = job.payload as { readonly deliveryId: string };
    const delivery = await store.findDelivery(db, job.appId, deliveryId);
    if (delivery?.state !== 'queued') return;
    const webhook = await store.findWebhook(db, job.appId, delivery.webhook_id);
    // It was deleted while the result was being stored.
    if (!webhook) return void (await store.deleteDelivery(db, job.appId, deliveryId));
    const refused = refuse(webhook, delivery, now());
    if (refused)
      return void (await store.noteAttempt(db, { ...delivery, ...refused, next_at: null, updated_at: now() }));
    const pauseMs = slots.acquire(job.appId, webhook.object_id, now());
    if (pauseMs !== undefined) throw new RetryLater('Other calls of this webhook are still running.', pauseMs);
    const start = performance.now();
    let result: CallResult;
    try {
      const message = { id: delivery.object_id, body: delivery.payload };
      result = await callWebhook(deps, webhook, message, context.signal);
    } finally {
      slots.release(job.appId, webhook.object_id, performance.now() - start);
    }
    // The service stops, or another worker has the job: a missing answer does not count against the receiver.
    if (context.signal.aborted && result.outcome === 'again') throw new RetryLater('It was interrupted.', 0);
    await note({ webhook, delivery, result }, context);
  }

  async function note({ webhook, delivery, result }: Called, context: JobContext): Promise<void> {
    const attempts = delivery.attempts + 1;
    const pauseMs = result.outcome === 'again' ? pauseAfter(result, backOff(handler, attempts, random)) : 0;
    const nextAt = timeOfNext(now() + pauseMs, delivery, now());
    const isLate = result.outcome === 'again' && nextAt >= delivery.expires_at;
    const state = result.outcome === 'sent' ? 'sent' : isLate ? 'expired' : stateOf(result);
    const reason = isLate ? `${result.text} No time is left for another try.` : result.text;
    const { status = null, answer = null, durationMs: duration } = result;
    const attempt = { ...delivery, attempts, status, answer, duration, state, reason, updated_at: now() };
    const write = () =>
      db.transaction(async (db) => {
        await context.assertHeld(db);
        await store.noteAttempt(db, { ...attempt, next_at: state === 'queued' ? nextAt : null });
        if (result.outcome === 'sent') await store.noteSuccess(db, webhook);
        else await store.noteFailure(db, webhook, result.text, now());
      });
    await untilStored(write);
    if (status === gone) await switchOff(webhook);
    if (state === 'queued') throw new RetryLater(result.text, Math.max(0, nextAt - now()));
  }

  /** The receiver says that it is gone for good; trying for ever would help nobody. */
  async function switchOff(webhook: store.WebhookRow): Promise<void> {
    const reason = 'The receiver answered 410 Gone.';
    const { app_id: appId, object_id: subject } = webhook;
    await deps.cacheVersion.change(appId, async (db: Db) => {
      if (!(await store.disableGone(db, webhook, reason, now()))) return;
      const after = { enabled: false, reason };
      await recordChange(db, { by: service, action: 'webhook.disable', subject, appId, after, now: now() });
    });
  }

  return handler;
}

interface Called {
  readonly webhook: store.WebhookRow;
  readonly delivery: store.DeliveryRow;
  readonly result: CallResult;
}

/** A retry that would come after the delivery expires is made a minute before that, in case the receiver is back early. */
const timeOfNext = (wantedAt: number, { expires_at: expiresAt }: store.DeliveryRow, now: number) =>
  wantedAt >= expiresAt && now < expiresAt - lastTryMs ? expiresAt - lastTryMs : wantedAt;

const pauseAfter = ({ afterMs }: CallResult, usualMs: number) =>
  afterMs === undefined ? usualMs : Math.max(afterMs, Math.min(usualMs, maxBesideAskedMs));

const stateOf = ({ outcome }: CallResult): store.WebhookDeliveryState => (outcome === 'again' ? 'queued' : 'failed');

/** Why a delivery is not even tried. */
function refuse(
  webhook: store.WebhookRow,
  delivery: store.DeliveryRow,
  now: number,
): Pick<store.DeliveryRow, 'state' | 'reason'> | undefined {
  if (webhook.is_enabled === 0) return { state: 'failed', reason: 'The webhook is switched off.' };
  if (delivery.expires_at > now) return undefined;
  return { state: 'expired', reason: delivery.reason ?? 'It expired before it could be sent.' };
}
