import type { Body, Call, Query } from '../call.ts';

/** Who entered and left where, and when. */
export const logService = (call: Call) => ({
  list: (query: Query = {}) => call('listLogs', { query }),
  /** For an app that finds out itself that somebody has entered or left. */
  create: async (body: Body<'createLog'>) => (await call('createLog', { body })).result,
});
