import { type Answer, operations } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, dataOf } from '../data/api.ts';

/** A gateway that speaks for itself, as it was when it was heard last. */
export type Gateway = Answer<'listGateways'>['results'][number];

export const gatewaysQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listGateways'),
    queryFn: async ({ signal }): Promise<readonly Gateway[]> =>
      (await dataOf(appId).call(operations.listGateways, { signal })).results,
    refetchInterval: 30_000,
  });
