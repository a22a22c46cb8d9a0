import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { NewPage, RecordPage } from '../../components/page/page-header.tsx';
import { venueQuery } from '../../lib/data/venue-queries.ts';
import { t } from '../../lib/words/words.ts';
import { VenueForm } from './venue-form.tsx';

const createRoute = getRouteApi('/signed-in/apps/$appId/beacons/venues/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/edit');

export function NewVenuePage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const navigate = useNavigate();
  return (
    <NewPage
      title={t('Add a venue')}
      from={from}
      modelOf={(id) => venueQuery(appId, id)}
      note={t('Floors, zones and beacons are not copied. A floor is copied on its own page.')}
    >
      {(copied) => (
        <VenueForm
          appId={appId}
          {...copied}
          onDone={(venueId) =>
            void navigate({ to: '/apps/$appId/beacons/venues/$venueId', params: { appId, venueId } })
          }
          onCancel={() => void navigate({ to: '/apps/$appId/beacons/venues', params: { appId } })}
        />
      )}
    </NewPage>
  );
}

export function EditVenuePage() {
  const { appId, venueId } = editRoute.useParams();
  const query = useQuery(venueQuery(appId, venueId));
  const navigate = useNavigate();
  const open = () => void navigate({ to: '/apps/$appId/beacons/venues/$venueId', params: { appId, venueId } });
  return (
    <RecordPage
      query={query}
      title={(venue) => (venue ? t('Edit {name}', { name: venue.name }) : t('Edit a venue'))}
      height={500}
    >
      {(venue) => <VenueForm key={venue.objectId} appId={appId} record={venue} onDone={open} onCancel={open} />}
    </RecordPage>
  );
}
