import { fail } from '../base/errors.ts';

const unavailable = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Turns errors of this machine's disk into Timeout. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!unavailable.has(String((error as { code?: unknown } | undefined)?.code))) throw error;
    throw fail('Timeout', {
      message: 'The file storage cannot take this now. Try again.',
      retryAfter: 5,
      cause: error,
    });
  }
}
