import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BeaconSelect } from '../../../components/form/beacon-select.tsx';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { byName, listAll } from '../../../lib/data/all-records.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import { allFloorsQuery, pointer, venueNamesQuery } from '../../../lib/data/venue-queries.ts';
import { t } from '../../../lib/words/words.ts';
import type { EditorProps } from './editors.tsx';

/** One beacon, several, or all of a room. A notification, which is all that those have who are limited to venues, has one. */
export function PlaceEditor({ appId, form }: EditorProps & { readonly appId: string }) {
  const hasMany = useMayCall()('createStoryline');
  const { beacons } = form.values;
  return (
    <>
      <BeaconSelect
        appId={appId}
        many={hasMany}
        label={hasMany ? t('Beacons') : t('Beacon')}
        description={hasMany ? t('The message is shown at each of them.') : ''}
        value={beacons}
        error={form.problemWithin('beacons')}
        onChange={(ids) => form.set('beacons', ids)}
      />
      {hasMany && (
        <BeaconsOfPlace
          appId={appId}
          onAdd={(ids) => form.set('beacons', [...new Set([...form.current().beacons, ...ids])])}
        />
      )}
    </>
  );
}

interface Place {
  readonly value: string;
  readonly label: string;
  readonly where: Readonly<Record<string, unknown>>;
}

function usePlaces(appId: string): { readonly group: string; readonly items: readonly Place[] }[] {
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  const { data: floors = [] } = useQuery(allFloorsQuery(appId));
  const { data: zones = [] } = useQuery({
    queryKey: dataKey(appId, 'listZones', 'to-add'),
    queryFn: async () => byName(await listAll(dataOf(appId).zones.list)),
  });
  const inVenue = (name: string, venueId: string | undefined) =>
    [name, venues.find(({ objectId }) => objectId === venueId)?.name].filter(Boolean).join(', ');
  const places = [
    {
      group: t('Zones'),
      items: zones.map(({ objectId, name, venueId }) => ({
        value: objectId,
        label: inVenue(name, venueId?.objectId),
        where: { zoneId: pointer('Zone', objectId) },
      })),
    },
    {
      group: t('Floors'),
      items: floors.map(({ objectId, name, venueId, level }) => ({
        value: objectId,
        label: inVenue(name, venueId.objectId),
        where: { venueId: pointer('Venue', venueId.objectId), 'location.floor': level },
      })),
    },
    {
      group: t('Venues'),
      items: venues.map(({ objectId, name }) => ({
        value: objectId,
        label: name,
        where: { venueId: pointer('Venue', objectId) },
      })),
    },
  ];
  return places.filter(({ items }) => items.length > 0);
}

interface AddProps {
  readonly appId: string;
  readonly onAdd: (beaconIds: readonly string[]) => void;
}

/** Adds all beacons of a zone, a floor or a venue: people think of rooms, and messages belong to beacons. */
function BeaconsOfPlace({ appId, onAdd }: AddProps) {
  const places = usePlaces(appId);
  const add = useAction<Place, readonly string[]>({
    run: async ({ where }) =>
      (await listAll(dataOf(appId).beacons.list, where as never)).map(({ objectId }) => objectId),
    after: onAdd,
    showsError: true,
  });
  if (places.length === 0) return null;
  return (
    <div>
      <Select
        label={t('Add all beacons of a place')}
        description={t('Those that are there now. Beacons that come later have to be added here, too.')}
        placeholder={t('Choose a place')}
        searchable
        value={null}
        data={places.map(({ group, items }) => ({ group, items: items.map(({ value, label }) => ({ value, label })) }))}
        onChange={(id) => {
          const place = places.flatMap(({ items }) => items).find(({ value }) => value === id);
          if (place) add.mutate(place);
        }}
      />
      <FailureNote message={add.error?.message} />
      {add.data && (
        <Text c="dimmed" mt={4} role="status">
          {t('{name}: {count, plural, =0 {no beacon is there yet} one {# beacon} other {# beacons}}.', {
            name: add.variables?.label,
            count: add.data.length,
          })}
        </Text>
      )}
    </div>
  );
}
