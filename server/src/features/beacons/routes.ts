import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { beacons, gatewayKey, uuidKey } from './resource.ts';

export interface BeaconDeps {
  readonly db: Db;
  /** Called in the transaction of every write: what is kept in memory of beacons is no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

export function beaconEndpoints({ db, noteChange }: BeaconDeps): Endpoint[] {
  return resourceEndpoints(beacons, {
    db,
    onWrite: noteChange,
    onRemove: noteChange,
    derive: ({ uuid, metadata }) => ({
      ...(typeof uuid === 'string' ? { uuid_key: uuidKey(uuid) } : {}),
      ...(metadata === undefined ? {} : { gateway_key: gatewayKey(metadata) }),
    }),
  });
}
