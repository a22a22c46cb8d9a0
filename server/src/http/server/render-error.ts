import { type Failure, fail, failureOf } from '../../base/errors.ts';
import { storageFailure } from '../../db/storage-error.ts';

interface FrameworkError {
  readonly code?: string;
  readonly statusCode?: number;
  readonly message?: string;
}

/** Turns anything thrown into a catalogue error. Unknown errors stay opaque to the caller. */
export function asFailure(error: unknown): Failure {
  const refused = failureOf(error);
  if (refused) return refused;
  const { code, statusCode } = (error ?? {}) as FrameworkError;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return fail('UnsupportedMediaType', { cause: error });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('ObjectTooLarge', { cause: error });
    case 'FST_ERR_BAD_URL':
      return fail('NotFound', { message: 'The address is not a valid URL path.', cause: error });
    default:
      if (code?.startsWith('FST_') && statusCode && statusCode < 500) return fail('InvalidJSON', { cause: error });
      return storageFailure(error) ?? fail('InternalServerError', { cause: error });
  }
}

/** The body of every error answer. Most clients read `error.code` and `error.error`, others the top-level `code`. */
export function errorBody(failure: Failure, requestId: string): string {
  const { code, name, status } = failure.entry;
  const error = {
    code,
    error: failure.message,
    name,
    status,
    requestId,
    ...(failure.details.length > 0 ? { details: failure.details } : {}),
    ...(failure.isOutcomeUnknown ? { mayBeDone: true } : {}),
    ...(failure.challenge === undefined ? {} : { challenge: failure.challenge }),
  };
  return JSON.stringify({ error, code });
}

export function errorHeaders(failure: Failure): Record<string, string> {
  const headers: Record<string, string> = { ...failure.headers };
  if (failure.retryAfter !== undefined) headers['Retry-After'] = String(failure.retryAfter);
  return headers;
}
