import { t } from '../../lib/words/words.ts';
import type { PlaceKind } from './period.ts';
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

/** The columns of the interface. */
export function csvOf(
  rows: readonly NumberRow[],
  places: readonly ('start' | 'weekday' | 'hour' | `${PlaceKind}Id`)[],
  name?: readonly [column: string, of: (row: NumberRow) => string],
): string[][] {
  const header = [...places, ...(name ? [name[0]] : []), ...metricNames];
  const cells = rows.map((row) => [
    ...places.map((place) => String(row[place] ?? '')),
    ...(name ? [name[1](row)] : []),
    ...metricNames.map((metric) => String(row[metric] ?? '')),
  ]);
  return [header, ...cells];
}

const [visitors, ...otherMetrics] = [t('Visitors'), t('Visits'), t('Stay (median)'), t('Middle half')];
export const metricHeader = [visitors, t('New'), t('Returning'), ...otherMetrics];
/** A visitor is new at the first beacon in the app. For a single room the number would mislead: it would nearly always be zero. */
export const placeHeader = [visitors, ...otherMetrics];

export const metricCells = (row: Omit<NumberRow, 'start'>): string[] => [
  countText(row.visitors),
  countText(row.newVisitors),
  countText(row.returningVisitors),
  ...stayCells(row),
];

export const placeCells = (row: Omit<NumberRow, 'start'>): string[] => [countText(row.visitors), ...stayCells(row)];

const stayCells = (row: Omit<NumberRow, 'start'>): string[] => [
  countText(row.visits),
  dwellText(row.dwellMedian),
  row.dwellLowerQuartile === null
    ? '–'
    : t('{from} to {to}', { from: dwellText(row.dwellLowerQuartile), to: dwellText(row.dwellUpperQuartile) }),
];
