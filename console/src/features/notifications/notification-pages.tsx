import type { Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { BackLink, DeleteButton, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { NotificationForm } from './notification-form.tsx';
import { notificationKeys, notificationQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/notifications/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/notifications/$notificationId');

const wayBack = (appId: string) => ({
  label: 'All notifications',
  to: '/apps/$appId/notifications',
  params: { appId },
});

function useBack(appId: string) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/notifications', params: { appId } });
}

export function NewNotificationPage() {
  const { appId } = createRoute.useParams();
  const goBack = useBack(appId);
  return (
    <>
      <SectionHeader title="Add a notification">
        <BackLink {...wayBack(appId)} />
      </SectionHeader>
      <NotificationForm appId={appId} onDone={goBack} onCancel={goBack} />
    </>
  );
}

export function NotificationPage() {
  const { appId, notificationId } = oneRoute.useParams();
  const query = useQuery(notificationQuery(appId, notificationId));
  const goBack = useBack(appId);
  const mayChange = useMayCall()('updateNotification');
  return (
    <RecordPage
      query={query}
      title={(notification) => notification?.description ?? 'Notification'}
      all={wayBack(appId)}
      action={(notification) => mayChange && <DeleteNotification appId={appId} notification={notification} />}
      height={400}
    >
      {(notification) => (
        <NotificationForm
          key={notification.objectId}
          appId={appId}
          notification={notification}
          isLocked={!mayChange}
          onDone={goBack}
          onCancel={goBack}
        />
      )}
    </RecordPage>
  );
}

function DeleteNotification({ appId, notification }: { readonly appId: string; readonly notification: Notification }) {
  const { objectId, description } = notification;
  const [isOpen, setOpen] = useState(false);
  const { to, params } = wayBack(appId);
  return (
    <>
      <DeleteButton onClick={() => setOpen(true)} />
      <ConfirmedAction
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Delete the notification"
        confirm={`Delete ${description}`}
        run={() => dataOf(appId).notifications.delete(objectId)}
        done={`${description} was deleted.`}
        refresh={notificationKeys(appId)}
        leave={{ to, params, forget: notificationQuery(appId, objectId).queryKey }}
      >
        <b>{description}</b> is deleted permanently and no longer shown. To pause it, switch it off instead.
      </ConfirmedAction>
    </>
  );
}
