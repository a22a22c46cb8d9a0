import { operations } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import type { PushDetail } from './push-states.ts';

export const pushQuery = (appId: string, pushId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getPush', pushId),
    queryFn: async () => {
      const { result } = await dataOf(appId).call(operations.getPush, { params: { objectId: pushId } });
      return result as PushDetail;
    },
  });
