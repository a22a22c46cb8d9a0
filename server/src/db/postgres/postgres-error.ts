import { Failure, fail } from '../../base/errors.ts';
import { UniqueViolation } from '../db.ts';
import { storageFailure } from '../storage-error.ts';

const serialization = new Set(['40001', '40P01']);

const codeOf = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? '');

/** True for the two conflicts that a database resolves by having the transaction repeated. */
export function isRetryable(error: unknown): boolean {
  return serialization.has(codeOf(error));
}

/**
 * The table of a prepared statement has other columns than when it was prepared (a newer node has migrated it), or something between here
 * and the server has dropped what was prepared. Nothing was done; prepared anew, it works.
 */
export function isStalePlan(error: unknown): boolean {
  const { routine, message = '' } = (error ?? {}) as { routine?: string; message?: string };
  const isOtherResult =
    routine === 'RevalidateCachedQuery' || message.includes('cached plan must not change result type');
  return codeOf(error) === '26000' || (codeOf(error) === '0A000' && isOtherResult);
}

/**
 * Connection lost, too many connections, disk full, server shutting down, read-only standby, transaction left idle or too
 * long, lock not available.
 */
const unavailable = /^(08|53|57P|25006|25P0[34]|55P03)/;
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EAI_AGAIN',
]);
const lostMessages = /Connection terminated|not queryable|Client was closed|timeout expired/;
const poolMessages = /timeout exceeded when trying to connect|Cannot use a pool after/;

/** The connection is gone, and with it what was not committed. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(08|57P|25P0[34])/.test(codeOf(error)) || socketCodes.has(codeOf(error)) || lostMessages.test(error.message);
}

/** The server accepts no writes (any more): it is a standby, or was made read-only. */
export const isReadOnly = (error: unknown) => codeOf(error) === '25006';
export const isLockTimeout = (error: unknown) => codeOf(error) === '55P03';

/** No answer: unlike a refusal, this says nothing about the server except that it cannot be waited for. */
export function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /timeout expired|connection timeout/.test(error.message) ||
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(codeOf(error))
  );
}

/** No server of the address can be used. The message names each with its reason, without credentials. */
export class NoUsableServer extends Error {
  constructor(reasons: readonly string[], cause: unknown) {
    super(`PostgreSQL cannot be used: ${reasons.join('; ')}.`, { cause });
    this.name = 'NoUsableServer';
  }
}

/** The server answers, but it is not the requested kind. */
export class WrongServer extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'WrongServer';
  }
}

/** The write may or may not have been done; it must not be repeated without checking. */
export function outcomeUnknown(reason: string, cause: unknown): Failure {
  return fail('Timeout', {
    message: `${reason}, so it is unknown whether this was stored. Check before sending it again.`,
    retryAfter: 1,
    isOutcomeUnknown: true,
    cause,
  });
}

/**
 * Translates an error of the driver: a unique value that is taken, a storage that cannot accept the write now, or the
 * error itself.
 */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505') return new UniqueViolation(constraint ?? '', error);
  if (code === '57014') {
    return fail('Timeout', {
      message: 'The query ran past its deadline. Narrow it, or filter on a declared column.',
      retryAfter: 1,
      cause: error,
    });
  }
  const storage = storageFailure(error);
  if (storage) return storage;
  if (isLockTimeout(error)) {
    return fail('Timeout', {
      message: 'The data is locked by another operation. Try again.',
      retryAfter: 1,
      cause: error,
    });
  }
  if (isReadOnly(error)) {
    return fail('Timeout', {
      message: 'The database is a standby or read-only and does not accept writes. Try again.',
      retryAfter: 1,
      cause: error,
    });
  }
  const isUnavailable = unavailable.test(code ?? '') || isConnectionLost(error) || poolMessages.test(error.message);
  if (isUnavailable || error instanceof NoUsableServer || error instanceof WrongServer) {
    return fail('Timeout', {
      message: 'The database cannot be reached, or cannot accept this now. Try again.',
      retryAfter: 1,
      cause: error,
    });
  }
  if (isRetryable(error)) return fail('Timeout', { retryAfter: 1, cause: error });
  return error;
}
