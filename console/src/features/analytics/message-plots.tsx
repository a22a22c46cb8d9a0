import { useMemo } from 'react';
import { t } from '../../lib/words/words.ts';
import { groupCells, groupHeader, groupName, messageCsv, messageName } from './message-words.ts';
import type { Period } from './period.ts';
import { csvOfPeriods } from './plot/csv.ts';
import { type Colours, countAxis, Plot } from './plot/plot.tsx';
import type { MessageNumbers, OneMessage } from './queries.ts';
import { countText, plotted } from './words.ts';

/** The share of each group that reached the goal, with what it may be by chance; without a goal, how many were reached. */
export function GroupsPlot({ message, period }: { readonly message: OneMessage; readonly period: Period }) {
  const { groups, goal } = message;
  const option = useMemo(() => {
    const names = groups.map(({ group }) => groupName(group));
    return (colours: Colours) => ({
      textStyle: { color: colours.text, fontFamily: 'inherit' },
      grid: { left: 8, right: 24, top: 8, bottom: goal ? 58 : 28, containLabel: true },
      tooltip: { show: false },
      xAxis: {
        type: 'value',
        min: 0,
        name: goal
          ? // In two lines, since a phone has no room for it in one.
            t('% that reached the goal; the bar is what it may be by chance').replace('; ', ';\n')
          : t('Visitors reached'),
        nameLocation: 'middle',
        nameGap: goal ? 38 : 26,
        nameTextStyle: { color: colours.soft, lineHeight: 15 },
        axisLabel: { color: colours.soft },
        splitLine: { lineStyle: { color: colours.line } },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: names,
        axisLabel: { color: colours.text },
        axisLine: { lineStyle: { color: colours.line } },
        axisTick: { show: false },
      },
      series: goal ? shares(groups, colours) : reached(groups, colours),
    });
  }, [groups, goal]);
  return (
    <Plot
      label={t('{messageName}: by group', { messageName: messageName(message) })}
      option={option}
      table={{
        header: [t('Group'), ...groupHeader],
        rows: groups.map((row) => [groupName(row.group), ...groupCells(row)]),
      }}
      csv={csvOfPeriods({ period, rows: messageCsv([message]) })}
      fileName={`message-${message.triggerId}-${period.from}`}
      isLow
      {...(goal ? { part: 'points' } : {})}
    />
  );
}

const percent = (share: number) => Math.round(share * 1000) / 10;

function shares(groups: OneMessage['groups'], colours: Colours): object[] {
  const low = groups.map(({ shareLow }) => (shareLow === null ? null : percent(shareLow)));
  const width = groups.map(({ shareLow, shareHigh }) =>
    shareLow === null || shareHigh === null ? null : percent(shareHigh - shareLow),
  );
  const interval = { type: 'bar', stack: 'interval', barWidth: 12, silent: true };
  return [
    { ...interval, data: low, itemStyle: { color: 'transparent' } },
    { ...interval, data: width, itemStyle: { color: colours.quiet, borderRadius: 4 } },
    {
      type: 'scatter',
      symbolSize: 13,
      data: groups.map(({ share }, place) => [share === null ? null : percent(share), place]),
      itemStyle: { color: colours.main },
      label: {
        show: true,
        position: 'top',
        color: colours.text,
        formatter: ({ value: [share] }: { value: readonly [number] }) => `${share} %`,
      },
    },
  ];
}

const reached = (groups: OneMessage['groups'], colours: Colours): object[] => [
  {
    type: 'bar',
    barMaxWidth: 22,
    data: groups.map((group) => plotted(group.reached)),
    itemStyle: { color: colours.main, borderRadius: [0, 3, 3, 0] },
  },
];

interface LoadProps {
  readonly load: NonNullable<MessageNumbers['load']>;
  readonly period: Period;
}

/** How many visitors were shown one message, two, and so on. */
export function LoadPlot({ load, period }: LoadProps) {
  const option = useMemo(
    () => (colours: Colours) => ({
      textStyle: { color: colours.text, fontFamily: 'inherit' },
      grid: { left: 8, right: 8, top: 12, bottom: 28, containLabel: true },
      xAxis: {
        type: 'category',
        name: t('Messages'),
        nameLocation: 'middle',
        nameGap: 26,
        nameTextStyle: { color: colours.soft },
        data: load.map(({ messages }) => manyText(messages)),
        axisLabel: { color: colours.soft },
        axisTick: { show: false },
      },
      yAxis: countAxis(colours),
      series: [
        {
          name: t('Visitors'),
          type: 'bar',
          barMaxWidth: 36,
          data: load.map(({ visitors }) => plotted(visitors)),
          itemStyle: { color: colours.main, borderRadius: [3, 3, 0, 0] },
        },
      ],
    }),
    [load],
  );
  return (
    <Plot
      label={t('Messages per visitor')}
      option={option}
      table={{
        header: [t('Messages'), t('Visitors')],
        rows: load.map(({ messages, visitors }) => [manyText(messages), countText(visitors)]),
      }}
      csv={csvOfPeriods({
        period,
        rows: [['messages', 'visitors'], ...load.map(({ messages, visitors }) => [String(messages), String(visitors)])],
      })}
      fileName={`messages-per-visitor-${period.from}`}
    />
  );
}

const manyText = (messages: number) => (messages === 10 ? t('10 and more') : String(messages));
