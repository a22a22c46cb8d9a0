import type { Body, Call, Query } from '../call.ts';

/** The app on one phone, tablet or computer: whom a message can reach. */
export const installationService = (call: Call) => ({
  /** Makes it known, or brings what is known of it up to date. Call it at each start of the app. */
  register: async (body: Body<'registerInstallation'>) => (await call('registerInstallation', { body })).result,
  list: (query: Query = {}) => call('listInstallations', { query }),
  get: async (objectId: string) => (await call('getInstallation', { params: { objectId } })).result,
  /** Replaces what is sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateInstallation'>) =>
    (await call('updateInstallation', { params: { objectId }, body })).result,
  delete: async (objectId: string): Promise<void> => {
    await call('deleteInstallation', { params: { objectId } });
  },
});
