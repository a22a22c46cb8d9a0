import type { Caller } from '../../../access/caller.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import { blobKeyOf } from './place/file-name.ts';
import { files } from './resource.ts';

interface FileHead {
  readonly contentType: string;
  /** Bytes of the whole file. */
  readonly size: number;
  readonly head: Uint8Array;
}

/** The first bytes of a file that the caller may get; undefined: for her there is none. */
export async function readFileHead(
  { db, blobs }: { readonly db: Db; readonly blobs: BlobStore },
  caller: Caller,
  { objectId, bytes }: { readonly objectId: string; readonly bytes: number },
): Promise<FileHead | undefined> {
  const { appId } = caller.app;
  const row = await findAllowed(db, files, { key: { app_id: appId, object_id: objectId }, verb: 'get', caller });
  if (!row) return undefined;
  const size = Number(row['size']);
  const range = { start: 0, end: Math.min(bytes, size) - 1 };
  const stream = size === 0 ? undefined : await blobs.get(blobKeyOf(appId, String(row['stored_name'])), range);
  const parts: Uint8Array[] = [];
  for await (const part of stream ?? []) parts.push(part as Uint8Array);
  return { contentType: String(row['content_type']), size, head: Buffer.concat(parts) };
}

/** The media type of a file that the caller may get; undefined: for her there is none. */
export async function findFileType(db: Db, caller: Caller, objectId: string): Promise<string | undefined> {
  const key = { app_id: caller.app.appId, object_id: objectId };
  const row = await findAllowed(db, files, { key, verb: 'get', caller });
  return row && String(row['content_type']);
}
