import { Failure, fail } from '../../base/errors.ts';
import { newObjectId } from '../../base/id.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Db } from '../../db/db.ts';
import { storageTrouble } from '../../db/storage-error.ts';
import type { Call } from '../../http/endpoint.ts';
import type { ClientQuotas } from '../../limits/client-quotas.ts';
import type { UsageMeter } from '../../limits/usage.ts';
import { makerColumns } from '../../resources/resource.ts';
import { blobKeyOf, fileUrl, newStoredName, readFileName } from './file-name.ts';
import { readMediaType } from './headers/media-type.ts';
import { files, uploadedAnswer } from './resource.ts';
import { insertFile } from './store.ts';
import { storeBody, tooLarge } from './upload.ts';

export interface FileDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /**
   * Reserves room for `bytes`, and returns a function that gives it back. @throws Failure Timeout when there is too
   * little
   */
  readonly claimRoom: (bytes: number) => Promise<() => void>;
  /** The address under which clients reach the service, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly usage: UsageMeter;
  readonly quotas: ClientQuotas;
  /** In a transaction: whether there is such a user, who is then not erased before its end. */
  readonly userExists: (db: Db, appId: string, userId: string) => Promise<boolean>;
  /** Does work whose failure does not change the answer: the error is logged, and a sweep makes up for it. */
  readonly attempt: (what: string, work: () => Promise<unknown>) => Promise<void>;
}

/** What the head of an upload says. */
export interface Announced {
  readonly name: string;
  readonly contentType: string;
  /** Bytes; undefined if the body is sent in chunks. */
  readonly length: number | undefined;
  readonly maxBytes: number;
}

interface Limits {
  readonly name: string;
  readonly maxBytes: number;
}

type Announcing = Omit<Call<undefined, undefined>, 'body' | 'located'>;

/** How a request's body becomes a file. */
export function fileIntake(deps: FileDeps) {
  return {
    answer: uploadedAnswer,
    /** Before the body, so that a refusal saves the transfer. A client that does not announce a length may send the most. */
    announce: async (call: Announcing, limits: Limits): Promise<Announced> => {
      const announced = readHead(call.headers, limits);
      const bytes = announced.length ?? limits.maxBytes;
      const more = { files: 1, fileBytes: bytes };
      await deps.usage.assertRoom(call.app.appId, call.app.policy, more);
      await deps.usage.users.assertRoom(call, more);
      deps.quotas.takeUpload(call, bytes);
      return announced;
    },
    keep: async (call: Call<undefined, unknown>, announced: Announced) => {
      // Concurrent uploads are counted together.
      const held = deps.usage.hold(call, { files: 1, fileBytes: announced.length ?? announced.maxBytes });
      return keep(deps, call, announced).finally(held);
    },
  };
}

/** Everything that the head of the request says, so that a refusal saves the transfer. */
function readHead(headers: Announcing['headers'], { name: given, maxBytes }: Limits): Announced {
  const name = readFileName(given);
  const contentType = readMediaType(headers['content-type'] as string | undefined);
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return { name, contentType, length, maxBytes };
}

async function keep(deps: FileDeps, call: Call<undefined, unknown>, announced: Announced) {
  const { db, blobs, publicUrl, usage, quotas, attempt, claimRoom } = deps;
  const { app, stream, now } = call;
  const { name, contentType, length, maxBytes } = announced;
  const giveBack = await claimRoom(length ?? maxBytes);
  const [objectId, storedName] = [newObjectId(now), newStoredName(name)];
  const key = blobKeyOf(app.appId, storedName);
  const bytes = await storeBody(blobs, key, { stream, maxBytes }).finally(giveBack);
  const maker = makerColumns(files, call);
  try {
    // Only now: a row without its file would be an address that leads nowhere.
    const file = { appId: app.appId, objectId, name, storedName, contentType, ...bytes, maker, now };
    const { user } = call;
    if (!user) await insertFile(db, file);
    else
      await db.transaction(async (db) => {
        // She may have been erased while the bytes came, with all files that she had by then.
        if (!(await deps.userExists(db, app.appId, user.userId))) throw fail('InvalidSessionToken');
        await insertFile(db, file);
      });
  } catch (error) {
    // Bytes without a record are swept later; a record without bytes would be an address that leads nowhere.
    if (isSurelyRefused(error))
      await attempt('removing a file whose record could not be written', () => blobs.remove(key));
    throw error;
  }
  usage.add(app.appId, { files: 1, fileBytes: bytes.size });
  usage.users.add(app.appId, call.user?.userId, { files: 1, fileBytes: bytes.size });
  if (length === undefined) quotas.settleUpload(call, maxBytes, bytes.size);
  return { objectId, name: storedName, url: fileUrl(publicUrl(), app.appId, storedName) };
}

/** Whether an error of the write means for certain that nothing was stored. */
function isSurelyRefused(error: unknown): boolean {
  if (!(error instanceof Failure) || error.entry.name !== 'Timeout') return true;
  // Bytes on a full disk cannot wait for the sweep.
  return storageTrouble(error) === 'full' && !error.isOutcomeUnknown;
}
