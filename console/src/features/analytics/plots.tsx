import { useMemo } from 'react';
import { t } from '../../lib/words/words.ts';
import { type HoursCalendar, isClosedAt, isOpenInWeek } from './hours.ts';
import { type Mark, namesAt } from './marks/marks.ts';
import { stripsOf } from './marks/strips.ts';
import { csvOf, metricColumns } from './number-cells.ts';
import { intervalText, type Period, type PlaceKind } from './period.ts';
import { csvOfPeriods, inSeconds } from './plot/csv.ts';
import { type Colours, countAxis, Plot } from './plot/plot.tsx';
import type { VisitNumbers } from './queries.ts';
import { countText, dwellText, plotted, weekdays } from './words.ts';

interface Props {
  readonly period: Period;
  readonly numbers: VisitNumbers;
  /** Of the place that they are about; undefined: of everything. */
  readonly kind: PlaceKind | undefined;
  /** When the venue is open, if it is known. */
  readonly calendar?: HoursCalendar | undefined;
}

const axes = (colours: Colours, labels: readonly string[]) => ({
  textStyle: { color: colours.text, fontFamily: 'inherit' },
  grid: { left: 8, right: 8, top: 34, bottom: 4, containLabel: true },
  xAxis: {
    type: 'category',
    data: labels,
    axisLabel: { color: colours.soft },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { show: false },
  },
});

interface VisitorsProps extends Props {
  readonly marks: readonly Mark[];
  readonly onDrawn?: (() => void) | undefined;
}

/** Visitors of each interval, with those of the period before, holidays and campaigns. */
export function VisitorsPlot({ period, numbers, kind, calendar, marks, onDrawn }: VisitorsProps) {
  const { rows, previous } = numbers;
  const option = useMemo(() => {
    const labels = rows.map(({ start = '' }) => intervalText(period.unit, start));
    const hours = period.unit === 'year' ? undefined : calendar;
    const tooltip = (index: number) =>
      [
        labels[index],
        `${t('Visitors')}: ${countText(rows[index]?.visitors)}`,
        ...(previous ? [`${t('Compared with')}: ${countText(previous.rows[index]?.visitors)}`] : []),
        ...namesAt(marks, index),
      ].join('\n');
    return (colours: Colours, width: number) => {
      const strips = stripsOf(marks, { count: rows.length, width, colours });
      const common = axes(colours, labels);
      return {
        ...common,
        grid: { ...common.grid, ...(strips ? { top: strips.top } : {}) },
        xAxis: {
          ...common.xAxis,
          // The strips begin and end at the ticks.
          axisTick: { show: false, interval: 0 },
          ...(hours ? { splitArea: closedParts(rows, hours, colours) } : {}),
        },
        tooltip: {
          trigger: 'axis',
          renderMode: 'richText',
          confine: true,
          formatter: ([{ dataIndex = 0 } = {}]: readonly { readonly dataIndex?: number }[]) => tooltip(dataIndex),
        },
        legend: { top: 0, left: 0, textStyle: { color: colours.soft } },
        yAxis: countAxis(colours),
        series: [
          {
            name: t('Visitors'),
            type: 'bar',
            data: rows.map(({ visitors }) => plotted(visitors)),
            itemStyle: { color: colours.main, borderRadius: [3, 3, 0, 0] },
            barMaxWidth: 28,
            ...(strips ? { markArea: strips.markArea } : {}),
          },
          ...(previous
            ? [
                {
                  name: t('Compared with'),
                  type: 'line',
                  data: rows.map((_, index) => plotted(previous.rows[index]?.visitors)),
                  showSymbol: false,
                  itemStyle: { color: colours.quiet },
                  lineStyle: { color: colours.quiet, width: 2, type: 'dashed' },
                },
              ]
            : []),
        ],
      };
    };
  }, [rows, previous, period.unit, calendar, marks]);
  const isMarked = marks.length > 0;
  const { header, cells } = metricColumns(kind);
  const table = {
    header: [
      t('When'),
      ...header,
      ...(previous ? [t('Compared with')] : []),
      ...(isMarked ? [t('Holidays and campaigns')] : []),
    ],
    rows: rows.map((row, index) => [
      intervalText(period.unit, row.start ?? ''),
      ...cells(row),
      ...(previous ? [countText(previous.rows[index]?.visitors)] : []),
      ...(isMarked ? [namesAt(marks, index).join('; ')] : []),
    ]),
  };
  const csv = (of: VisitNumbers['rows']) => csvOf(of, { kind, places: ['start'] });
  return (
    <Plot
      label={t('Visitors {isDay, select, true {by hour} other {{isYear, select, true {by month} other {by day}}}}', {
        isYear: period.unit === 'year',
        isDay: period.unit === 'day',
      })}
      option={option}
      table={table}
      csv={csvOfPeriods({ period, rows: csv(rows) }, previous && { period: previous, rows: csv(previous.rows) })}
      fileName={`visitors-${period.from}`}
      onDrawn={onDrawn}
    />
  );
}

