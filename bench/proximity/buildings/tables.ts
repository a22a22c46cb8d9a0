import { bootstrap, quantile, rate } from '../intervals.ts';
import { percent, range } from '../site-tables.ts';
import { makeBuilding } from './building.ts';
import type { Told } from './play.ts';
import { addScores, type BuildingScore, scoreBuilding } from './score.ts';

/**
 * How the engine does in buildings that nobody has tuned it on. Even seeds are for development, odd ones are held out: only
 * these are told. What is drawn again for an interval is a building, since all in it have its radio in common.
 */

export const BUILDING_HEADINGS = [
  'told',
  'visits hit',
  'by phones of −12 dB and less',
  'duplicates',
  'false enters/h',
  'enter, exit p50 s',
  'nearest right',
  'position p50 m',
  'standing right',
  'of those within 3 m',
  'at 0.6–1.8 m enter',
  'at 3.3–4.5 m enter',
  'later changes/h',
];

const CONFIGURATIONS: readonly (Told & { readonly title: string })[] = [
  { title: 'locations, calibrated', isLocated: true, power: 'calibrated' },
  { title: 'locations, not calibrated', isLocated: true, power: 'none' },
  { title: 'calibrated', isLocated: false, power: 'calibrated' },
  { title: 'stated wrongly by the packets', isLocated: false, power: 'stated' },
  { title: 'nothing', isLocated: false, power: 'none' },
  { title: 'one beacon, calibrated', isLocated: false, power: 'calibrated', isAlone: true },
  { title: 'one beacon, stated wrongly', isLocated: false, power: 'stated', isAlone: true },
  { title: 'one beacon, nothing', isLocated: false, power: 'none', isAlone: true },
];

/** A visit counts where its beacon was the nearest of all for so long, s: one zone at a time leaves the others out rightly. */
const OWN_SECONDS = 3;

export function buildingRows(count: number, half: 'development' | 'held out' = 'held out'): string[][] {
  const buildings = Array.from({ length: count }, (_, index) =>
    makeBuilding(2 * index + (half === 'held out' ? 1 : 0)),
  );
  return CONFIGURATIONS.map(({ title, ...told }) =>
    row(
      title,
      buildings.map((building) => scoreBuilding(building, told)),
    ),
  );
}

function row(title: string, scores: readonly BuildingScore[]): string[] {
  const all = addScores(scores);
  const share = <T>(of: (score: BuildingScore) => readonly T[], value: (item: T) => number) =>
    percent(
      bootstrap(
        scores.map(of),
        (items) => items.reduce((sum, item) => sum + value(item), 0) / Math.max(1, items.length),
      ),
    );
  const own = ({ visits }: BuildingScore) => visits.filter((visit) => visit.own >= OWN_SECONDS);
  const stood = (from: number, to: number) => (score: BuildingScore) =>
    score.stood.filter(({ metres }) => metres >= from && metres < to);
  const delay = (values: readonly (number | null)[]) =>
    (
      quantile(
        values.flatMap((value) => value ?? []),
        0.5,
      ) / 1000
    ).toFixed(1);
  const has = all.visits.length > 0;
  const isPlaced = all.seconds.some(({ error }) => error !== null);
  return [
    title,
    has ? share(own, ({ isHit }) => Number(isHit)) : '–',
    has
      ? share(
          (score) => own(score).filter(({ offset }) => offset <= -12),
          ({ isHit }) => Number(isHit),
        )
      : '–',
    has ? `${all.visits.reduce((sum, { duplicates }) => sum + duplicates, 0)} of ${scores.flatMap(own).length}` : '–',
    has ? range(rate(all.falseEnters, all.streamHours), 2) : '–',
    has
      ? `${delay(all.visits.map(({ enterDelay }) => enterDelay))}, ${delay(all.visits.map((one) => one.exitDelay))}`
      : '–',
    has
      ? share(
          ({ seconds }) => seconds,
          ({ isNearestRight }) => Number(isNearestRight),
        )
      : '–',
    isPlaced
      ? quantile(
          all.seconds.flatMap(({ error }) => error ?? []),
          0.5,
        ).toFixed(1)
      : '–',
    share(
      ({ stood: each }) => each,
      ({ right }) => right,
    ),
    share(stood(0, 3), ({ right }) => right),
    share(stood(0.6, 1.8), ({ entered }) => Number(entered)),
    share(stood(3.3, 4.5), ({ entered }) => Number(entered)),
    (all.changes / all.stillHours).toFixed(1),
  ];
}
