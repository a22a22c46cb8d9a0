import { createReadStream } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** A folder as a tar archive, created while it is sent; `name` is the folder inside the archive. */
export function archiveOf(folder: string, name: string): Readable {
  const archive = pack();
  // The reader gets the error; before there is a reader, the error would end the process.
  archive.on('error', () => undefined);
  fill(archive, folder, name).catch((error: Error) => archive.destroy(error));
  return Readable.from(archive);
}

async function fill(archive: Pack, folder: string, name: string): Promise<void> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const inside = [name, ...relative(folder, path).split(sep)].join('/');
    const { size, mtime } = await stat(path);
    await pipeline(createReadStream(path), archive.entry({ name: inside, size, mtime, mode: 0o600 }));
  }
  archive.finalize();
}
