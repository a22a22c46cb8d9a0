import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { conditionKey, Occupancy, type OccupancyDeps } from './occupancy.ts';
import { occupancyEndpoints } from './routes.ts';
import { listAppsWithCrowds } from './store.ts';
import { name, OccupancyWatch } from './watch.ts';

declare module '../../context.ts' {
  interface Context {
    readonly occupancy: Occupancy;
    readonly occupancyWatch: OccupancyWatch;
  }
}

export const makers: Makers<Context, 'occupancy' | 'occupancyWatch'> = {
  occupancy: (context) => {
    const { db, now, listLimitedPlaces: listPlaces, announce, findBlur } = context;
    return new Occupancy({
      ...{ db, now, listPlaces, announce, findBlur, count: counting(context) },
      async findCounting(appId) {
        const app = await context.findAppAccess(db, appId);
        if (!app || app.disabled) return undefined;
        return { oneZone: app.policy.oneZone, isProtected: app.policy.smallGroups === 'protected' };
      },
      async onReported(appId) {
        const { alerts, occupancy } = context;
        await alerts.follow(appId, await occupancy.conditions(appId), (key) => key.startsWith(conditionKey));
      },
    });
  },
  occupancyWatch: ({ db, onError, owns, occupancy, listAppsWithLimits }) =>
    new OccupancyWatch({
      ...{ onError, owns },
      check: (appId) => occupancy.check(appId),
      listApps: async () => [...new Set([...(await listAppsWithLimits(db)), ...(await listAppsWithCrowds(db))])],
    }),
};

/** Beacons say which places they are in, and the engine who is at them. */
const counting =
  ({ db, now, beaconsOfPlaces, traceCounts }: Context): OccupancyDeps['count'] =>
  async (appId, places, oneZone) => {
    const idsOf = (kind: 'zone' | 'venue') =>
      places.filter(({ place }) => place === kind).map(({ placeId }) => placeId);
    const limited = new Set(places.map(({ placeId }) => placeId));
    const beacons = await beaconsOfPlaces(db, appId, { zones: idsOf('zone'), venues: idsOf('venue') });
    const of = beacons.flatMap(({ beaconId, zoneId, venueId }) =>
      [zoneId, venueId].flatMap((placeId) => (placeId !== null && limited.has(placeId) ? [{ beaconId, placeId }] : [])),
    );
    return traceCounts.countInPlaces(db, appId, { of, byPosition: oneZone, now: now() });
  };

/** Limits of people at once in zones and venues. */
export function occupancyFeature({ occupancy, occupancyWatch: watch, siteRevision, inBackground }: Context): Feature {
  // Changes of the limits come with those of venues.
  siteRevision.onChange(watch.forget);
  const work = () => watch.checkIfIdle();
  return {
    endpoints: occupancyEndpoints(occupancy),
    // What was over its limit when the service stopped may still be over it, or no longer.
    start: () => inBackground(name, work),
    repeats: { [name]: { everyMs: 10_000, work } },
  };
}
