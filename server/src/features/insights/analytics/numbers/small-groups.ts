import { type Blur, type Count, fewest, smallGroup } from '../../../blur.ts';
import type { Dimension } from './places.ts';
import type { DwellBand, Metrics } from './schemas.ts';
import type { Tally } from './tally.ts';

/**
 * Numbers as they are shown. Where small groups are protected, 1 to 4 visitors are `1-4` and nothing more is said about them, and
 * everything else is blurred, so that several numbers together name nobody either; see ADR 33 and 110.
 */

const withheld: Omit<Metrics, 'visitors'> = {
  newVisitors: null,
  returningVisitors: null,
  visits: null,
  dwellMedian: null,
  dwellLowerQuartile: null,
  dwellUpperQuartile: null,
  dwellMean: null,
  dwellTotal: null,
};

/**
 * Whether new visitors are known of what is counted by these. Whoever is new has been counted where the first visit in the app was: at
 * the door, but in no other room of that day.
 */
const knowsNew = (dimension: Dimension | undefined): boolean => dimension === undefined || dimension === 'venue';

/**
 * @param blur where small groups are protected
 * @param dimension of the places of which these are the visits; undefined: of the whole app
 */
export function metricsOf(tally: Tally, blur: Blur | undefined, dimension?: Dimension): Metrics {
  const metrics = countsOf(tally, blur);
  return knowsNew(dimension) ? metrics : { ...metrics, newVisitors: null, returningVisitors: null };
}

function countsOf(tally: Tally, blur: Blur | undefined): Metrics {
  const size = tally.visitors.size();
  // Of a large set the size is an estimate, and whoever is new has been counted.
  const newcomers = Math.min(tally.newcomers, size);
  const rest = dwellOf(tally, blur !== undefined);
  if (blur === undefined)
    return {
      visitors: size,
      newVisitors: newcomers,
      returningVisitors: size - newcomers,
      visits: tally.visits,
      ...rest,
    };
  const cell = contentOf(tally);
  const visitors = blur.blurred(size, 'visitors', cell);
  if (visitors === smallGroup) return { ...withheld, visitors };
  const among = (count: number, name: string) => lesser(blur.blurred(count, name, cell), visitors);
  const visits = blur.blurred(tally.visits, 'visits', cell);
  return {
    visitors,
    newVisitors: among(newcomers, 'new'),
    returningVisitors: among(size - newcomers, 'returning'),
    // Each of them came once at least.
    visits: visits === smallGroup ? visitors : Math.max(visits, visitors),
    ...rest,
  };
}

/**
 * What the noise of a number depends on besides the number: whose visits these are. How long they took or how many have ended must not
 * count: whoever asks again and again while a day goes on would get as many numbers to average.
 */
const contentOf = ({ visitors }: Tally) => `${visitors.least()}`;

const lesser = (count: Count, most: number): Count => (typeof count === 'number' ? Math.min(count, most) : count);

/** The dwell times. A protected answer has no mean: a sum would reveal what the last visit added. */
function dwellOf({ ended, dwells, dwellMs }: Tally, isProtected: boolean) {
  const isShown = ended > 0 && (!isProtected || ended >= fewest);
  return {
    dwellMedian: isShown ? dwells.quantile(0.5) : null,
    dwellLowerQuartile: isShown ? dwells.quantile(0.25) : null,
    dwellUpperQuartile: isShown ? dwells.quantile(0.75) : null,
    dwellMean: isShown && !isProtected ? Math.round(dwellMs / ended / 100) / 10 : null,
    dwellTotal: isShown ? totalOf({ dwells, dwellMs }, isProtected) : ended === 0 ? 0 : null,
  };
}

/** Where small groups are protected, sums are rounded to what five visits take, so that no single visit can be found. */
function totalOf({ dwells, dwellMs }: Pick<Tally, 'dwells' | 'dwellMs'>, isProtected: boolean): number {
  const seconds = Math.round(dwellMs / 100) / 10;
  if (!isProtected) return seconds;
  const step = fewest * Math.max(1, Math.round(dwells.quantile(0.75) ?? 1));
  return Math.round(seconds / step) * step;
}

const bandEdges = [0, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400] as const;

/** A visit near the edge of a band may be in the next one: the histogram is within 4.5 %. */
export function distributionOf(tally: Tally, blur: Blur | undefined): DwellBand[] {
  const { dwells } = tally;
  const counts = bandEdges.map(() => 0);
  for (const [seconds, count] of dwells.middles()) {
    const band = bandEdges.findLastIndex((edge) => edge <= seconds);
    counts[band] = (counts[band] ?? 0) + count;
  }
  const cell = contentOf(tally);
  return bandEdges.map((from, index) => {
    const count = counts[index] ?? 0;
    const visits = blur ? blur.blurred(count, 'stays', `${from} ${cell}`) : count;
    return { from, until: bandEdges[index + 1] ?? null, visits };
  });
}
