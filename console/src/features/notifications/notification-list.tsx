import { Text } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { BeaconNames } from '../../components/names/beacon-names.tsx';
import { eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import { beaconNameQuery } from '../../lib/data/names.ts';
import type { Times } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { notificationBulk } from './bulk-fields.tsx';
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
  trash: 'notifications',
  bulk: mayChange ? notificationBulk(appId, times) : undefined,
  plural: t('notifications'),
  searchFields: ['description'],
  searchHint: t('Search by name'),
  defaultOrder: 'description',
  columns: [
    {
      name: 'description',
      label: t('Name'),
      sortBy: 'description',
      render: ({ objectId, description }) => (
        <Link to="/apps/$appId/notifications/$notificationId" params={{ appId, notificationId: objectId }}>
          {description}
        </Link>
      ),
    },
    { name: 'event', label: t('When a visitor'), sortBy: 'event', render: ({ event }) => eventTexts[event].verb },
    {
      name: 'beacon',
      label: t('Beacon'),
      render: ({ beaconId }) => <BeaconCell appId={appId} beaconId={beaconId.objectId} />,
    },
    {
      name: 'type',
      label: t('Shows'),
      sortBy: 'type',
      render: (one: Notification) =>
        t('{label}: {notificationTitle}', {
          label: typeTexts[one.type].label,
          notificationTitle: notificationTitle(one) || (one.type === 'TEXT' ? t('no words yet') : t('without words')),
        }),
    },
    {
      name: 'isEnabled',
      label: t('On'),
      sortBy: 'isEnabled',
      render: (one: Notification) => (
        <EnableSwitch
          label={t('{description} is on', { description: one.description })}
          name={one.description}
          isOn={one.isEnabled}
          isLocked={!mayChange}
          refresh={notificationKeys(appId)}
          onChange={(isEnabled) => dataOf(appId).notifications.update(one.objectId, { isEnabled })}
          off={notificationOff(one.description)}
        />
      ),
    },
    updatedColumn(times),
  ],
  filters: filtersOf(appId),
});

const filtersOf = (appId: string): ListDefinition<'listNotifications'>['filters'] => [
  { name: 'description', label: t('Name'), kind: 'text' },
  { name: 'isEnabled', label: t('On'), kind: 'boolean' },
  { name: 'event', label: t('Event'), kind: 'choice', choices: eventOptions },
  {
    name: 'type',
    label: t('Type'),
    kind: 'choice',
    choices: Object.entries(typeTexts).map(([value, { label }]) => ({ value, label })),
  },
  {
    name: 'beaconId',
    label: t('Beacon'),
    kind: 'pointer',
    className: 'Beacon',
    control: ({ value, onChange }) => (
      <BeaconPicker appId={appId} value={value || undefined} onChange={(id = '') => onChange(id)} />
    ),
    textOf: (beaconId) => <BeaconNames appId={appId} beaconIds={[beaconId]} />,
  },
  { name: 'message', label: t('Message'), kind: 'member' },
  ...stampFilters,
];

function BeaconCell({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data: name } = useQuery(beaconNameQuery(appId, beaconId));
  if (name === undefined) return '…';
  if (name !== null) return name;
  return (
    <Text span c="var(--mantine-color-error)" fw={550} inherit title={t('It is never shown. Choose another beacon.')}>
      {t('Beacon deleted')}
    </Text>
  );
}

/** What visitors do without while it is off. */
export const notificationOff = (description: string) =>
  rich('<b>{description}</b> is shown to nobody until it is switched on again.', {
    description,
    b: (inner) => <b>{inner}</b>,
  });
