import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';

export const scenariosOnPage = 20;

export const storylineQuery = (appId: string, storylineId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getStoryline', storylineId),
    queryFn: () => dataOf(appId).storylines.get(storylineId),
  });

export const scenariosQuery = (appId: string, storylineId: string, page: number) =>
  queryOptions({
    queryKey: dataKey(appId, 'listStorylineDetails', storylineId, page),
    queryFn: () =>
      dataOf(appId).storylines.listDetails(storylineId, {
        order: 'createdAt',
        skip: (page - 1) * scenariosOnPage,
        limit: scenariosOnPage,
        count: 1,
      }),
    placeholderData: keepPreviousData,
  });

export const scenarioQuery = (appId: string, storylineId: string, detailId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getStorylineDetail', storylineId, detailId),
    queryFn: () => dataOf(appId).storylines.getDetail(storylineId, detailId),
  });

/** What has to be read again when storylines change. */
export const storylineKeys = (appId: string) => [dataKey(appId, 'listStorylines'), dataKey(appId, 'getStoryline')];

/** What has to be read again when scenarios change. */
export const scenarioKeys = (appId: string) => [
  dataKey(appId, 'listStorylineDetails'),
  dataKey(appId, 'getStorylineDetail'),
];
