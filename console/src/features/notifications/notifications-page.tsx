import { getRouteApi } from '@tanstack/react-router';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { notificationList } from './notification-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/notifications');

export function NotificationsPage() {
  const { appId } = route.useParams();
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const mayCreate = mayCall('createNotification');
  return (
    <SectionList
      appId={appId}
      title={t('Notifications')}
      about={t('One beacon, one event, one message: the simplest way to tell a visitor something.')}
      action={
        mayCreate && (
          <LinkButton to="/apps/$appId/notifications/new" params={{ appId }} icon="plus">
            {t('Add a notification')}
          </LinkButton>
        )
      }
      list={notificationList({ appId, times, mayChange: mayCall('updateNotification') })}
      empty={{
        icon: 'bell',
        title: t('No notifications yet'),
        text: mayCreate
          ? t('Add one: choose a beacon and an event, and write what visitors will read.')
          : t('Owners, managers and editors write notifications.'),
      }}
    />
  );
}
