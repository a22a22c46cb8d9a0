import { Button, Skeleton } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import names from '../../components/page/names.module.css';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { NotificationForm } from './notification-form.tsx';
import { notificationKeys, notificationQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/notifications/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/notifications/$notificationId');

function useBack(appId: string) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/notifications', params: { appId } });
}

function AllNotifications({ appId }: { readonly appId: string }) {
  return (
    <Link to="/apps/$appId/notifications" params={{ appId }} className={names.link}>
      All notifications
    </Link>
  );
}

export function NewNotificationPage() {
  const { appId } = createRoute.useParams();
  const goBack = useBack(appId);
  return (
    <>
      <SectionHeader title="Add a notification">
        <AllNotifications appId={appId} />
      </SectionHeader>
      <NotificationForm appId={appId} onDone={goBack} onCancel={goBack} />
    </>
  );
}

export function NotificationPage() {
  const { appId, notificationId } = oneRoute.useParams();
  const { data: notification, error } = useQuery(notificationQuery(appId, notificationId));
  const goBack = useBack(appId);
  const mayChange = useMayCall()('updateNotification');
  return (
    <>
      <SectionHeader
        title={notification?.description ?? 'Notification'}
        action={notification && mayChange && <DeleteNotification appId={appId} notification={notification} />}
      >
        <AllNotifications appId={appId} />
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!notification && !error && <Skeleton h={400} />}
      {notification && (
        <NotificationForm
          key={notification.updatedAt}
          appId={appId}
          notification={notification}
          isLocked={!mayChange}
          onDone={goBack}
          onCancel={goBack}
        />
      )}
    </>
  );
}

function DeleteNotification({ appId, notification }: { readonly appId: string; readonly notification: Notification }) {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const goBack = useBack(appId);
  const remove = useAction({
    run: () => dataOf(appId).notifications.delete(notification.objectId),
    done: `${notification.description} is deleted.`,
    showsError: true,
    after: async () => {
      goBack();
      queries.removeQueries({ queryKey: notificationQuery(appId, notification.objectId).queryKey });
      await Promise.all(notificationKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Delete the notification"
        confirm={`Delete ${notification.description}`}
        isBusy={remove.isPending}
        failure={remove.error?.message}
        onConfirm={() => remove.mutate()}
      >
        <b>{notification.description}</b> goes for good and is not shown any more. To stop it for a while, switch it off
        instead.
      </ConfirmDialog>
    </>
  );
}
