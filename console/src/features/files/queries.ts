import { type Answer, where } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import type { MessageUses } from '../../lib/text/message-uses.ts';

export type StoredFile = Answer<'listFiles'>['results'][number];

export const fileUsageQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listFiles', 'usage'),
    queryFn: async () => (await call('getFileUsage', { params: { appId } })).result,
  });

export const readFile = async (appId: string, objectId: string) =>
  (await dataOf(appId).call('getFile', { params: { file: objectId } })).result;

export const fileQuery = (appId: string, objectId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getFile', objectId),
    queryFn: () => readFile(appId, objectId),
  });

/** What has to be read again when files change. */
export const fileKeys = (appId: string) => [dataKey(appId, 'listFiles')];

const scenarioMembers = ['urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo'] as const;
const mostNames = 5;

/** The messages that show a file. They are found by its random name, which does not depend on the host of the address. */
export const fileUsesQuery = (appId: string, { objectId, name }: Pick<StoredFile, 'objectId' | 'name'>) =>
  queryOptions({
    queryKey: dataKey(appId, 'listNotifications', 'of-file', objectId),
    queryFn: async (): Promise<MessageUses> => {
      const data = dataOf(appId);
      // Only the random digits: the rest of the name may be encoded differently in the address.
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

/** Picture types that cannot hold scripts, unlike SVG. */
const drawable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
/** Larger pictures would load too slowly. */
const largestThumbnail = 4_000_000;

/** Path of a file's thumbnail; undefined for a file that is shown as an icon. */
export function thumbnailOf(appId: string, { contentType, size, url }: StoredFile): string | undefined {
  return drawable.has(contentType) && size <= largestThumbnail ? ownFilePath(url, appId) : undefined;
}
