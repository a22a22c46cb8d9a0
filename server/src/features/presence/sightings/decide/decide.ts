import type { ClockState, Retimed, Sample } from '@pharos/engine';
import {
  type Decision,
  type DecisionContext,
  deadlineOf,
  decide,
  mergeSamples,
  movable,
  newRecord,
  type Reads,
  readSamples,
  type TrackRecord,
  withTimes,
  writeSamples,
} from '@pharos/engine/decide';
import { addUnwritten, isMuch, type TrackCache } from '../lock/track-cache.ts';
import { newVersion } from '../lock/track-store.ts';
import type { Decided } from '../stages/stages.ts';
import { type KnownTrack, nothingUnwritten, type TrackVersion, type Unwritten } from '../stages/track.ts';
import { nothingKept } from './past.ts';

/** Which batches need only be stored beside the track: nothing follows from them. Pure. */

/** A track is written at least this often while something is heard, ms: those that are not are deleted after days. */
const MAX_BESIDE_MS = 30 * 60_000;

/** Whether nothing followed from a batch that was applied in order. */
function isQuiet(
  { writtenAt }: TrackVersion,
  { start: { record: before }, decision, now }: Pick<Done, 'start' | 'decision' | 'now'>,
): boolean {
  const { sensed, record, verdicts, events, awaited } = decision;
  if (before === undefined) return false;
  if (events.length + verdicts.length + sensed.visits.length > 0 || sensed.isLate) return false;
  if (sensed.changedEvents.length + sensed.removedEvents.length + awaited.length > 0) return false;
  if (!isSame(record.waits, before.waits) || !isSame(record.ended, before.ended)) return false;
  if (!isSame([record.decided], [before.decided])) return false;
  // A clock that has been set back says nothing about how long it has been.
  if (Math.abs(now - writtenAt) >= MAX_BESIDE_MS) return false;
  // The ticker knows the deadline of the track that is written, which may come too early, but not too late.
  const [earlier, later] = [deadlineOf(before, true), deadlineOf(record, true)];
  return later === null || (earlier !== null && later >= earlier);
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b));

/** What a decision starts from, and whether the track is written with its result. */

interface Start {
  /** Undefined: nothing is known about it. */
  readonly record: TrackRecord | undefined;
  readonly samples: readonly Sample[];
  /** Samples that are stored beside the track already. */
  readonly duplicates: number;
  /** What `record` has beyond the stored one. */
  readonly unwritten: Unwritten;
}

/**
 * Samples that are newer than all before go on from the record in memory. Otherwise what is stored beside the track is added to them,
 * and the decision starts from the track as it was written, since late samples are inserted among stored ones.
 */
async function startWith(
  { record, unwritten }: KnownTrack,
  { samples, retimed }: { readonly samples: readonly Sample[]; readonly retimed: Retimed | undefined },
  storedRecord: () => Promise<TrackRecord | undefined>,
): Promise<Start> {
  const asItIs = { record, samples, duplicates: 0, unwritten };
  const isLate = retimed !== undefined || !areNewer(samples, record);
  if (unwritten.samples.length === 0 || !isLate) return asItIs;
  const beside = withTimes(
    unwritten.samples.flatMap(({ samples }) => readSamples(samples)),
    retimed,
  );
  const { merged, duplicates } = mergeSamples(beside, samples);
  if (duplicates === samples.length && retimed === undefined) return { ...asItIs, samples: [], duplicates };
  return { record: await storedRecord(), samples: merged, duplicates, unwritten: nothingUnwritten };
}

function areNewer(samples: readonly Sample[], record: TrackRecord | undefined): boolean {
  const at = record?.track.at ?? null;
  return at === null || samples.every(({ occurredAt }) => occurredAt > at);
}

interface Done {
  readonly start: Start;
  readonly decision: Decision;
  /** As they were given, with their clock corrected. */
  readonly samples: readonly Sample[];
  readonly now: number;
}

interface Writing extends Done {
  readonly track: KnownTrack;
  readonly isDue: boolean;
  readonly isNamed: boolean;
}

