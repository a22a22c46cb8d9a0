import { type ClockState, compareSamples, type PresenceState, type Sample } from '@pharos/engine';
import {
  type Decision,
  type DecisionContext,
  decide,
  mergeSamples,
  newRecord,
  type Reads,
  readSamples,
  type TrackRecord,
} from '@pharos/engine/decide';
import { addUnwritten, isInVisit, isMuch, type TrackCache, VISIT_WRITE_MS } from '../lock/track-cache.ts';
import { newVersion } from '../lock/track-store.ts';
import type { Decided } from '../stages/stages.ts';
import { type KnownTrack, nothingUnwritten, type Unwritten } from '../stages/track.ts';
import { nothingKept } from './past.ts';

/** Which batches need not be written at once: nothing follows from them, and nothing would be missed without them. Pure. */

/** A share of a position's belief from which a beacon's radius may soon hold the visitor. */
const LIKELY_SOON = 0.2;

/** Somebody may be about to enter: the evidence must outlive a crash, or a short visit would be lost. */
function isComing({ radius, near, immediate, standing, visit }: PresenceState): boolean {
  if (near.toward === 'in' || immediate.toward === 'in') return true;
  if (visit !== null || radius.inside === true) return false;
  return radius.toward === 'in' || (standing !== null && standing.share >= LIKELY_SOON);
}

interface Written {
  /** When the track was written last, ms. */
  readonly writtenAt: number;
  /** The newest sample that was written, ms; a backlog brings much of it at once. */
  readonly writtenUntil: number | null;
  readonly now: number;
  readonly before: TrackRecord;
}

/** Whether a batch that was applied in order may wait in memory. */
function isQuiet(
  { sensed, record, verdicts, events }: Decision,
  { writtenAt, writtenUntil, now, before }: Written,
): boolean {
  if (events.length + verdicts.length + sensed.visits.length > 0 || sensed.isLate) return false;
  if (sensed.changedEvents.length + sensed.removedEvents.length > 0) return false;
  if (!isSame(record.waits, before.waits) || !isSame(record.ended, before.ended)) return false;
  // A clock that has been set back says nothing about how long it has been.
  const { at, beacons } = record.track;
  const isLong = Math.abs(now - writtenAt) >= VISIT_WRITE_MS || (at ?? 0) - (writtenUntil ?? 0) >= VISIT_WRITE_MS;
  if (isLong && isInVisit(record)) return false;
  return !Object.values(beacons).some((state) => state.heardAt === at && isComing(state));
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b));

/** What a decision starts from, given what the cache has, and whether its result is written or stays in the cache. */

interface Start {
  readonly known: KnownTrack;
  /** Undefined: nothing is known about it. */
  readonly record: TrackRecord | undefined;
  readonly samples: readonly Sample[];
  /** Samples that the cache has already. */
  readonly duplicates: number;
  /** What `record` has beyond the stored one. */
  readonly unwritten: Unwritten;
}

/**
 * Samples that are newer than all before go on from the record in memory. Otherwise what the cache has is added to them, and the
 * decision starts from the stored record, since late samples are inserted among stored ones.
 */
async function startWith(
  known: KnownTrack,
  samples: readonly Sample[],
  storedRecord: () => Promise<TrackRecord | undefined>,
): Promise<Start> {
  const { record, unwritten, apart } = known;
  const asItIs = { known, record, samples, duplicates: 0, unwritten };
  const isApart = apart.length > 0;
  if (!isApart && (unwritten.samples.length === 0 || areNewer(samples, record))) return asItIs;
  const cached = isApart ? once(apart) : unwritten.samples.flatMap(({ samples }) => readSamples(samples));
  const { merged, duplicates } = mergeSamples(cached, samples);
  if (duplicates === samples.length && !isApart) return { ...asItIs, samples: [], duplicates };
  const start = isApart ? record : await storedRecord();
  return {
    known,
    record: start,
    samples: merged,
    duplicates,
    unwritten: { ...nothingUnwritten, keys: unwritten.keys },
  };
}

function areNewer(samples: readonly Sample[], record: TrackRecord | undefined): boolean {
  const at = record?.track.at ?? null;
  return at === null || samples.every(({ occurredAt }) => occurredAt > at);
}

