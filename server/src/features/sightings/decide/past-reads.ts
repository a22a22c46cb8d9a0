import { BatchLoader } from '../../../db/batch-loader.ts';
import type { Db } from '../../../db/db.ts';
import type { Firing, PresenceEvent } from '../../../proximity/index.ts';
import {
  type EventScope,
  findEventsAfter,
  findVisits,
  type StoredVisit,
  type TrackKey,
  type VisitScope,
} from '../traces/told-store.ts';
import type { Reads } from './decide.ts';
import { countVisits, type FiringScope, findFirings, type PresenceKey } from './presence-store.ts';
import { findSegments, type SegmentScope, type StoredSegment } from './track-store.ts';

/** For an installation of which nothing is kept. */
export const nothingKept: Reads['kept'] = {
  segments: async () => [],
  visits: async () => [],
  events: async () => [],
};

/**
 * What the decisions of one transaction ask about the past. They are made side by side, and what they ask at the same time
 * is one statement for all of them.
 */
export class PastReads {
  readonly #segments: BatchLoader<SegmentScope, StoredSegment[]>;
  readonly #visits: BatchLoader<TrackKey & VisitScope, StoredVisit[]>;
  readonly #events: BatchLoader<TrackKey & EventScope, PresenceEvent[]>;
  readonly #firings: BatchLoader<FiringScope, Firing[]>;
  readonly #counts: BatchLoader<PresenceKey, number>;

  constructor(db: Db) {
    this.#segments = new BatchLoader((scopes) => findSegments(db, scopes));
    this.#visits = new BatchLoader((scopes) => findVisits(db, scopes));
    this.#events = new BatchLoader((scopes) => findEventsAfter(db, scopes));
    this.#firings = new BatchLoader((scopes) => findFirings(db, scopes));
    this.#counts = new BatchLoader((keys) => countVisits(db, keys));
  }

  /** `userId` is the person who is signed in on the installation. */
  of(key: TrackKey, userId: string | null): Pick<Reads, 'firings' | 'visitCount' | 'kept'> {
    return {
      firings: (since) => this.#firings.ask({ ...key, userId, since }),
      visitCount: (beaconId) => this.#counts.ask({ ...key, beaconId }),
      kept: {
        segments: (from) => this.#segments.ask({ ...key, from }),
        visits: (scope) => this.#visits.ask({ ...key, ...scope }),
        events: (scope) => this.#events.ask({ ...key, ...scope }),
      },
    };
  }
}
