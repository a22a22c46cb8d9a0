import type { Body, Call, Query } from '../call.ts';

/** Messages that are bound to a beacon and an event. */
export const notificationService = (call: Call) => ({
  list: (query: Query = {}) => call('listNotifications', { query }),
  get: async (objectId: string) => (await call('getNotification', { params: { objectId } })).result,
  create: async (body: Body<'createNotification'>) => (await call('createNotification', { body })).result,
  /** Replaces what is sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateNotification'>) =>
    (await call('updateNotification', { params: { objectId }, body })).result,
  delete: async (objectId: string): Promise<void> => {
    await call('deleteNotification', { params: { objectId } });
  },
});
