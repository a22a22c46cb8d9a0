import { type Answer, operations, PharosError, where } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { listAll } from '../../lib/data/all-records.ts';
import { dataKey, dataOf, queryOf } from '../../lib/data/api.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { type MessageUses, messageUsesText } from '../../lib/text/message-uses.ts';
import { listed, t } from '../../lib/words/words.ts';

export type StoredFile = Answer<'listFiles'>['results'][number];

export const fileUsageQuery = (appId: string) =>
  queryOf(dataKey(appId, 'listFiles', 'usage'), 'getFileUsage', { params: { appId } });

export const readFile = async (appId: string, objectId: string) =>
  (await dataOf(appId).call(operations.getFile, { params: { file: objectId } })).result;

export const fileQuery = (appId: string, objectId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getFile', objectId),
    queryFn: () => readFile(appId, objectId),
  });

/** What has to be read again when files change. */
export const fileKeys = (appId: string) => [dataKey(appId, 'listFiles')];

const scenarioMembers = ['urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo'] as const;
const maxNames = 5;

export interface FileUses extends MessageUses {
  /** The floors whose plan it is, by name. */
  readonly floors: readonly string[];
}

/** `1 notification (Welcome) and the plan of Ground floor`; undefined without any. */
export function fileUsesText(uses: FileUses): string | undefined {
  const { floors } = uses;
  const inMessages = messageUsesText(uses);
  const names = listed(floors.slice(0, maxNames));
  const asPlan = t('the plan of {names}{more, plural, =0 {} other { and # more}}', {
    names,
    more: Math.max(0, floors.length - maxNames),
  });
  const all = [...(inMessages ? [inMessages] : []), ...(floors.length > 0 ? [asPlan] : [])];
  return all.length === 0 ? undefined : listed(all);
}

/**
 * The floors whose plan is this file; none for a role that may not read floors. All floors are read, since the members of a plan cannot be
 * searched for.
 */
async function floorsWith(appId: string, fileId: string): Promise<readonly string[]> {
  try {
    const floors = await listAll(dataOf(appId).floors.list);
    return floors.filter(({ plan }) => plan?.fileId === fileId).map(({ name }) => name);
  } catch (error) {
    if (error instanceof PharosError && error.status === 403) return [];
    throw error;
  }
}

/** The messages that show a file, and the floors whose plan it is. Messages are found by its random name, which does not depend on the host of the address. */
export const fileUsesQuery = (appId: string, { objectId, name }: Pick<StoredFile, 'objectId' | 'name'>) =>
  queryOptions({
    queryKey: dataKey(appId, 'listNotifications', 'of-file', objectId),
    queryFn: async (): Promise<FileUses> => {
      const data = dataOf(appId);
      // Only the random digits: the rest of the name may be encoded differently in the address.
      const digits = name.slice(0, 32);
      const shown = scenarioMembers.map((member) => where().contains(member, digits));
      const [notifications, scenarios, floors] = await Promise.all([
        data.notifications.list({ where: where().contains('message.url', digits), limit: maxNames, count: 1 }),
        data.storylines.listAllDetails({ where: where().or(...shown), limit: 0, count: 1 }),
        floorsWith(appId, objectId),
      ]);
      return {
        notifications: notifications.count ?? 0,
        scenarios: scenarios.count ?? 0,
        names: notifications.results.map(({ description }) => description),
        floors,
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
