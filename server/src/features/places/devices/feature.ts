import { seesAll } from '../../../access/caller.ts';
import { restorableMs } from '../../../base/restorable.ts';
import { type Restorable, restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { deviceConsoleEndpoints } from './console-routes.ts';
import { findFormer, followTopic, leaveCredential, restoreCredential } from './credential-store.ts';
import type { DevicePort } from './port.ts';
import { devices } from './resource.ts';

declare module '../../context.ts' {
  interface Context {
    readonly deviceParts: Restorable;
    readonly devicePort: DevicePort;
  }
}

export const makers: Makers<Context, 'deviceParts'> = { deviceParts };

export function deviceFeature({ appsWith, deviceParts, devicePort }: Context): Feature {
  const { credentials, router } = devicePort;
  return {
    endpoints: deviceParts.endpoints,
    consoleEndpoints: deviceConsoleEndpoints(credentials),
    ownSweeps: { 'reading the certificate of the port for devices': () => devicePort.renewCertificate() },
    sweeps: {
      'forgetting former credentials of devices': () => credentials.sweep(appsWith),
      ...(router ? { 'forgetting where devices listened': () => router.sweep() } : {}),
    },
  };
}

/** Its password is for its topic; it goes with a device that is deleted, and comes back with it within an hour, as revoked credentials do. */
function deviceParts({ db, past, now }: Context): Restorable {
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
