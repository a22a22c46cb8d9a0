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

/** What the service uses besides the blobs themselves. */
export interface BlobStorage extends BlobStore {
  /** Where the blobs lie, for people: a folder, or a bucket with its server. Holds no credentials. */
  readonly place: string;
  /** Whether they lie beyond this machine, so that several nodes share them and backups do not copy them. */
  readonly isRemote: boolean;
  /** Bytes of this machine's disk that an upload of `bytes` occupies for a while, or for good. */
  needsOnDisk(bytes: number): number;
  /** Removes what uploads left behind when their process was killed. Returns how many. */
  sweepUnfinished(now: number): Promise<number>;
  /** @throws Failure Timeout whose cause says what is wrong and what to do: nothing can be stored or read now */
  check(): Promise<void>;
  /** What several databases could share by mistake says whose it is; undefined for a folder. */
  readonly mark?: BlobMark;
  /** A folder says which one it is: its disk may not be mounted, or another one may be. */
  readonly folderMark?: FolderMark;
  /** An address at which anyone can read the blob for a short time, without this service in between. */
  readonly signedUrl?: (key: BlobKey, served: ServedAs) => Promise<string>;
  /** Work done since the start, for metrics. */
  readonly counts?: () => readonly BlobCount[];
  close(): void;
}

export interface BlobMark {
  /** The id of the database to which the blobs belong, if it is written down. */
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
}

/** What is wrong with a storage and what to do, in words for whoever runs the service; the cause of a `Failure`. */
export class StorageFault extends Error {}

export interface FolderMark {
  /** Undefined without a mark, and where there is no folder. */
  read(): Promise<string | undefined>;
  /** Leaves a mark that is there already, also one that another process makes at the same moment. */
  write(id: string): Promise<void>;
  /** How many of these blobs are there, without asking the guard. */
  count(keys: readonly BlobKey[]): Promise<number>;
  /** Asked from now on before something is stored, and before it is said that something is not there. */
  guard(assertRight: (use: FolderUse) => Promise<void>): void;
}

export type FolderUse = 'store' | 'read';

/** The setting in which a database keeps the mark of its folder. A restored database has another folder. */
export const folderSetting = 'files_folder';

/** The headers with which a blob is to be served. */
export interface ServedAs {
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

export interface BlobCount {
  readonly operation: string;
  readonly result: 'ok' | 'failed';
  readonly count: number;
  /** Until the answer begins, in total. */
  readonly seconds: number;
}
