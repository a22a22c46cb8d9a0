import { type Failure, fail } from '../base/errors.ts';

/** What is wrong with a storage: no space, a device that does not write, or contents that cannot be read. */
export type StorageTrouble = 'full' | 'io' | 'unreadable';

// SQLite's result codes (with their extensions), the system's for files, and PostgreSQL's SQLSTATE.
const codes: readonly (readonly [StorageTrouble, RegExp])[] = [
  ['full', /^(SQLITE_FULL|ENOSPC|EDQUOT|53100)$/],
  ['io', /^(SQLITE_(IOERR|CANTOPEN|READONLY|PROTOCOL)(_\w+)?|EIO|EROFS|EFBIG|ENXIO|58030)$/],
  // An error of the device in reading becomes SQLITE_CORRUPT on the way.
  ['unreadable', /^(SQLITE_(CORRUPT|NOTADB)(_\w+)?|XX00[12])$/],
];

const messages: Readonly<Record<StorageTrouble, string>> = {
  full: 'The storage is full. Deletions and sign-ins may still work. Make room, then try again.',
  io: 'The storage cannot be read or written at the moment. Try again; if this persists, check the disk.',
  unreadable:
    'The storage cannot be read: its disk reports errors, or the data is damaged. Check the disk, then run: pharos doctor.',
};

export function storageTrouble(error: unknown): StorageTrouble | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    const code = String((each as { code?: unknown }).code ?? '');
    const found = codes.find(([, form]) => form.test(code));
    if (found) return found[0];
  }
  return undefined;
}

/** The answer (503, code 124) to an error of the storage; undefined for any other error. */
export function storageFailure(error: unknown): Failure | undefined {
  const trouble = storageTrouble(error);
  return trouble && fail('Timeout', { message: messages[trouble], retryAfter: 5, cause: error });
}