/** Parts that were cached side by side begin with the same samples. */
function once(samples: readonly Sample[]): Sample[] {
  return [...new Map(samples.map((one) => [JSON.stringify(one), one])).values()].sort(compareSamples);
}

interface Settling {
  readonly start: Start;
  readonly decision: Decision;
  readonly now: number;
  readonly keys: readonly string[];
  readonly isDue: boolean;
}

function settle(
  tracks: TrackCache,
  { start, decision, now, keys, isDue }: Settling,
): Pick<Decided, 'decision' | 'isCached' | 'version' | 'keys' | 'afterCommit'> {
  const { known, unwritten } = start;
  const { record, sensed } = decision;
  const version = newVersion();
  if (!decision.hasChanged && !isDue) {
    const { record: before, stored, apart } = known;
    // What was cached separately is all stored by now.
    const isClear = apart.length > 0 && before !== undefined && stored !== undefined;
    const afterCommit = () => {
      if (isClear) tracks.keep(known, { record: before, stored }, nothingUnwritten);
    };
    return { decision, isCached: false, version, keys: isClear ? [...unwritten.keys, ...keys] : keys, afterCommit };
  }
  const { written, dropped } = sensed;
  const at = start.record?.track.at ?? null;
  const all = addUnwritten(unwritten, { written, dropped, keys, now, at });
  const { stored } = known;
  if (stored !== undefined && !isDue && !isMuch(all) && mayStayCached(tracks, { start, decision, now }, all.from)) {
    const afterCommit = () => tracks.keep(known, { record, stored }, all);
    return { decision, isCached: true, version, keys: [], afterCommit };
  }
  return {
    decision: { ...decision, hasChanged: true, sensed: { ...sensed, written: all.samples, dropped: all.dropped } },
    isCached: false,
    version,
    keys: all.keys,
    afterCommit: () => tracks.keep(known, { record, stored: { version, writtenAt: now } }, nothingUnwritten),
  };
}

function mayStayCached(
  tracks: TrackCache,
  { start, decision, now }: Pick<Settling, 'start' | 'decision' | 'now'>,
  from: number | null,
): boolean {
  const { known, record: before } = start;
  if (known.stored === undefined || known.apart.length > 0 || before === undefined || !tracks.hasRoom) return false;
  return isQuiet(decision, { writtenAt: known.stored.writtenAt, writtenUntil: from, now, before });
}

export interface Deciding {
  readonly appId: string;
  readonly context: DecisionContext;
  readonly track: KnownTrack;
  /** With their clock corrected, in any order. */
  readonly samples: readonly Sample[];
  readonly reads: Reads;
  /** Keys of sightings that count now. */
  readonly keys?: readonly string[];
  /** The sender's clock, where it is the phone's own. */
  readonly clock?: ClockState | undefined;
  /** flush: what the cache holds is to be written. tick: time has passed, which counts without samples, too. */
  readonly why: 'batch' | 'flush' | 'tick';
}

/** Decides what follows for one installation, and whether that is written or stays in the cache. */
export async function decideOne(
  cache: TrackCache,
  { appId, context, track, samples, reads, keys = [], clock, why }: Deciding,
): Promise<Decided> {
  const { now, policy } = context;
  const isNamed = context.permissions?.analytics ?? true;
  const start = await startWith(track, samples, reads.record);
  const ear = start.record === undefined && isNamed && policy.oneZone ? await reads.ear?.() : null;
  const record = { ...(start.record ?? newRecord(now, ear)), ...(clock ? { clock } : {}) };
  const own: Reads = { ...reads, record: async () => record, ...(isNamed ? {} : { kept: nothingKept }) };
  const decision = await decide(own, context, why === 'tick' && start.samples.length === 0 ? null : start.samples);
  const isUnwritten = track.unwritten.since !== undefined || track.apart.length > 0;
  const isDue = why === 'tick' || (why === 'flush' && isUnwritten);
  const settled = settle(cache, { start, decision: isNamed ? decision : withoutTrail(decision), now, keys, isDue });
  return { appId, context, duplicates: start.duplicates + decision.sensed.duplicates, ...settled };
}

/** Of those who are not named no samples are kept. */
const withoutTrail = (decision: Decision): Decision => ({
  ...decision,
  record: { ...decision.record, segments: [], told: null },
  sensed: { ...decision.sensed, written: [], dropped: [] },
});
