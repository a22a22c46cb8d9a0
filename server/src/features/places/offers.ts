import { beacons } from './beacons/resource.ts';

export { beaconsIn, beaconsOfPlaces, listPlaced, listWhereBeaconsAre, setZone } from './beacons/place.ts';
export { findBeaconNames, findMissingBeacons, findUnreadableBeacons } from './beacons/store.ts';
export { dayKindsOf } from './venues/day-kinds.ts';
export { assertPlaceReadable } from './venues/readable.ts';
export {
  findDrawnFloor,
  findVenueOf,
  findZoneAt,
  holdVenue,
  holdZone,
  isOnFloor,
  listAllFloors,
  listAppsWithLimits,
  listCalendars,
  listLimitedPlaces,
  listVenuesForReports,
  listZoneFloors,
  listZoneNames,
} from './venues/store.ts';

export const beaconTable = beacons.table;
