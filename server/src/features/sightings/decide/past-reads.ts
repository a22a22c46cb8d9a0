import type { Db } from '../../../db/db.ts';
import { Gatherer } from '../../../db/gatherer.ts';
import type { Firing, PresenceEvent } from '../../../proximity/index.ts';
import type { Reads } from './decide.ts';
import { countVisits, type FiringScope, findFirings, type PresenceKey } from './presence-store.ts';
import {
  type EventScope,
  findEventsAfter,
  findSegments,
  findVisits,
  type SegmentScope,
  type StoredSegment,
  type StoredVisit,
  type TrackKey,
  type VisitScope,
} from './track-store.ts';

/**
 * What the decisions of one transaction ask about the past. They are made side by side, and what they ask at the same time
 * is one statement for all of them.
 */
export class PastReads {
  readonly #segments: Gatherer<SegmentScope, StoredSegment[]>;
  readonly #visits: Gatherer<TrackKey & VisitScope, StoredVisit[]>;
  readonly #events: Gatherer<TrackKey & EventScope, PresenceEvent[]>;
  readonly #firings: Gatherer<FiringScope, Firing[]>;
  readonly #counts: Gatherer<PresenceKey, number>;

  constructor(db: Db) {
    this.#segments = new Gatherer((scopes) => findSegments(db, scopes));
    this.#visits = new Gatherer((scopes) => findVisits(db, scopes));
    this.#events = new Gatherer((scopes) => findEventsAfter(db, scopes));
    this.#firings = new Gatherer((scopes) => findFirings(db, scopes));
    this.#counts = new Gatherer((keys) => countVisits(db, keys));
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
