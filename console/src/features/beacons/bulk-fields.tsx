import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Bulk } from '../../components/bulk/bulk.ts';
import {
  type ControlProps,
  choiceBulk,
  membersBulk,
  numberBulk,
  pointerBulk,
  textBulk,
} from '../../components/bulk/bulk-fields.tsx';
import { deletedVenue, venueNamesQuery } from '../../lib/data/venue-queries.ts';
import { t } from '../../lib/words/words.ts';
import { beaconLabels, floorOf } from './beacon-fields.ts';
import { beaconKeys } from './queries.ts';

export const sensitivities = [
  { value: 'stable', label: t('stable') },
  { value: 'fast', label: t('fast') },
];

/** What can be done with several beacons at once. Each has its own place, but many can be on one floor. */
export const beaconBulk = (appId: string): Bulk => ({
  kind: 'beacons',
  change: 'patchBeacon',
  remove: 'deleteBeacon',
  fields: [
    textBulk({ label: beaconLabels.name, path: ['name'] }),
    textBulk({ label: beaconLabels.uuid, path: ['uuid'] }),
    numberBulk({ label: beaconLabels.major, path: ['major'] }),
    numberBulk({ label: beaconLabels.minor, path: ['minor'] }),
    // A floor is a number or a name.
    textBulk(
      { label: beaconLabels['location.floor'], path: ['location', 'floor'], isOptional: true },
      { read: floorOf },
    ),
    pointerBulk(
      { label: beaconLabels.venueId, path: ['venueId'], className: 'Venue', isOptional: true },
      (props) => <VenueChoice appId={appId} {...props} />,
      (objectId) => <VenueName appId={appId} objectId={objectId} />,
    ),
    numberBulk({ label: beaconLabels.radius, path: ['radius'], isOptional: true }),
    numberBulk({ label: beaconLabels.measuredPower, path: ['measuredPower'], isOptional: true }),
    choiceBulk({ label: beaconLabels.sensitivity, path: ['sensitivity'], isOptional: true }, sensitivities),
    membersBulk({ label: beaconLabels.metadata, path: ['metadata'] }),
  ],
  refresh: beaconKeys(appId),
});

function VenueChoice({ appId, label, value, onChange, error }: ControlProps<string> & { readonly appId: string }) {
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  return (
    <NativeSelect
      label={label}
      error={error}
      data={[
        { value: '', label: t('Choose …') },
        ...venues.map(({ objectId, name }) => ({ value: objectId, label: name })),
      ]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function VenueName({ appId, objectId }: { readonly appId: string; readonly objectId: string }) {
  const { data: venues } = useQuery(venueNamesQuery(appId));
  if (!venues) return '…';
  return venues.find((venue) => venue.objectId === objectId)?.name ?? deletedVenue();
}
