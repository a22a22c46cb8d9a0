import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Failure, fail } from '../../../base/errors.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { bytesText } from '../../../limits/bytes-text.ts';

export interface StoredBytes {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export function tooLarge(maxBytes: number): Failure {
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
export function measureBody(body: Body): Promise<StoredBytes> {
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
