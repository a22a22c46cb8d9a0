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
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#place++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** The bytes after the numbers. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#place);
  }
}
