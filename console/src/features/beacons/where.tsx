import type { Beacon, Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { TextLink } from '../../components/names/names.tsx';
import { allFloorsQuery, deletedVenue, venueNamesQuery, zonesQuery } from '../../lib/data/venue-queries.ts';
import { isOnFloor } from '../../lib/plan/floor-geometry.ts';
import { t } from '../../lib/words/words.ts';
import { placeText } from './beacon-fields.ts';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
}

export function useFloorOf(
  appId: string,
  { location, venueId }: Pick<Beacon, 'location' | 'venueId'>,
): Floor | undefined {
  const { data: floors } = useQuery({ ...allFloorsQuery(appId), enabled: venueId !== undefined });
  return floors?.find((floor) => floor.venueId.objectId === venueId?.objectId && isOnFloor({ location }, floor));
}

function useVenueName(appId: string, venueId: string | undefined): string | undefined {
  const { data: venues } = useQuery({ ...venueNamesQuery(appId), enabled: venueId !== undefined });
  if (!venues || venueId === undefined) return undefined;
  return venues.find(({ objectId }) => objectId === venueId)?.name ?? deletedVenue();
}

/** `Ground floor · Museum`; in metres where nothing is known but these. */
export function Where({ appId, beacon }: Props) {
  const floor = useFloorOf(appId, beacon);
  const venue = useVenueName(appId, beacon.venueId?.objectId);
  return [floor?.name ?? placeText(beacon), venue].filter(Boolean).join(' · ');
}

/** Links to the venue, floor and zone of a beacon, or a sentence that it has no place. */
export function WhereLinks({ appId, beacon }: Props) {
  const { venueId, zoneId } = beacon;
  const floor = useFloorOf(appId, beacon);
  const venue = useVenueName(appId, venueId?.objectId);
  const { data: zones } = useQuery({
    ...zonesQuery(appId, venueId?.objectId ?? ''),
    enabled: venueId !== undefined && zoneId !== undefined,
  });
  const zone = zones?.find(({ objectId }) => objectId === zoneId?.objectId)?.name;
  const parts = [
    zone,
    floor && venueId ? (
      <TextLink
        key="floor"
        to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
        params={{ appId, venueId: venueId.objectId, floorId: floor.objectId }}
      >
        {floor.name}
      </TextLink>
    ) : (
      placeText(beacon)
    ),
    venueId && (
      <TextLink key="venue" to="/apps/$appId/beacons/venues/$venueId" params={{ appId, venueId: venueId.objectId }}>
        {venue ?? '…'}
      </TextLink>
    ),
  ].filter(Boolean);
  if (parts.length === 0) return t('No place yet');
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
}
