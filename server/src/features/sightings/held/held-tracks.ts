import type { Sample } from '@pharos/engine';
import type { Db } from '../../../db/db.ts';
import { readSamples } from '../decide/sample-text.ts';
import type { WrittenSamples } from '../decide/sensed.ts';
import type { TrackRecord } from '../decide/track-record.ts';
import { findTracks, findVersions, keyText, type StoredTrack, type TrackVersion } from '../decide/track-store.ts';
import type { TrackKey } from '../traces/told-store.ts';
import { isInVisit, VISIT_WRITE_MS } from './quiet.ts';

/**
 * Tracks in memory: as they were written, and what has arrived since and has not been written, because nothing follows from it.
 * It never overwrites anything: it continues from one write of the track, and if another node (or another version of the service)
 * has written since, what is held is merged with that like late samples. If the track has been deleted, it is discarded too.
 */

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

interface Held extends TrackVersion {
  readonly key: TrackKey;
  readonly record: TrackRecord;
  readonly unwritten: Unwritten;
  readonly weight: number;
  /** It was held at the same time as something else, so `record` has only part of it. */
  readonly isTorn: boolean;
}

/** A track as it is known in a transaction that holds its installation. */
export interface Known {
  readonly key: TrackKey;
  /** Undefined: nothing is known about it. */
  readonly record: TrackRecord | undefined;
  /** Of the stored one; undefined: none is stored. */
  readonly stored: TrackVersion | undefined;
  /** What `record` has beyond the stored one. */
  readonly unwritten: Unwritten;
  /** Held samples that `record` does not have. */
  readonly apart: readonly Sample[];
  /** What memory had when it was read. */
  readonly seen: Held | undefined;
}

/** Samples held since a track was written, after which it is written; as many as a segment has. */
const MOST_HELD_SAMPLES_TEXT = 16_384;
/** How long something may be held for a phone in no visit, ms. */
const LONGEST_MS = 30 * 60_000;
/** Bytes, roughly: beyond half of it the oldest is written, beyond it nothing more is held. */
const MOST_BYTES = 48 * 1024 * 1024;
const BYTES_OF_TRACK = 1_000;
const BYTES_OF_BEACON = 900;

const charactersOf = ({ samples, keys }: Unwritten) =>
  samples.reduce((sum, { samples }) => sum + samples.length, 0) + keys.length * 80;

export class HeldTracks {
  /** What was used longest ago comes first. */
  readonly #tracks = new Map<string, Held>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The tracks of installations that `db`, a transaction, has locked; by `keyText`. */
  async read(db: Db, keys: readonly TrackKey[]): Promise<ReadonlyMap<string, Known>> {
    const seen = new Map(keys.map((key) => [keyText(key), this.#tracks.get(keyText(key))]));
    const held = keys.filter((key) => seen.get(keyText(key)) !== undefined);
    const versions = held.length === 0 ? new Map<string, TrackVersion>() : await findVersions(db, held);
    const isCurrent = (key: TrackKey) => {
      const [here, there] = [seen.get(keyText(key)), versions.get(keyText(key))];
      return here !== undefined && there !== undefined && !here.isTorn && isSame(here, there);
    };
    const others = keys.filter((key) => !isCurrent(key));
    const stored = others.length === 0 ? new Map<string, StoredTrack>() : await findTracks(db, others);
    const known = keys.map((key): [string, Known] => {
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
    return this.#bytes < this.#mostBytes;
  }

  /** After the commit: this is how the track is, and what of it is not written. */
  keep(
    { key, seen }: Known,
    track: { readonly record: TrackRecord; readonly stored: TrackVersion },
    unwritten: Unwritten,
  ): void {
    const text = keyText(key);
    const now = this.#tracks.get(text);
    if (now === seen || now === undefined) {
      this.#set(text, { key, record: track.record, ...track.stored, unwritten, isTorn: false });
      return;
    }
    // Somebody else has held something in between: each has a part.
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

  /** What is held of an installation and not written. */
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
    let surplus = this.#bytes - this.#mostBytes / 2;
    for (const { key, record, unwritten, weight } of this.#tracks.values()) {
      if (unwritten.since === undefined) continue;
      const isOver = surplus > 0;
      if (isOver) surplus -= weight;
      const age = Math.abs(now - unwritten.since);
      if (isLast || isOver || age >= LONGEST_MS || (age >= VISIT_WRITE_MS && isInVisit(record))) due.push(key);
    }
    return due;
  }

  #set(text: string, track: Omit<Held, 'weight'>): void {
    const { record, unwritten } = track;
    const weight =
      BYTES_OF_TRACK + BYTES_OF_BEACON * Object.keys(record.track.beacons).length + charactersOf(unwritten);
    this.forget(track.key);
    this.#tracks.set(text, { ...track, weight });
    this.#bytes += weight;
    if (this.#bytes <= this.#mostBytes / 2) return;
    for (const { key, unwritten: left } of this.#tracks.values()) {
      if (this.#bytes <= this.#mostBytes / 2) return;
      // What is not written stays; the next flush writes it.
      if (left.since !== undefined) break;
      this.forget(key);
    }
  }
}

const isSame = (a: TrackVersion, b: TrackVersion) => a.version === b.version && a.writtenAt === b.writtenAt;

/** What was held and what a batch adds. */
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

export const isMuch = (unwritten: Unwritten): boolean => charactersOf(unwritten) >= MOST_HELD_SAMPLES_TEXT;

export async function readOne(tracks: HeldTracks, db: Db, key: TrackKey): Promise<Known> {
  return (await tracks.read(db, [key])).get(keyText(key)) as Known;
}
