import { getRouteApi, Link } from '@tanstack/react-router';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { PlaceViews } from '../../components/page/place-views.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues');

export function VenuesPage() {
  const { appId } = route.useParams();
  const mayCreate = useMayCall()('createVenue');
  const views = <PlaceViews appId={appId} view="venues" />;
  const isFirst = mayCreate && (
    <LinkButton to="/apps/$appId/beacons/venues/new" params={{ appId }} icon="plus">
      {t('Add a venue')}
    </LinkButton>
  );
  return (
    <SectionList
      appId={appId}
      title={t('Venues')}
      about={t('The buildings: when they are open, their floors with plans, and the rooms in which the beacons are.')}
      action={isFirst}
      tools={views}
      list={venueList(appId, useTimes(appId))}
      empty={{
        icon: 'map',
        title: t('No venues yet'),
        text: mayCreate
          ? t('Add the building with its opening hours. Then give it floors with plans, and put the beacons on them.')
          : t('Owners, managers, editors and installers add venues.'),
      }}
    />
  );
}

const venueList = (appId: string, times: Times): ListDefinition<'listVenues'> => ({
  operation: 'listVenues',
  plural: t('venues'),
  searchFields: ['name', 'address'],
  searchHint: t('Search by name or address'),
  defaultOrder: 'name',
  columns: [
    {
      name: 'name',
      label: t('Name'),
      sortBy: 'name',
      render: ({ objectId, name }) => (
        <Link to="/apps/$appId/beacons/venues/$venueId" params={{ appId, venueId: objectId }}>
          {name}
        </Link>
      ),
    },
    { name: 'address', label: t('Address'), sortBy: 'address', render: ({ address }) => address ?? '' },
    {
      name: 'timeZone',
      label: t('Time zone'),
      render: ({ timeZone }) => timeZone ?? t('{zone} (app)', { zone: times.zone }),
    },
    updatedColumn(times),
  ],
  filters: [
    { name: 'name', label: t('Name'), kind: 'text' },
    { name: 'address', label: t('Address'), kind: 'text' },
    ...stampFilters,
  ],
});
