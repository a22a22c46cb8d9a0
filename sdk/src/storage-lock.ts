/** Where a text is kept on a device, such as AsyncStorage, localStorage or a keychain behind two functions. */
export interface TextStorage {
  /** The last text given to `save`, or null. */
  load(): Promise<string | null> | string | null;
  save(text: string): Promise<void> | void;
}

/** The part of the Web Locks API that is used; tabs and workers of one origin share its locks. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

const name = 'pharos-sightings';
/** Node's locks end at the process, and another process may use the same file. */
const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` when nothing else reads or writes the stored sightings: one after the other within this copy of the
 * package, and among tabs and workers if the platform has Web Locks. `isExclusive` says that nobody else can be
 * writing. The work is short and has its own time limit.
 */
export function locked<T>(work: (isExclusive: boolean) => Promise<T>): Promise<T> {
  const result = last.then(() => acrossTabs(work));
  last = result.catch(() => undefined);
  return result;
}

async function acrossTabs<T>(work: (isExclusive: boolean) => Promise<T>): Promise<T> {
  const { locks } = ((globalThis as { navigator?: unknown }).navigator ?? {}) as { readonly locks?: Locks };
  if (typeof locks?.request !== 'function') return work(false);
  let started = false;
  try {
    return await locks.request(name, () => {
      started = true;
      return work(!isNode);
    });
  } catch (error) {
    // A page without an origin has the API but may not use it.
    if (started) throw error;
    return work(false);
  }
}
