import type { Evidence, Pass, PresenceEvent, PresenceSettings, Sample, Seeding, TrackState } from '@pharos/engine';
import type { StoredVisit, VisitScope } from '../traces/told-store.ts';
import { type Corrections, noCorrections } from './reconcile.ts';
import type { TrackRecord } from './track-record.ts';
import type { StoredSegment } from './track-store.ts';

/** The input about the samples of one installation, and what follows from them. */

/** What is read from the database if something arrives late. */
export interface HistoryReads {
  segments(from: number): Promise<readonly StoredSegment[]>;
  visits(scope: VisitScope): Promise<readonly StoredVisit[]>;
  events(scope: { readonly after: number; readonly visitIds: readonly string[] }): Promise<readonly PresenceEvent[]>;
}

export interface Sensing extends Seeding {
  readonly installationId: string;
  readonly record: TrackRecord;
  /** With their clock corrected, in any order. */
  readonly samples: readonly Sample[];
  readonly now: number;
  /** The settings of the beacons of a set of samples. */
  readonly settingsOf: (beaconIds: readonly string[]) => Promise<(beaconId: string) => PresenceSettings>;
  readonly kept: HistoryReads;
  /** Since when (ms) the same person carries the installation. */
  readonly heldSince?: number | undefined;
  /** What was reported before this (ms) may be gone, because the app's retention is zero; without it, everything is there. */
  readonly keptSince?: number | undefined;
}

/** A segment's samples as they are to be written. */
export interface WrittenSamples {
  readonly startedAt: number;
  readonly checkpoint: TrackState | null;
  readonly samples: string;
}

export interface Sensed extends Corrections {
  readonly record: TrackRecord;
  /** To be reported, in order of time. */
  readonly events: readonly PresenceEvent[];
  /** How many of the samples were known. */
  readonly duplicates: number;
  readonly written: readonly WrittenSamples[];
  readonly dropped: readonly number[];
  /** What new samples in order say about the radio of beacons; late samples have been counted already. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** The beacons that new samples in order have passed. */
  readonly passes: readonly Pass[];
  /** Some of it is older than what was known: what is reported may have been reported before. */
  readonly isLate: boolean;
}

export const nothing = (record: TrackRecord): Sensed => ({
  record,
  events: [],
  duplicates: 0,
  written: [],
  dropped: [],
  evidence: {},
  passes: [],
  isLate: false,
  ...noCorrections,
});

export const beaconsOf = (samples: readonly Sample[]) => [...new Set(samples.map(({ beaconId }) => beaconId))];
