import type { FindHeld } from '../../access/caller.ts';
import type { AppPseudonyms } from '../../access/pseudonyms/pseudonyms.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../db/db.ts';
import type { CacheVersion } from '../../db/nodes/cache-version.ts';
import { addPartitions } from '../../db/partitions.ts';
import type { DbTable } from '../../db/table.ts';
import type { Outbox } from '../../jobs/outbox.ts';
import type { Announce } from '../domain-event.ts';
import type { LogStore } from '../event-log.ts';
import type { AppsWith, Feature, InBackground } from '../feature.ts';
import { heardConsoleEndpoints } from './answer/heard.ts';
import { findLearnable } from './lock/lock.ts';
import { flush, flushAll, TrackCache } from './lock/track-cache.ts';
import { mendFutureTracks } from './lock/track-store.ts';
import { countConsoleEndpoints, UnnamedCounts } from './record/counts.ts';
import type { NoteShowings, RequestPushes, SeedsFor } from './record/record.ts';
import {
  createRetention,
  erasureJobHandlers,
  type RetainedApp,
  type Retention,
  type TraceErasureDeps,
} from './record/retention.ts';
import { type ReplayDeps, replayHandler, replayJob } from './rehearse/replay.ts';
import { type ReplayRouteDeps, replayConsoleEndpoints } from './rehearse/replay-routes.ts';
import { type ReadableTriggers, simulationEndpoints } from './rehearse/simulation.ts';
import type { StageReads } from './rehearse/stage.ts';
import { walkEndpoints } from './rehearse/walk.ts';
import { createSightingService, sightingEndpoints } from './service.ts';
import { hearingConsoleEndpoints, RadioLearning, radioConsoleEndpoints } from './site/radio.ts';
import { HearingLearning } from './site/receiver-offsets.ts';
import { SiteCache } from './site/site.ts';
import { createTicker, type Ticker, type TickerDeps } from './ticker.ts';
import { eventEndpoints } from './traces/events.ts';
import { positionEndpoints } from './traces/positions.ts';
import { visitEndpoints } from './traces/visits.ts';

export interface SightingFeatureDeps {
  readonly db: Database;
  readonly now: Clock;
  /** Counts the changes of beacons and messages, which the engine keeps in memory. */
  readonly siteRevision: CacheVersion;
  readonly requestPushes: RequestPushes;
  readonly announce: Announce;
  readonly logs: LogStore;
  readonly traceTables: TraceErasureDeps['traceTables'];
  readonly keptTables: Parameters<typeof createRetention>[0]['keptTables'];
  readonly findPolicy: TickerDeps['findPolicy'];
  readonly findHeld: FindHeld;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  readonly listApps: () => Promise<readonly RetainedApp[]>;
  readonly appsWith: AppsWith;
  /** What is counted of their rows before visits go because of their age. */
  readonly countedTables: readonly DbTable[];
  readonly inBackground: InBackground;
  readonly enqueue: Outbox['enqueue'];
  readonly installations: ReplayDeps['installations'];
  readonly findBlur: ReplayRouteDeps['findBlur'];
  readonly readableTriggers: ReadableTriggers;
  /** Floors and where beacons hang, for simulated walks. */
  readonly stage: StageReads;
  /** What is written about messages that were shown, or would have been, in the transaction of their verdicts. */
  readonly noteShowings: NoteShowings;
  readonly seedsFor: SeedsFor;
  readonly pseudonymsOf: (appId: string) => Promise<AppPseudonyms | undefined>;
  /** The phones that an administrator has paired (objectIds). */
  readonly ownPhones: (owner: { readonly appId: string; readonly adminId: string }) => Promise<readonly string[]>;
  /** Whether this node ends the visits of an app, where several share the work. */
  readonly owns?: (appId: string) => boolean;
  /** Told after the commit that visits of an app were written, changed or removed. */
  readonly countVisits?: (appId: string) => void;
  /** Told from when on (ms) all visits are there once the old ones are deleted, before they are; false: not yet. */
  readonly beforePurge?: (appId: string, visitsSince: number) => Promise<boolean>;
  /** Deletes visits that ended before a time (ms), counting them as they go; answers of how many. */
  readonly letGo?: (appId: string, before: number) => Promise<number>;
}

