import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Block, EmptyState, Loading } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import { flowsAsked, pathsAsked } from '../asked.ts';
import { AnalyticsHead, useQuestion } from '../head.tsx';
import { comparedIn, type Period, placeOf } from '../period.ts';
import { csvOfPeriods } from '../plot/csv.ts';
import { CsvButton } from '../plot/csv-button.tsx';
import { NumberTable } from '../plot/number-table.tsx';
import { type Colours, Plot, useBelowPlot } from '../plot/plot.tsx';
import type { Flow, WayPlace } from '../queries.ts';
import { useWayNames } from '../site.ts';
import { countText, dwellText, plotted } from '../words.ts';
import { type Before, comparedColumn, comparedCsv } from './compared.ts';
import { endOf, pathCsv } from './flow-csv.ts';
import { busiestOf, linksAround, type NamedMove, plainName, roomForNames, sideOf } from './sankey.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics/ways');
const path = '/apps/$appId/activity/analytics/ways';

/** Where visitors came in, where they went from there, and which ways they took through the house. */
export function WaysPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const question = useQuestion(appId, path, search);
  const { period, site } = question;
  const { from } = period;
  const { data, error } = useQuery(flowsAsked({ appId, period, search }));
  const { data: found } = useQuery(pathsAsked({ appId, period, search }));
  const compared = comparedIn(search, period);
  const { data: past } = useQuery({
    ...flowsAsked({ appId, period: compared ?? period, search }),
    enabled: compared !== undefined,
  });
  const before = compared && { period: compared, flows: past };
  const below = useBelowPlot();
  const all = [data, before?.flows]
    .flatMap((flows) => [...(flows?.moves ?? []), ...(flows?.reaches ?? [])])
    .flatMap((flow) => [flow.from, flow.to]);
  const nameOf = useWayNames(appId, site, [...all, ...(found?.paths ?? []).flatMap(({ stops }) => stops)]);
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path={path}
        search={search}
        about={t('Where visitors came in, where they went from there, and which ways they took through the house.')}
        question={question}
        isPlain
      />
      {search.beacon !== undefined && (
        <Text c="dimmed" mb="md" maw="42rem">
          {t(
            'Ways lead from zone to zone: these are the ways of the zones in which this beacon was in the period, or its own while it was in none.',
          )}
        </Text>
      )}
      <Loading data={data} error={error} height={420} />
      {data && data.moves.length === 0 && (
        <EmptyState
          icon="pulse"
          title={t('No ways to show')}
          text={
            data.isProtected
              ? t(
                  'In this period no five visitors took the same way. Ways of fewer are not shown, so that nobody can be told apart.',
                )
              : t('As soon as visitors come to one zone after another, their ways are here.')
          }
        />
      )}
      {data && data.moves.length > 0 && (
        <>
          {data.isProtected && (
            <Text c="dimmed" mb="md" maw="42rem">
              {t('Small groups are protected: ways that one to four visitors took are not shown.')}
            </Text>
          )}
          <Block
            title={t('From zone to zone')}
            about={t(
              'Where visitors come from to one zone, and where they go from there. Choose another zone above; all ways are in the table.',
            )}
          >
            <FlowPlot
              moves={data.moves}
              before={before}
              nameOf={nameOf}
              period={period}
              middle={search.zone === undefined ? undefined : nameOf({ zoneId: search.zone })}
              onDrawn={below.onDrawn}
            />
          </Block>
          {below.isShown && <Ends moves={data.moves} before={before} nameOf={nameOf} />}
          {below.isShown && (found?.paths.length ?? 0) > 0 && (
            <Block
              title={t('The commonest paths')}
              about={
                placeOf(search)['venueId'] === undefined && Object.keys(placeOf(search)).length > 0
                  ? t('Tours that pass this place among their first five zones, from coming in to leaving.')
                  : t('All of a tour, from coming in to leaving; the first five zones.')
              }
            >
              <ol className={classes.paths}>
                {found?.paths.map(({ stops, isCut, tours, visitors }) => {
                  const names = stops.map(nameOf);
                  return (
                    <li key={`${names.join()}${isCut}`}>
                      <span>
                        {names.join(' → ')}
                        {isCut && ' → …'}
                      </span>
                      <small>
                        {t(
                          '{toursText} {tours, plural, one {tour} other {tours}}, {visitorsText} {visitors, plural, one {visitor} other {visitors}}',
                          { toursText: countText(tours), tours, visitorsText: countText(visitors), visitors },
                        )}
                      </small>
                    </li>
                  );
                })}
              </ol>
              <CsvButton
                label={t('The commonest paths')}
                fileName={`paths-${from}`}
                rows={() => csvOfPeriods({ period, rows: pathCsv(found?.paths ?? [], nameOf) })}
              />
            </Block>
          )}
          {below.isShown && <Times reaches={data.reaches} before={before} period={period} nameOf={nameOf} />}
        </>
      )}
    </>
  );
}

interface FlowProps {
  readonly moves: readonly Flow[];
  readonly before: Before | undefined;
  readonly nameOf: (place: WayPlace) => string;
}

interface FlowPlotProps extends FlowProps {
  readonly period: Period;
  /** The name of the zone that it is about; the busiest without it. */
  readonly middle: string | undefined;
  readonly onDrawn: () => void;
}

