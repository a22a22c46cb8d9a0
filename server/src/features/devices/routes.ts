import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { deleteCredential } from './credential-store.ts';
import { devices } from './resource.ts';

export function deviceEndpoints(db: Db): Endpoint[] {
  return resourceEndpoints(devices, {
    db,
    onRemove: async (db, key) => {
      await deleteCredential(db, String(key['app_id']), String(key['object_id']));
    },
  });
}
