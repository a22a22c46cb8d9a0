import type { Readable } from 'node:stream';
import {
  assertBlobKey,
  type BlobEntry,
  type BlobKey,
  type BlobListOptions,
  type BlobMark,
  type BlobStorage,
  type ByteRange,
  type ServedAs,
} from './blob-store.ts';
import { translated } from './disk-faults.ts';
import type { S3Address } from './s3-address.ts';
import { connectS3, type S3Connection } from './s3-client.ts';
import { isMissing, isNotOffered, isOutsideRange, unavailable } from './s3-faults.ts';
import { ByteBudget, PartSpool, partBytes } from './s3-parts.ts';
import { type Body, readThrough } from './s3-reading.ts';

export interface S3Options {
  readonly address: S3Address;
  /** Where parts of uploads wait while they arrive. */
  readonly spool: string;
  /** How long the server may take for a request without a body. */
  readonly timeoutMs: number;
}

/** Parts that are on their way at the same time are held in memory: no more than this of them. */
const sentAtOnceBytes = 8 * partBytes;
/** The clocks of two machines differ less, and no upload takes as long. */
const abandonedMs = 86_400_000;
const pageSize = 1_000;
/** No key contains a dot, so these are never taken for blobs. */
const markName = '.pharos-owner';
const signedSeconds = 60;

/**
 * Blobs as objects of a bucket, `{prefix}{app}/{32 digits}`. A small one is one request; a larger one goes up in parts of
 * 5 MiB and appears only when the last request puts them together.
 */
class S3Blobs implements BlobStorage {
  readonly isRemote = true;
  readonly place: string;
  readonly mark: BlobMark;
  readonly #address: S3Address;
  readonly #connection: S3Connection;
  readonly #spool: string;
  readonly #timeoutMs: number;
  readonly #sending = new ByteBudget(sentAtOnceBytes);

