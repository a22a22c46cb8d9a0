import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '../base/disk/make-folder.ts';
import {
  assertBlobKey,
  type BlobEntry,
  type BlobKey,
  type BlobListOptions,
  type BlobStorage,
  type ByteRange,
  type FolderMark,
} from './blob-store.ts';
import { translated } from './disk-faults.ts';

/** Uploads grow here until they are complete. No key contains a dot, so this is never taken for an app. */
const unfinishedFolder = '.unfinished';
/** In the folder itself. Earlier versions take no notice of it. */
const markName = '.pharos-folder';
/** No upload that is still running takes this long. */
const abandonedMs = 3_600_000;
const shardForm = /^[0-9a-f]{2}$/;

/**
 * Blobs as files below `folder`, at `{app}/{first two digits}/{32 digits}`: 256 folders per app keep each small enough
 * to be listed at once. A file is written under a temporary name on the same file system, flushed and renamed, and the
 * folder is flushed, so that a name appears only with all its bytes and survives a power cut.
 */
class DiskBlobs implements BlobStorage {
  readonly isRemote = false;
  readonly place: string;
  readonly folderMark: FolderMark;
  readonly #folder: string;
  readonly #unfinished: string;
  #assertRight: Parameters<FolderMark['guard']>[0] = async () => undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.place = folder;
    this.#unfinished = join(folder, unfinishedFolder);
    this.folderMark = {
      read: () => translated(() => this.#readMark()),
      write: (id) => translated(() => this.#writeMark(id)),
      count: (keys) => translated(() => this.#count(keys)),
      guard: (assertRight) => {
        this.#assertRight = assertRight;
      },
    };
  }

  put(key: BlobKey, source: AsyncIterable<Uint8Array>) {
    return translated(() => this.#put(key, source));
  }

  get(key: BlobKey, range?: ByteRange) {
    return translated(() => this.#orMissing(this.#get(key, range)));
  }

  stat(key: BlobKey) {
    return translated(() => this.#orMissing(this.#entry(key)));
  }

  remove(key: BlobKey) {
    const removed = () => ifThere(unlink(this.#pathOf(key)).then(() => true));
    return translated(async () => (await this.#orMissing(removed())) ?? false);
  }

  list(options: BlobListOptions) {
    return translated(() => this.#list(options));
  }

  sweepUnfinished(now: number) {
    return translated(async () => sweepFolder(this.#unfinished, Math.min(now, await this.#clock()) - abandonedMs));
  }

  needsOnDisk(bytes: number) {
    return bytes;
  }

  async check() {
    await this.#assertRight('read');
  }

  close() {}

  #pathOf(key: BlobKey): string {
    assertBlobKey(key);
    const [app = '', id = ''] = key.split('/');
    return join(this.#folder, app, id.slice(0, 2), id);
  }

  async #put(key: BlobKey, source: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(key);
    await this.#assertRight('store');
    await ensureFolder(this.#unfinished);
    const temporary = join(this.#unfinished, randomBytes(16).toString('hex'));
    try {
      await writeWhole(temporary, source);
      await ensureFolder(dirname(path));
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await flushFolder(dirname(path));
  }

  /** What is not found in another folder may well be in the right one. */
  async #orMissing<T>(wanted: Promise<T | undefined>): Promise<T | undefined> {
    const found = await wanted;
    if (found === undefined) await this.#assertRight('read');
    return found;
  }

  /**
   * What the file system dates files by, ms. The service goes by the database's clock, which may be another: by that, an upload that is running
   * could look like one of yesterday.
   */
  async #clock(): Promise<number> {
    if ((await names(this.#unfinished)).length === 0) return 0;
    const path = join(this.#unfinished, randomBytes(16).toString('hex'));
    try {
      await (await open(path, 'wx', 0o600)).close();
      return (await stat(path)).mtimeMs;
    } finally {
      await rm(path, { force: true });
    }
  }

  async #count(keys: readonly BlobKey[]): Promise<number> {
    const found = await Promise.all(keys.map((key) => this.#entry(key)));
    return found.filter((entry) => entry !== undefined).length;
  }

  async #readMark(): Promise<string | undefined> {
    const text = await ifThere(readFile(join(this.#folder, markName), 'utf8'));
    return text?.trim() || undefined;
  }

  async #writeMark(id: string): Promise<void> {
    await ensureFolder(this.#unfinished);
    const temporary = join(this.#unfinished, randomBytes(16).toString('hex'));
    const path = join(this.#folder, markName);
    try {
      await writeWhole(temporary, Readable.from([Buffer.from(id)]));
      await link(temporary, path).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST' && (await this.#readMark()) !== undefined) return;
        // An empty mark, or a file system without links.
        await rename(temporary, path);
      });
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    await flushFolder(this.#folder);
  }

  async #get(key: BlobKey, range?: ByteRange) {
    const file = await ifThere(open(this.#pathOf(key), 'r'));
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      if (range) assertWithin(range, size);
      // A stream that knows its end takes no more memory than there are bytes, and no extra read to find the end.
      const { start, end } = range ?? { start: 0, end: size - 1 };
      return file.createReadStream(size === 0 ? {} : { start, end });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #entry(key: BlobKey): Promise<BlobEntry | undefined> {
    const found = await ifThere(stat(this.#pathOf(key)));
    return found && { key, size: found.size, modifiedAt: Math.trunc(found.mtimeMs) };
  }

  /** Keys after `after`, folder by folder, so that a page never reads more names than it has to. */
  async *#keys(after: string): AsyncGenerator<BlobKey> {
    const [afterApp = '', afterId = ''] = after.split('/');
    for (const app of await names(this.#folder)) {
      if (app < afterApp || app === unfinishedFolder) continue;
      const from = app === afterApp ? afterId : '';
      for (const shard of await names(join(this.#folder, app))) {
        if (!shardForm.test(shard) || shard < from.slice(0, 2)) continue;
        for (const id of await names(join(this.#folder, app, shard))) if (id > from) yield `${app}/${id}`;
      }
    }
  }

  async #list({ after = '', limit }: BlobListOptions): Promise<readonly BlobEntry[]> {
    const entries: BlobEntry[] = [];
    for await (const key of this.#keys(after)) {
      const found = isKey(key) ? await this.#entry(key) : undefined;
      if (found) entries.push(found);
      if (entries.length >= limit) break;
    }
    return entries;
  }
}

export function createDiskBlobStore(folder: string): BlobStorage {
  return new DiskBlobs(folder);
}

async function ensureFolder(path: string): Promise<void> {
  const firstMade = await makeFolder(path);
  if (firstMade === undefined) return;
  // A new folder is an entry of its parent, and that has to be durable too.
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) await flushFolder(dirname(made));
}

function isKey(key: string): boolean {
  try {
    assertBlobKey(key);
    return true;
  } catch {
    return false;
  }
}

async function writeWhole(path: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    // The next chunk is requested only when this one is written: that is the back-pressure.
    for await (const chunk of source) await writeAll(file, chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done)).bytesWritten;
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function assertWithin({ start, end }: ByteRange, size: number): void {
  if (start >= 0 && start <= end && end < size) return;
  throw new RangeError(`The bytes ${start} to ${end} are not within a blob of ${size} bytes.`);
}

async function sweepFolder(path: string, before: number): Promise<number> {
  let swept = 0;
  for (const name of await names(path)) {
    const found = await ifThere(stat(join(path, name)));
    if (!found || found.mtimeMs >= before) continue;
    await rm(join(path, name), { force: true });
    swept++;
  }
  return swept;
}

/** The names in a folder, sorted by code point (they are ASCII); none if there is no such folder. */
async function names(path: string): Promise<string[]> {
  return ((await ifThere(readdir(path))) ?? []).sort();
}

async function ifThere<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
