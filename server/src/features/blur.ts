import { hash } from 'node:crypto';

/**
 * Counts as they are told where small groups are protected: with noise, in fives, and of 1 to 4 only that there was somebody. Numbers that are
 * only rounded can be joined until a small group is known exactly: seven days of `1-4` visits and a week of 5 (so 7 at most) are seven
 * days of one visit each. The noise has no limit, so no number says how many there were at most; see ADR 110.
 */

export const smallGroup = '1-4';
export type Count = number | typeof smallGroup | null;

/** A group of fewer visitors is small, and is protected. */
export const fewest = 5;

/** How much less often the noise is larger by one. With 0.6 three of four numbers are off by two or less before they are rounded. */
const decay = 0.6;
const [halfBytes, steps] = [4, 2 ** 32];
const peak = 'peak';
/** The standard deviation of a blurred count, from its noise and its rounding together. */
export const blurDeviation = Math.sqrt((2 * decay) / (1 - decay) ** 2 + fewest ** 2 / 12);

export class Blur {
  readonly #salt: string;
  /** A year has many peaks of the same size at a place. */
  readonly #peaks = new Map<string, Exclude<Count, null>>();

  /** @param salt known to nobody, and the same as long as the numbers are */
  constructor(salt: string) {
    this.#salt = salt;
  }

  /**
   * @param name of what is counted
   * @param content whose visits or which message: the same number of the same people is told in the same way whichever question it answers and
   *   whenever it is asked, so that asking twice says nothing more
   */
  blurred(count: number, name: string, content: string): Exclude<Count, null> {
    if (count === 0) return 0;
    if (count < fewest) return smallGroup;
    const inFives = Math.round(this.#withNoise(count, name, content) / fewest) * fewest;
    return inFives < fewest ? smallGroup : inFives;
  }

  /**
   * The most at once at a place, the same whether a day is asked about or its hours. Rounding would not be enough: a zone has at most as
   * many as its beacons together.
   */
  peak(count: number, place: string): Exclude<Count, null> {
    const key = `${count} ${place}`;
    const known = this.#peaks.get(key) ?? this.blurred(count, peak, place);
    this.#peaks.set(key, known);
    return known;
  }

  /**
   * What a limit of a place is compared with: never more than there are, so that an alarm is true, and now and then a few less than there
   * are, since otherwise it would follow that there are no more than the limit as long as there is no alarm. Of fewer than five it is the
   * count itself: no limit may be set below them.
   */
  lowerBound(count: number, place: string): number {
    return count < fewest ? count : Math.min(count, this.#withNoise(count, peak, place));
  }

  #withNoise(count: number, name: string, content: string): number {
    return count + this.#noise(`${name} ${content} ${count}`);
  }

  /**
   * Two-sided geometric: 0 most often, and never more than somebody would have to reckon with. Nobody sees the hash, so the salt in
   * front is enough; an HMAC takes three times as long, and hours of two months are 12,000 numbers.
   */
  #noise(cell: string): number {
    const bytes = hash('sha256', `${this.#salt} ${cell}`, 'buffer');
    const drawn = (at: number) => Math.floor(Math.log((bytes.readUInt32BE(at) + 0.5) / steps) / Math.log(decay));
    return drawn(0) - drawn(halfBytes);
  }
}
