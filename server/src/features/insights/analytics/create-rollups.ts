import { isForgetful } from '@pharos/engine/decide';
import type { Db } from '../../../db/db.ts';
import type { Services } from '../../services.ts';
import { MessageCounts } from './messages/counts.ts';
import { noteVisitors } from './messages/showings.ts';
import { messageShowings, messageStates } from './messages/tables.ts';
import type { BeaconPlace } from './numbers/places.ts';
import { type Effects, Rollups } from './rollups.ts';

/** Makes `Rollups`, with what it needs of other features. */
export function createRollups(services: Services): Rollups {
  const { db, now, inBackground, visitChanges, appsWith, listApps, policyOf, findAppAccess } = services;
  const countedOf = (appId: string, timeZone: string) => ({ appId, timeZone });
  return new Rollups({
    ...{ db, inBackground, now, visitChanges },
    effects: effectsOf(services),
    listPlaces: (db, appId) => beaconPlacesNow(services, db, appId),
    listApps: async () => (await listApps(db)).map((app) => countedOf(app.app_id, policyOf(app).timeZone)),
    appsWithPlaces: async () => [
      ...(await appsWith(services.presenceTables.visits)),
      ...(await appsWith(services.beaconTable)),
    ],
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      return app && countedOf(appId, app.policy.timeZone);
    },
  });
}

function effectsOf(services: Services): Effects {
  const { appsWith } = services;
  const counts = createMessageCounts(services);
  return {
    settle: (appId) => counts.settle(appId),
    apps: async () => [...new Set([...(await appsWith(messageStates)), ...(await appsWith(messageShowings))])],
    rebuild: (appId) => counts.rebuild(appId),
    closeBefore: (appId, at) => counts.closeBefore(appId, at),
    stop: () => counts.stop(),
    noteVisitors,
  };
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
