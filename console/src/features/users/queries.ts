import type { Query } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ofUser } from '../../lib/data/person.ts';

/** A page of users with their roles, which the list for apps does not include. */
export function listUsers(appId: string, query: Query, signal?: AbortSignal) {
  return call('listAppUsers', { params: { appId }, query, ...(signal ? { signal } : {}) });
}

export const userQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'one', userId),
    queryFn: async () => (await call('getAppUser', { params: { appId, userId } })).result,
  });

/** What has to be read again when users change. */
export const userKeys = (appId: string) => [dataKey(appId, 'listUsers'), dataKey(appId, 'listInstallations')];

export const installationsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listInstallations', 'of-user', userId),
    queryFn: () => dataOf(appId).installations.list({ where: ofUser(userId), order: '-objectId', limit: 20, count: 1 }),
  });
