import { Failure, fail } from '../../base/errors.ts';
import { UniqueViolation } from '../db.ts';
import { storageFailure } from '../storage-error.ts';

const unavailable = /^SQLITE_(BUSY|LOCKED|NOMEM|INTERRUPT)(_\w+)?$/;

/**
 * Translates an error of the driver: a unique value that is taken, a storage that cannot accept the write now, or the
 * error itself.
 */
export function translateSqliteError(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new UniqueViolation(error.message.replace(/^.*failed: /, ''), error);
  }
  if (unavailable.test(code)) return fail('Timeout', { retryAfter: 1, cause: error });
  return storageFailure(error) ?? error;
}
