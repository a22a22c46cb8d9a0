import { bootstrap, type Interval, inBlocks, quantile, rate, shareOf } from './intervals.ts';
import type { SecondResult, SiteScore, VisitResult } from './site-score.ts';

/** The rows of the tables over whole sites; every figure with the interval that holds it in 95 of 100 repetitions. */

export const SITE_HEADINGS = [
  'engine',
  'visits hit',
  'duplicates',
  'false enters/h',
  'enter p50 s',
  'p50 m',
  'exit p50 s',
  'nearest right',
  'position p50 m',
  'p90 m',
  'in 68 % radius',
  'smoothed: nearest',
  'p50 m',
  'p90 m',
  'visit right',
  'smoothed',
  'seconds in two zones',
];

const BLOCK_SECONDS = 20;

export function siteRow({ engine, visits, seconds, falseEnters, streamHours }: SiteScore): string[] {
  const single = visits.map((visit) => [visit]);
  const blocks = inBlocks(seconds, BLOCK_SECONDS);
  const hasPosition = seconds.some(({ error }) => error !== null);
  const share = (of: (second: SecondResult) => boolean) => bootstrap(blocks, (items) => shareOf(items.map(of)));
  const metres = (at: number, of: (second: SecondResult) => number | null = ({ error }) => error) =>
    bootstrap(blocks, (items) =>
      quantile(
        items.flatMap((second) => of(second) ?? []),
        at,
      ),
    );
  const median = (of: (visit: VisitResult) => number | null) =>
    bootstrap(single, (items) =>
      quantile(
        items.flatMap((visit) => of(visit) ?? []),
        0.5,
      ),
    );
  const hits = bootstrap(single, (items) => shareOf(items.map(({ isHit }) => isHit)));
  const placed = (interval: Interval) => (hasPosition ? range(interval, 1) : '–');
  return [
    engine,
    `${visits.filter(({ isHit }) => isHit).length}/${visits.length} (${percent(hits)})`,
    String(visits.reduce((sum, { duplicates }) => sum + duplicates, 0)),
    range(rate(falseEnters, streamHours), 1),
    range(
      median(({ enterDelay }) => enterDelay && enterDelay / 1000),
      1,
    ),
    range(
      median(({ enterMetres }) => enterMetres),
      1,
    ),
    range(
      median(({ exitDelay }) => exitDelay && exitDelay / 1000),
      1,
    ),
    percent(share(({ isNearestRight }) => isNearestRight)),
    placed(metres(0.5)),
    placed(metres(0.9)),
    hasPosition ? percent(share(({ isCovered }) => isCovered)) : '–',
    hasPosition ? percent(share(({ isSmoothedRight }) => isSmoothedRight)) : '–',
    placed(metres(0.5, ({ smoothedError }) => smoothedError)),
    placed(metres(0.9, ({ smoothedError }) => smoothedError)),
    percent(share(({ isVisitRight }) => isVisitRight)),
    hasPosition ? percent(share(({ isRetimedRight }) => isRetimedRight)) : '–',
    `${seconds.filter(({ zones }) => zones > 1).length} of ${seconds.length}`,
  ];
}

export const range = ({ value, low, high }: Interval, digits: number): string =>
  Number.isNaN(value) ? '–' : `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;

export const percent = ({ value, low, high }: Interval): string =>
  `${Math.round(100 * value)} % [${Math.round(100 * low)}, ${Math.round(100 * high)}]`;

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n');
}
