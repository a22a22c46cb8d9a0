import type { Body, Call, CallOptions, Query } from '../call.ts';
import type { Follow } from '../list-stream.ts';
import { recordService } from './records.ts';

/** Storylines and the scenarios below them, which the interface calls details and which are deleted with them. */
export const storylineService = (call: Call, follow: Follow) => ({
  ...recordService(call, 'Storyline', 'Storylines', follow),
  /** The details of all storylines, such as those at one beacon. */
  listAllDetails: (query: Query = {}, options: CallOptions = {}) =>
    call('listAllStorylineDetails', { query, ...options }),
  listDetails: (objectId: string, query: Query = {}, options: CallOptions = {}) =>
    call('listStorylineDetails', { params: { objectId }, query, ...options }),
  getDetail: async (objectId: string, detailId: string, options: CallOptions = {}) =>
    (await call('getStorylineDetail', { params: { objectId, detailId }, ...options })).result,
  createDetail: async (objectId: string, body: Body<'createStorylineDetail'>, options: CallOptions = {}) =>
    (await call('createStorylineDetail', { params: { objectId }, body, ...options })).result,
  updateDetail: async (
    objectId: string,
    detailId: string,
    body: Body<'updateStorylineDetail'>,
    options: CallOptions = {},
  ) => (await call('updateStorylineDetail', { params: { objectId, detailId }, body, ...options })).result,
  deleteDetail: async (objectId: string, detailId: string, options: CallOptions = {}): Promise<void> => {
    await call('deleteStorylineDetail', { params: { objectId, detailId }, ...options });
  },
  /** Gives it to another user. */
  handOverDetail: async (objectId: string, detailId: string, userId: string, options: CallOptions = {}) =>
    (await call('updateStorylineDetailOwner', { params: { objectId, detailId }, body: { userId }, ...options })).result,
});
