import type { Body, Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';
import { recordService } from './records.ts';

/** Storylines and the scenarios below them, which the interface calls details and which are deleted with them. */
export const storylineService = (call: Call) => ({
  ...recordService<'Storyline', 'Storylines'>(call, '/storylines'),
  /** The details of all storylines, such as those at one beacon. */
  listAllDetails: (query: Query = {}, options: CallOptions = {}) =>
    call(operations.listAllStorylineDetails, { query, ...options }),
  listDetails: (objectId: string, query: Query = {}, options: CallOptions = {}) =>
    call(operations.listStorylineDetails, { params: { objectId }, query, ...options }),
  getDetail: async (objectId: string, detailId: string, options: CallOptions = {}) =>
    (await call(operations.getStorylineDetail, { params: { objectId, detailId }, ...options })).result,
  createDetail: async (objectId: string, body: Body<'createStorylineDetail'>, options: CallOptions = {}) =>
    (await call(operations.createStorylineDetail, { params: { objectId }, body, ...options })).result,
  updateDetail: async (
    objectId: string,
    detailId: string,
    body: Body<'updateStorylineDetail'>,
    options: CallOptions = {},
  ) => (await call(operations.updateStorylineDetail, { params: { objectId, detailId }, body, ...options })).result,
  deleteDetail: async (objectId: string, detailId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.deleteStorylineDetail, { params: { objectId, detailId }, ...options });
  },
  /** Gives it to another user. */
  handOverDetail: async (objectId: string, detailId: string, userId: string, options: CallOptions = {}) =>
    (
      await call(operations.updateStorylineDetailOwner, {
        params: { objectId, detailId },
        body: { userId },
        ...options,
      })
    ).result,
});
