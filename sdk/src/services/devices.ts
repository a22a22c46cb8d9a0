import type { Body, Call, CallOptions, Query } from '../call.ts';

/** Devices that listen to a topic. */
export const deviceService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listDevices', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getDevice', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createDevice'>, options: CallOptions = {}) =>
    (await call('createDevice', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateDevice'>, options: CallOptions = {}) =>
    (await call('updateDevice', { params: { objectId }, body, ...options })).result[0],
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteDevice', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateDeviceOwner', { params: { objectId }, body: { userId }, ...options })).result,
});
