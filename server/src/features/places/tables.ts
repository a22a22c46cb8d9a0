import type { DbTable } from '../../db/table.ts';
import type { Resource } from '../../resources/define.ts';
import { placements } from './beacons/placement-store.ts';
import { beacons } from './beacons/resource.ts';
import { deviceCredentials, devices } from './devices/resource.ts';
import { deviceHandovers, deviceSessions } from './devices/session-tables.ts';
import { floors } from './venues/floor-resource.ts';
import { venues } from './venues/venue-resource.ts';
import { zones } from './venues/zone-resource.ts';

export const resources: readonly Resource[] = [beacons, venues, floors, zones, devices];

export const tables: readonly DbTable[] = [
  ...resources.map(({ table }) => table),
  placements,
  deviceCredentials,
  deviceSessions,
  deviceHandovers,
];
