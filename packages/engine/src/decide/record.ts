import { type ClockState, newClock } from '../clock.ts';
import { copyTrack, newTrack } from '../presence/state.ts';
import type { Fix, PresenceEvent, ReceiverOffset, Sample, TrackState } from '../presence/types.ts';
import type { Wait } from '../rules/judging.ts';
import { nextEnding } from '../track.ts';
import { type DecidedOnPhone, nothingDecided } from './on-phone.ts';
import { noDayMs } from './policy.ts';

export interface StoredSegment {
  readonly startedAt: number;
  readonly checkpoint: TrackState;
  readonly samples: string;
}

export interface WrittenSamples {
  readonly startedAt: number;
  readonly checkpoint: TrackState | null;
  readonly samples: string;
}

/**
 * Which time has been processed, kept for longer than the samples themselves. What a sender repeats after its samples are gone
 * would be weighed without what came before, and give different visits from the first time. Pure.
 */

/** Sensed without a longer pause from then until then (ms), and at which beacons: a bit for each, by `bitOf`. */
export type TimeSpan = readonly [from: number, until: number, beacons: number];
/** By receiver, since a phone and a gateway may each be late; '' is the phone itself. Oldest first. */
export type ProcessedTimes = Readonly<Record<string, readonly TimeSpan[]>>;

/** How long a sample may be in transit. */
const PAUSE_MS = 30_000;
const MAX_SPANS = 48;
const MAX_RECEIVERS = 8;

/** Beacons may share a bit: then a late sample of one is taken for known in a span of the other. */
function bitOf(beaconId: string): number {
  let sum = 0;
  for (let index = 0; index < beaconId.length; index++) sum = (Math.imul(sum, 31) + beaconId.charCodeAt(index)) | 0;
  return 1 << ((sum >>> 0) % 31);
}

/** The spans with samples (in order of time) added. Decisions are known by their keys. */
export function withProcessed(processed: ProcessedTimes, samples: readonly Sample[]): ProcessedTimes {
  const heard = samples.filter(({ event }) => event === undefined);
  if (heard.length === 0) return processed;
  // A sender may call its receiver `__proto__`.
  const next = new Map(Object.entries(processed));
  for (const receiver of new Set(heard.map(({ receiver: name = '' }) => name))) {
    const points = heard
      .filter(({ receiver: name = '' }) => name === receiver)
      .map(({ occurredAt, beaconId }): TimeSpan => [occurredAt, occurredAt, bitOf(beaconId)]);
    const known = next.get(receiver) ?? [];
    const inOrder = (known.at(-1)?.[0] ?? 0) <= (points[0]?.[0] ?? 0);
    const all = [...known, ...points];
    next.set(receiver, unite(inOrder ? all : all.sort(([a], [b]) => a - b)).slice(-MAX_SPANS));
  }
  return bounded(next);
}

function unite(spans: readonly TimeSpan[]): TimeSpan[] {
  const united: TimeSpan[] = [];
  for (const [from, until, beacons] of spans) {
    const last = united.at(-1);
    if (last === undefined || from - last[1] > PAUSE_MS) united.push([from, until, beacons]);
    else united[united.length - 1] = [last[0], Math.max(last[1], until), last[2] | beacons];
  }
  return united;
}

/** Keeps the beacons heard most recently. */
function bounded(processed: ReadonlyMap<string, readonly TimeSpan[]>): ProcessedTimes {
  if (processed.size <= MAX_RECEIVERS) return Object.fromEntries(processed);
  const newest = ([, own]: readonly [string, readonly TimeSpan[]]) => own.at(-1)?.[1] ?? 0;
  return Object.fromEntries([...processed].sort((a, b) => newest(b) - newest(a)).slice(0, MAX_RECEIVERS));
}

export function isTakenIn(processed: ProcessedTimes, { event, receiver = '', occurredAt, beaconId }: Sample): boolean {
  if (event !== undefined) return false;
  const bit = bitOf(beaconId);
  const own = Object.hasOwn(processed, receiver) ? processed[receiver] : [];
  return (own ?? []).some(
    ([from, until, beacons]) => from <= occurredAt && occurredAt <= until && (beacons & bit) !== 0,
  );
}

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
  readonly processed: ProcessedTimes;
  /** At most eight, if the app's retention is zero. */
  readonly exits: readonly LoneExit[];
  /** The whereabouts that were written last; null: none yet. */
  readonly reported: ReportedWhereabouts | null;
  /** When the record was begun (service's clock): older visits are not its own, and only grow. */
  readonly since: number;
  /** What the phone has decided by itself; `shown` has what no event was found for yet. */
  readonly decided: DecidedOnPhone;
  /** How the phone was known to hear when the record was begun: late samples start from the same. */
  readonly receiverOffset: ReceiverOffset | null;
}

