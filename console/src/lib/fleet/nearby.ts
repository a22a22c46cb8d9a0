import { type Answer, type Floor, operations } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, dataOf, dataQuery } from '../data/api.ts';
import { pointer } from '../data/venue-queries.ts';
import { frameOf, roundPoint } from '../plan/floor-geometry.ts';
import { t } from '../words/words.ts';

/** What a gateway hears and the app does not know. */
export type HeardTag = Answer<'listHeardNearby'>['results'][number];

export const nearbyQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listHeardNearby'),
    queryFn: async ({ signal }): Promise<readonly HeardTag[]> =>
      (await dataOf(appId).call(operations.listHeardNearby, { signal })).results,
    refetchInterval: 5_000,
  });

export const ignoredQuery = (appId: string) =>
  dataQuery(appId, 'listIgnoredTags', [], async (data) => (await data.call(operations.listIgnoredTags)).results);

export const rulesQuery = (appId: string) =>
  dataQuery(appId, 'listAdoptionRules', [], async (data) => (await data.call(operations.listAdoptionRules)).results);

export const ignore = (appId: string, tag: string) => dataOf(appId).call(operations.ignoreTag, { params: { tag } });
export const stopIgnoring = (appId: string, tag: string) =>
  dataOf(appId).call(operations.stopIgnoringTag, { params: { tag } });

/** What has to be read again when a tag is known or ignored. */
export const nearbyKeys = (appId: string) => [nearbyQuery(appId).queryKey, ignoredQuery(appId).queryKey];

export interface Numbers {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
}

/** A heard tag that can be a beacon. */
export const numbersOf = ({ uuid, major, minor }: HeardTag): Numbers | undefined =>
  uuid === undefined || major === undefined || minor === undefined ? undefined : { uuid, major, minor };

export function nameOfHeard(heard: HeardTag): string {
  const { major, minor, name, tag } = heard;
  if (name !== undefined) return name;
  if (major !== undefined && minor !== undefined) return t('Beacon {major}/{minor}', { major, minor });
  return tag;
}

interface Tag {
  readonly tag: string;
  readonly name: string;
  readonly userId?: string | undefined;
}

/** Registering a tag again changes nothing. */
export const registerTag = (appId: string, { tag, name, userId }: Tag) =>
  dataOf(appId).call(operations.registerInstallation, {
    body: {
      installationId: `tag ${tag}`.slice(0, 128),
      deviceType: 'embedded',
      metadata: { advertisedId: tag, name },
      ...(userId === undefined ? {} : { userId: pointer('_User', userId) }),
    },
  });

/** The beacon that stands for a gateway; in the middle of the floor until somebody moves it. */
export async function placeGateway(appId: string, floor: Floor, gateway: { gatewayId: string; name: string }) {
  const { gatewayId, name } = gateway;
  const { left, top, width, height } = frameOf(floor) ?? { left: 0, top: 0, width: 0, height: 0, ...floor.size };
  const middle = roundPoint({ x: left + width / 2, y: top + height / 2 });
  return dataOf(appId).beacons.create({
    ...{ name, uuid: crypto.randomUUID().toUpperCase(), major: 0, minor: 0, metadata: { gatewayId } },
    ...{ venueId: pointer('Venue', floor.venueId.objectId), location: { ...middle, floor: floor.level } },
  });
}
