import { ActionIcon, Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { EmptyState, Icon } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { TabRow } from '../../components/page/tab-row.tsx';
import { useMay } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import classes from './analytics.module.css';
import { periodIn } from './asked.ts';
import { type AnalyticsSearch, type Comparison, kindOf, type Period, periodText, type Unit } from './period.ts';
import { PeriodSteps, unitChoices } from './period-steps.tsx';
import { type SiteOf, useSite } from './site.ts';

const views = [
  { to: '/apps/$appId/activity/analytics', label: t('Numbers') },
  { to: '/apps/$appId/activity/analytics/plan', label: t('On the plan') },
  { to: '/apps/$appId/activity/analytics/ways', label: t('Ways') },
  { to: '/apps/$appId/activity/analytics/peaks', label: t('Peaks and waits') },
  { to: '/apps/$appId/activity/analytics/reports', label: t('Reports by mail'), permission: 'reports.read' },
] as const;

export type AnalyticsPath = (typeof views)[number]['to'];

interface Props {
  readonly appId: string;
  readonly path: AnalyticsPath;
  readonly search: AnalyticsSearch;
  readonly about: string;
  /** With it, what it is about is chosen below. */
  readonly question?: Question;
  /** Nothing is compared unless somebody asks for it. */
  readonly isPlain?: boolean;
}

/** The title of a page about numbers and the ways to look at them, which keep the period and the place. */
export function AnalyticsHead({ appId, path, search, about, question, isPlain = false }: Props) {
  const { show: _ofThePlan, ...kept } = search;
  const may = useMay();
  const shown = views.filter((view) => !('permission' in view) || may(view.permission));
  return (
    <>
      <PageHeader title={t('Visitors')} part={views.find(({ to }) => to === path)?.label}>
        {about} {t('Where positions are known, the times of visits are corrected some minutes after they end.')}
      </PageHeader>
      <TabRow label={t('Ways to look at visits')}>
        {shown.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ appId }}
            search={kept}
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ includeSearch: false, exact: true }}
          >
            {label}
          </Link>
        ))}
      </TabRow>
      {question && <QuestionBar appId={appId} search={search} question={question} isPlain={isPlain} />}
    </>
  );
}

/** Which period, which place, and compared with what. On a phone the last two are folded while nothing is chosen there. */
export function QuestionBar({ appId, search, question, isPlain }: Required<Omit<Props, 'path' | 'about'>>) {
  const [isOpen, setOpen] = useState(false);
  const isPhone = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const mayFold = isPhone && !kindOf(search) && !search.compare;
  return (
    <div className={classes.question}>
      <PeriodChoice question={question}>
        {mayFold && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('Filter')}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="filter" size={16} />
          </ActionIcon>
        )}
      </PeriodChoice>
      {(isOpen || !mayFold) && (
        <>
          <PlaceChoice appId={appId} search={search} question={question} />
          <CompareChoice search={search} onChange={(compare) => question.choose({ compare })} isOptional={isPlain} />
        </>
      )}
    </div>
  );
}

/** What the address says about the period and the place, with a way to change it. */
export function useQuestion(
  appId: string,
  path: AnalyticsPath | '/apps/$appId/activity/messages',
  search: AnalyticsSearch,
) {
  const navigate = useNavigate();
  const { zone } = useTimes(appId);
  const { today, period } = periodIn(zone, search);
  const choose = (change: Partial<Record<keyof AnalyticsSearch, string | undefined>>) =>
    void navigate({ to: path, params: { appId }, search: { ...search, ...change } as AnalyticsSearch });
  return { zone, today, period, choose, site: useSite(appId) };
}

export type Question = ReturnType<typeof useQuestion>;

interface PeriodProps {
  readonly question: Question;
  /** Beside the unit. */
  readonly children?: ReactNode;
}

export function PeriodChoice({ question: { period, today, choose }, children }: PeriodProps) {
  return (
    <>
      <SegmentedControl
        aria-label={t('Period')}
        data={unitChoices}
        value={period.unit}
        onChange={(value) => choose({ unit: value as Unit })}
      />
      {children}
      <PeriodSteps period={period} today={today} onChange={(on) => choose({ on })} />
    </>
  );
}

