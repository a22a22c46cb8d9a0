import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { appQuery } from '../../../lib/data/queries.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { FloorChoice, FloorFrame, usualFloor } from '../plan/floor-frame.tsx';
import { useSite } from '../site.ts';
import { Stage } from './stage.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity/walk');

/** Simulated visitors walk over a floor, before a real one does. */
export function StagePage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const site = useSite(appId);
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const floor = site && (site.floors.find(({ objectId }) => objectId === search.floor) ?? usualFloor(site));
  const venue = site?.venues.find(({ objectId }) => objectId === floor?.venueId.objectId);
  const onFloor = (id: string) =>
    void navigate({ to: '/apps/$appId/activity/walk', params: { appId }, search: { floor: id }, replace: true });
  return (
    <>
      <PageHeader title={t('Rehearsal')}>
        {t(
          'Let simulated visitors walk over a floor, and see where the service believes them to be, what they would be shown, and why something would not. Nothing is sent, nothing is recorded, and no visit is counted.',
        )}
      </PageHeader>
      <FloorFrame
        appId={appId}
        site={app && site}
        floor={floor}
        empty={{
          title: t('No floor to walk over yet'),
          text: t('Add a floor to a venue, and place the beacons on its plan. Then visitors can walk past them here.'),
        }}
      >
        {(known, shown) => (
          <>
            <Box mb="md" maw={320}>
              <FloorChoice site={known} floor={shown} onChange={onFloor} />
            </Box>
            {!app?.policy.oneZone && (
              <Text mb="sm">
                {t(
                  'This app does not decide where between beacons a visitor is, so that only the nearest beacon is known. It can be switched on under Limits.',
                )}
              </Text>
            )}
            <Stage
              key={shown.venueId.objectId}
              appId={appId}
              floor={shown}
              site={known}
              zone={venue?.timeZone ?? times.zone}
              onFloor={onFloor}
            />
          </>
        )}
      </FloorFrame>
    </>
  );
}
