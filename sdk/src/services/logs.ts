import type { Body, Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';

/** Who entered and left where, and when. */
export const logService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call(operations.listLogs, { query, ...options }),
  /** For an app that detects entering and leaving itself. */
  create: async (body: Body<'createLog'>, options: CallOptions = {}) =>
    (await call(operations.createLog, { body, ...options })).result,
});
