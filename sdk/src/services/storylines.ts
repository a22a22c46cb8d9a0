import type { Body, Call, Query } from '../call.ts';

/** Storylines and the scenarios below them, which the interface calls details. */
export const storylineService = (call: Call) => ({
  list: (query: Query = {}) => call('listStorylines', { query }),
  get: async (objectId: string) => (await call('getStoryline', { params: { objectId } })).result,
  create: async (body: Body<'createStoryline'>) => (await call('createStoryline', { body })).result,
  /** Replaces what is sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateStoryline'>) =>
    (await call('updateStoryline', { params: { objectId }, body })).result,
  /** Its details go with it. */
  delete: async (objectId: string): Promise<void> => {
    await call('deleteStoryline', { params: { objectId } });
  },

  /** The details of all storylines, such as those at one beacon. */
  listAllDetails: (query: Query = {}) => call('listAllStorylineDetails', { query }),
  listDetails: (objectId: string, query: Query = {}) => call('listStorylineDetails', { params: { objectId }, query }),
  getDetail: async (objectId: string, detailId: string) =>
    (await call('getStorylineDetail', { params: { objectId, detailId } })).result,
  createDetail: async (objectId: string, body: Body<'createStorylineDetail'>) =>
    (await call('createStorylineDetail', { params: { objectId }, body })).result,
  updateDetail: async (objectId: string, detailId: string, body: Body<'updateStorylineDetail'>) =>
    (await call('updateStorylineDetail', { params: { objectId, detailId }, body })).result,
  deleteDetail: async (objectId: string, detailId: string): Promise<void> => {
    await call('deleteStorylineDetail', { params: { objectId, detailId } });
  },
});
