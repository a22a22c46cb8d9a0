import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { calibrationEndpoints } from './calibration-routes.ts';
import { placementEndpoints } from './placement-routes.ts';
import { beaconParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly beaconParts: Restorable;
  }
}

export const makers: Makers<Context, 'beaconParts'> = { beaconParts };

/** Beacons, their calibration, and how they are placed. */
export function beaconFeature({ db, noteChange, beaconParts, fileIntake: photos, findFileType }: Context): Feature {
  return {
    endpoints: [
      ...beaconParts.endpoints,
      ...calibrationEndpoints(db, noteChange),
      ...placementEndpoints({ db, photos, findFileType: (caller, objectId) => findFileType(db, caller, objectId) }),
    ],
  };
}
