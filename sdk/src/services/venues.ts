import type { Body, Call, CallOptions, Query } from '../call.ts';

/** Buildings with their time zone and opening hours. */
export const venueService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listVenues', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getVenue', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createVenue'>, options: CallOptions = {}) =>
    (await call('createVenue', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest; null clears an optional one. */
  update: async (objectId: string, body: Body<'updateVenue'>, options: CallOptions = {}) =>
    (await call('updateVenue', { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteVenue', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateVenueOwner', { params: { objectId }, body: { userId }, ...options })).result,
});

/** The floors of venues, with their plans. */
export const floorService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listFloors', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getFloor', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createFloor'>, options: CallOptions = {}) =>
    (await call('createFloor', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest; null clears an optional one. */
  update: async (objectId: string, body: Body<'updateFloor'>, options: CallOptions = {}) =>
    (await call('updateFloor', { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteFloor', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateFloorOwner', { params: { objectId }, body: { userId }, ...options })).result,
});

/** Parts of a floor: rooms, queues, shops. */
export const zoneService = (call: Call) => ({
  list: (query: Query = {}, options: CallOptions = {}) => call('listZones', { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call('getZone', { params: { objectId }, ...options })).result,
  create: async (body: Body<'createZone'>, options: CallOptions = {}) =>
    (await call('createZone', { body, ...options })).result,
  /** Replaces the members that are sent and keeps the rest; null clears an optional one. */
  update: async (objectId: string, body: Body<'updateZone'>, options: CallOptions = {}) =>
    (await call('updateZone', { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteZone', { params: { objectId }, ...options });
  },
  /** Gives it to another user. */
  handOver: async (objectId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateZoneOwner', { params: { objectId }, body: { userId }, ...options })).result,
});
