import type { Db } from '../../../db/db.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { checkMaps, mapHandler, mapJob } from './map.ts';
import { surveyEndpoints } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** In the transaction that changes a beacon: maps of surveyed floors may no longer be right. */
    readonly checkMaps: (db: Db, appId: string) => Promise<void>;
  }
}

export const makers: Makers<Context, 'checkMaps'> = {
  checkMaps:
    ({ now, enqueue }) =>
    (db, appId) =>
      checkMaps({ now, enqueue }, db, appId),
};

/** Surveys of floors, and what is learned from them. */
export const surveyFeature = (context: Context): Feature => ({
  endpoints: surveyEndpoints(context),
  jobs: { [mapJob]: mapHandler(context) },
});
