import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../lib/data/api.ts';
import { dataKey } from '../../../lib/data/listed.ts';
import { venueNamesQuery } from '../../../lib/data/venue-names.ts';
import { floorsQuery, venueBeaconsQuery, zonesQuery } from '../../../lib/data/venue-queries.ts';
import { t } from '../../../lib/words/words.ts';

/** The zone, floor or venue whose beacons these are, all of them and no others: people think of rooms. */
export function usePlace(appId: string, beacons: readonly string[]): string | undefined {
  const [first = ''] = beacons;
  const isMany = beacons.length > 1;
  const { data: one } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'place', first),
    queryFn: async () => (await dataOf(appId).beacons.list({ where: { objectId: first } })).results[0] ?? null,
    enabled: isMany,
  });
  const venueId = one?.venueId?.objectId ?? '';
  const asked = { enabled: isMany && venueId !== '' };
  const { data: there } = useQuery({ ...venueBeaconsQuery(appId, venueId), ...asked });
  const { data: zones } = useQuery({ ...zonesQuery(appId, venueId), ...asked });
  const { data: floors } = useQuery({ ...floorsQuery(appId, venueId), ...asked });
  const { data: venues } = useQuery({ ...venueNamesQuery(appId), ...asked });
  if (!isMany || !one || !there) return undefined;
  const isAll = (belongs: (beacon: Beacon) => boolean) => {
    const ids = there.filter(belongs).map(({ objectId }) => objectId);
    return ids.length === beacons.length && ids.every((id) => beacons.includes(id));
  };
  const zone = zones?.find(({ objectId }) => objectId === one.zoneId?.objectId);
  if (zone && isAll(({ zoneId }) => zoneId?.objectId === zone.objectId)) return zone.name;
  const floor = floors?.find(({ level }) => level === one.location?.['floor']);
  if (floor && isAll(({ location }) => location?.['floor'] === floor.level)) return floor.name;
  const venue = venues?.find(({ objectId }) => objectId === venueId);
  return venue && isAll(() => true) ? t('any beacon of {venue}', { venue: venue.name }) : undefined;
}
