import { createHmac } from 'node:crypto';
import {
  countRanks,
  estimate,
  hashAt,
  hashBytes,
  joinRegisters,
  noRank,
  note,
  noteAll,
  registerCount,
} from './registers.ts';

/**
 * A set of visitors that can be joined with others and says how many are in it, without their names: hashes of 48 bits, exact up
 * to 2,048 of them, beyond that the registers of a HyperLogLog. The result depends on what is in it alone, never on the order.
 */
export class VisitorSet {
  #exact: Set<number> | undefined = new Set();
  #registers: Uint8Array | undefined;
  /** Written sets that have been added and not joined yet: their hashes, and how many. */
  #waiting: Uint8Array[] = [];
  #waitingCount = 0;
  #size: number | undefined;

  add(hash: number): void {
    this.#join();
    this.#size = undefined;
    if (this.#registers !== undefined) note(this.#registers, hash);
    else {
      this.#exact?.add(hash);
      this.#shorten();
    }
  }

  addWritten(text: string): void {
    if (text === '') return;
    this.#size = undefined;
    if (text.startsWith('r')) {
      const registers = Buffer.alloc(registerCount, noRank);
      registers.write(text.slice(1), 'latin1');
      this.#addRegisters(registers);
    } else this.#wait(Buffer.from(text.slice(1), 'base64'));
  }

  /** Takes over registers that nothing else uses any more. */
  #addRegisters(others: Uint8Array): void {
    this.#join();
    if (this.#registers === undefined && this.#exact?.size === 0) {
      this.#registers = others;
      this.#exact = undefined;
    } else joinRegisters(this.#toRegisters(), others);
  }

  #wait(bytes: Uint8Array): void {
    if (this.#registers !== undefined) {
      noteAll(this.#registers, bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingCount += Math.floor(bytes.length / hashBytes);
    if (this.#waitingCount > maxWaiting) this.#join();
  }

  addSet(other: VisitorSet): void {
    this.#size = undefined;
    for (const bytes of other.#waiting) this.#wait(bytes);
    if (other.#registers !== undefined) this.#addRegisters(new Uint8Array(other.#registers));
    else for (const hash of other.#exact ?? []) this.add(hash);
  }

  /** Exact up to 2,048. */
  size(): number {
    if (this.#exact?.size === 0 && this.#waitingCount <= maxExact) {
      // A written set names each hash once.
      if (this.#waiting.length < 2) return this.#waitingCount;
      this.#size ??= hashesIn(this.#waiting, this.#waitingCount).length;
      return this.#size;
    }
    this.#join();
    this.#size ??= this.#registers === undefined ? (this.#exact?.size ?? 0) : sizeOf(this.#registers);
    return this.#size;
  }

  /** The least hash, which says who is in the set without changing with each newcomer; 0 of an empty set or of more than 2,048. */
  least(): number {
    if (this.size() === 0 || this.#registers !== undefined) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const hash of this.#exact ?? []) least = Math.min(least, hash);
    for (const bytes of this.#waiting) least = Math.min(least, hashAt(bytes, 0));
    return least;
  }

  /** Each once, ascending; undefined if there are more than 2,048. */
  hashes(): Float64Array | undefined {
    if (this.#exact?.size === 0 && this.#waitingCount <= maxExact) return hashesIn(this.#waiting, this.#waitingCount);
    this.#join();
    return this.#exact && Float64Array.from(this.#exact).sort();
  }

  /** Of more than 2,048; not to be changed. */
  registers(): Uint8Array | undefined {
    this.#join();
    return this.#registers;
  }

  /** Empty text for an empty set; the same set is always written alike. */
  write(): string {
    this.#join();
    if (this.#registers !== undefined) return `r${Buffer.from(this.#registers).toString('latin1')}`;
    const hashes = [...(this.#exact ?? [])].sort((a, b) => a - b);
    const bytes = Buffer.alloc(hashes.length * hashBytes);
    for (const [place, hash] of hashes.entries()) bytes.writeUIntBE(hash, place * hashBytes, hashBytes);
    // base64 may begin with the letter of registers.
    return hashes.length === 0 ? '' : `.${bytes.toString('base64')}`;
  }

  /**
   * Merges the pending sets. Registers take a twentieth of the time of a set; if they show far more than 2,048, the hashes are not merged.
   */
  #join(): void {
    if (this.#waitingCount === 0) return;
    const waiting = this.#waiting;
    const isLarge = this.#waitingCount > maxExact;
    this.#waiting = [];
    this.#waitingCount = 0;
    const registers = isLarge ? this.#registersWith(waiting) : undefined;
    if (registers && estimate(countRanks(registers)) > surelyMore) {
      this.#registers = registers;
      this.#exact = undefined;
      return;
    }
    for (const bytes of waiting) {
      for (let at = 0; at + hashBytes <= bytes.length; at += hashBytes) this.#exact?.add(hashAt(bytes, at));
      this.#shorten();
      if (this.#registers !== undefined) break;
    }
    if (this.#registers !== undefined) for (const bytes of waiting) noteAll(this.#registers, bytes);
  }

  #registersWith(waiting: readonly Uint8Array[]): Uint8Array {
    const registers = new Uint8Array(registerCount).fill(noRank);
    for (const hash of this.#exact ?? []) note(registers, hash);
    for (const bytes of waiting) noteAll(registers, bytes);
    return registers;
  }

  #shorten(): void {
    if ((this.#exact?.size ?? 0) > maxExact) this.#toRegisters();
  }

  #toRegisters(): Uint8Array {
    if (this.#registers === undefined) {
      this.#registers = this.#registersWith([]);
      this.#exact = undefined;
    }
    return this.#registers;
  }
}

/** A larger set is stored as registers. */
export const maxExact = 2_048;
/** An estimate above it is never one of 2,048 or fewer: that would be wrong by fifteen standard errors. */
const surelyMore = maxExact * 1.12;
/** The most pending hashes (100 kB). */
const maxWaiting = 8 * maxExact;

const sizeOf = (registers: Uint8Array) => Math.round(estimate(countRanks(registers)));

/** The hash of a visitor, 48 bits. With another salt it is another one. */
export function visitorHash(salt: string, installationId: string): number {
  return createHmac('sha256', salt).update(installationId).digest().readUIntBE(0, hashBytes);
}

/** The different hashes of written sets, ascending: sorting them takes a fifth of the time of a set. A written set is in order. */
function hashesIn(written: readonly Uint8Array[], count: number): Float64Array {
  const hashes = new Float64Array(count);
  let place = 0;
  for (const bytes of written)
    for (let at = 0; at + hashBytes <= bytes.length; at += hashBytes) hashes[place++] = hashAt(bytes, at);
  if (written.length < 2) return hashes;
  hashes.sort();
  let different = 0;
  for (const hash of hashes) if (different === 0 || hash !== hashes[different - 1]) hashes[different++] = hash;
  return hashes.subarray(0, different);
}
