import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { startOfRange } from '../../lib/time/range.ts';

const key = (appId: string, ...more: readonly string[]) => ['apps', appId, 'home', ...more] as const;

/** Refresh intervals while the page is visible; the event stream refreshes earlier. */
const everyMs = { live: 10_000, funnel: 15_000, attention: 60_000 };

export const liveQuery = (appId: string) =>
  queryOptions({
    queryKey: key(appId, 'live'),
    queryFn: async ({ signal }) => (await call('getLive', { params: { appId }, signal })).result,
    refetchInterval: everyMs.live,
  });

/** Of today, which begins at midnight in the zone. */
export const funnelQuery = (appId: string, zone: string) =>
  queryOptions({
    queryKey: key(appId, 'funnel', zone),
    queryFn: async ({ signal }) =>
      (await call('getFunnel', { params: { appId }, query: { since: startOfRange('today', zone) }, signal })).result,
    refetchInterval: everyMs.funnel,
  });

export const attentionQuery = (appId: string) =>
  queryOptions({
    queryKey: key(appId, 'attention'),
    queryFn: async ({ signal }) => (await call('getAttention', { params: { appId }, signal })).result,
    // One that has failed is made up for soon.
    refetchInterval: ({ state: { error } }) => (error ? everyMs.live : everyMs.attention),
  });

export const stepsQuery = (appId: string) =>
  queryOptions({
    queryKey: key(appId, 'steps'),
    // Whoever has done one comes back within moments, and must not be led on from what was true before.
    staleTime: 0,
    gcTime: 0,
    queryFn: async () => {
      const data = dataOf(appId);
      const none = { limit: 0, count: 1 } as const;
      const [beacons, notifications, scenarios] = await Promise.all([
        data.beacons.list({ limit: 1, count: 1 }),
        data.notifications.list(none),
        data.storylines.listAllDetails(none),
      ]);
      return {
        beacons: beacons.count ?? 0,
        beacon: beacons.results[0]?.objectId,
        messages: (notifications.count ?? 0) + (scenarios.count ?? 0),
      };
    },
  });
