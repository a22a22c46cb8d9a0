/**
 * How long visits took, as a histogram whose bins grow by an eighth of an octave: histograms can be added, and a quantile of
 * one is within 4.5 % of the true one, or below a second within a second.
 */
export class Dwells {
  /** The approximate bytes of memory. */
  static readonly bytes = 1_500;

  readonly #counts = new Float64Array(lastBin + 1);

  /** @param seconds how long a visit took */
  add(seconds: number): void {
    this.#count(seconds < 1 ? 0 : Math.min(lastBin, 1 + Math.floor(Math.log2(seconds) * binsPerOctave)), 1);
  }

  /** Adds what another histogram was written as. Thousands are read for an answer, so that no text is made of each part. */
  addWritten(text: string): void {
    let [bin, number] = [0, 0];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === colon) {
        bin = number;
        number = 0;
      } else if (code === comma) {
        this.#count(bin, number);
        number = 0;
      } else number = number * 10 + code - zero;
    }
    if (text !== '') this.#count(bin, number);
  }

  addAll(other: Dwells): void {
    for (let bin = 0; bin <= lastBin; bin++) this.#count(bin, other.#counts[bin] ?? 0);
  }

  write(): string {
    return this.#used()
      .map(([bin, count]) => `${bin}:${count}`)
      .join(',');
  }

  /** The dwell (seconds) that a `share` of the visits did not exceed, by the nearest rank; null without visits. */
  quantile(share: number): number | null {
    let all = 0;
    for (let bin = 0; bin <= lastBin; bin++) all += this.#counts[bin] ?? 0;
    let left = Math.max(1, Math.ceil(share * all));
    for (let bin = 0; bin <= lastBin; bin++) {
      left -= this.#counts[bin] ?? 0;
      if (left <= 0) return bin === 0 ? 0 : middleOf(bin);
    }
    return null;
  }

  /** The middle of each bin (seconds) with its count. */
  middles(): [number, number][] {
    return this.#used().map(([bin, count]) => [bin === 0 ? 0 : middleOf(bin), count]);
  }

  #count(bin: number, count: number): void {
    this.#counts[bin] = (this.#counts[bin] ?? 0) + count;
  }

  #used(): [bin: number, count: number][] {
    return [...this.#counts.entries()].filter(([, count]) => count > 0);
  }
}

const [colon, comma, zero] = [58, 44, 48];
const binsPerOctave = 8;
/** Of visits of more than twelve days. */
const lastBin = 1 + 20 * binsPerOctave;

const middleOf = (bin: number) => Math.round(2 ** ((bin - 0.5) / binsPerOctave) * 100) / 100;
