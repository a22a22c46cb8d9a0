import { compareSamples, type Sample } from '@pharos/engine';
import type { Decision } from '../decide/decide.ts';
import { mergeSamples } from '../decide/go-back.ts';
import { readSamples } from '../decide/sample-text.ts';
import type { TrackRecord } from '../decide/track-record.ts';
import { newVersion } from '../decide/track-store.ts';
import { addUnwritten, type HeldTracks, isMuch, type Known, nothingUnwritten, type Unwritten } from './held-tracks.ts';
import { isQuiet } from './quiet.ts';

/** What a decision starts from, given what is held in memory, and whether its result is written or held. */

export interface Start {
  readonly known: Known;
  /** Undefined: nothing is known about it. */
  readonly record: TrackRecord | undefined;
  readonly samples: readonly Sample[];
  /** Samples that are held already. */
  readonly duplicates: number;
  /** What `record` has beyond the stored one. */
  readonly unwritten: Unwritten;
}

/**
 * Samples that are newer than all before go on from the record in memory. Otherwise what is held is added to them, and the
 * decision starts from the stored record, since late samples are inserted among stored ones.
 */
export async function startWith(
  known: Known,
  samples: readonly Sample[],
  storedRecord: () => Promise<TrackRecord | undefined>,
): Promise<Start> {
  const { record, unwritten, apart } = known;
  const asItIs = { known, record, samples, duplicates: 0, unwritten };
  const isHeldApart = apart.length > 0;
  if (!isHeldApart && (unwritten.samples.length === 0 || areNewer(samples, record))) return asItIs;
  const held = isHeldApart ? once(apart) : unwritten.samples.flatMap(({ samples }) => readSamples(samples));
  const { merged, duplicates } = mergeSamples(held, samples);
  if (duplicates === samples.length && !isHeldApart) return { ...asItIs, samples: [], duplicates };
  const start = isHeldApart ? record : await storedRecord();
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

/** Parts that were held side by side begin with the same samples. */
function once(samples: readonly Sample[]): Sample[] {
  return [...new Map(samples.map((one) => [JSON.stringify(one), one])).values()].sort(compareSamples);
}

export interface Settling {
  readonly start: Start;
  readonly decision: Decision;
  readonly now: number;
  /** Keys of sightings that count now. */
  readonly keys: readonly string[];
  /** Time has passed, or memory must be flushed: it is written, whatever has happened. */
  readonly isDue: boolean;
}

export interface Settled {
  readonly decision: Decision;
  /** It stays in memory. */
  readonly isHeld: boolean;
  readonly version: number;
  /** Keys that are to be written. */
  readonly keys: readonly string[];
  readonly afterCommit: () => void;
}

export function settle(tracks: HeldTracks, { start, decision, now, keys, isDue }: Settling): Settled {
  const { known, unwritten } = start;
  const { record, sensed } = decision;
  const version = newVersion();
  if (!decision.hasChanged && !isDue) {
    const { record: before, stored, apart } = known;
    // What was held separately is all stored by now.
    const isClear = apart.length > 0 && before !== undefined && stored !== undefined;
    const afterCommit = () => {
      if (isClear) tracks.keep(known, { record: before, stored }, nothingUnwritten);
    };
    return { decision, isHeld: false, version, keys: isClear ? [...unwritten.keys, ...keys] : keys, afterCommit };
  }
  const { written, dropped } = sensed;
  const at = start.record?.track.at ?? null;
  const all = addUnwritten(unwritten, { written, dropped, keys, now, at });
  const { stored } = known;
  if (stored !== undefined && !isDue && !isMuch(all) && mayBeHeld(tracks, { start, decision, now }, all.from)) {
    const afterCommit = () => tracks.keep(known, { record, stored }, all);
    return { decision, isHeld: true, version, keys: [], afterCommit };
  }
  return {
    decision: { ...decision, hasChanged: true, sensed: { ...sensed, written: all.samples, dropped: all.dropped } },
    isHeld: false,
    version,
    keys: all.keys,
    afterCommit: () => tracks.keep(known, { record, stored: { version, writtenAt: now } }, nothingUnwritten),
  };
}

function mayBeHeld(
  tracks: HeldTracks,
  { start, decision, now }: Pick<Settling, 'start' | 'decision' | 'now'>,
  from: number | null,
): boolean {
  const { known, record: before } = start;
  if (known.stored === undefined || known.apart.length > 0 || before === undefined || !tracks.hasRoom) return false;
  return isQuiet(decision, { writtenAt: known.stored.writtenAt, writtenUntil: from, now, before });
}
