import { Failure, fail } from '../errors.ts';
import { UniqueViolation } from './db.ts';
import { storageFailure } from './storage-error.ts';

const serialization = new Set(['40001', '40P01']);

/** True for the two conflicts that a database resolves by asking for the transaction once more. */
export function isRetryable(error: unknown): boolean {
  return serialization.has(String((error as { code?: unknown })?.code ?? ''));
}

/** Connection lost, too many connections, disk full, server shutting down, read-only standby, lock not available. */
const unavailable = /^(08|53|57P|25006|55P03)/;
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const poolMessages =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Cannot use a pool after/;

/** Translates an error of the driver: a taken unique value, a storage that cannot take it now, or the error itself. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505') return new UniqueViolation(constraint ?? '', error);
  if (code === '57014') {
    return fail('Timeout', {
      message: 'The query ran past its deadline. Narrow it, or filter on a declared column.',
      cause: error,
    });
  }
  const storage = storageFailure(error);
  if (storage) return storage;
  if (unavailable.test(code ?? '') || socketCodes.has(code ?? '') || poolMessages.test(error.message)) {
    return fail('Timeout', {
      message: 'The database cannot be reached or cannot take this now. Try again.',
      retryAfter: 1,
      cause: error,
    });
  }
  if (isRetryable(error)) return fail('Timeout', { retryAfter: 1, cause: error });
  return error;
}
