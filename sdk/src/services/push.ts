import type { Body, Call, CallOptions, Query } from '../call.ts';
import { placedId } from '../entity-tag.ts';
import * as operations from '../operations.ts';

/** Messages to everyone or to a filtered audience, and their results. */
export const pushService = (call: Call) => ({
  /**
   * Resolves once it is durably accepted; it is delivered in the background. `get` and `cancel` take the `objectId`, which is empty
   * only if something between has removed the header that has it.
   */
  send: async (body: Body<'sendPush'>, options: CallOptions = {}): Promise<{ readonly objectId: string }> => ({
    objectId: placedId(await call(operations.sendPush, { body, ...options })),
  }),
  /** Newest first. */
  list: (query: Query = {}, options: CallOptions = {}) => call(operations.listPushes, { query, ...options }),
  /** How many recipients reached each state, and why some were not reached. */
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call(operations.getPush, { params: { objectId }, ...options })).result,
  /** Replaces message, audience and times, until its time has come. */
  update: async (objectId: string, body: Body<'updatePush'>, options: CallOptions = {}) =>
    (await call(operations.updatePush, { params: { objectId }, body, ...options })).result,
  /** Approves one that waits for a second person; its authors cannot. */
  approve: async (objectId: string, options: CallOptions & { readonly ifMatch?: string } = {}) =>
    (await call(operations.approvePush, { params: { objectId }, ...options })).result,
  /** Recipients who are still waiting do not receive it. */
  cancel: async (objectId: string, options: CallOptions = {}) =>
    (await call(operations.cancelPush, { params: { objectId }, ...options })).result,
  /** The result of each message for each recipient. */
  deliveries: (query: Query = {}, options: CallOptions = {}) => call(operations.listDeliveries, { query, ...options }),
  /** Reports that messages were received or opened; it may be repeated. */
  report: async (body: Body<'reportReceipts'>, options: CallOptions = {}) =>
    (await call(operations.reportReceipts, { body, ...options })).result,
});
