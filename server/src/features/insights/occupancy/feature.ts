import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import type { Feature } from '../../feature.ts';
import { Occupancy, type OccupancyDeps } from './occupancy.ts';
import { occupancyEndpoints } from './routes.ts';
import { listAppsWithCrowds } from './store.ts';
import { OccupancyWatch, type OccupancyWatchDeps } from './watch.ts';

export type OccupancyFeatureDeps = OccupancyDeps &
  Pick<OccupancyWatchDeps, 'inBackground' | 'owns' | 'onError'> & {
    /** Changes of the limits come with those of venues. */
    readonly siteRevision: Pick<CacheVersion, 'onChange'>;
    readonly listAppsWithLimits: () => Promise<readonly string[]>;
  };

export interface OccupancyFeature extends Feature {
  /** Checks at once who is inside where there are limits. */
  readonly look: () => Promise<void>;
  readonly conditions: Occupancy['conditions'];
}

/** Limits of people at once in zones and venues. */
export function createOccupancyFeature(deps: OccupancyFeatureDeps): OccupancyFeature {
  const { db, listAppsWithLimits, siteRevision } = deps;
  const occupancy = new Occupancy(deps);
  const watch = new OccupancyWatch({
    ...deps,
    look: (appId) => occupancy.look(appId),
    listApps: async () => [...new Set([...(await listAppsWithLimits()), ...(await listAppsWithCrowds(db))])],
  });
  siteRevision.onChange(watch.forget);
  return {
    endpoints: occupancyEndpoints(occupancy),
    start: () => watch.start(),
    stop: () => watch.stop(),
    look: () => watch.look(),
    conditions: (appId) => occupancy.conditions(appId),
  };
}
