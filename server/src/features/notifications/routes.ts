import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { sentence } from '../../http/shape.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { messageProblems, notifications } from './resource.ts';

export interface NotificationDeps {
  readonly db: Db;
  readonly findMissingBeacons: (db: Db, appId: string, ids: readonly string[]) => Promise<string[]>;
  /** Called in the transaction of every write: what is kept in memory of messages is no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

export function notificationEndpoints({ db, findMissingBeacons, noteChange }: NotificationDeps): Endpoint[] {
  return resourceEndpoints(notifications, {
    db,
    onWrite: noteChange,
    onRemove: noteChange,
    verify: async (db, app, { type, message, beaconId }, stored) => {
      const details = messageProblems(String(type ?? stored?.type), { ...(message ?? stored?.message) });
      if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
      const [missing] = beaconId ? await findMissingBeacons(db, app.appId, [beaconId.objectId]) : [];
      if (missing !== undefined) throw fail('ObjectNotFound', `beaconId: there is no beacon ${missing}.`);
    },
  });
}
