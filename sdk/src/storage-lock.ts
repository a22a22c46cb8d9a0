import { within } from './abort.ts';
import { PharosError } from './error.ts';

/** Where a text is kept on a device, such as AsyncStorage, localStorage or a keychain behind two functions. */
export interface TextStorage {
  /** The last text given to `save`, or null. */
  load(): Promise<string | null> | string | null;
  save(text: string): Promise<void> | void;
}

/** The part of the Web Locks API that is used; tabs and workers of one origin share its locks. */
interface Locks {
  request<T>(name: string, options: { readonly signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

/** Node's locks end at the process, and another process may use the same file. */
const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;

/**
 * Runs `work` when nothing else under the same lock runs: one after the other within this copy of the package, and among tabs
 * and workers if the platform has Web Locks. `isExclusive` says that nobody else can be writing. The work has its own time limit;
 * its turn comes within `maxMs`, or it is not done. @throws PharosError `TimedOut`
 */
export type Lock = <T>(work: (isExclusive: boolean) => Promise<T>, maxMs?: number) => Promise<T>;

function lockOf(name: string): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (work, maxMs) => {
    const waiting = new AbortController();
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const begins = (isExclusive: boolean) => {
      begin();
      return work(isExclusive);
    };
    const result = last.then(() => acrossTabs(name, begins, waiting.signal));
    last = result.catch(() => undefined);
    if (maxMs === undefined) return result;
    const late = () => {
      waiting.abort();
      return heldUp();
    };
    return within(maxMs, Promise.race([begun, result]), late).then(() => result);
  };
}

/** A tab that the browser has frozen, or that shows a dialog, keeps a lock for as long. */
const heldUp = () =>
  new PharosError('Another tab has begun to renew the tokens, and does not finish. Close it, or try again.', {
    name: 'TimedOut',
    code: 0,
    status: 0,
    mayBeDone: false,
  });

/** Reading and writing the stored sightings, and the secret of the installation: short work. */
export const locked = lockOf('pharos-sightings');
/** Reading, renewing and writing the stored tokens. */
export const lockedTokens = lockOf('pharos-tokens');

async function acrossTabs<T>(
  name: string,
  work: (isExclusive: boolean) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (signal.aborted) throw heldUp();
  const { locks } = ((globalThis as { navigator?: unknown }).navigator ?? {}) as { readonly locks?: Locks };
  if (typeof locks?.request !== 'function') return work(false);
  let started = false;
  try {
    return await locks.request(name, { signal }, () => {
      started = true;
      return work(!isNode);
    });
  } catch (error) {
    // A page without an origin has the API but may not use it.
    if (started || signal.aborted) throw error;
    return work(false);
  }
}

/** How long a storage may take, ms. */
const storageTimeout = 10_000;

/** Settles as work on a storage does, or rejects once that takes too long; `time.isUp` then says that it came too late. */
export function inTime<T>(work: (time: { readonly isUp: boolean }) => Promise<T>): Promise<T> {
  const time = { isUp: false };
  return within(storageTimeout, work(time), () => {
    time.isUp = true;
    return new Error(`The storage did not answer within ${storageTimeout / 1000} s.`);
  });
}
