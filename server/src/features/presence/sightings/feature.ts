import type { Db } from '../../../db/db.ts';
import { addPartitions } from '../../../db/partitions.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { heardConsoleEndpoints } from './answer/heard.ts';
import { findLearnable } from './lock/lock.ts';
import { TrackCache } from './lock/track-cache.ts';
import { mendFutureTracks } from './lock/track-store.ts';
import { lookBackHandler, lookBackJob, requestLookBacks } from './look-back/look-back.ts';
import { findWhereabouts, type Whereabouts } from './places/whereabouts.ts';
import { countConsoleEndpoints, UnnamedCounts } from './record/counts.ts';
import { createRetention, erasureJobHandlers, type Retention, type RetentionDeps } from './record/retention.ts';
import { replayHandler, replayJob } from './rehearse/replay.ts';
import { replayConsoleEndpoints } from './rehearse/replay-routes.ts';
import { simulationEndpoints } from './rehearse/simulation.ts';
import { walkEndpoints } from './rehearse/walk.ts';
import { createSightingService, type SightingService, sightingEndpoints } from './service.ts';
import { hearingConsoleEndpoints, RadioLearning, radioConsoleEndpoints } from './site/radio.ts';
import { HearingLearning } from './site/receiver-offsets.ts';
import { SiteCache } from './site/site.ts';
import { createTicker, type Ticker } from './ticker.ts';
import { eventEndpoints } from './traces/events.ts';
import { positionEndpoints } from './traces/positions.ts';
import type { TrackKey } from './traces/reported.ts';
import { visitEndpoints } from './traces/visits.ts';

interface Sightings extends Feature {
  readonly ticker: Ticker;
  readonly trackCache: TrackCache;
  readonly retention: Retention;
  readonly takeHeard: SightingService['takeHeard'];
}

declare module '../../context.ts' {
  interface Context {
    readonly sightings: Sightings;
    /** Where an installation is or was last. */
    readonly findWhereabouts: (db: Db, key: TrackKey) => Promise<Whereabouts>;
  }
}

export const makers: Makers<Context, 'sightings' | 'findWhereabouts'> = {
  sightings: createSightings,
  findWhereabouts:
    ({ sightings }) =>
    (db, key) =>
      findWhereabouts(sightings.trackCache, db, key),
};

/** What phones and gateways sense, and what the engine makes of it: visits, events, messages. */
function createSightings(context: Context): Sightings {
  const { db, now, siteRevision, requestPushes, announce, findPolicy, inBackground } = context;
  const { engineLogs: logs, noteShowings, rollups, seedsFor, saveMotions } = context;
  const trackCache = new TrackCache();
  const countVisits = (appId: string) => rollups.note(appId);
  const shared = { db, now, trackCache, requestPushes, announce, logs, noteShowings, seedsFor, countVisits };
  const recording = { ...shared, requestLookBacks: requestLookBacks(context) };
  const ticker = createTicker({ ...recording, findPolicy, ...(db.readsAreLocal ? {} : { owns: context.owns }) });
  const site = new SiteCache(db, siteRevision);
  const radio = new RadioLearning(db, siteRevision);
  const hearing = new HearingLearning(db, findLearnable);
  const counts = new UnnamedCounts(db);
  const service = createSightingService({
    ...recording,
    site,
    saveMotions,
    places: { announce, existingVenues: context.existingVenues },
    expect: ticker.expect,
    countSightings: (appId, beaconId, at) => counts.note(appId, beaconId, at),
    noteEvidence: (appId, evidence, at) => radio.note(appId, evidence, at),
    noteHeard: (appId, heard) => context.hearingLog.notePhone(appId, heard),
    notePasses: (listener, passes, at) => hearing.note(listener, passes, at),
  });
  const retention = createRetention(retaining(context));
  return {
    trackCache,
    ticker,
    retention,
    takeHeard: service.takeHeard,
    ...endpointsOf(context, { service, radio, hearing, counts }),
    jobs: {
      ...erasureJobHandlers({ db, traceTables: context.traceTables }),
      [replayJob]: replayHandler(context),
      [lookBackJob]: lookBackHandler({ db, now, findPolicy, site, trackCache, countVisits }),
    },
    sweeps: {
      'adding months to tables': () => addPartitions(db, now()),
      'purging old traces': () => retention.sweep(),
    },
    ownSweeps: {
      'learning the radio of beacons': () => radio.flush(now()),
      'learning how loud phones hear': () => hearing.flush(now()),
      'storing the counts of sightings': () => counts.flush(),
    },
    start() {
      inBackground('presences after a clock that was set back', () => mendFutureTracks(db, now()));
      ticker.start(inBackground);
    },
    stop() {
      ticker.stop();
      retention.stop();
    },
    close: () => counts.flush(),
  };
}

function retaining(context: Context): RetentionDeps {
  const { db, now, keptTables, listApps, policyOf, appsWith, rollups } = context;
  return {
    ...{ db, now, keptTables, appsWith },
    listApps: async () => (await listApps(db)).map((app) => ({ appId: app.app_id, policy: policyOf(app) })),
    countedTables: [context.beaconTable, context.insightTables.goneVisits],
    beforePurge: (appId, since) => rollups.closeBefore(appId, since),
    letGo: (appId, before) => rollups.letGo(appId, before),
  };
}

interface Parts {
  readonly service: SightingService;
  readonly radio: RadioLearning;
  readonly hearing: HearingLearning;
  readonly counts: UnnamedCounts;
}

function endpointsOf(
  context: Context,
  { service, radio, hearing, counts }: Parts,
): Pick<Feature, 'endpoints' | 'consoleEndpoints'> {
  const { db, now, findHeld, pseudonymsOf, listPhones, readableTriggers } = context;
  return {
    endpoints: [
      ...sightingEndpoints(service),
      ...simulationEndpoints({
        db,
        findHeld,
        readableTriggers: (caller, triggers) => readableTriggers(db, caller, triggers),
      }),
      ...walkEndpoints(db, context),
      ...visitEndpoints(db, findHeld),
      ...positionEndpoints(db, findHeld),
      ...eventEndpoints(db, findHeld),
    ],
    consoleEndpoints: [
      ...heardConsoleEndpoints({
        ...{ db, now, pseudonymsOf },
        ownPhones: async (owner) => (await listPhones(db, owner)).map(({ object_id }) => object_id),
      }),
      ...radioConsoleEndpoints(radio),
      ...hearingConsoleEndpoints({ hearing, pseudonymsOf }),
      ...replayConsoleEndpoints(context),
      ...countConsoleEndpoints({ counts, now }),
    ],
  };
}
