import { NativeSelect, Skeleton, Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ActivityTabs } from '../../../components/page/activity-tabs.tsx';
import { EmptyState } from '../../../components/page/empty-state.tsx';
import { LinkButton } from '../../../components/page/link-button.tsx';
import { SectionHeader } from '../../../components/page/page-header.tsx';
import { appQuery } from '../../../lib/data/queries.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { type SiteOf, useSite } from '../site.ts';
import { Stage } from './stage.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity/walk');

/** Simulated visitors walk over a floor, before a real one does. */
export function StagePage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const site = useSite(appId);
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const floor = site && (site.floors.find(({ objectId }) => objectId === search.floor) ?? usualFloor(site));
  const venue = site?.venues.find(({ objectId }) => objectId === floor?.venueId.objectId);
  return (
    <>
      <SectionHeader title={t('Activity')}>
        {t(
          'Let simulated visitors walk over a floor, and see where the service believes them to be, what they would be shown, and why something would not. Nothing is sent, nothing is recorded, and no visit is counted.',
        )}
      </SectionHeader>
      <ActivityTabs appId={appId} />
      {(!site || !app) && <Skeleton h={420} />}
      {site && app && !floor && (
        <EmptyState
          icon="map"
          title={t('No floor to walk over yet')}
          text={t('Add a floor to a venue, and place the beacons on its plan. Then visitors can walk past them here.')}
          action={
            <LinkButton icon="map" to="/apps/$appId/beacons/venues" params={{ appId }}>
              {t('To the venues')}
            </LinkButton>
          }
        />
      )}
      {site && app && floor && (
        <>
          <FloorChoice appId={appId} site={site} floor={floor} />
          {!app.policy.oneZone && (
            <Text size="sm" mb="sm">
              {t(
                'This app does not decide where between beacons a visitor is, so that only the nearest beacon is known. Its policy can switch that on.',
              )}
            </Text>
          )}
          <Stage key={floor.objectId} appId={appId} floor={floor} site={site} zone={venue?.timeZone ?? times.zone} />
        </>
      )}
    </>
  );
}

const usualFloor = ({ floors }: SiteOf) => floors.find(({ level }) => level === 0) ?? floors[0];

interface FloorProps {
  readonly appId: string;
  readonly site: SiteOf;
  readonly floor: Floor;
}

function FloorChoice({ appId, site: { venues, floors }, floor }: FloorProps) {
  const navigate = useNavigate();
  const groups = venues.map(({ objectId, name }) => ({
    group: name,
    items: floors
      .filter(({ venueId }) => venueId.objectId === objectId)
      .map((one) => ({ value: one.objectId, label: one.name })),
  }));
  return (
    <NativeSelect
      mb="md"
      maw={320}
      label={t('Floor')}
      data={groups}
      value={floor.objectId}
      onChange={({ currentTarget }) =>
        void navigate({ to: '/apps/$appId/activity/walk', params: { appId }, search: { floor: currentTarget.value } })
      }
    />
  );
}
