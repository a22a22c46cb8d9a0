import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Block, Loading } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import { peaksAsked, staysAsked } from './asked.ts';
import { AnalyticsHead, comparedText, NobodyThere, useQuestion } from './head.tsx';
import { comparedIn, type Period, placeOf } from './period.ts';
import { type CsvRows, csvOfPeriods } from './plot/csv.ts';
import { type Colours, countAxis, Plot, useBelowPlot } from './plot/plot.tsx';
import type { peaksQuery } from './queries.ts';
import { useWayNames } from './site.ts';
import { countText, dwellText, plotted, weekdays } from './words.ts';
import { ZoneForecasts } from './zone-forecasts.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics/peaks');
const path = '/apps/$appId/activity/analytics/peaks';

/** Where and when most visitors were at once, and how long they waited. */
export function PeaksPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const question = useQuestion(appId, path, search);
  const { period, site } = question;
  const { from } = period;
  const place = placeOf(search);
  const asked = { appId, period, search };
  const { data, error } = useQuery(peaksAsked(asked));
  const { data: stays } = useQuery(staysAsked(asked));
  const compared = comparedIn(search, period);
  const { data: past } = useQuery({
    ...peaksAsked({ ...asked, period: compared ?? period }),
    enabled: compared !== undefined,
  });
  // Where nothing is compared, the query is that of the page itself.
  const before = compared && past && new Map(maxOf(past.rows).map(({ row }) => [placeKey(row), row.peak]));
  const below = useBelowPlot();
  const nameOf = useWayNames(appId, site, [...(data?.rows ?? []), ...(past?.rows ?? [])]);
  const stayAt = new Map(stays?.rows.map((row) => [placeKey(row), row]));
  const most = maxOf(data?.rows ?? []);
  const rows = most.map(({ row, when }) => {
    const was = compared ? [before ? countText(before.get(placeKey(row)) ?? 0) : '–'] : [];
    const stay = stayAt.get(placeKey(row));
    const stays = [dwellText(stay?.dwellMedian), dwellText(stay?.dwellUpperQuartile)];
    return [nameOf(row), countText(row.peak), when, ...stays, ...was];
  });
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path={path}
        search={search}
        about={t(
          'Where and when most visitors were at once, and how long they stayed there: in a queue, how long they waited.',
        )}
        question={question}
        isPlain
      />
      <Loading data={data} error={error} height={420} />
      {data && rows.length === 0 && (
        <Box mb="md">
          <NobodyThere search={search} question={question} />
        </Box>
      )}
      {data && rows.length > 0 && (
        <Block
          title={t('Most at once')}
          about={t('The most visitors at the same moment, and when that was for the first time.')}
        >
          <PeaksPlot
            rows={rows}
            from={from}
            compared={compared}
            csv={csvOfPeriods(
              { period, rows: csvOf(data.rows, nameOf) },
              compared && { period: compared, rows: past && csvOf(past.rows, nameOf) },
            )}
            onDrawn={below.onDrawn}
          />
        </Block>
      )}
      {search.beacon !== undefined && (
        <Text c="dimmed" maw="42rem" mt="md">
          {t('What the next open day may bring is told of zones, not of one beacon.')}
        </Text>
      )}
      {data && search.beacon === undefined && (below.isShown || rows.length === 0) && (
        <ZoneForecasts appId={appId} place={place} site={site} />
      )}
    </>
  );
}

type Row = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof peaksQuery>['queryFn']>>>>['rows'][number];

const placeKey = ({ zoneId, beaconId }: Pick<Row, 'zoneId' | 'beaconId'>) => zoneId ?? beaconId ?? '';
const sizeOf = ({ peak }: Row) => plotted(peak) ?? 0;

/** The fullest moment of each place, the fullest place first. */
function maxOf(rows: readonly Row[]) {
  const most = new Map<string, Row>();
  for (const row of rows) {
    const key = placeKey(row);
    const known = most.get(key);
    if (!known || sizeOf(row) > sizeOf(known)) most.set(key, row);
  }
  return [...most.values()].sort((a, b) => sizeOf(b) - sizeOf(a)).map((row) => ({ row, when: whenOf(row) }));
}

function whenOf({ start, weekday, hour }: Row): string {
  if (start === undefined) return `${weekdays[(weekday ?? 1) - 1]} ${hour}:00`;
  return start.replace('T', ', ');
}

function csvOf(rows: readonly Row[], nameOf: (row: Row) => string): string[][] {
  const header = ['zoneId', 'beaconId', 'place', 'start', 'weekday', 'hour', 'peak'];
  const cells = rows.map((row) => [
    row.zoneId ?? '',
    row.beaconId ?? '',
    nameOf(row),
    row.start ?? '',
    String(row.weekday ?? ''),
    String(row.hour ?? ''),
    String(row.peak ?? ''),
  ]);
  return [header, ...cells];
}

interface PlotProps {
  /** Place, peak, when, median stay, upper quartile, and the peak of the period that is compared with. */
  readonly rows: readonly (readonly string[])[];
  readonly compared: Period | undefined;
  readonly csv: CsvRows;
  readonly from: string;
  readonly onDrawn: () => void;
}

function PeaksPlot({ rows, compared, csv, from, onDrawn }: PlotProps) {
  const name = compared && comparedText(compared);
  const option = useMemo(() => {
    const shown = rows.slice(0, 15).toReversed();
    const size = (text = '') => (text === '1–4' ? 2.5 : Number(text.replace(/\D/g, '')) || 0);
    return (colours: Colours) => ({
      textStyle: { color: colours.text, fontFamily: 'inherit' },
      grid: { left: 8, right: 24, top: 4, bottom: 4, containLabel: true },
      tooltip: { trigger: 'axis', renderMode: 'richText', confine: true },
      xAxis: countAxis(colours),
      yAxis: {
        type: 'category',
        data: shown.map(([name = '']) => name),
        axisLabel: { color: colours.text },
        axisLine: { lineStyle: { color: colours.line } },
        axisTick: { show: false },
      },
      series: [
        {
          name: t('At once'),
          type: 'bar',
          data: shown.map(([, peak]) => size(peak)),
          itemStyle: { color: colours.main, borderRadius: [0, 3, 3, 0] },
          barMaxWidth: 18,
        },
        ...(name
          ? [
              {
                name,
                type: 'bar',
                data: shown.map((row) => size(row.at(-1))),
                itemStyle: { color: colours.quiet, borderRadius: [0, 3, 3, 0] },
                barMaxWidth: 8,
              },
            ]
          : []),
      ],
    });
  }, [rows, name]);
  const header = [t('Place'), t('At once'), t('When'), t('Stay (median)'), t('Three quarters stayed up to')];
  const table = { header: [...header, ...(name ? [name] : [])], rows };
  return (
    <Plot
      label={t('Most visitors at once by place')}
      option={option}
      table={table}
      csv={csv}
      fileName={`peaks-${from}`}
      onDrawn={onDrawn}
    />
  );
}
