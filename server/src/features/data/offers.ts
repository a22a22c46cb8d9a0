import { buckets, records } from './buckets/definition/tables.ts';
import { files } from './files/resource.ts';
import { trash, versions } from './history/tables.ts';

export { findBucket, findBucketName } from './buckets/definition/bucket-store.ts';
export { recordsMade } from './buckets/definition/made-records.ts';
export { countRecordsOf } from './buckets/definition/own-records.ts';
export { findRecords } from './buckets/definition/record-store.ts';
export { eraseFilesOf } from './files/erasure.ts';
export { blobKeyOf, fileUrl } from './files/place/file-name.ts';
export { guardFolder } from './files/place/folder.ts';
export { findFileType, readFileHead } from './files/read-head.ts';
export { countFilesOf } from './files/store.ts';
export { putFileBack } from './files/trash.ts';
export { eraseDeletedFilesOf } from './history/erasure.ts';

export const dataTables = { buckets, files: files.table, records, trash, versions };
