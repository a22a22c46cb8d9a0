/** What may be concluded from shares of groups. */

export interface ActedShare {
  /** How many of the group acted. */
  readonly acted: number;
  /** The size of the group. */
  readonly of: number;
  /** The standard deviation of both numbers where they are told with noise. */
  readonly deviation?: number;
}

/** From 0 to 1 for a share; a difference of shares reaches from -1 to 1. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
}

/** Of the normal distribution, for 95 %. */
const z = 1.959964;

/**
 * The score interval of a share, 95 %: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
 * the American Statistical Association 22 (1927), 209–212. Right for small groups and for shares near 0 and 1 too.
 */
export function shareInterval({ acted, of, deviation = 0 }: ActedShare): ConfidenceInterval {
  if (of === 0) return { low: 0, high: 1 };
  const share = acted / of;
  const middle = share + (z * z) / (2 * of);
  const reach = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const whole = 1 + (z * z) / of;
  // What the noise of both numbers adds to the share is independent of chance.
  const noise = (z * deviation * Math.sqrt(1 + share * share)) / of;
  const [low, high] = [share - (middle - reach) / whole, (middle + reach) / whole - share];
  return { low: Math.max(0, share - Math.hypot(low, noise)), high: Math.min(1, share + Math.hypot(high, noise)) };
}

/**
 * The interval of the difference of two shares of separate groups, 95 %: method 10 of R. G. Newcombe, "Interval estimation for the
 * difference between independent proportions", Statistics in Medicine 17 (1998), 873–890, which joins the score intervals of both.
 */
export function differenceInterval(one: ActedShare, other: ActedShare): ConfidenceInterval {
  const [a, b] = [one.acted / one.of, other.acted / other.of];
  const [ofA, ofB] = [shareInterval(one), shareInterval(other)];
  return {
    low: a - b - Math.sqrt((a - ofA.low) ** 2 + (ofB.high - b) ** 2),
    high: a - b + Math.sqrt((ofA.high - a) ** 2 + (b - ofB.low) ** 2),
  };
}

/** Groups of fewer people are not compared: one more or less would change the sentence. */
const fewestCompared = 20;

export interface Compared extends ConfidenceInterval {
  /** Share of the first minus share of the second. */
  readonly difference: number;
  /** The interval lies on one side of zero. */
  readonly isClear: boolean;
}

/** Undefined where a group is too small. */
export function compared(one: ActedShare, other: ActedShare): Compared | undefined {
  if (one.of < fewestCompared || other.of < fewestCompared) return undefined;
  const interval = differenceInterval(one, other);
  return {
    difference: one.acted / one.of - other.acted / other.of,
    ...interval,
    isClear: interval.low > 0 || interval.high < 0,
  };
}

const number = new Intl.NumberFormat('en-GB');
const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
const points = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.abs(Math.round(share * 1000) / 10)}`;

export interface NamedShare extends ActedShare {
  /** `who got it`, `who got A` */
  readonly who: string;
}

/** A sentence for somebody who has to decide, without a word of statistics that needs explaining. */
export function conclusion(one: NamedShare, other: NamedShare, result: Compared | undefined): string {
  if (result === undefined) {
    const small = Math.min(one.of, other.of);
    return `Too few visitors to compare: ${number.format(small)} in the smaller group, and at least ${fewestCompared} are needed.`;
  }
  const shares =
    `Of ${number.format(one.of)} ${one.who} ${percent(one.acted / one.of)} reached the goal, ` +
    `of ${number.format(other.of)} ${other.who} ${percent(other.acted / other.of)}`;
  if (!result.isClear) return `${shares}; the difference may be chance.`;
  const direction = result.difference > 0 ? 'more' : 'fewer';
  return (
    `${shares}: ${direction} than chance alone explains. The difference is ${points(result.difference)} points, ` +
    `and most likely between ${points(result.low)} and ${points(result.high)}.`
  );
}