  constructor({ address, spool, timeoutMs }: S3Options, connection: S3Connection) {
    this.#address = address;
    this.#connection = connection;
    this.#spool = spool;
    this.#timeoutMs = timeoutMs;
    const { bucket, prefix, endpoint } = address;
    this.place = `the bucket ${bucket}${prefix === '' ? '' : ` (${prefix})`} at ${endpoint}`;
    this.mark = { read: () => this.#readMark(), write: (id) => this.#send(this.#prefixed(markName), Buffer.from(id)) };
  }

  needsOnDisk(bytes: number): number {
    return Math.min(bytes, partBytes);
  }

  async put(key: BlobKey, source: AsyncIterable<Uint8Array>): Promise<void> {
    const object = this.#objectOf(key);
    const spool = new PartSpool(this.#spool);
    const upload = new MultipartUpload(this.#connection, { Bucket: this.#address.bucket, Key: object });
    try {
      for await (const chunk of source) {
        for (let rest = chunk; rest.length > 0; ) {
          // Only when more has come: the last part may be a full one.
          if (spool.room === 0) await this.#sendPart(upload, spool);
          const taken = rest.subarray(0, spool.room);
          await translated(() => spool.add(taken));
          rest = rest.subarray(taken.length);
        }
      }
      if (upload.isBegun) {
        await this.#sendPart(upload, spool);
        await this.#asked(() => upload.complete());
      } else await this.#budgeted(spool, (body) => this.#send(object, body));
    } catch (error) {
      await upload.abort();
      throw error;
    } finally {
      await spool.close();
    }
  }

  async get(key: BlobKey, range?: ByteRange): Promise<Readable | undefined> {
    const object = this.#objectOf(key);
    if (range && (range.start < 0 || range.end < range.start)) {
      if (!(await this.stat(key))) return undefined;
      throw outside(range);
    }
    const from = range?.start ?? 0;
    const first = await this.#asked(() => this.#open(object, range)).catch((error: unknown) => {
      if (isMissing(causeOf(error))) return undefined;
      if (range && isOutsideRange(causeOf(error))) throw outside(range);
      throw error;
    });
    if (!first) return undefined;
    const end = from + first.length - 1;
    return readThrough({
      first,
      goOn: (done) => this.#asked(() => this.#open(object, { start: from + done, end }, first.version)),
      idleMs: this.#timeoutMs,
      fault: (error) => unavailable(this.#address, error),
    });
  }

  async stat(key: BlobKey): Promise<BlobEntry | undefined> {
    const { sdk, client } = this.#connection;
    const command = new sdk.HeadObjectCommand({ Bucket: this.#address.bucket, Key: this.#objectOf(key) });
    try {
      const found = await this.#connection.run('stat', (options) => client.send(command, options), {
        isExpected: isMissing,
      });
      return { key, size: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unavailable(this.#address, error);
    }
  }

  /** Deleting succeeds whether or not there is an object, so it is looked for first. */
  async remove(key: BlobKey): Promise<boolean> {
    const { sdk, client } = this.#connection;
    const isThere = (await this.stat(key)) !== undefined;
    const command = new sdk.DeleteObjectCommand({ Bucket: this.#address.bucket, Key: this.#objectOf(key) });
    if (isThere) await this.#asked(() => this.#connection.run('remove', (options) => client.send(command, options)));
    return isThere;
  }

  async list({ after, limit }: BlobListOptions): Promise<readonly BlobEntry[]> {
    const entries: BlobEntry[] = [];
    for (let last = after === undefined ? undefined : this.#prefixed(after); ; ) {
      const page = await this.#page(last, Math.min(pageSize, limit));
      for (const { Key = '', Size = 0, LastModified } of page) {
        last = Key;
        const key = Key.slice(this.#address.prefix.length);
        if (isBlobKey(key)) entries.push({ key, size: Size, modifiedAt: LastModified?.getTime() ?? 0 });
        if (entries.length >= limit) return entries;
      }
      if (page.length < Math.min(pageSize, limit)) return entries;
    }
  }

  async sweepUnfinished(now: number): Promise<number> {
    const { sdk, client } = this.#connection;
    const { bucket, prefix } = this.#address;
    let swept = 0;
    try {
      const found = await this.#connection.run(
        'sweep',
        (options) => client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }), options),
        { isExpected: isNotOffered },
      );
      for (const { Key = '', UploadId, Initiated } of found.Uploads ?? []) {
        if (!isBlobKey(Key.slice(prefix.length)) || (Initiated?.getTime() ?? now) >= now - abandonedMs) continue;
        const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
        await this.#connection.run('sweep', (options) => client.send(command, options), { isExpected: isMissing });
        swept++;
      }
    } catch (error) {
      // Such a server has to be told to forget unfinished uploads by itself.
      if (!isNotOffered(error) && !isMissing(error)) throw unavailable(this.#address, error);
    }
    return swept;
  }

  async check(): Promise<void> {
    const { sdk, client } = this.#connection;
    const command = new sdk.HeadBucketCommand({ Bucket: this.#address.bucket });
    await this.#asked(() => this.#connection.run('check', (options) => client.send(command, options)));
  }

  readonly signedUrl = async (key: BlobKey, { contentType, disposition, cacheControl }: ServedAs): Promise<string> => {
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
    const { sdk, client } = this.#connection;
    const command = new sdk.GetObjectCommand({
      Bucket: this.#address.bucket,
      Key: this.#objectOf(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
      ResponseCacheControl: cacheControl,
    });
    return this.#asked(() => getSignedUrl(client, command, { expiresIn: signedSeconds }));
  };

  readonly counts = () => this.#connection.counts();

  close(): void {
    this.#connection.client.destroy();
  }

  #prefixed(name: string): string {
    return `${this.#address.prefix}${name}`;
  }

  #objectOf(key: BlobKey): string {
    assertBlobKey(key);
    return this.#prefixed(key);
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof RangeError ? error : unavailable(this.#address, error);
    }
  }

  async #budgeted<T>(spool: PartSpool, send: (part: Buffer) => Promise<T>): Promise<T> {
    return this.#sending.run(spool.size, async () => send(await translated(() => spool.take())));
  }

  async #sendPart(upload: MultipartUpload, spool: PartSpool): Promise<void> {
    await this.#budgeted(spool, (part) => this.#asked(() => upload.add(part)));
  }

  async #send(object: string, body: Buffer): Promise<void> {
    const { sdk, client } = this.#connection;
    const command = new sdk.PutObjectCommand({
      Bucket: this.#address.bucket,
      Key: object,
      Body: body,
      ContentType: 'application/octet-stream',
    });
    await this.#asked(() => this.#connection.run('put', (options) => client.send(command, options), { hasBody: true }));
  }

  /** The bytes from `range` on; of `version` only, if it is given. */
  async #open(object: string, range?: ByteRange, version?: string): Promise<Body & { readonly version?: string }> {
    const { sdk, client } = this.#connection;
    const command = new sdk.GetObjectCommand({
      Bucket: this.#address.bucket,
      Key: object,
      ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
      ...(version === undefined ? {} : { IfMatch: version }),
    });
    const isExpected = (error: unknown) => isMissing(error) || isOutsideRange(error);
    const answer = await this.#connection.run('get', (options) => client.send(command, options), { isExpected });
    if (!answer.Body || answer.ContentLength === undefined) throw new Error('The answer has no body.');
    const stream = answer.Body as Readable;
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
    // A server may ignore the range, and send everything.
    if (Number(first ?? 0) !== (range?.start ?? 0)) {
      stream.destroy();
      throw new Error('The answer is not the range that was asked for.');
    }
    const size = Number(total ?? answer.ContentLength);
    if (range && range.end >= size) {
      stream.destroy();
      throw outside(range);
    }
    const length = range ? range.end - range.start + 1 : size;
    return { stream, length, ...(answer.ETag === undefined ? {} : { version: answer.ETag }) };
  }

