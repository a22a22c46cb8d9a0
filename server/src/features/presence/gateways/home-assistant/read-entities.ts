import type { Context } from '../../../context.ts';
import type { AnnouncedBeacon, AnnouncedZone } from './entities.ts';

/** The most zones that are announced. */
const maxZones = 500;
const maxBeacons = 500;

/** The zones of an app with whether somebody is there, and its beacons with what they have told. Undefined: there is no such app now. */
export async function readEntities(
  { db, now, ...deps }: Context,
  appId: string,
): Promise<{ readonly zones: readonly AnnouncedZone[]; readonly beacons: readonly AnnouncedBeacon[] } | undefined> {
  const app = await deps.findOpenApp(appId);
  if (!app) return undefined;
  const zones = [...(await deps.listZoneNames(db, appId))].slice(0, maxZones);
  const placed = await deps.beaconsOfPlaces(db, appId, { zones: zones.map(([id]) => id), venues: [] });
  const of = placed.flatMap(({ beaconId, zoneId }) => (zoneId === null ? [] : [{ beaconId, placeId: zoneId }]));
  const counts = await deps.traceCounts.countInPlaces(db, appId, { of, byPosition: app.policy.oneZone, now: now() });
  const newest = (await deps.listNewestOfBeacons(db, appId, now())).slice(0, maxBeacons);
  const names = await deps.findBeaconNames(
    db,
    appId,
    newest.map(({ beaconId }) => beaconId),
  );
  return {
    zones: zones.map(([objectId, { name }]) => ({ objectId, name, isOccupied: (counts.get(objectId) ?? 0) > 0 })),
    beacons: newest.flatMap(({ beaconId, battery, seenAt }) => {
      const name = names.get(beaconId);
      return name === undefined ? [] : [{ objectId: beaconId, name, battery, seenAt }];
    }),
  };
}
