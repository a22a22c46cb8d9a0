import { Link } from '@tanstack/react-router';
import { textBulk } from '../../components/bulk/bulk-fields.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { useAppId, useMayCall } from '../../lib/data/access.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { deviceLabels } from './device-form.tsx';
import { deviceKeys } from './queries.ts';

export function DevicesPage() {
  const appId = useAppId();
  const mayCall = useMayCall();
  const mayCreate = mayCall('createDevice');
  return (
    <SectionList
      appId={appId}
      title={t('Devices')}
      about={t('Screens, lights and other things at the venue that receive messages by MQTT.')}
      action={
        mayCreate && (
          <LinkButton to="/apps/$appId/devices/new" params={{ appId }} icon="plus">
            {t('Add a device')}
          </LinkButton>
        )
      }
      list={deviceList(appId, useTimes(appId), mayCall('deleteDevice'))}
      empty={{
        icon: 'device',
        title: t('No devices yet'),
        text: mayCreate
          ? t('Add one with the topic that it subscribes to, then issue the credentials that it connects with.')
          : t('Owners, managers and installers add devices.'),
      }}
    />
  );
}

const deviceList = (appId: string, times: Times, mayChange: boolean): ListDefinition<'listDevices'> => ({
  operation: 'listDevices',
  plural: t('devices'),
  trash: 'devices',
  bulk: mayChange
    ? {
        kind: 'devices',
        change: 'patchDevice',
        remove: 'deleteDevice',
        fields: Object.entries(deviceLabels).map(([name, label]) => textBulk({ label, path: [name] })),
        refresh: deviceKeys(appId),
      }
    : undefined,
  searchFields: ['deviceName', 'manufacture', 'topic'],
  searchHint: t('Search by name, maker or topic'),
  defaultOrder: 'deviceName',
  columns: [
    {
      name: 'deviceName',
      label: t('Name'),
      sortBy: 'deviceName',
      render: ({ objectId, deviceName }) => (
        <Link to="/apps/$appId/devices/$deviceId" params={{ appId, deviceId: objectId }}>
          {deviceName}
        </Link>
      ),
    },
    { name: 'manufacture', label: t('Maker'), sortBy: 'manufacture', render: ({ manufacture }) => manufacture },
    { name: 'topic', label: t('Topic'), sortBy: 'topic', render: ({ topic }) => <span className="mono">{topic}</span> },
    updatedColumn(times),
  ],
  filters: [
    { name: 'deviceName', label: t('Name'), kind: 'text' },
    { name: 'manufacture', label: t('Maker'), kind: 'text' },
    { name: 'topic', label: t('Topic'), kind: 'text' },
    ...stampFilters,
  ],
});
