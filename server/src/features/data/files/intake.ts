import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure, fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import { storageTrouble } from '../../../db/storage-error.ts';
import type { Call, JsonText } from '../../../http/endpoint.ts';
import { replayed } from '../../../http/once.ts';
import { bytesText } from '../../../limits/bytes-text.ts';
import type { Creation, IdempotencyKeys } from '../../../limits/idempotency.ts';
import { makerColumns } from '../../../resources/resource.ts';
import type { Context } from '../../context.ts';
import { readMediaType } from './headers/media-type.ts';
import { blobKeyOf, digitsOf, fileUrl, newStoredName, readFileName, storedNameOf } from './place/file-name.ts';
import { files, uploadedAnswer } from './resource.ts';
import { findStoredFile, insertFile } from './store.ts';

interface StoredBytes {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

function tooLarge(maxBytes: number): Failure {
  return fail('ObjectTooLarge', `The file is larger than ${bytesText(maxBytes)}.`);
}

/**
 * Releases the memory of a chunk that nobody reads any more. Left to the garbage collector, it would cause full
 * collections again and again while uploads wait: their p99 is 45 ms instead of 33 on 64 connections.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Streams a request's body into the store, counting and hashing it on the way. When it rejects, nothing is kept, and
 * the rest of the body is left unread.
 *
 * @throws Failure ObjectTooLarge, InvalidJSON (the body ended early), Timeout (the storage cannot take it now)
 */
export function storeBody(blobs: BlobStore, key: string, body: Body): Promise<StoredBytes> {
  return takeBody(body, (bytes) => blobs.put(key, bytes));
}

/** Reads a request's body to the end and keeps nothing of it. @throws Failure ObjectTooLarge, InvalidJSON */
function measureBody(body: Body): Promise<StoredBytes> {
  return takeBody(body, async (bytes) => {
    for await (const _ of bytes);
  });
}

interface Body {
  readonly stream: Readable;
  readonly maxBytes: number;
}

async function takeBody(body: Body, take: (bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<StoredBytes> {
  const hash = createHash('sha256');
  // Node copies what it reads from a connection into chunks for this request alone; those of other streams may be
  // shared.
  const isOwner = body.stream instanceof IncomingMessage;
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    // Ending the reading must not destroy the request: the refusal still has to be sent on its connection.
    for await (const chunk of body.stream.iterator({ destroyOnReturn: false })) {
      size += (chunk as Uint8Array).length;
      if (size > body.maxBytes) throw tooLarge(body.maxBytes);
      hash.update(chunk as Uint8Array);
      yield chunk as Uint8Array;
      if (isOwner) release(chunk as Uint8Array);
    }
  }
  try {
    await take(measured());
  } catch (error) {
    // Nobody reads this answer; it keeps a client's broken connection out of the errors of the service.
    if (body.stream.errored)
      throw fail('InvalidJSON', { message: 'The upload ended before it was complete.', cause: error });
    throw error;
  }
  return { size, sha256: hash.digest('hex') };
}

export interface FileDeps extends Pick<Context, 'publicUrl' | 'usage' | 'quotas' | 'userExists'> {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /**
   * Reserves room for `bytes`, and returns a function that gives it back. @throws Failure Timeout when there is too
   * little
   */
  readonly claimRoom: (bytes: number) => Promise<() => void>;
  readonly keys: IdempotencyKeys;
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
  /** It was stored before, under the same `Idempotency-Key`. */
  readonly isDone: boolean;
}

interface Limits {
  readonly name: string;
  readonly maxBytes: number;
}

type Announcing = Omit<Call<undefined, undefined>, 'body' | 'located'>;
type Upload = Call<undefined, unknown>;

/** How a request's body becomes a file. */
export function fileIntake(deps: FileDeps) {
  return {
    answer: uploadedAnswer,
    /** Before the body, so that a refusal saves the transfer. A client that does not announce a length may send the most. */
    announce: async (call: Announcing, limits: Limits): Promise<Announced> => {
      const announced = { ...readHead(call.headers, limits), isDone: await isDone(deps, call, limits) };
      const bytes = announced.length ?? limits.maxBytes;
      if (!announced.isDone) {
        const more = { files: 1, fileBytes: bytes };
        await deps.usage.assertRoom(call.app.appId, call.app.policy, more);
        await deps.usage.users.assertRoom(call, more);
      }
      deps.quotas.takeUpload(call, bytes);
      return announced;
    },
    keep: async (call: Upload, announced: Announced) => {
      if (announced.isDone) return compare(deps, call, announced);
      // Concurrent uploads are counted together.
      const held = deps.usage.hold(call, { files: 1, fileBytes: announced.length ?? announced.maxBytes });
      return keep(deps, call, announced).finally(held);
    },
  };
}

/** Whether the file is stored already, so that no room is needed. */
async function isDone({ keys }: FileDeps, call: Announcing, { name }: Limits): Promise<boolean> {
  const named = keyOf(call, name);
  return named !== undefined && (await keys.isDone(named));
}

/** The request's `Idempotency-Key`, if it has one. */
function keyOf({ app, user, secretKey, administrator, headers }: Announcing, name: string) {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const caller =
    administrator === undefined ? (user?.userId ?? secretKey?.keyId ?? null) : `administrator ${administrator}`;
  return { appId: app.appId, caller, address: `POST /files/${name}`, key: String(key) };
}

/** Reads and checks the head of the request, so that a refusal saves the transfer. */
function readHead(headers: Announcing['headers'], { name: given, maxBytes }: Limits): Omit<Announced, 'isDone'> {
  const name = readFileName(given);
  const contentType = readMediaType(headers['content-type'] as string | undefined);
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return { name, contentType, length, maxBytes };
}

async function keep(deps: FileDeps, call: Upload, announced: Announced): Promise<JsonText | object> {
  const { blobs, usage, quotas, attempt, claimRoom } = deps;
  const { app, stream } = call;
  const { name, length, maxBytes } = announced;
  const giveBack = await claimRoom(length ?? maxBytes);
  const storedName = newStoredName(name);
  const key = blobKeyOf(app.appId, storedName);
  const bytes = await storeBody(blobs, key, { stream, maxBytes }).finally(giveBack);
  const discard = (what: string) => attempt(what, () => blobs.remove(key));
  let recorded: Recorded;
  try {
    // Only now: a row without its file would be an address that leads nowhere.
    recorded = await record(deps, call, { announced, storedName, bytes });
  } catch (error) {
    // Bytes without a record are swept later; a record without bytes would be an address that leads nowhere.
    if (isSurelyRefused(error)) await discard('removing a file whose record could not be written');
    throw error;
  }
  if (length === undefined) quotas.settleUpload(call, maxBytes, bytes.size);
  if (recorded.isReplayed) {
    await discard('removing the second copy of a file that was sent again');
    return replayed(recorded.answer);
  }
  usage.add(app.appId, { files: 1, fileBytes: bytes.size });
  usage.users.add(app.appId, call.user?.userId, { files: 1, fileBytes: bytes.size });
  return recorded.answer;
}

/** Whoever sends a file again sends the same one; otherwise the key belongs to another request. */
async function compare(deps: FileDeps, call: Upload, announced: Announced): Promise<JsonText | object> {
  const { length, maxBytes } = announced;
  const bytes = await measureBody({ stream: call.stream, maxBytes });
  const { answer } = await record(deps, call, { announced, bytes });
  deps.quotas.settleUpload(call, length ?? maxBytes, 0);
  return replayed(answer);
}

interface Arrived {
  readonly announced: Announced;
  /** Undefined if its bytes are not kept because the file is there already. */
  readonly storedName?: string;
  readonly bytes: StoredBytes;
}

interface Recorded {
  readonly answer: { readonly objectId: string; readonly name: string; readonly url: string };
  readonly isReplayed: boolean;
}

/** Makes the record; once, however often the request is sent with the same key. */
async function record(deps: FileDeps, call: Upload, { announced, storedName, bytes }: Arrived): Promise<Recorded> {
  const { db, publicUrl, keys } = deps;
  const { appId } = call.app;
  const { name, contentType } = announced;
  const recorded = (objectId: string, storedName: string, isReplayed: boolean): Recorded => ({
    answer: { objectId, name: storedName, url: fileUrl(publicUrl(), appId, storedName) },
    isReplayed,
  });
  const create = async ({ objectId, now }: Creation) => {
    // A moment ago it was done; since then its key has become a day old.
    if (storedName === undefined) throw fail('Timeout');
    const file = {
      ...{ app_id: appId, object_id: objectId, name, stored_name: storedName, content_type: contentType, ...bytes },
      ...{ ...makerColumns(files, call), created_at: now, updated_at: now },
    };
    const { user } = call;
    if (!user) await insertFile(db, file);
    else
      await db.transaction(async (db) => {
        // She may have been erased while the bytes came, with all files that she had by then.
        if (!(await deps.userExists(db, appId, user.userId))) throw fail('InvalidSessionToken');
        await insertFile(db, file);
      });
    return recorded(objectId, storedName, false);
  };
  const named = keyOf(call, name);
  if (!named) return create({ objectId: newObjectId(call.now), now: call.now });
  return keys.once(
    { ...named, body: { contentType, sha256: bytes.sha256 }, now: call.now },
    {
      create,
      repeat: async ({ objectId }, digits) => {
        const stored =
          digits === null ? (await findStoredFile(db, appId, objectId))?.stored_name : storedNameOf(digits, name);
        if (stored === undefined) throw fail('Timeout');
        return recorded(objectId, stored, true);
      },
      // The digits alone: the name may be somebody's.
      note: ({ answer }) => digitsOf(answer.name),
    },
  );
}

/** Whether an error of the write means for certain that nothing was stored. */
function isSurelyRefused(error: unknown): boolean {
  if (!(error instanceof Failure) || error.entry.name !== 'Timeout') return true;
  // Bytes on a full disk cannot wait for the sweep.
  return storageTrouble(error) === 'full' && !error.isOutcomeUnknown;
}
