import { beacons } from './beacons/resource.ts';

export { insertBeacon } from './beacons/imported.ts';
export { beaconsIn, beaconsOfPlaces, listPlaced, listWhereBeaconsAre, setZone } from './beacons/place.ts';
export { countBeaconsWithUuid, findBeaconNames, findMissingBeacons, findUnreadableBeacons } from './beacons/store.ts';
export { dayKindsOf } from './venues/day-kinds.ts';
export { assertPlaceReadable } from './venues/readable.ts';
export {
  existingVenues,
  findDrawnFloor,
  findVenueOf,
  findZoneAt,
  isOnFloor,
  listAllFloors,
  listAppsWithLimits,
  listCalendars,
  listLimitedPlaces,
  listVenuesForReports,
  listZoneFloors,
  listZoneNames,
  lockVenueForShare,
  lockZoneForShare,
} from './venues/store.ts';
export { findFloorToSurvey, holdFloorToSurvey } from './venues/surveyed-floor.ts';

export const beaconTable = beacons.table;
