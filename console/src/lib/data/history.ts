import { entityTag, PharosError } from '@pharos/sdk';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Operations } from '../wire.ts';
import { t, translated } from '../words/words.ts';
import { call } from './api.ts';

/** Earlier states of records, and what was deleted. */

export type KeptKind =
  | 'notifications'
  | 'storylines'
  | 'scenarios'
  | 'beacons'
  | 'zones'
  | 'devices'
  | 'records'
  | 'settings';
export type DeletedKind = Exclude<KeptKind, 'settings'> | 'files' | 'buckets' | 'schemas';
export type Version = Operations['listVersions']['answer']['results'][number];
export type TrashEntry = Operations['listTrash']['answer']['results'][number];

export interface KeptRecord {
  readonly appId: string;
  readonly kind: KeptKind;
  readonly recordId: string;
}

export const versionsQuery = ({ appId, kind, recordId }: KeptRecord) =>
  queryOptions({
    queryKey: ['apps', appId, 'history', kind, recordId],
    queryFn: async () => (await call('listVersions', { params: { appId, kind, recordId } })).results,
    // Every change adds one.
    staleTime: 0,
  });

const trashPage = 50;

export const trashKey = (appId: string) => ['apps', appId, 'trash'];

export const trashQuery = (appId: string, kind: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...trashKey(appId), kind],
    queryFn: async ({ pageParam: before }) =>
      (
        await call('listTrash', {
          params: { appId },
          query: { ...(kind ? { kind } : {}), ...(before === undefined ? {} : { before }) },
        })
      ).results,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < trashPage ? undefined : page.at(-1)?.objectId),
  });

export const restoreVersion = async (
  { appId, kind, recordId }: KeptRecord,
  versionId: string,
  ifMatch?: string,
): Promise<object> => (await call('restoreVersion', { params: { appId, kind, recordId, versionId }, ifMatch })).result;

/** Undoes `restoreVersion`. `before`: the versions that existed before it. @throws Error if somebody has changed the record since */
export async function takeBack(record: KeptRecord, restored: object, before: readonly Version[]): Promise<void> {
  const { appId, kind, recordId } = record;
  const [last] = (await call('listVersions', { params: { appId, kind, recordId } })).results;
  // It was so before it went back.
  if (!last || before.some(({ objectId }) => objectId === last.objectId)) return;
  try {
    await restoreVersion(record, last.objectId, entityTag(restored));
  } catch (error) {
    if (!(error instanceof PharosError && error.name === 'PreconditionFailed')) throw error;
    throw new Error(t('Somebody has changed it since, so it stays as it is now.'));
  }
}

export const restoreDeleted = (appId: string, trashId: string) =>
  call('restoreDeleted', { params: { appId, trashId } });

/** Restores a record that was just deleted. @throws Error when it is not among the last deletions */
export async function restoreFromTrash(appId: string, kind: KeptKind | DeletedKind, recordId: string): Promise<void> {
  let before: string | undefined;
  for (;;) {
    const query = { kind, ...(before === undefined ? {} : { before }) };
    const { results } = await call('listTrash', { params: { appId }, query });
    const found = results.find((one) => one.recordId === recordId);
    if (found) return void (await restoreDeleted(appId, found.objectId));
    before = results.at(-1)?.objectId;
    if (before === undefined) throw new Error(t('It is not in the trash any more.'));
  }
}

/** Restores for administrators limited to venues, who cannot read the trash. @throws Error that says why it is not restored */
export async function restoreOfVenue(appId: string, kind: KeptKind | DeletedKind, recordId: string): Promise<void> {
  const body = { operation: 'restoreDeleted', ids: [recordId], kind } as const;
  const [refused] = (await call('changeMany', { params: { appId }, body })).result.failed;
  if (refused) throw new Error(translated(refused.message));
}

/** Who made a change, in words. */
export function whoText({ name, userId }: TrashEntry['deletedBy']): string {
  return name ?? (userId === null ? t('the app') : t('the user {userId}', { userId }));
}
