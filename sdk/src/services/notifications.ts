import type { Body, Call, CallOptions, Query } from '../call.ts';

/** Messages that are bound to a beacon and an event. */
export const notificationService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listNotifications', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getNotification', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createNotification'>, options: CallOptions = {}) =>
    (await call('createNotification', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateNotification'>, options: CallOptions = {}) =>
    (await call('updateNotification', { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteNotification', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateNotificationOwner', { params: { objectId }, body: { userId }, ...options })).result,
});
