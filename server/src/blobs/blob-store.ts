import type { Readable } from 'node:stream';

/**
 * `{app id}/{32 hexadecimal digits}`. The service generates both halves: nothing that a client wrote is ever part of a
 * key, so a key cannot name a place outside the store.
 */
export type BlobKey = string;

const keyForm = /^[0-9A-Za-z]{1,64}\/[0-9a-f]{32}$/;

/** @throws Error for anything else: a wrong key is a mistake of the program, never of a caller */
export function assertBlobKey(key: string): asserts key is BlobKey {
  if (!keyForm.test(key)) throw new Error('A blob key must be an app id, a slash and 32 hexadecimal digits.');
}

/** First and last byte, both counted from 0 and both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobEntry {
  readonly key: BlobKey;
  /** Bytes. */
  readonly size: number;
  /** When it was written, by the storage's clock, in epoch milliseconds. */
  readonly modifiedAt: number;
}

export interface BlobListOptions {
  /** Only keys that sort after this one. */
  readonly after?: BlobKey;
  /** The most keys to return, 1 to 1,000. */
  readonly limit: number;
}

/**
 * The port for storing files. `server/test/conformance/blob-store.ts` asserts what is promised here.
 *
 * Errors: `Failure` Timeout when the storage cannot take or return a blob now (full, unreachable); an Error for a key
 * of another form.
 */
export interface BlobStore {
  /**
   * Stores all bytes of `source` under the key, reading no faster than the storage takes them and holding only a few
   * chunks in memory. A chunk is finished with once the next one is requested; its memory may then be reused.
   *
   * Atomic: before the promise resolves, readers either do not find the key or find all its bytes, never some of them;
   * an existing blob under the key is replaced as a whole. Durable: once it resolves, the blob survives a power cut.
   * Order: once it resolves, every `get` and `list` of every node sees the blob.
   *
   * Cancelled by the source: when `source` fails or is destroyed, the promise rejects with the same error, and nothing
   * is left under the key. The store does not destroy the source, so that an answer can still be sent on its
   * connection; its `return` must do nothing but stop the reading.
   */
  put(key: BlobKey, source: AsyncIterable<Uint8Array>): Promise<void>;

  /**
   * The blob's bytes as a stream, or those of `range`; undefined if there is no such blob. Bytes are read only as fast
   * as the stream is; destroying it frees what it holds. A reader sees one blob from its first byte to its last, even
   * if it is replaced or removed in the meantime.
   *
   * @throws RangeError when the range does not lie within the blob
   */
  get(key: BlobKey, range?: ByteRange): Promise<Readable | undefined>;

  /** Undefined if there is no such blob. */
  stat(key: BlobKey): Promise<BlobEntry | undefined>;

  /** False if there is no such blob. Once it resolves, no `get` and no `list` finds the blob. */
  remove(key: BlobKey): Promise<boolean>;

  /**
   * Blobs in the order of their keys, by code point. A blob that is stored or removed while a caller pages may or may
   * not appear; every other blob appears exactly once. Fewer than `limit` means that there are no more.
   */
  list(options: BlobListOptions): Promise<readonly BlobEntry[]>;
}
