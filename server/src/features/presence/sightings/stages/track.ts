import type { Sample } from '@pharos/engine';
import type { TrackRecord, WrittenSamples } from '@pharos/engine/decide';
import type { TrackKey } from '../traces/reported.ts';

/** Tracks as they are kept: in memory, in the database, and what one has beyond the other. */

/** Which write of a track it is. */
export interface TrackVersion {
  readonly version: number;
  /** ms */
  readonly writtenAt: number;
}

/** What has arrived since the track was written. */
export interface Unwritten {
  readonly samples: readonly WrittenSamples[];
  /** Segments that go. */
  readonly dropped: readonly number[];
  /** Keys of counted sightings. */
  readonly keys: readonly string[];
  /** Since when (ms) there is something; undefined: there is nothing. */
  readonly since: number | undefined;
  /** The newest sample of the stored track then, ms; null: it has none. */
  readonly from: number | null;
}

export const nothingUnwritten: Unwritten = { samples: [], dropped: [], keys: [], since: undefined, from: null };

export interface CacheEntry extends TrackVersion {
  readonly key: TrackKey;
  readonly record: TrackRecord;
  readonly unwritten: Unwritten;
  readonly weight: number;
  /** It was cached at the same time as something else, so `record` has only part of it. */
  readonly isTorn: boolean;
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
  /** CacheEntry samples that `record` does not have. */
  readonly apart: readonly Sample[];
  /** What memory had when it was read. */
  readonly seen: CacheEntry | undefined;
}
