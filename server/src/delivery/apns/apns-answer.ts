import { jsonBody, type ProviderAnswer, reason, retryLater } from '../provider/provider-answer.ts';
import type { SendResult } from '../push/push-sender.ts';

/** Apple's reason, as listed under "Handling notification responses from APNs". */
export function apnsReason(answer: ProviderAnswer): string {
  const { reason } = jsonBody(answer);
  return typeof reason === 'string' ? reason : '';
}

export function apnsWords(answer: ProviderAnswer): string {
  return reason('APNs', answer.status, apnsReason(answer) || answer.body);
}

/**
 * The meaning of an answer other than 200. Apple reports `BadDeviceToken` for malformed tokens and for those of the
 * other environment; either way the token cannot be reached from here. `DeviceTokenNotForTopic` is the wrong bundle id:
 * the token may be alive, so only this message fails.
 */
export function apnsResult(answer: ProviderAnswer, now: number): SendResult {
  const { status } = answer;
  const words = apnsWords(answer);
  if (status === 410) return { outcome: 'dead', reason: words, ...since(answer) };
  const code = apnsReason(answer);
  if (code === 'BadDeviceToken' || code === 'ChannelNotRegistered') return { outcome: 'dead', reason: words };
  if (code === 'TooManyProviderTokenUpdates') {
    return retryLater(answer, now, { reason: words, scope: 'provider', afterMs: 60_000 });
  }
  // Too many messages for this one device.
  if (status === 429) return retryLater(answer, now, { reason: words, scope: 'message' });
  if (status >= 500) return retryLater(answer, now, { reason: words, scope: 'provider' });
  return { outcome: 'failed', reason: words };
}

/** When Apple found that the token was no longer valid (epoch ms). */
function since(answer: ProviderAnswer): { since?: number } {
  const { timestamp } = jsonBody(answer);
  return typeof timestamp === 'number' ? { since: timestamp } : {};
}
