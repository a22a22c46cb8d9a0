import type { Database, Db } from '../db/db.ts';
import type { InBackground } from '../features/feature.ts';
import type { DaysOf } from '../features/insights/analytics/forecast/answer.ts';
import type { MessageCounts } from '../features/insights/analytics/messages/counts.ts';
import { noteVisitors } from '../features/insights/analytics/messages/showings.ts';
import { messageShowings, messageStates } from '../features/insights/analytics/messages/tables.ts';
import type { BeaconPlace } from '../features/insights/analytics/numbers/places.ts';
import { type Effects, Rollups } from '../features/insights/analytics/rollups.ts';
import { appsWith, findAppAccess, listApps, policyOf } from '../features/operate/apps/store.ts';
import { listWhereBeaconsAre } from '../features/places/beacons/place.ts';
import { beacons } from '../features/places/beacons/resource.ts';
import { dayKindsOf } from '../features/places/venues/day-kinds.ts';
import {
  findVenueOf,
  isOnFloor,
  listAllFloors,
  listCalendars,
  listZoneFloors,
} from '../features/places/venues/store.ts';
import * as visitChanges from '../features/sightings/traces/visits.ts';
import { visits } from '../features/sightings/traces/visits.ts';
import { createMessageCounts } from './messages.ts';

/** The opening hours of the venue that somebody asks about, or of all together. */
export async function findDays(db: Db, appId: string, { place, venues }: DaysOf) {
  const venueOf = async (): Promise<string | undefined> => {
    if (!place || place.dimension === 'venue') return place?.id;
    const { dimension, id } = place;
    if (dimension !== 'beacon') return findVenueOf(db, appId, { dimension, id });
    return (await listWhereBeaconsAre(db, appId)).find(({ objectId }) => objectId === id)?.venueId ?? undefined;
  };
  if (!place) return dayKindsOf(await listCalendars(db, appId, venues));
  const venueId = await venueOf();
  if (venueId === undefined || !(venues?.includes(venueId) ?? true)) return undefined;
  return dayKindsOf(await listCalendars(db, appId, [venueId]));
}

const effectsOf = (db: Db, counts: MessageCounts): Effects => ({
  settle: (appId) => counts.settle(appId),
  apps: async () => [...new Set([...(await appsWith(db, messageStates)), ...(await appsWith(db, messageShowings))])],
  rebuild: (appId) => counts.rebuild(appId),
  closeBefore: (appId, at) => counts.closeBefore(appId, at),
  stop: () => counts.stop(),
  noteVisitors,
});

/** What counts visits, with what it needs of other features. */
export function createRollups({
  db,
  now,
  inBackground,
}: {
  readonly db: Database;
  readonly now: () => number;
  readonly inBackground: InBackground;
}): Rollups {
  const countedOf = (appId: string, timeZone: string) => ({ appId, timeZone });
  return new Rollups({
    db,
    inBackground,
    effects: effectsOf(db, createMessageCounts({ db, now })),
    now,
    visitsOf: visitChanges.visitsInOrder,
    listPlaces: beaconPlacesNow,
    visits: {
      begun: visitChanges.visitsBegun,
      nextBegan: visitChanges.nextVisitBegan,
      firsts: visitChanges.firstVisitsOf,
      ended: visitChanges.visitsEnded,
      delete: visitChanges.deleteVisits,
    },
    changes: {
      list: visitChanges.listVisitChanges,
      delete: visitChanges.deleteVisitChanges,
      apps: visitChanges.appsWithVisitChanges,
    },
    listApps: async () => (await listApps(db)).map((app) => countedOf(app.app_id, policyOf(app).timeZone)),
    appsWithPlaces: async () => [...(await appsWith(db, visits.table)), ...(await appsWith(db, beacons.table))],
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app && countedOf(appId, app.policy.timeZone);
    },
  });
}

/** A beacon is on the floor of its zone, else on the one of its venue that its location names. */
async function beaconPlacesNow(db: Db, appId: string): Promise<readonly BeaconPlace[]> {
  const beacons = await listWhereBeaconsAre(db, appId);
  if (beacons.every(({ venueId }) => venueId === null))
    return beacons.map(({ objectId }) => ({ beaconId: objectId, venueId: null, floorId: null, zoneId: null }));
  const floors = Map.groupBy(await listAllFloors(db, appId), ({ venue_id }) => venue_id);
  const floorOf = await listZoneFloors(db, appId);
  return beacons.map(({ objectId, venueId, zoneId, location }) => ({
    beaconId: objectId,
    venueId,
    zoneId,
    floorId:
      (zoneId === null ? undefined : floorOf.get(zoneId)) ??
      (venueId === null || location === null
        ? null
        : (floors.get(venueId)?.find((floor) => isOnFloor(location, floor))?.object_id ?? null)),
  }));
}
