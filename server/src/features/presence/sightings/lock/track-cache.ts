import type { PresenceState, Sample } from '@pharos/engine';
import { readSamples, type TrackRecord, type WrittenSamples } from '@pharos/engine/decide';
import type { AppPolicy } from '../../../../access/policy.ts';
import { Failure } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import {
  type CacheEntry,
  type KnownTrack,
  nothingUnwritten,
  type TrackVersion,
  type Unwritten,
} from '../stages/track.ts';
import type { TrackKey } from '../traces/reported.ts';
import { findTracks, findVersions, keyText, type StoredTrack } from './track-store.ts';

/**
 * Tracks in memory: as they were written, and what has arrived since and has not been written, because nothing follows from it.
 * It never overwrites anything: it continues from one write of the track, and if another node (or another version of the service)
 * has written since, what is cached is merged with that like late samples. If the track has been deleted, it is discarded too.
 */

/** Samples cached since a track was written, after which it is written; as many as a segment has. */
const MAX_CACHED_TEXT = 16_384;
/** How long something may stay unwritten for a phone in no visit, ms. */
const MAX_CACHED_MS = 30 * 60_000;
/** Bytes, roughly: beyond half of it the oldest is written, beyond it nothing more is cached. */
const MAX_BYTES = 48 * 1024 * 1024;
const BYTES_OF_TRACK = 1_000;
const BYTES_OF_BEACON = 900;

