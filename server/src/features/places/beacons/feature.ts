import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { calibrationEndpoints } from './calibration-routes.ts';
import { placementEndpoints } from './placement-routes.ts';
import { regionEndpoints } from './regions/routes.ts';
import { beaconParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly beaconParts: Restorable;
  }
}

export const makers: Makers<Context, 'beaconParts'> = { beaconParts };

/** Beacons, their calibration, and how they are placed. */
export function beaconFeature(context: Context): Feature {
  const { db, noteChange, checkMaps, beaconParts, fileIntake: photos, findFileType } = context;
  return {
    endpoints: [
      ...beaconParts.endpoints,
      ...calibrationEndpoints(db, async (db, key) => {
        await noteChange(db, key);
        await checkMaps(db, String(key['app_id']));
      }),
      ...regionEndpoints({ ...context, findWhereabouts: (db, key) => context.findWhereabouts(db, key) }),
      ...placementEndpoints({ db, photos, findFileType: (caller, objectId) => findFileType(db, caller, objectId) }),
    ],
  };
}