function writeOrKeep(
  tracks: TrackCache,
  { track, start, decision, samples, now, isDue, isNamed }: Writing,
): Pick<Decided, 'decision' | 'batch' | 'hasBatches' | 'version' | 'afterCommit'> {
  const { record, sensed } = decision;
  const { key, stored } = track;
  const version = newVersion();
  // Without a track there may be some that an earlier version left, which does not know of them.
  const hasBatches = stored === undefined || stored.batches > 0;
  if (!decision.hasChanged && !isDue) {
    const { record: asItWas, unwritten } = track;
    const afterCommit = () => {
      if (stored !== undefined && asItWas !== undefined) tracks.keep(key, { record: asItWas, stored }, unwritten);
    };
    return { decision, batch: undefined, hasBatches: false, version, afterCommit };
  }
  const all = addUnwritten(start.unwritten, sensed);
  // Of those who are not to be named no samples are kept, so that their track is all there is.
  if (stored !== undefined && isNamed && !isDue && !isMuch(all) && isQuiet(stored, { start, decision, now })) {
    const place = stored.batches + 1;
    const clock = isSame([record.clock], [track.record?.clock]) ? null : record.clock;
    return {
      decision,
      batch: { place, samples: writeSamples(samples), now, clock },
      hasBatches,
      version,
      afterCommit: () => tracks.keep(key, { record, stored: { ...stored, batches: place } }, all),
    };
  }
  return {
    decision: { ...decision, hasChanged: true, sensed: { ...sensed, written: all.samples, dropped: all.dropped } },
    batch: undefined,
    hasBatches,
    version,
    afterCommit: () => tracks.keep(key, { record, stored: { version, writtenAt: now, batches: 0 } }, nothingUnwritten),
  };
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
  /** tick: time has passed, which counts without samples, too. */
  readonly why: 'batch' | 'tick';
}

/** Decides what follows for one installation, and whether its track is written with it. */
export async function decideOne(cache: TrackCache, deciding: Deciding): Promise<Decided> {
  const { appId, context, samples, keys = [], why } = deciding;
  const isNamed = context.permissions?.analytics ?? true;
  const { track, left } = await catchUp(deciding);
  const all = left.length === 0 ? samples : mergeSamples(left, samples).merged;
  const { start, decision } = await decideFrom(track, { ...deciding, samples: all });
  const isDue = why === 'tick' || left.length > 0;
  const { now } = context;
  const written = writeOrKeep(cache, {
    ...{ track, start, samples, now, isDue, isNamed },
    decision: isNamed ? decision : withoutTrail(decision),
  });
  return { appId, context, keys, duplicates: start.duplicates + decision.sensed.duplicates, ...written };
}

async function decideFrom(
  track: KnownTrack,
  { context, samples, reads, clock, why }: Omit<Deciding, 'track'>,
): Promise<Pick<Done, 'start' | 'decision'>> {
  const { now, policy } = context;
  const isNamed = context.permissions?.analytics ?? true;
  const retimed = movable(track.record, context);
  const start = await startWith(track, { samples, retimed }, reads.record);
  const receiverOffset =
    start.record === undefined && isNamed && policy.oneZone ? await reads.receiverOffset?.() : null;
  const record = { ...(start.record ?? newRecord(now, receiverOffset)), ...(clock ? { clock } : {}) };
  const own: Reads = { ...reads, record: async () => record, ...(isNamed ? {} : { kept: nothingKept }) };
  const onlyTime = why === 'tick' && start.samples.length === 0;
  return { start, decision: await decide(own, { ...context, retimed }, onlyTime ? null : start.samples) };
}

/**
 * The track as it was in the process that stored batches beside it: each is taken in as it was when it arrived. If something follows from
 * one now, because what is configured has changed since, its samples and all later ones are `left` to be taken in as if they came now.
 */
async function catchUp(deciding: Deciding): Promise<{ readonly track: KnownTrack; readonly left: readonly Sample[] }> {
  const { apart } = deciding.track;
  let track: KnownTrack = { ...deciding.track, apart: [] };
  for (const [index, { samples: text, now }] of apart.entries()) {
    const context = { ...deciding.context, now, retimed: undefined, decided: undefined };
    const samples = readSamples(text);
    const { start, decision } = await decideFrom(track, { ...deciding, context, samples, clock: undefined });
    if (track.stored === undefined || !isQuiet(track.stored, { start, decision, now }))
      return { track, left: apart.slice(index).flatMap(({ samples }) => readSamples(samples)) };
    track = { ...track, record: decision.record, unwritten: addUnwritten(start.unwritten, decision.sensed) };
  }
  return { track, left: [] };
}

/** Of those who are not named no samples are kept. */
const withoutTrail = (decision: Decision): Decision => ({
  ...decision,
  record: { ...decision.record, segments: [], reported: null },
  sensed: { ...decision.sensed, written: [], dropped: [] },
});
