import type { Query } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ofUser } from '../../lib/data/person.ts';

/** A page of users with their roles, which the list for apps does not include. */
export async function listUsers(appId: string, query: Query, signal?: AbortSignal) {
  const page = await call('listAppUsers', { params: { appId }, query, ...(signal ? { signal } : {}) });
  // As it is changed.
  return { ...page, results: page.results.map((user) => ({ ...user, disabled: user.disabledAt !== undefined })) };
}

/** What has to be read again when users change. */
export const userKeys = (appId: string) => [dataKey(appId, 'listUsers'), dataKey(appId, 'listInstallations')];

export const installationsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listInstallations', 'of-user', userId),
    queryFn: () => dataOf(appId).installations.list({ where: ofUser(userId), order: '-objectId', limit: 20, count: 1 }),
  });

/** What a user proves beside a password or instead of it. */
export const factorsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'factors', userId),
    queryFn: async () => {
      const params = { appId, userId };
      const [state, passkeys] = await Promise.all([
        call('getAppUserFactors', { params }),
        call('listAppUserPasskeys', { params }),
      ]);
      return { ...state.result, passkeys: passkeys.results };
    },
  });

/** Where a user is signed in, newest first. */
export const sessionsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'sessions', userId),
    queryFn: async () => (await call('listAppUserSessions', { params: { appId, userId } })).results,
  });
