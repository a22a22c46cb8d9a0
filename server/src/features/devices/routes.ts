import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { deleteCredential } from './credential-store.ts';
import { deviceExample, deviceRecord, deviceShape } from './schemas.ts';
import { deviceTable } from './store.ts';

export function deviceEndpoints(db: Db): Endpoint[] {
  return resourceEndpoints({
    db,
    table: deviceTable,
    noun: ['device', 'devices'],
    title: ['Device', 'Devices'],
    tag: 'Devices',
    path: '/device',
    shape: deviceShape,
    example: deviceExample,
    record: deviceRecord,
    grants: {
      read: 'user',
      create: ({ deviceNeedsUser }) => (deviceNeedsUser ? 'user' : 'visitor'),
      write: 'user',
    },
    defaultLimit: 100,
    wrapsInArray: true,
    hasMaker: true,
    errors: ['deviceName', 'ValidationError'],
    onRemove: async (db, key) => {
      await deleteCredential(db, String(key['app_id']), String(key['object_id']));
    },
  });
}
