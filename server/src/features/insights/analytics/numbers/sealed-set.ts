import { countRanks, estimate, noRank, rankOf, registerCount, registerOf } from './registers.ts';
import { maxExact, VisitorSet } from './visitor-set.ts';

/** A register has four bits; what does not fit is kept beside them. */
const maxPacked = 15;
/** The approximate overhead of an object in bytes. */
const overhead = 300;

/**
 * A read-only, compact set of visitors for many queries. The size of its union with another set is computed from the elements of that set
 * alone.
 */
export class SealedSet {
  /** Ascending; undefined for more than 2,048. */
  readonly #hashes: Float64Array | undefined;
  /** Two registers in a byte. */
  readonly #packed: Uint8Array | undefined;
  readonly #high = new Map<number, number>();
  readonly #counts: Int32Array = none;
  readonly size: number;

  constructor(set: VisitorSet) {
    this.#hashes = set.hashes()?.slice();
    this.size = set.size();
    const registers = this.#hashes ? undefined : set.registers();
    if (registers === undefined) return;
    this.#counts = countRanks(registers);
    this.#packed = new Uint8Array(registerCount / 2);
    for (let place = 0; place < registerCount; place++) {
      const rank = (registers[place] as number) - noRank;
      if (rank >= maxPacked) this.#high.set(place, rank);
      (this.#packed[place >> 1] as number) |= Math.min(rank, maxPacked) << ((place & 1) * 4);
    }
  }

  sizeWith(other: VisitorSet): number {
    const hashes = other.hashes();
    if (hashes?.length === 0) return this.size;
    if (hashes === undefined) return this.#joined(other);
    if (this.#packed) return this.#estimateWith(this.#packed, hashes);
    const size = this.size + hashes.reduce((more, hash) => (this.#has(hash) ? more : more + 1), 0);
    return size > maxExact ? this.#joined(other) : size;
  }

  /** The approximate bytes of memory. */
  get bytes(): number {
    return overhead + (this.#hashes?.byteLength ?? 0) + (this.#packed?.byteLength ?? 0) + this.#high.size * 40;
  }

  #estimateWith(packed: Uint8Array, hashes: Float64Array): number {
    const counts = this.#counts.slice();
    const raised = new Map<number, number>();
    for (const hash of hashes) {
      const place = registerOf(hash);
      const rank = rankOf(hash);
      const known = raised.get(place) ?? this.#rankAt(packed, place);
      if (rank <= known) continue;
      raised.set(place, rank);
      (counts[known] as number)--;
      (counts[rank] as number)++;
    }
    return raised.size === 0 ? this.size : Math.round(estimate(counts));
  }

  #rankAt(packed: Uint8Array, place: number): number {
    const rank = ((packed[place >> 1] as number) >> ((place & 1) * 4)) & maxPacked;
    return rank === maxPacked ? (this.#high.get(place) ?? rank) : rank;
  }

  #has(hash: number): boolean {
    const hashes = this.#hashes ?? [];
    let [from, until] = [0, hashes.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((hashes[middle] as number) < hash) from = middle + 1;
      else until = middle;
    }
    return hashes[from] === hash;
  }

  #joined(other: VisitorSet): number {
    const set = new VisitorSet();
    for (const hash of this.#hashes ?? []) set.add(hash);
    if (this.#packed) set.addWritten(`r${this.#written(this.#packed)}`);
    set.addSet(other);
    return set.size();
  }

  #written(packed: Uint8Array): string {
    const registers = Buffer.alloc(registerCount);
    for (let place = 0; place < registerCount; place++) registers[place] = noRank + this.#rankAt(packed, place);
    return registers.toString('latin1');
  }
}

const none = new Int32Array(0);
