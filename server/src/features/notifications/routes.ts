import type { Caller } from '../../access/caller.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { sentence } from '../../http/shape.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { draftProblems, messageProblems, notifications } from './resource.ts';

export interface NotificationDeps {
  readonly db: Db;
  readonly findUnreadableBeacons: (db: Db, caller: Caller, ids: readonly string[]) => Promise<string[]>;
  /** Called in the transaction of every write: what is kept in memory of messages is no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

export function notificationEndpoints({ db, findUnreadableBeacons, noteChange }: NotificationDeps): Endpoint[] {
  return resourceEndpoints(notifications, {
    db,
    onWrite: noteChange,
    onRemove: noteChange,
    verify: async (db, caller, { type, message, beaconId, isEnabled }, stored) => {
      const kind = String(type ?? stored?.type);
      const words = { ...(message ?? stored?.message) };
      const broken = messageProblems(kind, words);
      const isOn = isEnabled ?? stored?.isEnabled ?? false;
      const details = broken.length > 0 ? broken : draftProblems(kind, words, isOn);
      if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
      const [missing] = beaconId ? await findUnreadableBeacons(db, caller, [beaconId.objectId]) : [];
      if (missing !== undefined) throw fail('ObjectNotFound', `beaconId: there is no beacon ${missing}.`);
    },
  });
}
