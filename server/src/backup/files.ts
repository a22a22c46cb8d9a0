import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Manifest } from './manifest.ts';

/** The manifest's entry for one file of lines. */
export type LinesFile = Manifest['tables'][string];

/** Passes the bytes through and notes their digest and number. */
export function digesting() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    result: () => ({ sha256: hash.digest('hex'), bytes }),
  };
}

/** Writes one JSON value per line, compressed and flushed to disk, holding only a few lines in memory. */
export async function writeLines(path: string, values: AsyncIterable<unknown>): Promise<Omit<LinesFile, 'file'>> {
  const digest = digesting();
  let rows = 0;
  async function* lines() {
    for await (const value of values) {
      rows++;
      yield `${JSON.stringify(value)}\n`;
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), createGzip({ level: 3 }), digest.through, file);
  return { rows, sha256: digest.result().sha256 };
}

/** The values of a file written by `writeLines`. A line may be long, but only one is held at a time. */
export async function* readLines(path: string): AsyncGenerator<unknown> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  let rest: Buffer[] = [];
  for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
    let from = 0;
    // Not node:readline, which would also split at U+2028 inside a string.
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield JSON.parse(Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8'));
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}

export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A new name in a folder is durable only once the folder is flushed. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