/** In place of the numbers of a place at which nobody was seen: a longer period, or everywhere, may have some. */
export function NobodyThere({ search, question: { period, choose } }: Pick<Required<Props>, 'search' | 'question'>) {
  const isYear = period.unit === 'year';
  return (
    <EmptyState
      icon="pulse"
      title={t('Nobody was there')}
      text={t('In this period no visitor was seen at this place.')}
      action={
        (!isYear || kindOf(search)) && (
          <Button variant="default" onClick={() => choose(isYear ? everywhere : { unit: 'year' })}>
            {isYear ? t('Look everywhere') : t('Look at the whole year')}
          </Button>
        )
      }
    />
  );
}

interface CompareProps {
  readonly search: AnalyticsSearch;
  readonly onChange: (compare: Comparison | undefined) => void;
  /** Nothing is compared unless somebody asks for it; else the period before is. */
  readonly isOptional?: boolean;
}

/** With which period. */
export function CompareChoice({ search: { compare }, onChange, isOptional = false }: CompareProps) {
  const usual = isOptional ? '' : 'previous';
  return (
    <NativeSelect
      className={classes.compare}
      aria-label={t('Comparison')}
      data={[
        ...(isOptional ? [{ value: '', label: t('Not compared') }] : []),
        { value: 'previous', label: t('Compared with the period before') },
        { value: 'year', label: t('Compared with a year before') },
      ]}
      value={compare ?? usual}
      onChange={({ currentTarget: { value } }) => onChange(value === usual ? undefined : (value as Comparison))}
    />
  );
}

/** The heading of a column. */
export const comparedText = (compared: Period) => t('Compared with {period}', { period: periodText(compared) });

interface PlaceProps {
  readonly appId: string;
  readonly search: AnalyticsSearch;
  readonly question: Pick<Question, 'site' | 'choose'>;
}

const everywhere = { venue: undefined, floor: undefined, zone: undefined, beacon: undefined };

/** Everything, or one venue, floor, zone or beacon. */
function PlaceChoice({ appId, search, question: { site, choose } }: PlaceProps) {
  const kind = kindOf(search);
  const options = site ? optionsOf(site) : [];
  const value = kind && kind !== 'beacon' ? `${kind} ${search[kind]}` : '';
  const isMissing = value !== '' && !options.some(({ items }) => items.some((one) => one.value === value));
  return (
    <>
      {/* Here before the places are known, and as wide as then, so that nothing moves when they are. */}
      <NativeSelect
        className={classes.picker}
        aria-label={t('Place')}
        disabled={options.length === 0}
        value={value}
        data={[
          { value: '', label: t('Everywhere') },
          ...(isMissing ? [{ value, label: site ? t('Deleted') : '…' }] : []),
          ...options.map(({ group, items }) => ({ group, items: [...items] })),
        ]}
        onChange={({ currentTarget }) => {
          const [chosen = '', id] = currentTarget.value.split(' ');
          choose({ ...everywhere, ...(chosen === '' ? {} : { [chosen]: id }) });
        }}
      />
      <div className={classes.picker}>
        <BeaconPicker appId={appId} value={search.beacon} onChange={(beacon) => choose({ ...everywhere, beacon })} />
      </div>
    </>
  );
}

/** A group for each venue: the venue, its floors, and the zones of each. */
function optionsOf({ venues, floors, zones }: SiteOf) {
  return venues.map((venue) => {
    const own = floors.filter(({ venueId }) => venueId.objectId === venue.objectId);
    const items = [
      { value: `venue ${venue.objectId}`, label: t('{name}, all of it', { name: venue.name }) },
      ...own.flatMap((floor) => [{ value: `floor ${floor.objectId}`, label: floor.name }, ...zonesOf(floor.objectId)]),
    ];
    return { group: venue.name, items };
  });
  function zonesOf(floorId: string) {
    return zones
      .filter((zone) => zone.floorId.objectId === floorId)
      .map(({ objectId, name }) => ({ value: `zone ${objectId}`, label: `\u2003${name}` }));
  }
}
