import { Select, Text } from '@mantine/core';
import type { Zone } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { venueNamesQuery } from '../../lib/data/venue-names.ts';
import { pointer } from '../../lib/data/venue-queries.ts';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly onAdd: (beaconIds: readonly string[]) => void;
}

/** As many as can be read at once. */
const most = 1_000;

/** Adds all beacons of a zone: people think of rooms, and messages belong to beacons. */
export function ZoneBeacons({ appId, onAdd }: Props) {
  const { data: zones = [] } = useQuery({
    queryKey: dataKey(appId, 'listZones', 'to-add'),
    queryFn: async () => (await dataOf(appId).zones.list({ order: 'name', limit: most })).results,
  });
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  const add = useAction<Zone, readonly string[]>({
    run: async ({ objectId }) => {
      const where = { zoneId: pointer('Zone', objectId) };
      const { results } = await dataOf(appId).beacons.list({ where, limit: most });
      return results.map((beacon) => beacon.objectId);
    },
    after: onAdd,
    showsError: true,
  });
  if (zones.length === 0) return null;
  const venueOf = ({ venueId }: Zone) => venues.find(({ objectId }) => objectId === venueId?.objectId)?.name;
  return (
    <div>
      <Select
        label={t('Add the beacons of a zone')}
        description={t('Those that are in it now. Beacons that come into the zone later have to be added here, too.')}
        placeholder={t('Choose a zone')}
        searchable
        limit={50}
        value={null}
        disabled={add.isPending}
        data={zones.map((zone) => ({
          value: zone.objectId,
          label: [zone.name, venueOf(zone)].filter(Boolean).join(', '),
        }))}
        onChange={(id) => {
          const zone = zones.find(({ objectId }) => objectId === id);
          if (zone) add.mutate(zone);
        }}
      />
      <FailureNote message={add.error?.message} />
      {add.data && (
        <Text size="sm" c="dimmed" mt={4} role="status">
          {t('{name}: {count, plural, =0 {no beacon is in this zone yet} one {# beacon} other {# beacons}}.', {
            name: add.variables?.name,
            count: add.data.length,
          })}
        </Text>
      )}
    </div>
  );
}
