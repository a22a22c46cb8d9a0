import { Text } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { BeaconNames } from '../../components/page/beacon-names.tsx';
import { eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import { beaconNameQuery } from '../../lib/data/names.ts';
import type { Times } from '../../lib/time/times.ts';
import { notificationTitle, typeTexts } from './notification-fields.ts';
import { notificationKeys } from './queries.ts';

interface Context {
  readonly appId: string;
  readonly times: Times;
  readonly mayChange: boolean;
}

/** The table of notifications, as data. */
export const notificationList = ({ appId, times, mayChange }: Context): ListDefinition<'listNotifications'> => ({
  operation: 'listNotifications',
  plural: 'notifications',
  searchFields: ['description'],
  searchHint: 'Search by name',
  defaultOrder: 'description',
  columns: [
    {
      name: 'description',
      label: 'Name',
      sortBy: 'description',
      render: ({ objectId, description }) => (
        <Link to="/apps/$appId/notifications/$notificationId" params={{ appId, notificationId: objectId }}>
          {description}
        </Link>
      ),
    },
    { name: 'event', label: 'When a visitor', sortBy: 'event', render: ({ event }) => eventTexts[event].verb },
    {
      name: 'beacon',
      label: 'Beacon',
      render: ({ beaconId }) => <BeaconCell appId={appId} beaconId={beaconId.objectId} />,
    },
    {
      name: 'type',
      label: 'Shows',
      sortBy: 'type',
      render: (one: Notification) => `${typeTexts[one.type].label}: ${notificationTitle(one) || 'no words yet'}`,
    },
    {
      name: 'isEnabled',
      label: 'On',
      sortBy: 'isEnabled',
      render: (one: Notification) => (
        <EnableSwitch
          label={`${one.description} is on`}
          name={one.description}
          isOn={one.isEnabled}
          isLocked={!mayChange}
          refresh={notificationKeys(appId)}
          onChange={(isEnabled) => dataOf(appId).notifications.update(one.objectId, { isEnabled })}
        />
      ),
    },
    updatedColumn(times),
  ],
  filters: [
    { name: 'description', label: 'Name', kind: 'text' },
    { name: 'isEnabled', label: 'On', kind: 'boolean' },
    { name: 'event', label: 'Event', kind: 'choice', choices: eventOptions },
    {
      name: 'type',
      label: 'Type',
      kind: 'choice',
      choices: Object.entries(typeTexts).map(([value, { label }]) => ({ value, label })),
    },
    {
      name: 'beaconId',
      label: 'Beacon',
      kind: 'pointer',
      className: 'Beacon',
      control: ({ value, onChange }) => (
        <BeaconPicker appId={appId} value={value || undefined} onChange={(id = '') => onChange(id)} />
      ),
      textOf: (beaconId) => <BeaconNames appId={appId} beaconIds={[beaconId]} />,
    },
    { name: 'message', label: 'Message', kind: 'member' },
    ...stampFilters,
  ],
});

function BeaconCell({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data: name } = useQuery(beaconNameQuery(appId, beaconId));
  if (name === undefined) return '…';
  if (name !== null) return name;
  return (
    <Text span c="var(--mantine-color-error)" fw={550} inherit title="It is never shown. Choose another beacon.">
      Beacon deleted
    </Text>
  );
}
