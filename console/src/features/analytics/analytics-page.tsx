import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Block, EmptyState, Loading } from '../../components/page/blocks.tsx';
import { PretendPhoneLink } from '../../components/page/pretend-phone-link.tsx';
import { t } from '../../lib/words/words.ts';
import classes from './analytics.module.css';
import { visitorsAsked } from './asked.ts';
import { ForecastBlock } from './forecast-block.tsx';
import { AnalyticsHead, NobodyThere, useQuestion } from './head.tsx';
import { calendarOf, type HoursCalendar } from './hours.ts';
import { VisitorsBlock } from './marks/visitors-block.tsx';
import { knowsNew } from './number-cells.ts';
import {
  type AnalyticsSearch,
  comparedIn,
  hourText,
  kindOf,
  type Period,
  type PlaceKind,
  periodText,
  placeOf,
} from './period.ts';
import { Notes } from './period-steps.tsx';
import { PlacesBlock } from './places-block.tsx';
import { useBelowPlot } from './plot/plot.tsx';
import { HoursPlot, StaysPlot } from './plots.tsx';
import { numbersQuery, type VisitNumbers } from './queries.ts';
import { changeText, countText, dwellText } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics');
const path = '/apps/$appId/activity/analytics';

/** How many visitors there were, when, where and for how long. Everything that is chosen is in the address. */
export function AnalyticsPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const question = useQuestion(appId, path, search);
  const { period, zone, site } = question;
  const { unit } = period;
  const place = placeOf(search);
  const { on } = search;
  const { data: numbers, error } = useQuery(visitorsAsked({ appId, period, search }));
  const below = useBelowPlot();
  const calendar = site && calendarOf(site, search);
  const isEmpty = numbers?.total?.visitors === 0 && numbers.previous?.total?.visitors === 0 && on === undefined;
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path={path}
        search={search}
        about={t('How many visitors there were, when, where and for how long. Times are in {zone}.', { zone })}
        question={question}
      />
      <Loading data={numbers} error={error} height={420} />
      {numbers && <Notes numbers={numbers} />}
      {numbers &&
        isEmpty &&
        // A place may be quiet, closed or deleted in an app with many visits.
        (Object.keys(place).length > 0 ? (
          <NobodyThere search={search} question={question} />
        ) : (
          <EmptyState
            icon="pulse"
            title={t('No visits yet')}
            text={t('As soon as an app reports that visitors come near beacons, their numbers are here.')}
            action={<PretendPhoneLink appId={appId} />}
          />
        ))}
      {numbers && !isEmpty && (
        <>
          <SoFar period={period} search={search} soFar={numbers.previous?.soFar} />
          <Figures numbers={numbers} kind={kindOf(search)} than={{ unit, compare: search.compare ?? 'previous' }} />
          <VisitorsBlock
            appId={appId}
            period={period}
            zone={zone}
            search={search}
            site={site}
            numbers={numbers}
            calendar={calendar}
            onDrawn={below.onDrawn}
          />
          {below.isShown && (
            <>
              {unit !== 'day' && <Hours appId={appId} period={period} search={search} calendar={calendar} />}
              <ForecastBlock appId={appId} place={place} />
              {numbers.distribution && (
                <Block title={t('How long they stayed')} about={t('Visits by how long they took.')}>
                  {numbers.distribution.every(({ visits }) => visits === 0) ? (
                    <Text>{t('No visit of this period is over yet.')}</Text>
                  ) : (
                    <StaysPlot period={period} numbers={numbers} />
                  )}
                </Block>
              )}
              <PlacesBlock appId={appId} period={period} search={search} site={site} />
            </>
          )}
        </>
      )}
    </>
  );
}

interface SoFarProps {
  readonly period: Period;
  readonly search: AnalyticsSearch;
  readonly soFar: NonNullable<VisitNumbers['previous']>['soFar'];
}

/** What a period that goes on is compared with. */
function SoFar({ period, search, soFar }: SoFarProps) {
  const compared = comparedIn({ compare: search.compare ?? 'previous' }, period);
  if (!soFar || !compared) return null;
  const [now, before] = [periodText(period), periodText(compared)];
  return (
    <Text c="dimmed" mb="md" maw="42rem">
      {soFar.total === null
        ? t('Not over yet: {period}. “Before” is all of {compared}.', { period: now, compared: before })
        : t('Not over yet: {period}. “Before” is as much of {compared}, until {until}.', {
            period: now,
            compared: before,
            until: hourText(soFar.until),
          })}
    </Text>
  );
}

type CountName = 'visitors' | 'newVisitors' | 'returningVisitors' | 'visits';

interface FiguresProps {
  readonly numbers: VisitNumbers;
  readonly kind: PlaceKind | undefined;
  readonly than: Parameters<typeof changeText>[2];
}

function Figures({ numbers: { total, previous }, kind, than }: FiguresProps) {
  const { soFar } = previous ?? {};
  const before = soFar?.total ?? previous?.total;
  // The whole of a period says nothing about a part of the next.
  const mayChange = soFar?.total !== null;
  const figure = (name: string, of: CountName) => ({
    name,
    value: countText(total?.[of]),
    more: changeText(mayChange ? total?.[of] : undefined, before?.[of], than),
  });
  const half =
    total?.dwellLowerQuartile == null
      ? undefined
      : t('Half of the visits took {from} to {to}', {
          from: dwellText(total.dwellLowerQuartile),
          to: dwellText(total.dwellUpperQuartile),
        });
  const stay = t('before: {was}{half}', { was: dwellText(before?.dwellMedian), half: half ? `. ${half}` : '' });
  const figures = [
    figure(t('Visitors'), 'visitors'),
    ...(knowsNew(kind) ? [figure(t('New'), 'newVisitors'), figure(t('Returning'), 'returningVisitors')] : []),
    figure(t('Visits'), 'visits'),
    { name: t('Stay (median)'), value: dwellText(total?.dwellMedian), more: stay },
  ];
  return (
    <ul className={classes.figures} aria-label={t('Figures of the period')}>
      {figures.map(({ name, value, more }) => (
        <li key={name}>
          <span>{name}</span>
          <b>{value}</b>
          <small>{more}</small>
        </li>
      ))}
    </ul>
  );
}

interface HoursProps {
  readonly appId: string;
  readonly period: Period;
  readonly search: AnalyticsSearch;
  readonly calendar: HoursCalendar | undefined;
}

function Hours({ appId, period, search, calendar }: HoursProps) {
  const { from, until } = period;
  const { data, error } = useQuery(numbersQuery(appId, { from, until, interval: 'hourOfWeek', ...placeOf(search) }));
  return (
    <Block
      title={t('Hours of the week')}
      about={t(
        'In which hours visits began: different visitors of the whole period.{hasCalendar, select, true { Framed: when {name} is open.} other {}}',
        { name: calendar?.name, hasCalendar: Boolean(calendar) },
      )}
    >
      <Loading data={data} error={error} height={260} />
      {data && <HoursPlot period={period} numbers={data} kind={kindOf(search)} calendar={calendar} />}
    </Block>
  );
}
