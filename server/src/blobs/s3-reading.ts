import { Readable } from 'node:stream';

/** The body of an answer, with what is needed to go on after it breaks. */
export interface Body {
  readonly stream: Readable;
  /** Bytes that are wanted of it. A server may send more than was asked for; the rest is left. */
  readonly length: number;
}

export interface BlobReading {
  readonly first: Body;
  /** Asks again for the bytes from this one on, of the same version of the blob. */
  readonly goOn: (from: number) => Promise<Body>;
  /** The server may send nothing for this long, in milliseconds. Time in which nobody reads does not count. */
  readonly idleMs: number;
  /** What to tell the reader when it cannot go on. */
  readonly fault: (error: unknown) => Error;
}

/** Each may follow one that broke; one that brings nothing new is the last. */
const maxBreaks = 5;

/**
 * The bytes as one stream. When the server's connection breaks in the middle, or the server closes it because the reader was
 * slow, the stream continues with the next byte; when that fails too, it ends with an error, never as if it were complete.
 */
export function readThrough(reading: BlobReading): Readable {
  let current = reading.first.stream;
  let isOver = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let { length } = reading.first;
    let done = 0;
    for (let breaks = 0; ; breaks++) {
      let got = 0;
      try {
        for await (const chunk of watched(current, reading.idleMs)) {
          const wanted = chunk.subarray(0, length - got);
          got += wanted.length;
          yield wanted;
          if (got === length) break;
        }
        if (got === length) return;
        throw new Error('The answer ended early.');
      } catch (error) {
        done += got;
        length -= got;
        if (isOver || (got === 0 && breaks > 0) || breaks >= maxBreaks) throw reading.fault(error);
      }
      const next = await reading.goOn(done);
      if (isOver) next.stream.destroy();
      current = next.stream;
    }
  }
  const stream = Readable.from(bytes(), { objectMode: false, highWaterMark: 65_536 });
  stream.once('close', () => {
    isOver = true;
    current.destroy();
  });
  return stream;
}

async function* watched(source: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const timer = setTimeout(() => source.destroy(new Error(`Nothing came for ${idleMs} ms.`)), idleMs);
      const step = await chunks.next().finally(() => clearTimeout(timer));
      if (step.done) return;
      yield step.value;
    }
  } finally {
    source.destroy();
  }
}
