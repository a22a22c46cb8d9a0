/** Runs s3rver as a process of its own: it needs a cipher that Node only offers with --openssl-legacy-provider. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import S3rver from 's3rver';
import FilesystemStore from 's3rver/lib/stores/filesystem.js';

const directory = mkdtempSync(join(tmpdir(), 'pharos-s3-'));
const unfinished = mkdtempSync(join(tmpdir(), 'pharos-s3-'));

/**
 * S3 has an object whole once it has confirmed it, and shows no half of one. s3rver confirms before its file is written, and
 * writes several of one name into one another, which a busy machine shows.
 */
FilesystemStore.prototype.putObject = async function (object) {
  const path = this.getResourcePath(object.bucket, object.key, 'object');
  const temporary = join(unfinished, randomUUID());
  const hash = createHash('md5');
  let size = 0;
  const counted = async function* (chunks) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  const content = Buffer.isBuffer(object.content) ? [object.content] : object.content;
  await pipeline(content, counted, createWriteStream(temporary));
  await mkdir(dirname(path), { recursive: true });
  await rename(temporary, path);
  const md5 = hash.digest('hex');
  await this.putMetadata(object.bucket, object.key, object.metadata, md5);
  return { size, md5 };
};

const port = Number(process.argv[3] ?? 0);
const configureBuckets = [{ name: process.argv[2] }];
const server = new S3rver({ port, address: '127.0.0.1', silent: true, directory, configureBuckets });
process.on('exit', () => {
  for (const folder of [directory, unfinished]) rmSync(folder, { recursive: true, force: true });
});
// It ends with the test, however that ends.
process.on('disconnect', () => process.exit(0));
const { port: listening } = await server.run();
process.send({ port: listening });
