import { seesAll } from '../../../access/caller.ts';
import type { Clock } from '../../../base/clock.ts';
import { restorableMs } from '../../../base/restorable.ts';
import type { Db } from '../../../db/db.ts';
import type { Past } from '../../../resources/past.ts';
import { type Restorable, restorable } from '../../../resources/restore.ts';
import { findFormer, followTopic, leaveCredential, restoreCredential } from './credential-store.ts';
import { devices } from './resource.ts';

interface Deps {
  readonly db: Db;
  readonly past: Past;
  readonly now: Clock;
}

/** Its password is for its topic; it goes with a device that is deleted, and comes back with it within an hour, as revoked credentials do. */
export function deviceParts({ db, past, now }: Deps): Restorable {
  const parts = restorable(devices, {
    db,
    past: { kind: 'devices', keep: past },
    // The password was given for a topic: whoever owns the device would hear everything with it.
    onWrite: async (db, key, { topic }, caller) => {
      if (topic && seesAll(caller)) await followTopic(db, String(key['app_id']), String(key['object_id']));
    },
    onRemove: (db, key) =>
      leaveCredential(db, { appId: String(key['app_id']), deviceId: String(key['object_id']), now: now() }),
  });
  return {
    ...parts,
    putBack: async (db, caller, removed, now) => {
      await parts.putBack(db, caller, removed, now);
      const { appId } = caller.app;
      const former = await findFormer(db, appId, removed.objectId);
      if (former && former.former_at > now - restorableMs) await restoreCredential(db, appId, removed.objectId);
    },
  };
}
