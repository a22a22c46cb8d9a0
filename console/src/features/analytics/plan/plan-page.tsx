import { Group, NativeSelect, SegmentedControl, Skeleton } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../../components/page/empty-state.tsx';
import { LinkButton } from '../../../components/page/link-button.tsx';
import { t } from '../../../lib/words/words.ts';
import { AnalyticsHead, PeriodChoice, type Question, useQuestion } from '../head.tsx';
import type { AnalyticsSearch, PlanView } from '../period.ts';
import type { SiteOf } from '../site.ts';
import { HeatPlan } from './heat-plan.tsx';
import { NowPlan } from './now-plan.tsx';
import { WaysPlan } from './ways-plan.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics/plan');
const path = '/apps/$appId/activity/analytics/plan';

const viewChoices = [
  { value: 'now', label: t('Now') },
  { value: 'time', label: t('Time spent') },
  { value: 'visits', label: t('Visits') },
  { value: 'ways', label: t('Ways') },
];

/** A floor with where visitors are, or where they were and went in a period. */
export function PlanPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const question = useQuestion(appId, path, search);
  const { site, choose } = question;
  const view: PlanView = search.show ?? 'time';
  const floor = site && floorOf(site, search);
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path={path}
        search={search}
        about={t('Where visitors are now, and where in the house they were, how long, and where they went.')}
      />
      {!site && <Skeleton h={420} />}
      {site && !floor && (
        <EmptyState
          icon="map"
          title={t('No floor plan yet')}
          text={t('Draw the zones of a venue, and its floors show here where visitors are and were.')}
          action={
            <LinkButton icon="map" to="/apps/$appId/beacons/venues" params={{ appId }}>
              {t('To the venues')}
            </LinkButton>
          }
        />
      )}
      {site && floor && (
        <>
          <Group mb="md" gap="sm">
            <SegmentedControl
              aria-label={t('What the plan shows')}
              data={viewChoices}
              value={view}
              onChange={(show) => choose({ show })}
            />
            <FloorChoice site={site} floor={floor} question={question} />
            {view !== 'now' && <PeriodChoice question={question} />}
          </Group>
          {view === 'now' && <NowPlan key={floor.objectId} appId={appId} floor={floor} site={site} />}
          {view === 'ways' && <WaysPlan appId={appId} floor={floor} site={site} period={question.period} />}
          {(view === 'time' || view === 'visits') && (
            <HeatPlan appId={appId} floor={floor} site={site} period={question.period} of={view} />
          )}
        </>
      )}
    </>
  );
}

/** The floor that is chosen, or the lowest of what is. */
function floorOf({ floors, zones }: SiteOf, { floor, venue, zone }: AnalyticsSearch): Floor | undefined {
  const ofZone = zones.find(({ objectId }) => objectId === zone)?.floorId.objectId;
  const chosen = floors.find(({ objectId }) => objectId === (floor ?? ofZone));
  const of = (venueId: string | undefined) => floors.find((one) => one.venueId.objectId === venueId);
  return chosen ?? of(venue) ?? floors.find(({ level }) => level === 0) ?? floors[0];
}

interface FloorProps {
  readonly site: SiteOf;
  readonly floor: Floor;
  readonly question: Question;
}

function FloorChoice({ site: { venues, floors }, floor, question: { choose } }: FloorProps) {
  const groups = venues.map(({ objectId, name }) => ({
    group: name,
    items: floors
      .filter(({ venueId }) => venueId.objectId === objectId)
      .map((one) => ({ value: one.objectId, label: one.name })),
  }));
  return (
    <NativeSelect
      aria-label={t('Floor')}
      data={groups}
      value={floor.objectId}
      onChange={({ currentTarget }) =>
        choose({ floor: currentTarget.value, venue: undefined, zone: undefined, beacon: undefined })
      }
    />
  );
}
