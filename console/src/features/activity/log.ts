import { type JsonObject, operations } from '@pharos/sdk';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { type ActivitySearch, scopeOf } from './search.ts';
import type { ActivityEvent, ListedDelivery } from './words.ts';

/** Something that happened at a beacon, or a message that was to reach a visitor. */
export type LogEntry = { readonly objectId: string } & (
  | { readonly event: ActivityEvent; readonly delivery?: never }
  | { readonly delivery: ListedDelivery; readonly event?: never }
);

const pageSize = 40;

/** Who comes nearer or moves away is in the list of events alone. */
const comings = <Q extends { readonly where: JsonObject }>(query: Q) => ({
  ...query,
  where: { ...query.where, event: { $in: ['ENTER', 'EXIT'] } },
});

export type LogScope = Pick<ActivitySearch, 'range' | 'beacon' | 'visitor'>;

/**
 * Events and deliveries as one list, the latest first. Ids of both begin with the time, so that one id divides both lists: a page holds the
 * latest of either, and the next one begins below its last id. Deliveries belong to no beacon, and not everybody may read them.
 */
export const logQuery = (appId: string, scope: LogScope, zone: string, hasDeliveries: boolean) =>
  infiniteQueryOptions({
    queryKey: dataKey(appId, 'listEvents', 'log', scope, zone, hasDeliveries),
    queryFn: async ({ pageParam, signal }): Promise<readonly LogEntry[]> => {
      const { call } = dataOf(appId);
      const queryBy = (time: string, hasBeacon: boolean) => {
        const where: JsonObject = {
          ...scopeOf(scope, { time, hasBeacon }, zone),
          ...(pageParam === undefined ? {} : { objectId: { $lt: pageParam } }),
        };
        return { where, order: '-objectId', limit: pageSize } as const;
      };
      const [events, deliveries] = await Promise.all([
        call(operations.listEvents, { query: comings(queryBy('occurredAt', true)), signal }),
        hasDeliveries && scope.beacon === undefined
          ? call(operations.listDeliveries, { query: queryBy('createdAt', false), signal })
          : { results: [] },
      ]);
      return [
        ...events.results.map((event) => ({ objectId: event.objectId, event })),
        ...deliveries.results.map((delivery) => ({ objectId: delivery.objectId, delivery })),
      ]
        .toSorted((a, b) => (a.objectId < b.objectId ? 1 : -1))
        .slice(0, pageSize);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.objectId),
  });
