import { type Answer, operations } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, dataQuery } from '../../../lib/data/api.ts';

/** Walks through a floor, and how well positions on it are known. */

export type Survey = Answer<'listSurveys'>['results'][number];
export type Accuracy = Answer<'getFloorAccuracy'>['result'];

export const surveysQuery = (appId: string, floorId: string) =>
  dataQuery(
    appId,
    'listSurveys',
    [floorId],
    async (data) => (await data.call(operations.listSurveys, { params: { objectId: floorId } })).results,
  );

/** While it is worked out again. */
const lookEveryMs = 2_000;

export const accuracyQuery = (appId: string, floorId: string) =>
  queryOptions({
    ...dataQuery(
      appId,
      'getFloorAccuracy',
      [floorId],
      async (data) => (await data.call(operations.getFloorAccuracy, { params: { objectId: floorId } })).result,
    ),
    refetchInterval: ({ state }) => (state.data?.isCurrent === false ? lookEveryMs : false),
  });

export const surveyKeys = (appId: string) => [dataKey(appId, 'listSurveys'), dataKey(appId, 'getFloorAccuracy')];
