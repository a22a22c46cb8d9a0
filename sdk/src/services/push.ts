import type { Body, Call, Query } from '../call.ts';

/** Messages to everyone or to a filtered audience, and what became of them. */
export const pushService = (call: Call) => ({
  /** Resolves once it is durably accepted; it is delivered in the background. */
  send: async (body: Body<'sendPush'>): Promise<void> => {
    await call('sendPush', { body });
  },
  /** Newest first. */
  list: (query: Query = {}) => call('listPushes', { query }),
  /** How many recipients came to each state, and why some were not reached. */
  get: async (objectId: string) => (await call('getPush', { params: { objectId } })).result,
  /** Nobody who still waits receives it. */
  cancel: async (objectId: string) => (await call('cancelPush', { params: { objectId } })).result,
  /** What became of each message for each recipient. */
  deliveries: (query: Query = {}) => call('listDeliveries', { query }),
  /** Tells that messages came or were opened; repeating it is fine. */
  report: async (body: Body<'reportReceipts'>) => (await call('reportReceipts', { body })).result,
});