const charactersOf = ({ samples, keys }: Unwritten) =>
  samples.reduce((sum, { samples }) => sum + samples.length, 0) + keys.length * 80;

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
    const seen = new Map(keys.map((key) => [keyText(key), this.#tracks.get(keyText(key))]));
    const cached = keys.filter((key) => seen.get(keyText(key)) !== undefined);
    const versions = cached.length === 0 ? new Map<string, TrackVersion>() : await findVersions(db, cached);
    const isCurrent = (key: TrackKey) => {
      const [here, there] = [seen.get(keyText(key)), versions.get(keyText(key))];
      return here !== undefined && there !== undefined && !here.isTorn && isSame(here, there);
    };
    const others = keys.filter((key) => !isCurrent(key));
    const stored = others.length === 0 ? new Map<string, StoredTrack>() : await findTracks(db, others);
    const known = keys.map((key): [string, KnownTrack] => {
      const text = keyText(key);
      const here = seen.get(text);
      if (here !== undefined && isCurrent(key)) {
        const { record, unwritten, version, writtenAt } = here;
        return [text, { key, record, unwritten, stored: { version, writtenAt }, apart: [], seen: here }];
      }
      const there = stored.get(text);
      // Deleting the track was meant to delete all of it.
      const apart =
        there === undefined ? [] : (here?.unwritten.samples ?? []).flatMap((one) => readSamples(one.samples));
      const keys = there === undefined ? [] : (here?.unwritten.keys ?? []);
      const unwritten = { ...nothingUnwritten, keys };
      // Only the version: what is stored is not what is kept beside it later.
      const version = there && { version: there.version, writtenAt: there.writtenAt };
      return [text, { key, record: there?.record, stored: version, unwritten, apart, seen: here }];
    });
    return new Map(known);
  }

  /** Whether there is space for what need not be written. */
  get hasRoom(): boolean {
    return this.#bytes < this.#maxBytes;
  }

  /** After the commit: this is how the track is, and what of it is not written. */
  keep(
    { key, seen }: KnownTrack,
    track: { readonly record: TrackRecord; readonly stored: TrackVersion },
    unwritten: Unwritten,
  ): void {
    const text = keyText(key);
    const now = this.#tracks.get(text);
    if (now === seen || now === undefined) {
      this.#set(text, { key, record: track.record, ...track.stored, unwritten, isTorn: false });
      return;
    }
    // Somebody else has cached something in between: each has a part.
    if (unwritten.since === undefined) return;
    const both = {
      ...unwritten,
      samples: [...now.unwritten.samples, ...unwritten.samples],
      keys: [...new Set([...now.unwritten.keys, ...unwritten.keys])],
    };
    this.#set(text, { key, record: track.record, ...track.stored, unwritten: both, isTorn: true });
  }

  forget(key: TrackKey): void {
    const text = keyText(key);
    this.#bytes -= this.#tracks.get(text)?.weight ?? 0;
    this.#tracks.delete(text);
  }

  /** What the cache has of an installation that is not written. */
  samplesOf(key: TrackKey): readonly Sample[] {
    return (this.#tracks.get(keyText(key))?.unwritten.samples ?? []).flatMap(({ samples }) => readSamples(samples));
  }

  /** Those of these tracks of which something is not written. */
  unwritten(keys: readonly TrackKey[]): TrackKey[] {
    return keys.filter((key) => this.#tracks.get(keyText(key))?.unwritten.since !== undefined);
  }

  /** Tracks that are to be written by now, and all with `isLast`. */
  due(now: number, { isLast = false }: { readonly isLast?: boolean } = {}): TrackKey[] {
    const due: TrackKey[] = [];
    let surplus = this.#bytes - this.#maxBytes / 2;
    for (const { key, record, unwritten, weight } of this.#tracks.values()) {
      if (unwritten.since === undefined) continue;
      const isOver = surplus > 0;
      if (isOver) surplus -= weight;
      const age = Math.abs(now - unwritten.since);
      if (isLast || isOver || age >= MAX_CACHED_MS || (age >= VISIT_WRITE_MS && isInVisit(record))) due.push(key);
    }
    return due;
  }

  #set(text: string, track: Omit<CacheEntry, 'weight'>): void {
    const { record, unwritten } = track;
    const weight =
      BYTES_OF_TRACK + BYTES_OF_BEACON * Object.keys(record.track.beacons).length + charactersOf(unwritten);
    this.forget(track.key);
    this.#tracks.set(text, { ...track, weight });
    this.#bytes += weight;
    if (this.#bytes <= this.#maxBytes / 2) return;
    for (const { key, unwritten: left } of this.#tracks.values()) {
      if (this.#bytes <= this.#maxBytes / 2) return;
      // What is not written stays; the next flush writes it.
      if (left.since !== undefined) break;
      this.forget(key);
    }
  }
}

export const unknownTrack = (key: TrackKey): KnownTrack => ({
  key,
  record: undefined,
  stored: undefined,
  unwritten: nothingUnwritten,
  apart: [],
  seen: undefined,
});

const isSame = (a: TrackVersion, b: TrackVersion) => a.version === b.version && a.writtenAt === b.writtenAt;

/** What was cached and what a batch adds. */
export function addUnwritten(
  before: Unwritten,
  {
    written,
    dropped,
    keys,
    now,
    at,
  }: {
    readonly written: readonly WrittenSamples[];
    readonly dropped: readonly number[];
    readonly keys: readonly string[];
    readonly now: number;
    /** The newest sample before the batch. */
    readonly at: number | null;
  },
): Unwritten {
  const kept = before.samples.filter(({ startedAt }) => !dropped.includes(startedAt));
  const samples = new Map(kept.map((one) => [one.startedAt, one]));
  for (const one of written) {
    const known = samples.get(one.startedAt);
    const text = (known?.samples ?? '') + one.samples;
    samples.set(one.startedAt, {
      startedAt: one.startedAt,
      checkpoint: known?.checkpoint ?? one.checkpoint,
      samples: text,
    });
  }
  return {
    samples: [...samples.values()],
    dropped: [...new Set([...before.dropped, ...dropped])],
    keys: [...before.keys, ...keys],
    since: before.since ?? now,
    from: before.since === undefined ? at : before.from,
  };
}

export const isMuch = (unwritten: Unwritten): boolean => charactersOf(unwritten) >= MAX_CACHED_TEXT;

export async function readOne(tracks: TrackCache, db: Db, key: TrackKey): Promise<KnownTrack> {
  return (await tracks.read(db, [key])).get(keyText(key)) as KnownTrack;
}

/** While a visit is open its track is written this often (ms): by how much a visit may seem to end too early. */
export const VISIT_WRITE_MS = 10_000;
export const isThere = ({ visit, radius }: PresenceState) => visit !== null || radius.inside === true;

export const isInVisit = ({ track }: TrackRecord): boolean => Object.values(track.beacons).some(isThere);

/** Writes in time what only the cache has. */

export interface Flushing {
  readonly trackCache: TrackCache;
  readonly now: () => number;
  /** @throws Failure ObjectNotFound when the installation is gone */
  readonly write: (key: TrackKey, at: { readonly policy: AppPolicy; readonly now: number }) => Promise<void>;
  /** Undefined when the app is gone. */
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
}

/** Written at once; the writer batches those that wait. */
const atOnce = 128;

/** Writes what is due by now, and all with `isLast`. Answers for how many installations. */
export async function flush(
  flushing: Flushing,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<number> {
  const due = flushing.trackCache.due(flushing.now(), { isLast });
  await flushAll(flushing, due);
  return due.length;
}

/** Writes these. One that cannot be written does not hold back others, unless none can. */
export async function flushAll(
  { trackCache, now, write, findPolicy }: Flushing,
  keys: readonly TrackKey[],
): Promise<void> {
  const policies = new Map<string, AppPolicy | undefined>();
  for (const { appId } of keys) if (!policies.has(appId)) policies.set(appId, await findPolicy(appId));
  const writeOne = async (key: TrackKey) => {
    const policy = policies.get(key.appId);
    if (policy === undefined) return trackCache.forget(key);
    try {
      await write(key, { policy, now: now() });
    } catch (error) {
      if (!(error instanceof Failure && error.name === 'ObjectNotFound')) throw error;
      trackCache.forget(key);
    }
  };
  let failed: PromiseRejectedResult | undefined;
  for (let start = 0; start < keys.length; start += atOnce) {
    const written = await Promise.allSettled(keys.slice(start, start + atOnce).map(writeOne));
    const failures = written.filter((one) => one.status === 'rejected');
    failed ??= failures[0];
    // The rest would fail alike; it is tried again with the next round.
    if (failures.length === written.length) break;
  }
  if (failed) throw failed.reason;
}
