import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { NewPage, RecordPage } from '../../components/page/page-header.tsx';
import { t } from '../../lib/words/words.ts';
import { BeaconForm } from './beacon-form.tsx';
import type { BeaconPlace } from './beacon-place.ts';
import { beaconQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/beacons/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/beacons/$beaconId/edit');

export function NewBeaconPage() {
  const { appId } = createRoute.useParams();
  const { from, on, next } = createRoute.useSearch();
  const navigate = useNavigate();
  const openFloor = ({ venueId, floorId }: BeaconPlace) =>
    void navigate({ to: '/apps/$appId/beacons/venues/$venueId/floors/$floorId', params: { appId, venueId, floorId } });
  return (
    <NewPage
      title={t('Add a beacon')}
      from={from}
      modelOf={(id) => beaconQuery(appId, id)}
      note={t('Minor and place are not copied: they are what tells one beacon from another.')}
    >
      {(copied) => (
        <BeaconForm
          appId={appId}
          {...copied}
          {...(on ? { place: on } : {})}
          onDone={(beaconId) => {
            if (on) openFloor(on);
            else if (next) void navigate({ to: '/apps/$appId/home', params: { appId } });
            else void navigate({ to: '/apps/$appId/beacons/$beaconId', params: { appId, beaconId } });
          }}
          onCancel={() => (on ? openFloor(on) : void navigate({ to: '/apps/$appId/beacons', params: { appId } }))}
        />
      )}
    </NewPage>
  );
}

export function EditBeaconPage() {
  const { appId, beaconId } = editRoute.useParams();
  const query = useQuery(beaconQuery(appId, beaconId));
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/apps/$appId/beacons/$beaconId', params: { appId, beaconId: id } });
  return (
    <RecordPage
      query={query}
      title={(beacon) => (beacon ? t('Edit {name}', { name: beacon.name }) : t('Edit a beacon'))}
      height={400}
    >
      {(beacon) => (
        <BeaconForm key={beacon.objectId} appId={appId} record={beacon} onDone={open} onCancel={() => open(beaconId)} />
      )}
    </RecordPage>
  );
}
