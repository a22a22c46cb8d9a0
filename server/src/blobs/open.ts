import type { BlobStorage } from './blob-store.ts';
import { createDiskBlobStore } from './disk.ts';
import type { S3Address } from './s3-address.ts';

export interface BlobPlaces {
  /** Where files are on this machine if they are not in S3. */
  readonly folder: string;
  /** Where parts of uploads to S3 wait. */
  readonly spool: string;
  readonly s3: S3Address | undefined;
  readonly timeoutMs: number;
}

export async function openBlobs({ folder, spool, s3, timeoutMs }: BlobPlaces): Promise<BlobStorage> {
  if (!s3) return createDiskBlobStore(folder);
  // Loaded only when used, with the SDK.
  const { createS3BlobStore } = await import('./s3.ts');
  return createS3BlobStore({ address: s3, spool, timeoutMs });
}
