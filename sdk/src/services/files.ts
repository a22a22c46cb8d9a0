import type { Body, Call, Query } from '../call.ts';

/** Pictures, videos and other files. */
export const fileService = (call: Call) => ({
  /** Stores a file; `url` in the answer is where everybody can read it. */
  upload: (filename: string, body: Body<'uploadFile'>, contentType: string) =>
    call('uploadFile', { params: { file: filename }, body, contentType }),
  list: (query: Query = {}) => call('listFiles', { query }),
  delete: async (objectId: string): Promise<void> => {
    await call('deleteFile', { params: { file: objectId } });
  },
});
