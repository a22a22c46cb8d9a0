/** Whole numbers as bytes: seven bits in each, the lowest first, with a mark on all but the last. */

export class NumberWriter {
  #bytes = Buffer.allocUnsafe(1_024);
  #length = 0;

  /** From 0 to 2^53. */
  add(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Also negative, half the range. */
  addSigned(value: number): void {
    this.add(value < 0 ? -value * 2 - 1 : value * 2);
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

export class NumberReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    // Most are small.
    const first = this.#bytes[this.#place++] ?? 0;
    if (first < 0x80) return first;
    const second = this.#bytes[this.#place++] ?? 0;
    if (second < 0x80) return (first & 0x7f) | (second << 7);
    let value = (first & 0x7f) | ((second & 0x7f) << 7);
    for (let factor = 0x4000; ; factor *= 0x80) {
      const byte = this.#bytes[this.#place++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  nextSigned(): number {
    const value = this.next();
    if (value < 0x80000000) return value & 1 ? -((value >>> 1) + 1) : value >>> 1;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Passes over so many. */
  skip(count: number): void {
    for (let left = count; left > 0; ) if ((this.#bytes[this.#place++] ?? 0) < 0x80) left--;
  }

  /** The bytes after the numbers. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#place);
  }
}
