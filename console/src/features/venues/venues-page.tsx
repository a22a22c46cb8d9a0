import { Link } from '@tanstack/react-router';
import type { Bulk } from '../../components/bulk/bulk.ts';
import { choiceBulk, numberBulk, textBulk } from '../../components/bulk/bulk-fields.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { useAppId, useMayCall } from '../../lib/data/access.ts';
import { venueKeys } from '../../lib/data/venue-queries.ts';
import { zones } from '../../lib/time/service-times.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { venueLabels } from './venue-fields.ts';

export function VenuesPage() {
  const appId = useAppId();
  const mayCall = useMayCall();
  const mayCreate = mayCall('createVenue');
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
      list={venueList(appId, useTimes(appId), mayCall('updateVenue'))}
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

/** A venue is not deleted with others: it does not go into the trash. */
const venueBulk = (appId: string): Bulk => ({
  kind: 'venues',
  change: 'patchVenue',
  fields: [
    choiceBulk(
      { label: venueLabels.timeZone, path: ['timeZone'], isOptional: true },
      zones.map((zone) => ({ value: zone, label: zone })),
    ),
    textBulk({ label: venueLabels.address, path: ['address'], isOptional: true }),
    numberBulk({ label: venueLabels.capacity, path: ['capacity'], isOptional: true }),
  ],
  refresh: venueKeys(appId),
});

const venueList = (appId: string, times: Times, mayChange: boolean): ListDefinition<'listVenues'> => ({
  operation: 'listVenues',
  plural: t('venues'),
  bulk: mayChange ? venueBulk(appId) : undefined,
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
