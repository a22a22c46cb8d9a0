/**
 * Keeps what V8 has compiled of the bundled program by the time the service runs. Node's own cache has only what is compiled while a file is
 * loaded; a start calls 2,600 functions more.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** After a file is loaded, ms: a start is over by then. Later V8 forgets what only a start calls. */
const startedMs = 3_000;
const checksumBytes = 4;

/** Loads `.cjs` files from now on with what is kept in `folder`. */
export function keepCompiled(folder) {
  createRequire(import.meta.url).extensions['.cjs'] = (module, filename) => {
    const bytes = readFileSync(filename);
    const path = join(folder, `${basename(filename)}-${crc32(bytes)}`);
    // The bundle is ASCII.
    const source = bytes.latin1Slice();
    const script = new Script(nodeModule.wrap(source), { filename, cachedData: read(path) });
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, dirname(filename));
    if (script.cachedDataRejected !== false)
      setTimeout(() => write(path, script.createCachedData()), startedMs).unref();
  };
}

/** Undefined if it is not there, or not whole, as after a power cut: V8 looks only at whose it is, its version and its flags. */
function read(path) {
  try {
    const file = readFileSync(path);
    const data = file.subarray(0, -checksumBytes);
    return crc32(data) === file.readUInt32LE(data.length) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** If the folder cannot be written, nothing is kept and nothing else changes. */
function write(path, data) {
  const temporary = `${path}.${process.pid}`;
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(data));
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, Buffer.concat([data, checksum]));
    renameSync(temporary, path);
  } catch {}
}
