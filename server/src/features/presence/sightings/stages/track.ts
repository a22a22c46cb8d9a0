import type { ClockState } from '@pharos/engine';
import type { TrackRecord, WrittenSamples } from '@pharos/engine/decide';
import type { TrackKey } from '../traces/reported.ts';

/** Tracks as they are kept: in memory, in the database, and what one has beyond the other. */

/** Which write of a track it is, and what is stored beside it. */
export interface TrackVersion {
  readonly version: number;
  /** ms */
  readonly writtenAt: number;
  /** How many batches have been stored beside it since. */
  readonly batches: number;
}

/** A batch from which nothing follows, as it is stored beside the track. */
export interface StoredBatch {
  readonly place: number;
  readonly samples: string;
  /** When it arrived, ms. */
  readonly now: number;
  /** What is known of the sender's clock after it; null: what was known before. */
  readonly clock: ClockState | null;
}

/** What has arrived since the track was written, as the track's own segments will have it. */
export interface Unwritten {
  readonly samples: readonly WrittenSamples[];
  /** Segments that go. */
  readonly dropped: readonly number[];
}

export const nothingUnwritten: Unwritten = { samples: [], dropped: [] };

export interface CacheEntry extends TrackVersion {
  readonly key: TrackKey;
  readonly record: TrackRecord;
  readonly unwritten: Unwritten;
  readonly weight: number;
}

/** A track as it is known in a transaction that holds its installation. */
export interface KnownTrack {
  readonly key: TrackKey;
  /** Undefined: nothing is known about it. */
  readonly record: TrackRecord | undefined;
  /** Of the stored one; undefined: none is stored. */
  readonly stored: TrackVersion | undefined;
  /** What `record` has beyond the stored one. */
  readonly unwritten: Unwritten;
  /** Batches stored beside the track that `record` does not have: another process has taken them in. */
  readonly apart: readonly StoredBatch[];
}
