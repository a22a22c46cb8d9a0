import { Button, Group } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Deletion } from '../../../components/dialogs/confirm-dialog.tsx';
import { OwnerBlock } from '../../../components/owner/owner-block.tsx';
import { Icon, LinkButton } from '../../../components/page/blocks.tsx';
import { RecordPage } from '../../../components/page/page-header.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { floorsQuery, planKeys, venueQuery } from '../../../lib/data/venue-queries.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { FloorDialog, nextLevel } from '../floors-block.tsx';
import { accuracyQuery } from '../survey/queries.ts';
import { SurveysBlock } from '../survey/surveys-block.tsx';
import { FloorEditor } from './floor-editor.tsx';
import { PlanSettings } from './plan-settings.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/floors/$floorId');

export function FloorPage() {
  const { appId, venueId, floorId } = route.useParams();
  const { data: floors, error } = useQuery(floorsQuery(appId, venueId));
  const { data: venue } = useQuery(venueQuery(appId, venueId));
  const [isCopying, setCopying] = useState(false);
  const mayCall = useMayCall();
  const mayChange = mayCall('updateFloor');
  const { data: accuracy } = useQuery(accuracyQuery(appId, floorId));
  const floor = floors?.find(({ objectId }) => objectId === floorId);
  const isGone = floors !== undefined && floor === undefined;
  const query = { data: floor, error: isGone ? new Error(t('This floor is no longer there.')) : error };
  return (
    <RecordPage<Floor>
      query={query}
      title={(known) => (known ? `${known.name}${venue ? `, ${venue.name}` : ''}` : t('Floor'))}
      all={{
        label: venue?.name ?? t('The venue'),
        to: '/apps/$appId/beacons/venues/$venueId',
        params: { appId, venueId },
      }}
      action={() => (
        <Group gap="xs">
          {mayChange && (
            <>
              {floor && <DeleteFloor appId={appId} floor={floor} />}
              <Button
                aria-label={t('Duplicate {name}', { name: floor?.name })}
                leftSection={<Icon name="copy" size={16} />}
                onClick={() => setCopying(true)}
              >
                {t('Duplicate')}
              </Button>
            </>
          )}
          {mayCall('simulateWalks') && (
            <LinkButton
              icon="play"
              isPlain
              to="/apps/$appId/activity/walk"
              params={{ appId }}
              search={{ floor: floorId }}
            >
              {t('Rehearse a walk here')}
            </LinkButton>
          )}
        </Group>
      )}
      height={480}
    >
      {(known) => (
        <>
          <FloorEditor key={known.objectId} appId={appId} floor={known} spots={accuracy?.badSpots ?? []} />
          <SurveysBlock appId={appId} floor={known} accuracy={accuracy} />
          {mayChange && <PlanSettings appId={appId} floor={known} />}
          <OwnerBlock
            appId={appId}
            name={known.name}
            createdBy={known.createdBy}
            operation="updateFloorOwner"
            rules={{ group: 'resources', name: 'floors' }}
            read={() => dataOf(appId).floors.get(floorId)}
            handOver={(userId, how) => dataOf(appId).floors.handOver(floorId, userId, how)}
            refresh={planKeys(appId)}
          />
          <FloorDialog
            appId={appId}
            venueId={venueId}
            isOpen={isCopying}
            level={nextLevel(floors ?? [])}
            like={known}
            onClose={() => setCopying(false)}
          />
        </>
      )}
    </RecordPage>
  );
}

function DeleteFloor({ appId, floor }: { readonly appId: string; readonly floor: Floor }) {
  return (
    <Deletion
      title={t('Delete the floor')}
      confirm={t('Delete {name}', { name: floor.name })}
      run={() => dataOf(appId).floors.delete(floor.objectId)}
      done={t('{name} was deleted.', { name: floor.name })}
      refresh={planKeys(appId)}
      leave={{
        to: '/apps/$appId/beacons/venues/$venueId',
        params: { appId, venueId: floor.venueId.objectId },
        forget: ['floor', floor.objectId],
      }}
    >
      {rich(
        '<b>{name}</b> is deleted permanently. A floor on which there are still zones or beacons is not deleted; the picture of its plan stays among the files.',
        { name: floor.name },
      )}
    </Deletion>
  );
}
