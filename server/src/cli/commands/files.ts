import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { claimFolder } from '../../blobs/claim-folder.ts';
import { createDiskBlobStore } from '../../blobs/disk.ts';
import { claimFiles } from '../../features/data/files/place/ownership.ts';
import { type Command, confirmDeletion, UsageError, yesOption } from '../support/command.ts';
import { withBlobs, withServices } from './storage.ts';

const pageSize = 500;
/** A file takes a few requests, of which each waits for an answer. */
const atOnce = 8;

interface Copied {
  readonly copied: number;
  readonly there: number;
}

/** Copies what the target does not have yet in the same size, so that it can be begun again. */
async function copyAll(source: BlobStore, target: BlobStore): Promise<Copied> {
  let [copied, there] = [0, 0];
  for (let after: string | undefined; ; ) {
    const page = await source.list({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (let from = 0; from < page.length; from += atOnce) {
      const copies = page.slice(from, from + atOnce).map(async ({ key, size }) => {
        if ((await target.stat(key))?.size === size) return there++;
        const bytes = await source.get(key);
        // Deleted since it was listed.
        if (!bytes) return 0;
        await target.put(key, bytes);
        return copied++;
      });
      await Promise.all(copies);
    }
    after = page.at(-1)?.key;
    if (page.length < pageSize) return { copied, there };
  }
}

export const fileCommands: readonly Command[] = [
  {
    name: 'files copy',
    summary: 'copy uploaded files between a folder and S3, even while the service runs',
    details:
      'To move to S3: copy, start the service with PHAROS_FILES_URL, and copy once more what was uploaded in between. What is\nthere already is not copied again.',
    options: {
      from: { value: 'FOLDER', help: 'copy from this folder into S3, usually the folder files of the data folder' },
      to: { value: 'FOLDER', help: 'copy from S3 into this folder' },
    },
    async run(call) {
      const config = call.config();
      const [from, to] = [call.text('from'), call.text('to')];
      if ((from === undefined) === (to === undefined)) throw new UsageError('Name one of --from and --to.');
      if (!config.filesUrl) throw new UsageError('Set PHAROS_FILES_URL to the bucket.');
      const folder = resolve(from ?? to ?? '');
      if (from !== undefined && !existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
      return withBlobs(config, async (blobs) => {
        const disk = createDiskBlobStore(folder);
        const { copied, there } = await (from === undefined ? copyAll(blobs, disk) : copyAll(disk, blobs));
        const target = from === undefined ? folder : blobs.place;
        return { text: `Copied ${copied} files to ${target}; ${there} were there already.`, json: { copied, there } };
      });
    },
  },
  {
    name: 'files claim',
    summary: 'let the files in S3 or in the folder belong to this database',
    details:
      'Only the database to which a bucket belongs removes files from it that have no record. After a restore, claim the bucket\nonce the former database is given up for good: what only that one knows is removed after a day.\n\nWithout PHAROS_FILES_URL: the files are in the folder files of the data folder from now on, also if the service says that\nit is not the right one. Mount its disk first, if it has one.',
    options: { yes: yesOption },
    async run(call) {
      const config = call.config();
      confirmDeletion(call, 'what only another database knows of');
      const place = await withBlobs(config, (blobs) =>
        withServices(config, async (_, db) => {
          await claimFiles(db, blobs);
          await claimFolder(db, blobs);
          return blobs.place;
        }),
      );
      return { text: `${place} belongs to this database now.`, json: { claimed: true } };
    },
  },
];
