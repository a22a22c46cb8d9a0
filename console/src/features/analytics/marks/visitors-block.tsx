import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { Block } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import type { HoursCalendar } from '../hours.ts';
import { type AnalyticsSearch, dayText, kindOf, type Period, periodText } from '../period.ts';
import { VisitorsPlot } from '../plots.tsx';
import type { VisitNumbers } from '../queries.ts';
import type { SiteOf } from '../site.ts';
import { Campaigns, useCampaigns } from './campaigns.tsx';
import { exceptionName, type Mark, marksOf } from './marks.ts';

interface Props {
  readonly appId: string;
  readonly period: Period;
  /** Of the app. */
  readonly zone: string;
  /** Which place it is about. */
  readonly search: AnalyticsSearch;
  readonly site: SiteOf | undefined;
  readonly numbers: VisitNumbers;
  readonly calendar: HoursCalendar | undefined;
  readonly onDrawn: () => void;
}

/** The visitors of a period, with what may explain the numbers: closed days, holidays, campaigns. */
export function VisitorsBlock({ appId, period, zone, search, site, numbers, calendar, onDrawn }: Props) {
  const campaigns = useCampaigns(appId, { period, zone, search, site });
  const marks = useMemo(() => {
    const starts = numbers.rows.map(({ start = '' }) => start);
    return marksOf({ starts, end: period.until }, { calendar, campaigns });
  }, [numbers.rows, period.until, calendar, campaigns]);
  return (
    <Block
      title={t('Visitors in {period}', { period: periodText(period) })}
      about={<Closures calendar={calendar} period={period} />}
    >
      <VisitorsPlot
        period={period}
        numbers={numbers}
        kind={kindOf(search)}
        calendar={calendar}
        marks={marks}
        onDrawn={onDrawn}
      />
      <Legend marks={marks} />
      <Campaigns campaigns={campaigns} />
    </Block>
  );
}

const markWords = { holiday: t('Holidays and other days'), campaign: t('Campaigns') } as const;

/** What the colours above the bars mean. */
function Legend({ marks }: { readonly marks: readonly Mark[] }) {
  const kinds = (['holiday', 'campaign'] as const).filter((kind) => marks.some((mark) => mark.kind === kind));
  if (kinds.length === 0) return null;
  return (
    <Text c="dimmed" mt="xs" className={classes.marks}>
      {t('Marked above the bars:')}
      {kinds.map((kind) => (
        <span key={kind} data-mark={kind}>
          {markWords[kind]}
        </span>
      ))}
    </Text>
  );
}

interface ClosureProps {
  readonly calendar: HoursCalendar | undefined;
  readonly period: Period;
}

/** What is shaded in the plot, in words. */
function Closures({ calendar, period: { unit, from, until } }: ClosureProps) {
  if (!calendar || unit === 'year') return null;
  const special = calendar.exceptions.filter(({ date }) => date >= from && date < until);
  const named = special.map((exception) => `${dayText(exception.date)}: ${exceptionName(exception)}`);
  return (
    <>
      {t('Shaded: when {name} is closed.{special}', {
        name: calendar.name,
        special: named.length > 0 && ` ${named.join('; ')}.`,
      })}
    </>
  );
}
