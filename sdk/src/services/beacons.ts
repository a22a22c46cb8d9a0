import type { Body, Call, CallOptions, Query } from '../call.ts';

/** The beacons of a venue. */
export const beaconService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listBeacons', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getBeacon', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createBeacon'>, options: CallOptions = {}) =>
    (await call('createBeacon', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateBeacon'>, options: CallOptions = {}) =>
    (await call('updateBeacon', { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteBeacon', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateBeaconOwner', { params: { objectId }, body: { userId }, ...options })).result,
});
