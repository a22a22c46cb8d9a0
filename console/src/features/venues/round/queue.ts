import type { Beacon } from '@pharos/sdk';

/** What an installer has done and the service does not know yet, kept on this device. */

export interface Waiting {
  /** One per beacon and person: placing it again replaces the earlier one. */
  readonly id: string;
  /** The e-mail of the administrator: on a phone of several people each sends her own. */
  readonly person: string;
  readonly appId: string;
  readonly venueId: string;
  /** As it was when it was placed. */
  readonly beacon: Beacon;
  readonly location: { readonly x: number; readonly y: number; readonly floor: number };
  /** Where this device has put it just before, which may have been sent or not. */
  readonly before?: Waiting['location'] | undefined;
  readonly photo?: Blob | undefined;
  /** Once the photograph is uploaded. */
  readonly photoId?: string | undefined;
  /** ISO 8601. */
  readonly verifiedAt: string;
  readonly problem?: Problem | undefined;
}

export interface Problem {
  readonly message: string;
  /** What somebody else has changed it to in the meantime. */
  readonly theirs?: Beacon;
}

const store = 'waiting';

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('pharos-install-round', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function run<T>(mode: IDBTransactionMode, work: (all: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(store, mode);
      const request = work(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** In the order in which they were done. */
export async function listWaiting(person: string, appId: string, venueId: string): Promise<readonly Waiting[]> {
  const all = await run<Waiting[]>('readonly', (store) => store.getAll());
  return all
    .filter((one) => one.person === person && one.appId === appId && one.venueId === venueId)
    .toSorted((a, b) => (a.verifiedAt < b.verifiedAt ? -1 : 1));
}

export const findWaiting = (id: string) => run<Waiting | undefined>('readonly', (store) => store.get(id));
export const keepWaiting = (one: Waiting) => run('readwrite', (store) => store.put(one));
export const dropWaiting = (id: string) => run('readwrite', (store) => store.delete(id));

/** Changes what is kept, unless it was placed again or discarded while it was being sent: then that counts. */
function ifStillThere(one: Waiting, change: (all: IDBObjectStore) => void): Promise<unknown> {
  return run('readwrite', (all) => {
    const found = all.get(one.id) as IDBRequest<Waiting | undefined>;
    found.onsuccess = () => {
      if (found.result?.verifiedAt === one.verifiedAt) change(all);
    };
    return found;
  });
}

/** What has become of it while it was sent. */
export const noteWaiting = (one: Waiting) => ifStillThere(one, (all) => all.put(one));
/** It is sent. */
export const endWaiting = (one: Waiting) => ifStillThere(one, (all) => all.delete(one.id));