/** A colour for each interval: those in which it is closed are shaded. */
const closedParts = (rows: VisitNumbers['rows'], calendar: HoursCalendar, colours: Colours) => ({
  show: true,
  interval: 0,
  areaStyle: {
    opacity: 0.55,
    color: rows.map(({ start = '' }) => (isClosedAt(calendar, start) ? colours.line : 'transparent')),
  },
});

/** How many visits took how long. */
export function StaysPlot({ period, numbers: { distribution } }: Omit<Props, 'kind'>) {
  const option = useMemo(() => {
    const bands = distribution ?? [];
    return (colours: Colours) => ({
      ...axes(colours, bands.map(bandText)),
      tooltip: { trigger: 'axis', renderMode: 'richText', confine: true },
      yAxis: countAxis(colours),
      series: [
        {
          name: t('Visits'),
          type: 'bar',
          data: bands.map(({ visits }) => plotted(visits)),
          itemStyle: { color: colours.main, borderRadius: [3, 3, 0, 0] },
          barCategoryGap: '12%',
        },
      ],
    });
  }, [distribution]);
  const bands = distribution ?? [];
  const table = {
    header: [t('Stay'), t('Visits')],
    rows: bands.map((band) => [bandText(band), countText(band.visits)]),
  };
  const csv = [
    [inSeconds('from'), inSeconds('until'), 'visits'],
    ...bands.map(({ from, until, visits }) => [String(from), String(until ?? ''), String(visits ?? '')]),
  ];
  return (
    <Plot
      label={t('Visits by stay')}
      option={option}
      table={table}
      csv={csvOfPeriods({ period, rows: csv })}
      fileName={`stays-${period.from}`}
    />
  );
}

type Band = NonNullable<VisitNumbers['distribution']>[number];
const bandText = ({ from, until }: Band) =>
  until === null
    ? t('over {dwell}', { dwell: dwellText(from) })
    : from === 0
      ? t('under {dwell}', { dwell: dwellText(until) })
      : `${dwellText(from)} +`;

export function HoursPlot({ period, numbers: { rows }, kind, calendar }: Props) {
  const option = useMemo(() => {
    const cells = rows.flatMap(({ weekday = 1, hour = 0, visitors }) => {
      const value = plotted(visitors);
      return value === null ? [] : [[hour, weekday - 1, value]];
    });
    const isOpen = ([hour = 0, day = 0]: readonly number[]) =>
      calendar !== undefined && isOpenInWeek(calendar, day + 1, hour);
    return (colours: Colours) => ({
      ...axes(
        colours,
        Array.from({ length: 24 }, (_, hour) => `${hour}`),
      ),
      grid: { left: 8, right: 8, top: 4, bottom: 40, containLabel: true },
      tooltip: {
        renderMode: 'richText',
        confine: true,
        formatter: ({ value: [hour = 0, day = 0, count = 0] }: { value: number[] }) =>
          `${weekdays[day]} ${hour}:00 – ${count === 2.5 ? '1–4' : count}`,
      },
      yAxis: {
        type: 'category',
        data: [...weekdays],
        inverse: true,
        axisLabel: { color: colours.soft },
        axisLine: { show: false },
        axisTick: { show: false },
      },
      visualMap: {
        min: 0,
        max: Math.max(1, ...cells.map(([, , value = 0]) => value)),
        orient: 'horizontal',
        left: 0,
        bottom: 0,
        itemHeight: 90,
        itemWidth: 12,
        textStyle: { color: colours.soft },
        inRange: { color: [colours.line, colours.main] },
      },
      series: [
        {
          type: 'heatmap',
          // The frames last, so that no other cell is drawn over them.
          data: [...cells.filter((cell) => !isOpen(cell)), ...cells.filter(isOpen)].map((value) => ({
            value,
            itemStyle: { borderColor: isOpen(value) ? colours.soft : colours.paper, borderWidth: 1 },
          })),
        },
      ],
    });
  }, [rows, calendar]);
  const table = {
    header: [t('Hour'), ...weekdays],
    rows: Array.from({ length: 24 }, (_, hour) => [
      `${String(hour).padStart(2, '0')}:00`,
      ...weekdays.map((_, day) =>
        countText(rows.find((row) => row.weekday === day + 1 && row.hour === hour)?.visitors),
      ),
    ]),
  };
  return (
    <Plot
      label={t('Visitors by hour and day of the week')}
      option={option}
      table={table}
      csv={csvOfPeriods({ period, rows: csvOf(rows, { kind, places: ['weekday', 'hour'] }) })}
      fileName={`hours-${period.from}`}
      part="heat"
    />
  );
}
