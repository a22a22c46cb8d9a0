import { type Beacon, type Notification, operations } from '@pharos/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Operation, useMay } from '../../lib/data/access.ts';
import type { Listed } from '../../lib/data/api.ts';
import { call, dataKey, dataOf, dataQuery } from '../../lib/data/api.ts';
import type { MessageUses } from '../../lib/text/message-uses.ts';
import { sameIds } from './beacon-fields.ts';

export const beaconQuery = (appId: string, beaconId: string) =>
  dataQuery(appId, 'getBeacon', [beaconId], (data) => data.beacons.get(beaconId));

/** What has to be read again when beacons change. */
export const beaconKeys = (appId: string) => [dataKey(appId, 'listBeacons'), dataKey(appId, 'getBeacon')];

/** What visitors have taught about a beacon's signal; null: nothing yet. */
export const radioQuery = (appId: string, beaconId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getBeacon', beaconId, 'radio'),
    queryFn: async ({ signal }) => {
      const { result } = await call('listRadio', { params: { appId }, query: { beaconId }, signal });
      return result[0] ?? null;
    },
  });

/** What a beacon has told of itself in the last 30 days, by hour. */
export const telemetryQuery = (appId: string, beaconId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listTelemetry', beaconId),
    queryFn: async ({ signal }) =>
      (await dataOf(appId).call(operations.listTelemetry, { params: { objectId: beaconId }, signal })).results,
  });

/** Visitors of some beacons, and when the last one was there, by objectId. Not read for roles that may not. */
export function useBeaconVisits(appId: string, ids: readonly string[]) {
  const may = useMay()('activity.read');
  return useQuery({
    queryKey: dataKey(appId, 'listVisits', 'of-beacons', ids),
    queryFn: async ({ signal }) => {
      const { result } = await call('listBeaconVisits', { params: { appId }, query: { ids: ids.join(',') }, signal });
      return new Map(result.map(({ beaconId, ...visits }) => [beaconId, visits]));
    },
    enabled: may && ids.length > 0,
    refetchInterval: 60_000,
  });
}

const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Beacon', objectId }) as const;

/** The latest events and visits at a beacon. */
export const activityQuery = (appId: string, beaconId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listEvents', beaconId),
    queryFn: async ({ signal }) => {
      const query = { where: { beaconId: pointer(beaconId) }, limit: 10, count: 1 } as const;
      const { call } = dataOf(appId);
      const [events, visits] = await Promise.all([
        call(operations.listEvents, { query, signal }),
        call(operations.listVisits, { query, signal }),
      ]);
      return { events, visits };
    },
  });

const maxVisitors = 1_000;
/** A visitor not heard for this long may have left. */
const presentMs = 60_000;

/** Where visitors were sensed within the last minute, the latest first, with how long ago that was. */
export const visitorsNowQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listPositions', 'now'),
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const where = { occurredAt: { $gte: new Date(now - presentMs).toISOString() } };
      const { results } = await dataOf(appId).call(operations.listPositions, {
        query: { where, order: '-occurredAt', limit: maxVisitors },
        signal,
      });
      return results.map((position) => ({
        ...position,
        seconds: Math.max(0, Math.round((now - Date.parse(position.occurredAt)) / 1000)),
      }));
    },
    refetchInterval: 3_000,
  });

const maxShown = 20;

type Scenario = Listed<'listAllStorylineDetails'>;

export interface BeaconUses extends MessageUses {
  /** Storylines are not counted: whoever is limited to venues cannot read them. */
  readonly isPart: boolean;
  /** The first ones. */
  readonly shown: { readonly notifications: readonly Notification[]; readonly scenarios: readonly Scenario[] };
}

/** The messages that are no longer shown when a beacon is deleted. */
export const beaconUsesQuery = (appId: string, beaconId: string, mayCall: (operation: Operation) => boolean) =>
  queryOptions({
    queryKey: dataKey(appId, 'listNotifications', 'of-beacon', beaconId),
    queryFn: async (): Promise<BeaconUses> => {
      const data = dataOf(appId);
      const isPart = !mayCall('listAllStorylineDetails');
      const [notifications, scenarios] = await Promise.all([
        data.notifications.list({
          where: { beaconId: pointer(beaconId) },
          order: 'description',
          limit: maxShown,
          count: 1,
        }),
        isPart
          ? { results: [], count: 0 }
          : data.storylines.listAllDetails({ where: { beacons: beaconId }, limit: maxShown, count: 1 }),
      ]);
      return {
        isPart,
        names: notifications.results.slice(0, 5).map(({ description }) => description),
        shown: { notifications: notifications.results, scenarios: scenarios.results },
        notifications: notifications.count ?? 0,
        scenarios: scenarios.count ?? 0,
      };
    },
  });

/** Other beacons with the same uuid, major and minor. */
export async function findDuplicates(
  appId: string,
  ids: Pick<Beacon, 'uuid' | 'major' | 'minor'>,
  except?: string,
): Promise<Beacon[]> {
  const where = { major: ids.major, minor: ids.minor };
  const { results } = await dataOf(appId).beacons.list({ where, limit: 1_000 });
  return results.filter((beacon) => beacon.objectId !== except && sameIds(beacon, ids));
}
