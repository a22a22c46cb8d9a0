import type { Query } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey } from '../../components/list/record-list.tsx';
import { allRecords } from '../../lib/data/all-records.ts';
import { call, dataOf } from '../../lib/data/api.ts';
import { everythingOf } from '../installations/queries.ts';

/** A page of users with their roles, which the apps' own list does not tell. */
export function listUsers(appId: string, query: Query, signal?: AbortSignal) {
  return call('listAppUsers', { params: { appId }, query, ...(signal ? { signal } : {}) });
}

export const userQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'one', userId),
    queryFn: async () => (await call('getAppUser', { params: { appId, userId } })).result,
  });

/** What is read anew when users change. */
export const userKeys = (appId: string) => [dataKey(appId, 'listUsers'), dataKey(appId, 'listInstallations')];

const ofUser = (objectId: string) => ({
  userId: { __type: 'Pointer', className: '_User', objectId } as const,
});

export const installationsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listInstallations', 'of-user', userId),
    queryFn: () => dataOf(appId).installations.list({ where: ofUser(userId), order: '-objectId', limit: 20, count: 1 }),
  });

async function installationIds(appId: string, userId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of allRecords(dataOf(appId).installations.list, ofUser(userId)))
    ids.push(...page.map(({ objectId }) => objectId));
  return ids;
}

/** Everything that the interface knows of a person; `onCount` hears how many records are read. */
export async function everythingOfUser(appId: string, userId: string, onCount: (records: number) => void) {
  const user = (await call('getAppUser', { params: { appId, userId } })).result;
  const installations: unknown[] = [];
  let before = 1;
  for (const id of await installationIds(appId, userId)) {
    let own = 0;
    installations.push(
      await everythingOf(appId, id, (count) => {
        own = count;
        onCount(before + count);
      }),
    );
    before += own;
  }
  return { user, installations };
}

/** Erases a person: the installations first where they are to go too, so that a failure leaves the user to try again. */
export async function eraseUser(appId: string, userId: string, withInstallations: boolean): Promise<void> {
  if (withInstallations)
    for (const id of await installationIds(appId, userId)) await dataOf(appId).installations.delete(id);
  await call('eraseAppUser', { params: { appId, userId } });
}
