import { isoTime } from '../../http/answers.ts';
import type { DeliveryRow, WebhookRow } from './store.ts';

/** A webhook and a delivery as the console shows them. */

const failingAfterMs = 86_400_000;

const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at));

export function webhookView(row: WebhookRow, now: number) {
  const since = row.failing_since;
  return {
    objectId: row.object_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    description: row.description,
    enabled: row.is_enabled === 1,
    health: since === null ? 'ok' : now - since >= failingAfterMs ? 'failing' : 'retrying',
    failingSince: timeOrNull(since),
    lastError: row.last_error,
    disabledReason: row.disabled_reason,
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
