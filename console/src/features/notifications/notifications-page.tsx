import { Button } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listQuery } from '../../components/list/list-search.ts';
import { RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { useTimes } from '../../lib/time/times.ts';
import { notificationList } from './notification-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/notifications');

export function NotificationsPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const plain = notificationList({ appId, times, names: () => undefined, mayChange: false });
  // The same question as the table's, so it is asked once.
  const { data } = useListed(appId, 'listNotifications', listQuery(search, plain));
  const shown = (data?.results ?? []) as readonly Notification[];
  const names = useBeaconNames(
    appId,
    shown.map(({ beaconId }) => beaconId.objectId),
  );
  const isEmpty = data?.count === 0 && !search.q && !search.where;
  const add = mayCall('createNotification') && (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      component={Link}
      to="/apps/$appId/notifications/new"
      params={{ appId } as never}
    >
      Add a notification
    </Button>
  );
  return (
    <>
      <SectionHeader title="Notifications" action={!isEmpty && add}>
        One beacon, one event, one message: the simplest way to tell a visitor something.
      </SectionHeader>
      <RecordList
        appId={appId}
        list={notificationList({ appId, times, names, mayChange: mayCall('updateNotification') })}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="bell" title="No notification yet" action={add}>
            {add
              ? 'Add one: choose a beacon, say when, and write what visitors shall read.'
              : 'There is nothing here yet. Owners, managers and editors write notifications.'}
          </EmptyState>
        }
      />
    </>
  );
}
