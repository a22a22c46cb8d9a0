import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { headBytes } from './plan.ts';
import { venueParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly venueParts: Restorable;
  }
}

export const makers: Makers<Context, 'venueParts'> = {
  venueParts: ({
    db,
    blobs,
    now,
    past,
    noteChange,
    listPlaced,
    setZone,
    knownSecretKeys,
    readFileHead,
    forgetSurveys,
    replaceSignals,
  }) =>
    venueParts({
      db,
      past,
      noteChange,
      forgetSurveys: async (db, appId, floorId) => {
        await forgetSurveys(db, appId, floorId);
        await replaceSignals(db, appId, floorId, {});
        await noteChange(db, { app_id: appId });
      },
      listBeacons: listPlaced,
      setZone: (db, appId, objectId, zoneId) => setZone(db, { appId, objectId, zoneId, now: now() }),
      knownKeys: knownSecretKeys,
      readPlan: (caller, objectId) => readFileHead({ db, blobs }, caller, { objectId, bytes: headBytes }),
    }),
};

/** Venues with their floors and zones. */
export const venueFeature = ({ venueParts: { endpoints } }: Context): Feature => ({ endpoints });
