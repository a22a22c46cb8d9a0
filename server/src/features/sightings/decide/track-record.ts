import {
  type ClockState,
  copyTrack,
  type Ear,
  newClock,
  newTrack,
  nextEnding,
  type PresenceEvent,
  type TrackState,
  type Wait,
} from '@pharos/engine';
import { noDayMs } from '../../../access/policy.ts';
import type { Spells } from './spells.ts';

/** What is kept about one installation between two batches. Plain JSON. */
export interface TrackRecord {
  /** The presence after the newest sample: a pure function of the samples. */
  readonly track: TrackState;
  readonly waits: readonly Wait[];
  /** EXIT events that were reported although nothing later was sensed: a sample may still revoke them. */
  readonly ended: readonly PresenceEvent[];
  /** Arrival minus sensing of the newest sample, ms: moves deadlines from sensing time to the service's clock. */
  readonly lag: number;
  /** The time span of the newest batches, ms. */
  readonly spans: readonly number[];
  readonly clock: ClockState;
  /** The kept samples: start (ms) and number of each segment, oldest first. */
  readonly segments: readonly Segment[];
  /** Samples older than this (ms, sensing time) are no longer kept; null: all that were ever sent are. */
  readonly horizon: number | null;
  /** The time that has been processed, even if its samples are no longer kept. */
  readonly spells: Spells;
  /** At most eight, if the app's retention is zero. */
  readonly exits: readonly LoneExit[];
  /** The whereabouts that were written last; null: none yet. */
  readonly told: ToldWhereabouts | null;
  /** When the record was begun (service's clock): older visits are not its own, and only grow. */
  readonly since: number;
  /** How the phone was known to hear when the record was begun: late samples start from the same. */
  readonly ear: Ear | null;
}

/** An EXIT that a phone decided and that ended nothing: its ENTER may still come. */
export interface LoneExit {
  readonly beaconId: string;
  /** ms, sensing time. */
  readonly at: number;
  /** ms, service's clock. */
  readonly heardAt: number;
}

export interface ToldWhereabouts {
  /** ms, sensing time. */
  readonly at: number;
  readonly beaconId: string;
}

export type Segment = readonly [start: number, count: number];

export function newRecord(now: number, ear: Ear | null = null): TrackRecord {
  return {
    track: newTrack(ear),
    waits: [],
    ended: [],
    lag: 0,
    spans: [],
    clock: newClock,
    segments: [],
    horizon: null,
    told: null,
    spells: {},
    exits: [],
    since: now,
    ear,
  };
}

/** From text; what an older version did not write has its beginning's value. */
export function parseTrackRecord(text: string): TrackRecord {
  const record = { ...newRecord(0), ...(JSON.parse(text) as Partial<TrackRecord>) };
  return { ...record, track: { ...newTrack(), ...copyTrack(record.track) } };
}

/** A segment with this many samples is followed by another one. */
export const SEGMENT_SAMPLES = 256;
/** The most samples that are kept of one installation, and for how long. */
export const MOST_SAMPLES = 4_096;
export const WINDOW_MS = 26 * 3_600_000;
/**
 * How late samples may arrive if the app's retention is zero; a little less than reported data is kept. Segments are short then,
 * since only those that are wholly kept can be recalculated.
 */
export const lateMs = noDayMs - 600_000;
export const SHORT_SEGMENT_MS = 600_000;

/** Batches that span more are a backlog, not a rhythm. */
const LONGEST_SPAN_MS = 5 * 60_000;
const REMEMBERED_SPANS = 4;

export function withSpan(spans: readonly number[], span: number): readonly number[] {
  return [...spans, span > LONGEST_SPAN_MS ? 0 : span].slice(-REMEMBERED_SPANS);
}

/** How long a sender's next batch may be awaited, ms: one and a half times as long as its batches reach back. */
export function patienceOf({ spans }: Pick<TrackRecord, 'spans'>): number {
  return Math.ceil(1.5 * Math.max(0, ...spans));
}

/** The sensing time until which everything that was sensed is supposed to have arrived. */
export const knownUntil = ({ lag }: Pick<TrackRecord, 'lag'>, now: number): number => now - lag;

/** When time alone causes something, by the service's clock (ms); null: not before the next batch. */
export function deadlineOf(record: TrackRecord, isReachable: boolean): number | null {
  const { track, ended, waits, lag } = record;
  const told = new Set(ended.map(({ visitId }) => visitId));
  let due = nextEnding(track, patienceOf(record), (id) => told.has(id)) ?? Number.POSITIVE_INFINITY;
  for (const { event, dueAt } of isReachable ? waits : []) {
    const visit = track.beacons[event.beaconId]?.visit;
    const isTrusted = event.event === 'ENTER' && visit?.id === event.visitId && visit.source === 'device';
    if (isTrusted && !told.has(event.visitId)) due = Math.min(due, dueAt);
  }
  return due === Number.POSITIVE_INFINITY ? null : due + lag;
}
