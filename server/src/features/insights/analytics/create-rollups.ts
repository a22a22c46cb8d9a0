import { isForgetful } from '@pharos/engine/decide';
import type { Db } from '../../../db/db.ts';
import type { Services } from '../../services.ts';
import { MessageCounts } from './messages/counts.ts';
import type { BeaconPlace } from './numbers/places.ts';
import { Rollups } from './rollups.ts';

/** Makes `Rollups`, with what it needs of other features. */
export function createRollups(services: Services): Rollups {
  const { db, inBackground, now, visitChanges, appsWith, listApps, policyOf, findAppAccess } = services;
  return new Rollups({
    ...{ db, inBackground, now, visitChanges, appsWith, listApps, policyOf, findAppAccess },
    listPlaces: (db, appId) => beaconPlacesNow(services, db, appId),
    placeTables: [services.presenceTables.visits, services.beaconTable],
    messageCounts: createMessageCounts(services),
  });
}

function createMessageCounts(services: Services): MessageCounts {
  const { db, now, findAppAccess } = services;
  const { listMessageGoals, beaconsIn, firstVisitIn, firstEventIn, recordsMade, installationsNamed } = services;
  return new MessageCounts({
    ...{ db, now, listMessageGoals, beaconsIn, firstVisitIn, firstEventIn, recordsMade, installationsNamed },
    withdrawals: services.withdrawnSince,
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      if (!app) return undefined;
      const { policy } = app;
      return { timeZone: policy.timeZone, eventDays: policy.retentionDays.events, isForgetful: isForgetful(policy) };
    },
  });
}

/** A beacon is on the floor of its zone, else on the one of its venue that its location names. */
async function beaconPlacesNow(services: Services, db: Db, appId: string): Promise<readonly BeaconPlace[]> {
  const { listWhereBeaconsAre, listAllFloors, listZoneFloors, isOnFloor } = services;
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
