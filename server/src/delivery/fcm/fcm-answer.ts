import { jsonBody, type ProviderAnswer, reason, retryLater } from '../provider/provider-answer.ts';
import type { SendResult } from '../push/push-sender.ts';

export interface FcmError {
  /** `UNREGISTERED`, `QUOTA_EXCEEDED`, …; Google's general status (`NOT_FOUND`) if FCM names none. */
  readonly code: string;
  readonly words: string;
}

/** Reads an error code (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode) from Google's error shape. */
export function fcmError(answer: ProviderAnswer): FcmError {
  const { error } = jsonBody(answer) as {
    error?: { status?: unknown; message?: unknown; details?: readonly { '@type'?: string; errorCode?: unknown }[] };
  };
  const details = Array.isArray(error?.details) ? error.details : [];
  const code = details.find((detail) => typeof detail?.errorCode === 'string')?.errorCode ?? error?.status;
  return {
    code: typeof code === 'string' ? code : '',
    words: reason(
      'FCM',
      answer.status,
      String(code ?? ''),
      typeof error?.message === 'string' ? error.message : answer.body,
    ),
  };
}

/** The meaning of an answer other than 200 and other than 401 for the token. */
export function fcmResult(answer: ProviderAnswer, now: number): SendResult {
  const { code, words } = fcmError(answer);
  if (code === 'UNREGISTERED') return { outcome: 'dead', reason: words };
  if (code === 'THIRD_PARTY_AUTH_ERROR') {
    const text = 'FCM could not use the APNs key or Web Push key that the Firebase project has for this app:';
    return { outcome: 'failed', reason: reason(text, words) };
  }
  if (answer.status === 429 || answer.status >= 500) {
    // Google asks for a wait of at least a minute after a 429 that names no time.
    const afterMs = answer.status === 429 ? 60_000 : undefined;
    return retryLater(answer, now, { reason: words, scope: 'provider', afterMs });
  }
  return { outcome: 'failed', reason: words };
}
