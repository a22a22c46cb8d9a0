import type { ClockState } from '@pharos/engine';
import type { TrackRecord, WrittenSamples } from '@pharos/engine/decide';
import type { Db } from '../../../../db/db.ts';
import {
  type CacheEntry,
  type KnownTrack,
  nothingUnwritten,
  type StoredBatch,
  type TrackVersion,
  type Unwritten,
} from '../stages/track.ts';
import type { TrackKey } from '../traces/reported.ts';
import { findBatches, findTracks, findVersions, keyText, type StoredTrack } from './track-store.ts';

/**
 * Tracks in memory, as they follow from what is stored: the track as it was written, and beside it the batches that have arrived since
 * and from which nothing followed. Nothing is only here: a track that is not in memory, or to which another process has added something,
 * is read, and what is stored beside it is taken in as it was when it arrived.
 */

/** Samples beside a track, after which it is written; as many as a segment has. */
const MAX_CACHED_TEXT = 16_384;
/** Bytes, roughly; beyond it, what was used longest ago goes. */
const MAX_BYTES = 24 * 1024 * 1024;
const BYTES_OF_TRACK = 1_000;
const BYTES_OF_BEACON = 900;

const charactersOf = ({ samples }: Unwritten) => samples.reduce((sum, { samples }) => sum + samples.length, 0);

export class TrackCache {
  /** What was used longest ago comes first. */
  readonly #tracks = new Map<string, CacheEntry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The tracks of installations that `db`, a transaction, has locked; by `keyText`. */
  async read(db: Db, keys: readonly TrackKey[]): Promise<ReadonlyMap<string, KnownTrack>> {
    const here = new Map(keys.map((key) => [keyText(key), this.#tracks.get(keyText(key))]));
    const cached = keys.filter((key) => here.get(keyText(key)) !== undefined);
    const versions = cached.length === 0 ? new Map<string, TrackVersion>() : await findVersions(db, cached);
    const current = new Map<string, KnownTrack>();
    for (const key of cached) {
      const [known, there] = [here.get(keyText(key)) as CacheEntry, versions.get(keyText(key))];
      if (there === undefined || !isSame(known, there)) continue;
      const { record, unwritten } = known;
      current.set(keyText(key), { key, record, unwritten, stored: there, apart: [] });
    }
    const others = keys.filter((key) => !current.has(keyText(key)));
    return others.length === 0 ? current : new Map([...current, ...(await readStored(db, others))]);
  }

  /** After the commit: this is how the track is, and what of it is stored beside it. */
  keep(
    key: TrackKey,
    { record, stored }: { readonly record: TrackRecord; readonly stored: TrackVersion },
    unwritten: Unwritten,
  ): void {
    const weight =
      BYTES_OF_TRACK + BYTES_OF_BEACON * Object.keys(record.track.beacons).length + charactersOf(unwritten);
    this.#forget(keyText(key));
    this.#tracks.set(keyText(key), { key, record, ...stored, unwritten, weight });
    this.#bytes += weight;
    for (const text of this.#tracks.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(text);
    }
  }

  #forget(text: string): void {
    this.#bytes -= this.#tracks.get(text)?.weight ?? 0;
    this.#tracks.delete(text);
  }
}

async function readStored(db: Db, keys: readonly TrackKey[]): Promise<readonly [string, KnownTrack][]> {
  const stored = await findTracks(db, keys);
  const besides = keys.filter((key) => (stored.get(keyText(key))?.batches ?? 0) > 0);
  const found = besides.length === 0 ? [] : await findBatches(db, besides);
  const batches = new Map(besides.map((key, place) => [keyText(key), found[place] ?? []]));
  return keys.map((key) => {
    const there = stored.get(keyText(key));
    const beside = batches.get(keyText(key)) ?? [];
    return [keyText(key), there === undefined ? unknownTrack(key) : knownFrom(key, there, beside)];
  });
}

function knownFrom(key: TrackKey, { record, ...stored }: StoredTrack, beside: readonly StoredBatch[]): KnownTrack {
  const clock = beside.reduce<ClockState>((before, { clock }) => clock ?? before, record.clock);
  return { key, record: { ...record, clock }, stored, unwritten: nothingUnwritten, apart: beside };
}

export const unknownTrack = (key: TrackKey): KnownTrack => ({
  key,
  record: undefined,
  stored: undefined,
  unwritten: nothingUnwritten,
  apart: [],
});

const isSame = (a: TrackVersion, b: TrackVersion) =>
  a.version === b.version && a.writtenAt === b.writtenAt && a.batches === b.batches;

/** What is beside the track and what a batch adds. */
export function addUnwritten(
  before: Unwritten,
  { written, dropped }: { readonly written: readonly WrittenSamples[]; readonly dropped: readonly number[] },
): Unwritten {
  const kept = before.samples.filter(({ startedAt }) => !dropped.includes(startedAt));
  const samples = new Map(kept.map((one) => [one.startedAt, one]));
  for (const one of written) {
    const known = samples.get(one.startedAt);
    samples.set(one.startedAt, {
      startedAt: one.startedAt,
      checkpoint: known?.checkpoint ?? one.checkpoint,
      samples: (known?.samples ?? '') + one.samples,
    });
  }
  return { samples: [...samples.values()], dropped: [...new Set([...before.dropped, ...dropped])] };
}

export const isMuch = (unwritten: Unwritten): boolean => charactersOf(unwritten) >= MAX_CACHED_TEXT;

export async function readOne(tracks: TrackCache, db: Db, key: TrackKey): Promise<KnownTrack> {
  return (await tracks.read(db, [key])).get(keyText(key)) as KnownTrack;
}
