import { useQuery } from '@tanstack/react-query';
import { Block } from '../../components/page/blocks.tsx';
import { inSentence, t } from '../../lib/words/words.ts';
import { csvOf, metricColumns } from './number-cells.ts';
import { type AnalyticsSearch, type Period, type PlaceKind, placeKinds, placeOf } from './period.ts';
import { csvOfPeriods } from './plot/csv.ts';
import { CsvButton } from './plot/csv-button.tsx';
import { NumberTable } from './plot/number-table.tsx';
import { type NumberRow, numbersQuery, type VisitNumbers } from './queries.ts';
import { type SiteOf, usePlaceNames } from './site.ts';

const groupWord = { venue: t('Venue'), floor: t('Floor'), zone: t('Zone'), beacon: t('Beacon') } as const;
const groupWords = { venue: t('Venues'), floor: t('Floors'), zone: t('Zones'), beacon: t('Beacons') } as const;

interface PlacesProps {
  readonly appId: string;
  readonly period: Period;
  readonly search: AnalyticsSearch;
  readonly site: SiteOf | undefined;
}

export function PlacesBlock({ appId, period, search, site }: PlacesProps) {
  const chosen = placeKinds.findIndex((kind) => search[kind] !== undefined);
  const smaller = placeKinds.slice(chosen + 1).filter((kind) => kind === 'beacon' || (site?.zones.length ?? 0) > 0);
  // One venue has the numbers of everything.
  const kinds = smaller.filter((kind) => kind !== 'venue' || (site?.venues.length ?? 0) > 1);
  return kinds.map((kind) => (
    <PlaceTable key={kind} kind={kind} appId={appId} period={period} search={search} site={site} />
  ));
}

function PlaceTable({ kind, appId, period, search, site }: PlacesProps & { readonly kind: PlaceKind }) {
  const { from, until } = period;
  const { data } = useQuery(numbersQuery(appId, { from, until, groupBy: kind, ...placeOf(search) }));
  const idOf = (row: NumberRow) => row[`${kind}Id`] ?? '';
  const rows = (data?.rows ?? []).toSorted((a, b) => rank(b.visitors) - rank(a.visitors));
  const names = usePlaceNames(appId, site, { kind, ids: rows.map(idOf) });
  const nameOf = (row: NumberRow) => names(idOf(row));
  if (rows.length === 0) return null;
  const title = groupWords[kind];
  const { header, cells } = metricColumns(kind);
  const table = {
    header: [groupWord[kind], ...header],
    rows: rows.map((row) => [nameOf(row), ...cells(row)]),
  };
  return (
    <Block title={title} about={t('A visitor at two {title} counts at both.', { title: inSentence(title) })}>
      <NumberTable
        label={title}
        around={t('Visitors by {kind, select, venue {venue} floor {floor} zone {zone} other {beacon}}', { kind })}
        table={table}
      />
      <CsvButton
        label={title}
        fileName={`${kind}s-${from}`}
        rows={() => csvOfPeriods({ period, rows: csvOf(rows, { kind, places: [`${kind}Id`], name: [kind, nameOf] }) })}
      />
    </Block>
  );
}

const rank = (count: VisitNumbers['rows'][number]['visitors']) => (count === '1-4' ? 1 : (count ?? 0));