function FlowPlot({ moves, before, nameOf, period, middle, onDrawn }: FlowPlotProps) {
  const compared = comparedColumn(before);
  const named = useMemo(
    () =>
      moves.map((flow) => ({
        from: endOf(flow.from, nameOf, t('In')),
        to: endOf(flow.to, nameOf, t('Out')),
        tours: plotted(flow.tours) ?? 0,
      })),
    [moves, nameOf],
  );
  const text = JSON.stringify(named);
  const option = useMemo(() => {
    const all = JSON.parse(text) as NamedMove[];
    const { nodes, links } = linksAround(all, middle ?? busiestOf(all, [t('In'), t('Out')]) ?? '');
    const tip = ({ name, value, data }: { name: string; value: number; data: { source?: string; target?: string } }) =>
      data.source === undefined
        ? `${plainName(name)}: ${value}`
        : `${plainName(data.source)} → ${plainName(data.target ?? '')}: ${value}`;
    return (colours: Colours, width: number) => ({
      textStyle: { color: colours.text, fontFamily: 'inherit' },
      tooltip: { renderMode: 'richText', confine: true, formatter: tip },
      series: [
        {
          type: 'sankey',
          left: roomForNames(nodes, 'left', width),
          right: roomForNames(nodes, 'right', width),
          top: 24,
          bottom: 8,
          nodeGap: 10,
          nodeWidth: 14,
          draggable: false,
          data: nodes.map((name) => ({
            name,
            label: { position: sideOf(name), width: roomForNames(nodes, sideOf(name), width) - 8 },
          })),
          links,
          label: {
            ...{ color: colours.text, textBorderColor: colours.paper, textBorderWidth: 3, fontSize: 11 },
            overflow: 'truncate',
            formatter: ({ name }: { name: string }) => plainName(name),
          },
          itemStyle: { color: colours.main, borderWidth: 0 },
          lineStyle: { color: colours.main, opacity: 0.28, curveness: 0.5 },
        },
      ],
    });
  }, [text, middle]);
  const header = [t('From'), t('To'), t('Tours'), t('Visitors'), t('On the way (median)')];
  const rows = moves.map((flow) => [
    `${endOf(flow.from, nameOf, t('In'))} → ${endOf(flow.to, nameOf, t('Out'))}`,
    endOf(flow.to, nameOf, t('Out')),
    countText(flow.tours),
    countText(flow.visitors),
    dwellText(flow.timeMedian),
    ...compared.cells(flow),
  ]);
  const table = { header: [t('Way'), ...header.slice(1), ...compared.header], rows };
  return (
    <Plot
      label={t('Ways between zones')}
      option={option}
      table={table}
      csv={comparedCsv({ period, flows: moves, before }, nameOf)}
      fileName={`ways-${period.from}`}
      part="sankey"
      onDrawn={onDrawn}
    />
  );
}

/** Where visitors come in and where they leave. */
function Ends({ moves, before, nameOf }: FlowProps) {
  const compared = comparedColumn(before);
  const tableOf = (flows: readonly Flow[], end: 'from' | 'to', header: string) => ({
    header: [header, t('Tours'), t('Visitors'), ...compared.header],
    rows: flows
      .slice(0, 8)
      .map((flow) => [
        endOf(flow[end], nameOf, ''),
        countText(flow.tours),
        countText(flow.visitors),
        ...compared.cells(flow),
      ]),
  });
  const ins = moves.filter(({ from }) => from === null);
  const outs = moves.filter(({ to }) => to === null);
  // At one place they may only come in, or only leave.
  if (ins.length + outs.length === 0) return null;
  return (
    <Block title={t('In and out')} about={t('The first and the last zone of each tour.')}>
      <div className={classes.beside}>
        {ins.length > 0 && (
          <NumberTable label={t('Where visitors come in')} table={tableOf(ins, 'to', t('They come in at'))} />
        )}
        {outs.length > 0 && (
          <NumberTable label={t('Where visitors leave')} table={tableOf(outs, 'from', t('They leave from'))} />
        )}
      </div>
    </Block>
  );
}

const maxTimes = 30;

interface TimesProps extends Pick<FlowProps, 'before' | 'nameOf'> {
  readonly reaches: readonly Flow[];
  readonly period: Period;
}

function Times({ reaches, before, period, nameOf }: TimesProps) {
  if (reaches.length === 0) return null;
  const compared = comparedColumn(before, 'reaches');
  const table = {
    header: [t('Way'), t('Tours'), t('Half took up to'), t('Usually'), ...compared.header],
    rows: reaches.slice(0, maxTimes).map((flow) => [
      `${endOf(flow.from, nameOf, '')} → ${endOf(flow.to, nameOf, '')}`,
      countText(flow.tours),
      dwellText(flow.timeMedian),
      t('{from} to {to}', {
        from: dwellText(flow.timeLowerQuartile),
        to: dwellText(flow.timeUpperQuartile),
      }),
      ...compared.cells(flow),
    ]),
  };
  return (
    <Block
      title={t('From one zone to another')}
      about={t('From coming to one zone first to coming to another one later, wherever visitors were between.')}
    >
      <NumberTable label={t('Times between zones')} table={table} />
      <CsvButton
        label={t('Times between zones')}
        fileName={`times-${period.from}`}
        rows={() => comparedCsv({ period, flows: reaches, before, kind: 'reaches' }, nameOf)}
      />
    </Block>
  );
}
