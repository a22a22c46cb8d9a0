import type { Ear, Firing, PresenceEvent } from '@pharos/engine';
import { BatchLoader } from '../../../db/batch-loader.ts';
import type { Db } from '../../../db/db.ts';
import { findEars, type HearingPhone } from '../site/hearing.ts';
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
import type { TrackRecord } from './track-record.ts';
import { findSegments, findTracks, keyText, type SegmentScope, type StoredSegment } from './track-store.ts';

/** For an installation about which nothing is kept. */
export const nothingKept: Reads['kept'] = {
  segments: async () => [],
  visits: async () => [],
  events: async () => [],
};

/**
 * What the decisions of one transaction read about the past. They are made concurrently, and what they read at the same time is
 * one statement for all of them.
 */
export class PastReads {
  readonly #records: BatchLoader<TrackKey, TrackRecord | undefined>;
  readonly #segments: BatchLoader<SegmentScope, StoredSegment[]>;
  readonly #visits: BatchLoader<TrackKey & VisitScope, StoredVisit[]>;
  readonly #events: BatchLoader<TrackKey & EventScope, PresenceEvent[]>;
  readonly #firings: BatchLoader<FiringScope, Firing[]>;
  readonly #counts: BatchLoader<PresenceKey, number>;
  readonly #ears: BatchLoader<HearingPhone, Ear | null>;

  constructor(db: Db) {
    this.#records = new BatchLoader(async (keys) => {
      const found = await findTracks(db, keys);
      return keys.map((key) => found.get(keyText(key))?.record);
    });
    this.#segments = new BatchLoader((scopes) => findSegments(db, scopes));
    this.#visits = new BatchLoader((scopes) => findVisits(db, scopes));
    this.#events = new BatchLoader((scopes) => findEventsAfter(db, scopes));
    this.#firings = new BatchLoader((scopes) => findFirings(db, scopes));
    this.#ears = new BatchLoader((listeners) => findEars(db, listeners));
    this.#counts = new BatchLoader((keys) => countVisits(db, keys));
  }

  /** The track as it is stored. */
  record(key: TrackKey): Promise<TrackRecord | undefined> {
    return this.#records.ask(key);
  }

  /** How a phone is known to hear. */
  ear(listener: HearingPhone): Promise<Ear | null> {
    return this.#ears.ask(listener);
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
