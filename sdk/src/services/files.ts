import type { Body, Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';

/** Pictures, videos and other files. */
export const fileService = (call: Call) => ({
  /** Stores a file; everybody can read it at the `url` in the answer. */
  upload: (filename: string, body: Body<'uploadFile'>, contentType: string, options: CallOptions = {}) =>
    call(operations.uploadFile, { params: { file: filename }, body, contentType, ...options }),
  list: (query: Query = {}, options: CallOptions = {}) => call(operations.listFiles, { query, ...options }),
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.deleteFile, { params: { file: objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call(operations.updateFileOwner, { params: { file: objectId }, body: { userId }, ...options })).result,
});