  #page(after: string | undefined, limit: number) {
    const { sdk, client } = this.#connection;
    const { bucket, prefix } = this.#address;
    const command = new sdk.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      MaxKeys: limit,
      ...(after === undefined ? {} : { StartAfter: after }),
    });
    return this.#asked(async () => {
      const answer = await this.#connection.run('list', (options) => client.send(command, options));
      return answer.Contents ?? [];
    });
  }

  async #readMark(): Promise<string | undefined> {
    const found = await this.#asked(() => this.#open(this.#prefixed(markName))).catch((error: unknown) => {
      if (isMissing(causeOf(error))) return undefined;
      throw error;
    });
    return found && Buffer.concat(await found.stream.toArray()).toString('utf8');
  }
}

/** Begins with the first part. */
class MultipartUpload {
  readonly #connection: S3Connection;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #parts: { readonly ETag: string; readonly PartNumber: number }[] = [];
  #id: string | undefined;

  constructor(connection: S3Connection, object: { readonly Bucket: string; readonly Key: string }) {
    this.#connection = connection;
    this.#object = object;
  }

  get isBegun(): boolean {
    return this.#id !== undefined;
  }

  async add(body: Buffer): Promise<void> {
    const { sdk, client } = this.#connection;
    this.#id ??= (
      await this.#connection.run('put', (options) =>
        client.send(
          new sdk.CreateMultipartUploadCommand({ ...this.#object, ContentType: 'application/octet-stream' }),
          options,
        ),
      )
    ).UploadId;
    const PartNumber = this.#parts.length + 1;
    const command = new sdk.UploadPartCommand({ ...this.#object, UploadId: this.#id, PartNumber, Body: body });
    const { ETag = '' } = await this.#connection.run('put', (options) => client.send(command, options), {
      hasBody: true,
    });
    this.#parts.push({ ETag, PartNumber });
  }

  async complete(): Promise<void> {
    const { sdk, client } = this.#connection;
    const command = new sdk.CompleteMultipartUploadCommand({
      ...this.#object,
      UploadId: this.#id,
      MultipartUpload: { Parts: this.#parts },
    });
    // Putting the parts together may take the server as long as a part takes on its way.
    await this.#connection.run('put', (options) => client.send(command, options), { hasBody: true });
    this.#id = undefined;
  }

  /** What cannot be removed now is swept later. */
  async abort(): Promise<void> {
    if (this.#id === undefined) return;
    const { sdk, client } = this.#connection;
    const command = new sdk.AbortMultipartUploadCommand({ ...this.#object, UploadId: this.#id });
    await this.#connection.run('abort', (options) => client.send(command, options)).catch(() => undefined);
  }
}

/** The SDK's error below ours. */
function causeOf(error: unknown): unknown {
  return ((error as Error).cause as Error | undefined)?.cause;
}

function isBlobKey(key: string): boolean {
  try {
    assertBlobKey(key);
    return true;
  } catch {
    return false;
  }
}

const outside = ({ start, end }: ByteRange) => new RangeError(`The bytes ${start} to ${end} are not within the blob.`);

export async function createS3BlobStore(options: S3Options): Promise<BlobStorage> {
  return new S3Blobs(options, await connectS3(options.address, options.timeoutMs));
}
