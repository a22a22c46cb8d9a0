import { Text } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import type { ListDefinition } from '../../components/list/record-list.tsx';
import { eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import type { BeaconNames } from '../../lib/data/beacon-names.ts';
import type { Times } from '../../lib/time/times.ts';
import { titleOf, typeTexts } from './notification-fields.ts';
import { notificationKeys } from './queries.ts';

interface Context {
  readonly appId: string;
  readonly times: Times;
  readonly names: BeaconNames;
  readonly mayChange: boolean;
}

/** The table of notifications, as data. */
export const notificationList = ({ appId, times, names, mayChange }: Context): ListDefinition<'listNotifications'> => ({
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
      render: ({ beaconId }) => <BeaconCell name={names(beaconId.objectId)} />,
    },
    {
      name: 'type',
      label: 'Shows',
      sortBy: 'type',
      render: (one: Notification) => `${typeTexts[one.type].label}: ${titleOf(one)}`,
    },
    {
      name: 'isEnabled',
      label: 'On',
      sortBy: 'isEnabled',
      render: (one: Notification) => (
        <EnableSwitch
          label={`${one.description} is on`}
          isOn={one.isEnabled}
          isLocked={!mayChange}
          refresh={notificationKeys(appId)}
          onChange={(isEnabled) => dataOf(appId).notifications.update(one.objectId, { isEnabled })}
        />
      ),
    },
    {
      name: 'updatedAt',
      label: 'Changed',
      sortBy: 'updatedAt',
      isTime: true,
      isDeskOnly: true,
      render: ({ updatedAt }) => <span title={times.dateTime(updatedAt)}>{times.date(updatedAt)}</span>,
    },
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
    { name: 'beaconId', label: 'Beacon', kind: 'pointer', className: 'Beacon' },
    { name: 'message', label: 'Message', kind: 'member' },
    { name: 'createdAt', label: 'Created', kind: 'date' },
    { name: 'updatedAt', label: 'Changed', kind: 'date' },
  ],
});

function BeaconCell({ name }: { readonly name: string | null | undefined }) {
  if (name === undefined) return '…';
  if (name !== null) return name;
  return (
    <Text span c="var(--mantine-color-error)" fw={550} inherit title="It does not fire. Choose another beacon for it.">
      Beacon deleted
    </Text>
  );
}
