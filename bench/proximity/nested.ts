import { THRESHOLDS, type Thresholds } from '../../packages/engine/src/presence/thresholds.ts';
import type { Recordings } from './recordings.ts';
import { pharosSite } from './site-engines.ts';
import { type SiteScore, scoreSite } from './site-score.ts';

/**
 * Thresholds that have never met the walk on which they are scored: for each walk they are chosen from a grid on the others,
 * whose measured powers in turn come from walks other than the one scored and the one left out.
 */

const GRID: { readonly [name in keyof Thresholds]: readonly number[] } = {
  likely: [0.48, 0.52, 0.56],
  unlikely: [0.05, 0.15, 0.3],
  takeover: [1.25, 1.5, 2],
  slowVariance: [5, 8, 12],
};

export interface Fold {
  readonly walk: string;
  readonly chosen: Thresholds;
}

/** The score over all walks left out, and what was chosen for each. */
export function scoreNested(recordings: Recordings): { readonly score: SiteScore; readonly folds: readonly Fold[] } {
  const folds = recordings.walks.map((walk) => {
    const others = recordings.walks.filter((other) => other !== walk);
    return { walk, chosen: choose({ ...recordings, walks: others }) };
  });
  const scores = folds.map(({ walk, chosen }) =>
    scoreSite(engineOf(chosen), recordings, { isCalibrated: true }, [walk]),
  );
  return {
    score: { ...add(scores), engine: 'Pharos, one zone, locations, thresholds chosen on the other walks' },
    folds: folds.map(({ walk, chosen }) => ({ walk: walk.name, chosen })),
  };
}

const engineOf = (thresholds: Thresholds) => pharosSite({ name: 'Pharos', oneZone: true, isLocated: true, thresholds });

/** The product's own are one of many: nothing speaks for them but the score. */
function choose(recordings: Recordings): Thresholds {
  let best: Thresholds = THRESHOLDS;
  let most = Number.NEGATIVE_INFINITY;
  for (const thresholds of grid()) {
    const worth = worthOf(thresholds, recordings);
    if (worth > most) [best, most] = [thresholds, worth];
  }
  return best;
}

function* grid(): Generator<Thresholds> {
  for (const likely of GRID.likely)
    for (const unlikely of GRID.unlikely)
      for (const takeover of GRID.takeover)
        for (const slowVariance of GRID.slowVariance) yield { likely, unlikely, takeover, slowVariance };
}

/** A false enter and a duplicate cost what a visit is worth; between equals the nearest beacon decides. */
function worthOf(thresholds: Thresholds, recordings: Recordings): number {
  const { visits, falseEnters, seconds } = scoreSite(engineOf(thresholds), recordings, { isCalibrated: true });
  const hits = visits.filter(({ isHit }) => isHit).length;
  const duplicates = visits.reduce((sum, visit) => sum + visit.duplicates, 0);
  const right = seconds.filter(({ isNearestRight }) => isNearestRight).length / Math.max(1, seconds.length);
  return hits - falseEnters - duplicates + right;
}

function add(scores: readonly SiteScore[]): Omit<SiteScore, 'engine'> {
  const sum = (of: (score: SiteScore) => number) => scores.reduce((total, score) => total + of(score), 0);
  return {
    visits: scores.flatMap(({ visits }) => visits),
    seconds: scores.flatMap(({ seconds }) => seconds),
    falseEnters: sum(({ falseEnters }) => falseEnters),
    streamHours: sum(({ streamHours }) => streamHours),
  };
}

export const FOLD_HEADINGS = ['walk left out', 'likely', 'unlikely', 'takeover', 'slow variance dB²'];

export const foldRow = ({ walk, chosen: { likely, unlikely, takeover, slowVariance } }: Fold): string[] => [
  walk,
  ...[likely, unlikely, takeover, slowVariance].map(String),
];