/** An EXIT that a phone decided and that ended nothing: its ENTER may still come. */
export interface LoneExit {
  readonly beaconId: string;
  /** ms, sensing time. */
  readonly at: number;
  /** ms, service's clock. */
  readonly heardAt: number;
}

export interface ReportedWhereabouts {
  /** ms, sensing time. */
  readonly at: number;
  readonly beaconId: string;
}

export type Segment = readonly [start: number, count: number];

export function newRecord(now: number, receiverOffset: ReceiverOffset | null = null): TrackRecord {
  return {
    track: newTrack(receiverOffset),
    waits: [],
    ended: [],
    lag: 0,
    spans: [],
    clock: newClock,
    segments: [],
    horizon: null,
    reported: null,
    processed: {},
    exits: [],
    since: now,
    decided: nothingDecided,
    receiverOffset,
  };
}

/** As they are stored, with names of earlier versions. What those did not write is missing. */
export type StoredState = Omit<TrackState, 'receiverOffset' | 'fix'> & {
  readonly ear?: TrackState['receiverOffset'];
  /** Earlier versions reckon with a covariance of receiver offset and place. */
  readonly fix?: (Fix & { readonly earX: number; readonly earY: number }) | null;
};

export function toStoredState({ receiverOffset: ear, fix, ...rest }: TrackState): StoredState {
  return { ...rest, ear, fix: fix && { ...fix, earX: 0, earY: 0 } };
}

export function fromStoredState({ ear = null, fix = null, ...rest }: StoredState): TrackState {
  const state = { ...newTrack(ear), ...rest };
  if (fix === null) return state;
  const { earX, earY, ...moments } = fix;
  return { ...state, fix: moments };
}

export type StoredRecord = Partial<
  Omit<TrackRecord, 'reported' | 'processed' | 'receiverOffset' | 'waits' | 'track'>
> & {
  readonly track?: StoredState;
  readonly told?: TrackRecord['reported'];
  readonly spells?: TrackRecord['processed'];
  readonly ear?: TrackRecord['receiverOffset'];
  readonly waits?: readonly (Omit<Wait, 'hasVerdict'> & { readonly isTold?: true })[];
};

export function toStored({ track, reported, processed, receiverOffset, waits, ...rest }: TrackRecord): StoredRecord {
  return {
    ...rest,
    track: toStoredState(track),
    ...{ told: reported, spells: processed, ear: receiverOffset },
    waits: waits.map(({ hasVerdict, ...wait }) => (hasVerdict ? { ...wait, isTold: hasVerdict } : wait)),
  };
}

/** What an older version did not write has its beginning's value. */
export function fromStored({ track, told, spells, ear, waits = [], ...rest }: StoredRecord): TrackRecord {
  const begun = newRecord(0);
  return {
    ...{ ...begun, ...rest },
    ...{ reported: told ?? null, processed: spells ?? begun.processed, receiverOffset: ear ?? null },
    waits: waits.map(({ isTold, ...wait }) => (isTold ? { ...wait, hasVerdict: isTold } : wait)),
    track: track === undefined ? begun.track : copyTrack(fromStoredState(track)),
  };
}

/** A segment with this many samples is followed by another one. */
export const SEGMENT_SAMPLES = 256;
/** The most samples that are kept of one installation, and for how long. */
export const MAX_SAMPLES = 4_096;
export const WINDOW_MS = 26 * 3_600_000;
/**
 * How late samples may arrive if the app's retention is zero; a little less than reported data is kept. Segments are short then,
 * since only those that are wholly kept can be recalculated.
 */
export const lateMs = noDayMs - 600_000;
export const SHORT_SEGMENT_MS = 600_000;

/** Batches that span more are a backlog, not a rhythm. */
const MAX_SPAN_MS = 5 * 60_000;
const REMEMBERED_SPANS = 4;

export function withSpan(spans: readonly number[], span: number): readonly number[] {
  return [...spans, span > MAX_SPAN_MS ? 0 : span].slice(-REMEMBERED_SPANS);
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
  const endedIds = new Set(ended.map(({ visitId }) => visitId));
  let due = nextEnding(track, patienceOf(record), (id) => endedIds.has(id)) ?? Number.POSITIVE_INFINITY;
  for (const { event, dueAt } of isReachable ? waits : []) {
    const visit = track.beacons[event.beaconId]?.visit;
    const isTrusted = event.event === 'ENTER' && visit?.id === event.visitId && visit.source === 'device';
    if (isTrusted && !endedIds.has(event.visitId)) due = Math.min(due, dueAt);
  }
  return due === Number.POSITIVE_INFINITY ? null : due + lag;
}
