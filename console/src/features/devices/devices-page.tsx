import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listQuery } from '../../components/list/list-search.ts';
import { type ListDefinition, RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';

const route = getRouteApi('/signed-in/apps/$appId/devices');

export function DevicesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const mayCreate = useMayCall()('createDevice');
  const list = deviceList(appId, times);
  // The same question as the table's, so it is asked once; then the empty state has the button.
  const { data } = useListed(appId, 'listDevices', listQuery(search, list));
  const isEmpty = data?.count === 0 && search.q === undefined && search.where === undefined;
  const add = mayCreate && (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      component={Link}
      to="/apps/$appId/devices/new"
      params={{ appId } as never}
    >
      Add a device
    </Button>
  );
  return (
    <>
      <SectionHeader title="Devices" action={!isEmpty && add}>
        Screens, lights and other things at the venue that hear messages by MQTT.
      </SectionHeader>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="device" title="No device yet" action={add}>
            {mayCreate
              ? 'Add one with the topic that it listens to, then give it credentials to connect with.'
              : 'There is nothing here yet. Owners, managers and installers add devices.'}
          </EmptyState>
        }
      />
    </>
  );
}

const deviceList = (appId: string, times: Times): ListDefinition<'listDevices'> => ({
  operation: 'listDevices',
  plural: 'devices',
  searchFields: ['deviceName', 'manufacture', 'topic'],
  searchHint: 'Search by name, maker or topic',
  defaultOrder: 'deviceName',
  columns: [
    {
      name: 'deviceName',
      label: 'Name',
      sortBy: 'deviceName',
      render: ({ objectId, deviceName }) => (
        <Link to="/apps/$appId/devices/$deviceId" params={{ appId, deviceId: objectId }}>
          {deviceName}
        </Link>
      ),
    },
    { name: 'manufacture', label: 'Maker', sortBy: 'manufacture', render: ({ manufacture }) => manufacture },
    { name: 'topic', label: 'Topic', sortBy: 'topic', render: ({ topic }) => <span className="mono">{topic}</span> },
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
    { name: 'deviceName', label: 'Name', kind: 'text' },
    { name: 'manufacture', label: 'Maker', kind: 'text' },
    { name: 'topic', label: 'Topic', kind: 'text' },
    { name: 'createdAt', label: 'Created', kind: 'date' },
    { name: 'updatedAt', label: 'Changed', kind: 'date' },
  ],
});
