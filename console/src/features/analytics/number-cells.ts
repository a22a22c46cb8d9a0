import { t } from '../../lib/words/words.ts';
import type { PlaceKind } from './period.ts';
import { inSeconds } from './plot/csv.ts';
import type { NumberRow } from './queries.ts';
import { countText, dwellText } from './words.ts';

/** Numbers of visits as the cells of tables. */

const metricNames = [
  'visitors',
  'newVisitors',
  'returningVisitors',
  'visits',
  'dwellMedian',
  'dwellLowerQuartile',
  'dwellUpperQuartile',
  'dwellMean',
  'dwellTotal',
] as const;

/** Whether it is known who is new where these are the visits of a place of a kind; undefined: of everything. Of rooms nobody knows it. */
export const knowsNew = (kind: PlaceKind | undefined): boolean => kind === undefined || kind === 'venue';

const isOfNew = (name: string) => name === 'newVisitors' || name === 'returningVisitors';

interface Saved {
  /** Of whose visits these are. */
  readonly kind: PlaceKind | undefined;
  readonly places: readonly ('start' | 'weekday' | 'hour' | `${PlaceKind}Id`)[];
  readonly name?: readonly [column: string, of: (row: NumberRow) => string];
}

/** The columns of the interface. */
export function csvOf(rows: readonly NumberRow[], { kind, places, name }: Saved): string[][] {
  const metrics = metricNames.filter((metric) => knowsNew(kind) || !isOfNew(metric));
  const isOfTime = (metric: string) => metric.startsWith('dwell');
  const header = [
    ...places,
    ...(name ? [name[0]] : []),
    ...metrics.map((metric) => (isOfTime(metric) ? inSeconds(metric) : metric)),
  ];
  const cells = rows.map((row) => [
    ...places.map((place) => String(row[place] ?? '')),
    ...(name ? [name[1](row)] : []),
    ...metrics.map((metric) => String(row[metric] ?? '')),
  ]);
  return [header, ...cells];
}

type Metrics = Omit<NumberRow, 'start'>;

const columns: readonly (readonly [title: string, of: (row: Metrics) => string, isOfNew?: true])[] = [
  [t('Visitors'), ({ visitors }) => countText(visitors)],
  [t('New'), ({ newVisitors }) => countText(newVisitors), true],
  [t('Returning'), ({ returningVisitors }) => countText(returningVisitors), true],
  [t('Visits'), ({ visits }) => countText(visits)],
  [t('Stay (median)'), ({ dwellMedian }) => dwellText(dwellMedian)],
  [
    t('Usually'),
    ({ dwellLowerQuartile, dwellUpperQuartile }) =>
      dwellLowerQuartile === null
        ? '–'
        : t('{from} to {to}', { from: dwellText(dwellLowerQuartile), to: dwellText(dwellUpperQuartile) }),
  ],
];

/** The columns of a table about places of a kind; undefined: about everything. */
export function metricColumns(kind: PlaceKind | undefined) {
  const shown = columns.filter(([, , isOfNew]) => knowsNew(kind) || !isOfNew);
  return {
    header: shown.map(([title]) => title),
    cells: (row: Metrics): string[] => shown.map(([, of]) => of(row)),
  };
}
