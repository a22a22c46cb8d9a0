import { isoTime } from '../../../http/answers.ts';
import { chooserIsLimited } from './service-alerts.ts';
import type { DeliveryRow, WebhookRow } from './store.ts';

/** A webhook and a delivery as the console shows them. */

const failingAfterMs = 86_400_000;
/** How long a webhook counts as behind after a call was given up. */
const behindMs = 3_600_000;

const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at));

export type Health = 'ok' | 'retrying' | 'behind' | 'failing';

/** The most severe state of a webhook. */
export function healthOf({ failing_since, given_up_at }: WebhookRow, now: number): Health {
  if (failing_since !== null && now - failing_since >= failingAfterMs) return 'failing';
  if (given_up_at !== null && now - given_up_at < behindMs) return 'behind';
  return failing_since === null ? 'ok' : 'retrying';
}

/** Why the service has switched it off; null: it did not. */
export function disabledBy({ disabled_reason: reason }: WebhookRow): 'receiver' | 'rights' | null {
  if (reason === null) return null;
  return reason === chooserIsLimited ? 'rights' : 'receiver';
}

/** About which buckets it is asked before records change, and what counts without an answer. */
export const askingOf = ({ buckets, without_answer }: Pick<WebhookRow, 'buckets' | 'without_answer'>) => ({
  buckets: buckets === null ? [] : (JSON.parse(buckets) as readonly string[]),
  withoutAnswer: without_answer ?? ('refuse' as const),
});

export function webhookView(row: WebhookRow, { now, waiting }: { readonly now: number; readonly waiting: number }) {
  return {
    objectId: row.object_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    description: row.description,
    enabled: row.is_enabled === 1,
    ...askingOf(row),
    health: healthOf(row, now),
    failingSince: timeOrNull(row.failing_since),
    lastError: row.last_error,
    disabledReason: row.disabled_reason,
    disabledBy: disabledBy(row),
    waiting,
    givenUp: row.given_up,
    givenUpSince: timeOrNull(row.given_up_since),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

export function deliveryView(row: DeliveryRow) {
  return {
    objectId: row.object_id,
    event: row.event,
    payload: JSON.parse(row.payload) as object,
    state: row.state,
    attempts: row.attempts,
    status: row.status,
    answer: row.answer,
    reason: row.reason,
    duration: row.duration === null ? null : row.duration / 1000,
    nextTryAt: timeOrNull(row.next_at),
    expiresAt: isoTime(row.expires_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}
