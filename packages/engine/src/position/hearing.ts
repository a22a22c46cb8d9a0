import type { Pass, ReceiverOffset } from '../presence/types.ts';
import { OFFSET_VARIANCE } from './fix.ts';

/**
 * How loudly an installation hears, from one visit to the next. A track learns it as its phone moves about and is deleted after
 * days; what it learned from each beacon passed is summed up here: for the installation, for phones of its model, and for all of
 * the site. A visitor who returns, or has a known phone model, starts from it.
 *
 * Where a position shows it, the loss is known both ways. Where only signals speak, the mean pass is taken to lead to the edge
 * of the radius, one standard error is subtracted, and only a phone that is too quiet is corrected, as in passes.ts.
 */

/** Number of passes and sum of what was lost in them beyond what was expected, dB. */
interface Residuals {
  readonly n: number;
  readonly r: number;
}

/** What was learned in two halves, each of which shows whether the other one holds. */
export type Halves = readonly [Residuals, Residuals];

/** What is known of a phone, a model or a site. */
export interface Hearing {
  /** By positions. */
  readonly placed: Halves;
  /** By signals alone. */
  readonly heard: Halves;
}

const none: Halves = [
  { n: 0, r: 0 },
  { n: 0, r: 0 },
];
export const noHearing: Hearing = { placed: none, heard: none };

/** Variance of one pass, dB². */
const SPREAD = 36;
/** How far phones differ, dB². */
const PHONES = 36;
/** The same phone is in a hand today and in a bag tomorrow, dB². */
const OF_ONE_PHONE = 16;
/** Two of one model differ a little more, dB². */
const OF_ONE_MODEL = 25;
/** Fewer passes show nothing. */
const LEAST_PASSES = 6;
/** Of more the older ones count half: phones get another case. */
const MAX_PASSES = 400;
/** More is a broken phone, dB. */
const MAX_LOSS = 20;
/** How long passes count for one half before they count for the other, ms. */
const HALF_MS = 60_000;
/** How far phones differ among themselves, dB: a site has to be quieter or louder by more to be so. */
const SITE_LEAST = 6;
/**
 * A phone that is there all day is one phone: after this many passes it counts half for its model and its site, and at most this
 * many passes of one report count.
 */
const HALF_WEIGHT = 20;

/** Takes in what an installation has measured; `at` (ms) says for which half it counts. */
export function addPasses(hearing: Hearing, passes: readonly Pass[], at: number): Hearing {
  return addWeighted(hearing, passes, { half: Math.floor(at / HALF_MS) % 2, weight: 1 });
}

/**
 * The same for all phones of a model or of a site. `own` is what is known of the installation that measured. Each counts for one
 * half or the other, so that one phone's peculiarity is not taken for everyone's.
 */
export function addPassesOf(installationId: string, own: Hearing, { to, passes }: Common): Hearing {
  const known = countOf(own.placed) + countOf(own.heard);
  // What is reported together also comes from one phone.
  const weight = Math.min(1, HALF_WEIGHT / passes.length) / (1 + known / HALF_WEIGHT);
  return addWeighted(to, passes, { half: halfOf(installationId), weight });
}

export interface Common {
  readonly to: Hearing;
  readonly passes: readonly Pass[];
}

interface Weighted {
  readonly half: number;
  readonly weight: number;
}

function addWeighted(hearing: Hearing, passes: readonly Pass[], { half, weight }: Weighted): Hearing {
  let { placed, heard } = hearing;
  for (const { excess, receiverOffset } of passes)
    if (receiverOffset === undefined) heard = noted(heard, half, { n: weight, r: weight * excess });
    else placed = noted(placed, half, { n: weight, r: weight * receiverOffset });
  return { placed, heard };
}

function noted([a, b]: Halves, half: number, one: Residuals): Halves {
  const next: Halves = half === 0 ? [sum(a, one), b] : [a, sum(b, one)];
  return countOf(next) > MAX_PASSES ? [halved(next[0]), halved(next[1])] : next;
}

/** Null if nothing known would have improved the prediction of data from which it was not learned. */
export function offsetOf({ placed, heard }: Hearing): ReceiverOffset | null {
  const sure = fitted(placed);
  if (sure !== null) return sure;
  const found = fitted(heard);
  if (found === null) return null;
  const loss = found.loss - Math.sqrt(found.variance);
  return loss > 0 ? { loss, variance: found.variance } : null;
}

/** How a track starts: from the phone itself, else its model, else the site; null: as if all phones were alike. */
export function receiverOffsetOf(
  own: ReceiverOffset | null,
  { model, site }: { readonly model: ReceiverOffset | null; readonly site: ReceiverOffset | null },
): ReceiverOffset | null {
  if (own !== null) return { loss: own.loss, variance: own.variance + OF_ONE_PHONE };
  if (model !== null) return { loss: model.loss, variance: model.variance + OF_ONE_MODEL };
  return site === null || Math.abs(site.loss) < SITE_LEAST ? null : { loss: site.loss, variance: OFFSET_VARIANCE };
}

function fitted(halves: Halves): ReceiverOffset | null {
  const [a, b] = halves;
  if (countOf(halves) < LEAST_PASSES || !helps(a, b) || !helps(b, a)) return null;
  const all = sum(a, b);
  const loss = Math.min(MAX_LOSS, Math.max(-MAX_LOSS, fit(all)));
  return { loss, variance: SPREAD / (all.n + SPREAD / PHONES) };
}

/** Whether the mean square of what is left of `test` is smaller than without what `learn` says. */
function helps(learn: Residuals, test: Residuals): boolean {
  const loss = fit(learn);
  return loss * (loss * test.n - 2 * test.r) < 0;
}

/** The mean, shrunk towards none by a normal prior. */
const fit = ({ n, r }: Residuals) => r / (n + SPREAD / PHONES);

export const countOf = ([a, b]: Halves): number => a.n + b.n;

const sum = (a: Residuals, b: Residuals): Residuals => ({ n: a.n + b.n, r: a.r + b.r });
const halved = ({ n, r }: Residuals): Residuals => ({ n: n / 2, r: r / 2 });

function halfOf(id: string): number {
  let bits = 0;
  for (let index = 0; index < id.length; index++) bits ^= id.charCodeAt(index);
  return (bits ^ (bits >> 1) ^ (bits >> 2) ^ (bits >> 3)) & 1;
}
