import { SegmentedControl } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { t } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import { AnalyticsHead, CompareChoice, PeriodChoice, useQuestion } from '../head.tsx';
import { type AnalyticsSearch, comparedIn, type PlanView } from '../period.ts';
import type { SiteOf } from '../site.ts';
import { FloorChoice, FloorFrame, usualFloor } from './floor-frame.tsx';
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
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path={path}
        search={search}
        about={t('Where visitors are now, and where in the house they were, how long, and where they went.')}
      />
      <FloorFrame
        appId={appId}
        site={site}
        floor={site && floorOf(site, search)}
        empty={{
          title: t('No floor plan yet'),
          text: t('Draw the zones of a venue, and its floors show here where visitors are and were.'),
        }}
      >
        {(known, floor) => (
          <>
            <div className={classes.question}>
              <SegmentedControl
                aria-label={t('What the plan shows')}
                data={viewChoices}
                value={view}
                onChange={(show) => choose({ show })}
              />
              {view !== 'now' && <PeriodChoice question={question} />}
              <FloorChoice
                site={known}
                floor={floor}
                onChange={(id) => choose({ floor: id, venue: undefined, zone: undefined, beacon: undefined })}
              />
              {view !== 'now' && (
                <CompareChoice search={search} onChange={(compare) => choose({ compare })} isOptional />
              )}
            </div>
            {view === 'now' && <NowPlan appId={appId} floor={floor} site={known} />}
            {view === 'ways' && (
              <WaysPlan
                appId={appId}
                floor={floor}
                site={known}
                period={question.period}
                compared={comparedIn(search, question.period)}
              />
            )}
            {(view === 'time' || view === 'visits') && (
              <HeatPlan
                appId={appId}
                floor={floor}
                site={known}
                period={question.period}
                compared={comparedIn(search, question.period)}
                of={view}
              />
            )}
          </>
        )}
      </FloorFrame>
    </>
  );
}

function floorOf(site: SiteOf, { floor, venue, zone }: AnalyticsSearch): Floor | undefined {
  const { floors, zones } = site;
  const ofZone = zones.find(({ objectId }) => objectId === zone)?.floorId.objectId;
  const chosen = floors.find(({ objectId }) => objectId === (floor ?? ofZone));
  const of = (venueId: string | undefined) => floors.find((one) => one.venueId.objectId === venueId);
  return chosen ?? of(venue) ?? usualFloor(site);
}
