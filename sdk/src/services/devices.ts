import type { Body, Call, Query } from '../call.ts';

/** Devices that listen to a topic. */
export const deviceService = (call: Call) => ({
  list: (query: Query = {}) => call('listDevices', { query }),
  get: async (objectId: string) => (await call('getDevice', { params: { objectId } })).result,
  create: async (body: Body<'createDevice'>) => (await call('createDevice', { body })).result,
  /** Replaces what is sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateDevice'>) =>
    (await call('updateDevice', { params: { objectId }, body })).result[0],
  delete: async (objectId: string): Promise<void> => {
    await call('deleteDevice', { params: { objectId } });
  },
});
