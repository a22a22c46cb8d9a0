import { Button, Group } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Stop, stopOf } from '../../../components/dialogs/confirm-dialog.tsx';
import { HistoryButton } from '../../../components/history/history-button.tsx';
import { OwnerBlock } from '../../../components/owner/owner-block.tsx';
import { EditOrDelete, once, RecordPage } from '../../../components/page/page-header.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { placementsQuery } from '../../../lib/data/placements.ts';
import { allFloorsQuery } from '../../../lib/data/venue-queries.ts';
import { findingsQuery } from '../../../lib/fleet/findings.ts';
import { uuidKey } from '../../../lib/text/uuid.ts';
import { t } from '../../../lib/words/words.ts';
import type { BeaconFields } from '../beacon-fields.ts';
import { beaconLabels } from '../beacon-fields.ts';
import {
  activityQuery,
  beaconKeys,
  beaconQuery,
  beaconUsesQuery,
  telemetryQuery,
  useBeaconVisits,
} from '../queries.ts';
import { ReplaceDialog } from '../replace/replace-dialog.tsx';
import { BeaconActivity } from './beacon-activity.tsx';
import { BeaconDetails } from './beacon-details.tsx';
import { BeaconHead } from './beacon-head.tsx';
import { BeaconMessages } from './beacon-messages.tsx';
import { DeleteBeacon } from './delete-beacon.tsx';
import { BeaconTelemetry } from './telemetry.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons/$beaconId');

export function BeaconPage() {
  const { appId, beaconId } = route.useParams();
  const mayCall = useMayCall();
  const found = useQuery(beaconQuery(appId, beaconId));
  const visits = useBeaconVisits(appId, [beaconId]);
  const others = useQueries({
    queries: [
      { ...allFloorsQuery(appId), enabled: found.data?.venueId !== undefined },
      { ...telemetryQuery(appId, beaconId), enabled: mayCall('listTelemetry') },
      { ...activityQuery(appId, beaconId), enabled: mayCall('listVisits') },
      placementsQuery(appId, { beaconId }),
      findingsQuery(appId),
      beaconUsesQuery(appId, beaconId, mayCall),
    ],
  });
  const isPending = [visits, ...others].some(({ isLoading }) => isLoading);
  const query = once(found, { isPending });
  const [isReplacing, setReplacing] = useState(false);
  const mayChange = mayCall('updateBeacon');
  const edit = { to: '/apps/$appId/beacons/$beaconId/edit', params: { appId, beaconId } };
  const copy = { to: '/apps/$appId/beacons/new', params: { appId }, from: beaconId };
  return (
    <RecordPage
      query={query}
      title={(beacon) => beacon?.name ?? t('Beacon')}
      all={{ label: t('All beacons'), to: '/apps/$appId/beacons', params: { appId } }}
      action={(beacon) => (
        <Group gap="xs">
          <HistoryButton
            appId={appId}
            kind="beacons"
            recordId={beaconId}
            present={beacon}
            updatedAt={beacon.updatedAt}
            labels={beaconLabels}
            mayChange={mayChange}
            stop={beaconStop}
            refresh={beaconKeys(appId)}
          />
          {mayChange && (
            <EditOrDelete edit={edit} copy={copy} deletion={<DeleteBeacon appId={appId} beacon={beacon} />} />
          )}
        </Group>
      )}
    >
      {(beacon) => (
        <>
          <BeaconHead
            appId={appId}
            beacon={beacon}
            action={mayChange && <Button onClick={() => setReplacing(true)}>{t('Replace')}</Button>}
          />
          <BeaconTelemetry appId={appId} beaconId={beaconId} />
          <BeaconMessages appId={appId} beaconId={beaconId} />
          {mayCall('listVisits') && <BeaconActivity appId={appId} beaconId={beaconId} />}
          <OwnerBlock
            appId={appId}
            name={beacon.name}
            createdBy={beacon.createdBy}
            operation="updateBeaconOwner"
            rules={{ group: 'resources', name: 'beacons' }}
            read={() => dataOf(appId).beacons.get(beaconId)}
            handOver={(userId, how) => dataOf(appId).beacons.handOver(beaconId, userId, how)}
            refresh={beaconKeys(appId)}
          />
          <BeaconDetails appId={appId} beacon={beacon} mayChange={mayChange} />
          {isReplacing && <ReplaceDialog appId={appId} beacon={beacon} onClose={() => setReplacing(false)} />}
        </>
      )}
    </RecordPage>
  );
}

type Identity = Pick<BeaconFields, 'name' | 'uuid' | 'major' | 'minor'>;

const identityOf = ({ uuid, major, minor }: Identity) => [uuidKey(uuid.trim()), Number(major), Number(minor)].join(' ');

/** The question before a beacon gets other identifiers: visitors at the one that hangs there are no longer noticed. */
export function beaconStop(before: Identity, after: Identity): Stop | undefined {
  if (identityOf(before) === identityOf(after)) return undefined;
  const name = after.name.trim();
  return stopOf(t('Change the identifiers of {name}', { name }), t('Save other identifiers'), [
    t(
      'Visitors are noticed only where a beacon sends the new identifiers. The one that hangs there now has to be set to them.',
    ),
    t('Messages at {name} are shown to nobody until then.', { name }),
  ]);
}
