import type { FindHeld } from '../../access/caller.ts';
import type { Clock } from '../../base/clock.ts';
import type { CacheVersion } from '../../db/cache-version.ts';
import type { Database } from '../../db/db.ts';
import type { Announce } from '../domain-event.ts';
import type { Feature, InBackground } from '../feature.ts';
import { mendFutureTracks } from './decide/track-store.ts';
import { sightingEndpoints } from './intake/routes.ts';
import { createSightingService } from './intake/service.ts';
import { createTicker, type Ticker, type TickerDeps } from './intake/ticker.ts';
import { countConsoleEndpoints } from './record/count-routes.ts';
import { type Erasing, erasureJobHandlers } from './record/erasure.ts';
import type { LogStore, RequestPushes } from './record/record.ts';
import { createRetention, type RetainedApp, type Retention } from './record/retention.ts';
import { UnnamedCounts } from './record/unnamed-counts.ts';
import { simulationEndpoints } from './simulate/simulation-routes.ts';
import { RadioLearning } from './site/radio.ts';
import { radioConsoleEndpoints } from './site/radio-routes.ts';
import { SiteCache } from './site/site-cache.ts';
import { eventEndpoints } from './traces/event-routes.ts';
import { positionEndpoints } from './traces/position-routes.ts';
import { visitEndpoints } from './traces/visit-routes.ts';

export interface SightingFeatureDeps {
  readonly db: Database;
  readonly now: Clock;
  /** Counts the changes of beacons and messages, which the engine keeps in memory. */
  readonly siteRevision: CacheVersion;
  readonly requestPushes: RequestPushes;
  readonly announce: Announce;
  readonly logs: LogStore;
  readonly traceTables: Erasing['traceTables'];
  readonly keptTables: Parameters<typeof createRetention>[0]['keptTables'];
  readonly findPolicy: TickerDeps['findPolicy'];
  readonly findHeld: FindHeld;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  readonly listApps: () => Promise<readonly RetainedApp[]>;
  readonly inBackground: InBackground;
}

export interface SightingFeature extends Feature {
  readonly ticker: Ticker;
  readonly radio: RadioLearning;
  readonly retention: Retention;
}

/** What phones and gateways sense, and what the engine makes of it: visits, events, messages. */
export function createSightingFeature(deps: SightingFeatureDeps): SightingFeature {
  const { db, now, siteRevision, requestPushes, announce, logs, findHeld, inBackground } = deps;
  const ticker = createTicker(deps);
  const site = new SiteCache(db, siteRevision);
  const radio = new RadioLearning(db, siteRevision);
  const counts = new UnnamedCounts(db);
  const service = createSightingService({
    db,
    site,
    requestPushes,
    expect: ticker.expect,
    announce,
    logs,
    countSightings: (appId, beaconId, at) => counts.note(appId, beaconId, at),
    noteEvidence: (appId, evidence, at) => radio.note(appId, evidence, at),
  });
  const retention = createRetention(deps);
  return {
    ticker,
    radio,
    retention,
    endpoints: [
      ...sightingEndpoints(service),
      ...simulationEndpoints(db, findHeld),
      ...visitEndpoints(db, findHeld),
      ...positionEndpoints(db, findHeld),
      ...eventEndpoints(db, findHeld),
    ],
    consoleEndpoints: [
      ...radioConsoleEndpoints({ radio, assertApp: deps.assertApp }),
      ...countConsoleEndpoints({ counts, now, assertApp: deps.assertApp }),
    ],
    jobs: erasureJobHandlers(deps),
    sweeps: {
      'purging old traces': () => retention.sweep(),
      'learning the radio of beacons': () => radio.flush(now()),
      'storing the counts of sightings': () => counts.flush(),
    },
    start() {
      inBackground('presences after a clock that was set back', () => mendFutureTracks(db, now()));
      ticker.start(inBackground);
    },
    stop: () => ticker.stop(),
    close: () => counts.flush(),
  };
}
