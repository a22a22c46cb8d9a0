import { type FindHeld, ownTraces } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { getEndpoint, listEndpoint } from '../../../resources/read-endpoints.ts';
import { positions } from './positions.ts';

export function positionEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const options = { ...positions, db, narrow: ownTraces(findHeld, 'positions_installation', ['sensed_at']) };
  const description =
    'Where each installation was last known to be: the beacon that it was nearest to and, where beacons have a location, ' +
    'x, y and floor. It is written every 15 seconds at most, and at once where another beacon is the nearest; only in ' +
    'apps in which a visitor is at one beacon at a time. It has the objectId of the installation. Users see those of ' +
    'their own installations; managers see all.';
  return [listEndpoint(options, { description, defaultOrder: 'objectId' }), getEndpoint(options)];
}
