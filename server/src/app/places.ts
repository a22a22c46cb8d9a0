import { knownSecretKeys } from '../features/apps/secret-key-store.ts';
import { listApps } from '../features/apps/store.ts';
import { calibrationEndpoints } from '../features/beacons/calibration-routes.ts';
import { listPlaced, setZone } from '../features/beacons/place.ts';
import { placementEndpoints } from '../features/beacons/placement-routes.ts';
import { beaconParts } from '../features/beacons/routes.ts';
import { findUnreadableBeacons } from '../features/beacons/store.ts';
import { deviceConsoleEndpoints } from '../features/devices/console-routes.ts';
import { deviceParts } from '../features/devices/routes.ts';
import type { Feature } from '../features/feature.ts';
import { createFileFeature, type FileFeature } from '../features/files/feature.ts';
import { findFileType, readFileHead } from '../features/files/read-head.ts';
import { notificationParts } from '../features/notifications/routes.ts';
import { storylineParts } from '../features/storylines/routes.ts';
import { headBytes } from '../features/venues/plan.ts';
import { assertPlaceReadable } from '../features/venues/readable.ts';
import { venueEndpoints } from '../features/venues/routes.ts';
import { findZoneAt, holdVenue, holdZone } from '../features/venues/store.ts';
import type { Restorable } from '../resources/restore.ts';
import { assertGoal } from './messages.ts';
import type { Parts } from './parts.ts';

/** What is set up at a place: venues and beacons with what is told at them, gateways, and files. */

/** Beacons, and what is told at them. */
export function sites({ platform: { db, blobs, now, past }, noteChange }: Parts, photos: FileFeature['intake']) {
  const venues = { holdVenue, holdZone, findZoneAt, assertReadable: assertPlaceReadable };
  const beacons = beaconParts({ db, noteChange, past, ...venues });
  const notifications = notificationParts({ db, findUnreadableBeacons, noteChange, past, assertGoal });
  const storylines = storylineParts({ db, findUnreadableBeacons, noteChange, past, assertGoal });
  const features: readonly Feature[] = [
    {
      endpoints: [
        ...beacons.endpoints,
        ...calibrationEndpoints(db, noteChange),
        ...placementEndpoints({ db, photos, findFileType: (caller, objectId) => findFileType(db, caller, objectId) }),
      ],
    },
    {
      endpoints: venueEndpoints({
        db,
        noteChange,
        listBeacons: listPlaced,
        setZone: (db, appId, objectId, zoneId) => setZone(db, { appId, objectId, zoneId, now: now() }),
        knownKeys: knownSecretKeys,
        readPlan: (caller, objectId) => readFileHead({ db, blobs }, caller, { objectId, bytes: headBytes }),
      }),
    },
    { endpoints: notifications.endpoints },
    { endpoints: storylines.endpoints },
  ];
  const putBack = {
    beacons: beacons.putBack,
    notifications: notifications.putBack,
    storylines: storylines.storylines,
    scenarios: storylines.scenarios,
  };
  return { features, putBack };
}

export function devices({
  platform: { db, now, past },
  integrations,
  assertApp,
}: Parts): Feature & Pick<Restorable, 'putBack'> {
  const { deviceRouter } = integrations;
  const { endpoints, putBack } = deviceParts({ db, now, past });
  return {
    putBack,
    endpoints,
    consoleEndpoints: deviceConsoleEndpoints({ credentials: integrations.deviceCredentials, assertApp }),
    sweeps: {
      'forgetting former credentials of devices': async () =>
        integrations.deviceCredentials.sweep((await listApps(db)).map((app) => app.app_id)),
      ...(deviceRouter ? { 'forgetting where devices listened': () => deviceRouter.sweep() } : {}),
    },
  };
}

export function files({ platform, quotas, assertApp }: Parts): FileFeature {
  return createFileFeature({
    ...platform,
    quotas,
    maxFileBytes: platform.config.maxFileBytes,
    redirects: platform.config.filesRedirect,
    claimRoom: (bytes) => platform.room.claim(platform.blobs.needsOnDisk(bytes)),
    log: (level, message) => platform.server.log[level](message),
    assertApp,
  });
}
