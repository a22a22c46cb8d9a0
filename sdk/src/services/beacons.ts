import type { Body, Call, Query } from '../call.ts';

/** The beacons of a venue. */
export const beaconService = (call: Call) => ({
  list: (query: Query = {}) => call('listBeacons', { query }),
  get: async (objectId: string) => (await call('getBeacon', { params: { objectId } })).result,
  create: async (body: Body<'createBeacon'>) => (await call('createBeacon', { body })).result,
  /** Replaces what is sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateBeacon'>) =>
    (await call('updateBeacon', { params: { objectId }, body })).result,
  delete: async (objectId: string): Promise<void> => {
    await call('deleteBeacon', { params: { objectId } });
  },
});
