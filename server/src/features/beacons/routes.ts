import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import type { Key } from '../../resources/table.ts';
import { beaconExample, beaconRecord, beaconShape, gatewayKey, uuidKey } from './schemas.ts';
import { beaconTable } from './store.ts';

export interface BeaconDeps {
  readonly db: Db;
  /** Called in the transaction of every write: what is kept in memory of beacons is no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

export function beaconEndpoints({ db, noteChange }: BeaconDeps): Endpoint[] {
  return resourceEndpoints({
    db,
    table: beaconTable,
    noun: ['beacon', 'beacons'],
    title: ['Beacon', 'Beacons'],
    tag: 'Beacons',
    path: '/beacons',
    shape: beaconShape,
    example: beaconExample,
    record: beaconRecord,
    grants: {
      read: ({ readContent }) => (readContent === 'app' ? 'visitor' : 'user'),
      create: ({ writeContent }) => writeContent,
      write: ({ writeContent }) => writeContent,
    },
    defaultLimit: 1000,
    onWrite: noteChange,
    onRemove: noteChange,
    derive: ({ uuid, metadata }): Key => ({
      ...(typeof uuid === 'string' ? { uuid_key: uuidKey(uuid) } : {}),
      ...(metadata === undefined ? {} : { gateway_key: gatewayKey(metadata) }),
    }),
  });
}
