import { type Answer, where } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey } from '../../components/list/record-list.tsx';
import { call, dataOf } from '../../lib/data/api.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';

export type StoredFile = Answer<'listFiles'>['results'][number];

export const usageQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listFiles', 'usage'),
    queryFn: async () => (await call('getFileUsage', { params: { appId } })).result,
  });

export const fileQuery = (appId: string, objectId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getFile', objectId),
    queryFn: async () => (await dataOf(appId).call('getFile', { params: { file: objectId } })).result,
  });

/** What is read anew when files come or go. */
export const fileKeys = (appId: string) => [dataKey(appId, 'listFiles')];

const scenarioMembers = ['urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo'] as const;
const mostNames = 5;

export interface FileUses {
  readonly notifications: number;
  readonly scenarios: number;
  /** Some of the notifications, by their description. */
  readonly names: readonly string[];
}

/** The messages that show a file: their addresses end with its random name, whatever the service was called then. */
export const usesQuery = (appId: string, { objectId, name }: Pick<StoredFile, 'objectId' | 'name'>) =>
  queryOptions({
    queryKey: dataKey(appId, 'listNotifications', 'of-file', objectId),
    queryFn: async (): Promise<FileUses> => {
      const data = dataOf(appId);
      // The random digits in front: the rest may be written in the address in several ways.
      const digits = name.slice(0, 32);
      const shown = scenarioMembers.map((member) => where().contains(member, digits));
      const [notifications, scenarios] = await Promise.all([
        data.notifications.list({ where: where().contains('message.url', digits), limit: mostNames, count: 1 }),
        data.storylines.listAllDetails({ where: where().or(...shown), limit: 0, count: 1 }),
      ]);
      return {
        notifications: notifications.count ?? 0,
        scenarios: scenarios.count ?? 0,
        names: notifications.results.map(({ description }) => description),
      };
    },
  });

/** Pictures that a browser only ever draws; an SVG can hold scripts. */
const drawable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
/** A page of larger ones would load for too long. */
const largestThumbnail = 4_000_000;

/** Where the picture of a file can be loaded; undefined for what is shown as a sign. */
export function thumbnailOf(appId: string, { contentType, size, url }: StoredFile): string | undefined {
  return drawable.has(contentType) && size <= largestThumbnail ? ownFilePath(url, appId) : undefined;
}
