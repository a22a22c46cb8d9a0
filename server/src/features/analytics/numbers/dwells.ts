/**
 * How long visits took, as a histogram whose bins grow by an eighth of an octave: histograms can be added, and a quantile of
 * one is within 4.5 % of the true one, or below a second within a second.
 */
export class Dwells {
  readonly #counts = new Map<number, number>();

  /** @param seconds how long a visit took */
  add(seconds: number): void {
    this.#count(seconds < 1 ? 0 : Math.min(lastBin, 1 + Math.floor(Math.log2(seconds) * binsPerOctave)), 1);
  }

  /** Adds what another histogram was written as. */
  addWritten(text: string): void {
    if (text === '') return;
    for (const part of text.split(',')) {
      const [bin = '', count = ''] = part.split(':');
      this.#count(Number(bin), Number(count));
    }
  }

  write(): string {
    return this.#sorted()
      .map(([bin, count]) => `${bin}:${count}`)
      .join(',');
  }

  /** The dwell (seconds) that a `share` of the visits did not exceed, by the nearest rank; null without visits. */
  quantile(share: number): number | null {
    const bins = this.#sorted();
    const all = bins.reduce((sum, [, count]) => sum + count, 0);
    let left = Math.max(1, Math.ceil(share * all));
    for (const [bin, count] of bins) {
      left -= count;
      if (left <= 0) return bin === 0 ? 0 : middleOf(bin);
    }
    return null;
  }

  /** The middle of each bin (seconds) with its count. */
  middles(): [number, number][] {
    return this.#sorted().map(([bin, count]) => [bin === 0 ? 0 : middleOf(bin), count]);
  }

  #count(bin: number, count: number): void {
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + count);
  }

  #sorted(): [number, number][] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

const binsPerOctave = 8;
/** Of visits of more than twelve days. */
const lastBin = 1 + 20 * binsPerOctave;

const middleOf = (bin: number) => Math.round(2 ** ((bin - 0.5) / binsPerOctave) * 100) / 100;