export interface SightingFeature extends Feature {
  readonly ticker: Ticker;
  readonly trackCache: TrackCache;
  /** Writes what the cache has and is due, or all of it with `isLast`; answers of how many. */
  readonly flush: (how?: { readonly isLast?: boolean }) => Promise<number>;
  /** Writes what the cache has of some installations. */
  readonly flushOf: (of: { readonly appId: string; readonly installationIds: readonly string[] }) => Promise<void>;
  readonly radio: RadioLearning;
  readonly hearing: HearingLearning;
  readonly retention: Retention;
}

const flushEveryMs = 1_000;

/** What phones and gateways sense, and what the engine makes of it: visits, events, messages. */
export function createSightingFeature(deps: SightingFeatureDeps): SightingFeature {
  const { db, now, siteRevision, requestPushes, announce, logs, findHeld, inBackground } = deps;
  const trackCache = new TrackCache();
  const ticker = createTicker({ ...deps, trackCache });
  const site = new SiteCache(db, siteRevision);
  const radio = new RadioLearning(db, siteRevision);
  const hearing = new HearingLearning(db, findLearnable);
  const counts = new UnnamedCounts(db);
  const service = createSightingService({
    db,
    site,
    trackCache,
    requestPushes,
    expect: ticker.expect,
    announce,
    logs,
    noteShowings: deps.noteShowings,
    seedsFor: deps.seedsFor,
    countSightings: (appId, beaconId, at) => counts.note(appId, beaconId, at),
    ...(deps.countVisits ? { countVisits: deps.countVisits } : {}),
    noteEvidence: (appId, evidence, at) => radio.note(appId, evidence, at),
    notePasses: (listener, passes, at) => hearing.note(listener, passes, at),
  });
  const retention = createRetention(deps);
  const flushing = { trackCache, now, write: service.flush, findPolicy: deps.findPolicy };
  let timer: NodeJS.Timeout | undefined;
  let isFlushing = false;
  const flushNow = async () => {
    if (isFlushing) return;
    isFlushing = true;
    await flush(flushing).finally(() => {
      isFlushing = false;
    });
  };
  return {
    trackCache,
    flush: (how) => flush(flushing, how),
    async flushOf({ appId, installationIds }) {
      const keys = installationIds.map((installationId) => ({ appId, installationId }));
      await flushAll(flushing, trackCache.unwritten(keys));
    },
    ticker,
    radio,
    hearing,
    retention,
    endpoints: [
      ...sightingEndpoints(service),
      ...simulationEndpoints({ db, findHeld, readableTriggers: deps.readableTriggers }),
      ...walkEndpoints(db, deps.stage),
      ...visitEndpoints(db, findHeld),
      ...positionEndpoints(db, findHeld),
      ...eventEndpoints(db, findHeld),
    ],
    consoleEndpoints: [
      ...heardConsoleEndpoints({ ...deps, trackCache }),
      ...radioConsoleEndpoints({ radio, assertApp: deps.assertApp }),
      ...hearingConsoleEndpoints({ ...deps, hearing }),
      ...replayConsoleEndpoints(deps),
      ...countConsoleEndpoints({ counts, now, assertApp: deps.assertApp }),
    ],
    jobs: { ...erasureJobHandlers(deps), [replayJob]: replayHandler(deps) },
    sweeps: {
      'adding months to tables': () => addPartitions(deps.db, deps.now()),
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
      timer = setInterval(() => inBackground('writing cached tracks', flushNow), flushEveryMs).unref();
    },
    stop() {
      clearInterval(timer);
      ticker.stop();
      retention.stop();
    },
    async close() {
      await Promise.all([counts.flush(), flush(flushing, { isLast: true })]);
    },
  };
}
