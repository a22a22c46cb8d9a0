import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/disk/make-folder.ts';

/** The smallest part that S3 takes, except for the last one. Some servers want all of one size. */
export const partBytes = 5 * 1024 * 1024;
/** What an upload may hold in memory while it arrives: about what a connection buffers anyway. */
const inMemoryBytes = 65_536;

/**
 * Collects one part after the other. A client may take minutes to send one, and thousands may do so at the same time: so
 * beyond 64 KiB a part waits in a file without a name, which the system removes with the process.
 */
export class PartSpool {
  readonly #folder: string;
  #chunks: Buffer[] = [];
  #held = 0;
  #file: FileHandle | undefined;
  #written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes that it still takes before the part is full. */
  get room(): number {
    return partBytes - this.#held - this.#written;
  }

  get size(): number {
    return this.#held + this.#written;
  }

  /** Done with the chunk once it resolves. At most `room` bytes. */
  async add(chunk: Uint8Array): Promise<void> {
    if (this.#held + chunk.length <= inMemoryBytes && this.#written === 0) {
      this.#chunks.push(Buffer.from(chunk));
      this.#held += chunk.length;
      return;
    }
    await this.#flush();
    await this.#write(chunk);
  }

  /** All of the part; the next one begins. */
  async take(): Promise<Buffer> {
    if (this.#written === 0) {
      const part = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#held = 0;
      return part;
    }
    const part = Buffer.allocUnsafe(this.#written);
    for (let done = 0; done < part.length; ) {
      const { bytesRead } = (await this.#file?.read(part, done, part.length - done, done)) ?? { bytesRead: 0 };
      if (bytesRead === 0) throw Object.assign(new Error('A part of an upload cannot be read again.'), { code: 'EIO' });
      done += bytesRead;
    }
    this.#written = 0;
    return part;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #flush(): Promise<void> {
    for (const chunk of this.#chunks.splice(0)) await this.#write(chunk);
    this.#held = 0;
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#file ??= await openNameless(this.#folder);
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await this.#file.write(chunk, done, chunk.length - done, this.#written);
      done += bytesWritten;
      this.#written += bytesWritten;
    }
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  await makeFolder(folder, 0o700);
  const path = join(folder, randomBytes(16).toString('hex'));
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Lets work through whose sizes add up to no more than `bytes`, in the order in which it came. */
export class ByteBudget {
  #free: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(bytes: number) {
    this.#free = bytes;
  }

  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || bytes > this.#free)
      await new Promise<void>((go) => this.#waiting.push({ bytes, go }));
    else this.#free -= bytes;
    try {
      return await work();
    } finally {
      this.#free += bytes;
      this.#letThrough();
    }
  }

  #letThrough(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.go();
    }
  }
}
