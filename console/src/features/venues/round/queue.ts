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
  /** When the beacon was placed at which the photograph was taken, where that was before `verifiedAt`. */
  readonly photoFrom?: string | undefined;
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

/** Keeps what `made` makes of what waited under that id, in one step: meanwhile it is being sent. */
export const replaceWaiting = (id: string, made: (earlier: Waiting | undefined) => Waiting) =>
  changeFound(id, (found, all) => all.put(made(found)));
export const keepWaiting = (one: Waiting) => run('readwrite', (store) => store.put(one));
export const dropWaiting = (id: string) => run('readwrite', (store) => store.delete(id));

function changeFound(
  id: string,
  change: (found: Waiting | undefined, all: IDBObjectStore) => void,
): Promise<Waiting | undefined> {
  return run('readwrite', (all) => {
    const found = all.get(id) as IDBRequest<Waiting | undefined>;
    found.onsuccess = () => change(found.result, all);
    return found;
  });
}

/** Changes what is kept, unless it was placed again or discarded while it was being sent: then that counts. */
const ifStillThere = (one: Waiting, change: (all: IDBObjectStore) => void) =>
  changeFound(one.id, (found, all) => {
    if (found?.verifiedAt === one.verifiedAt) change(all);
  });

/** When the photograph of a beacon was taken, which stays with it if it is placed again. */
export const photoFrom = ({ photoFrom, verifiedAt }: Waiting): string => photoFrom ?? verifiedAt;

/** That its photograph is uploaded, also if it was placed again meanwhile and has the same one. */
export const noteUploaded = (one: Waiting, photoId: string) =>
  changeFound(one.id, (found, all) => {
    if (found && photoFrom(found) === photoFrom(one)) all.put({ ...found, photoId });
  });

/** What has become of it while it was sent. */
export const noteWaiting = (one: Waiting) => ifStillThere(one, (all) => all.put(one));
/** It is sent. */
export const endWaiting = (one: Waiting) => ifStillThere(one, (all) => all.delete(one.id));
