import { Box, Group } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { BackLink, DeleteButton, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall, usePutBack } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { trashKey } from '../../lib/data/history.ts';
import { rich, t } from '../../lib/words/words.ts';
import { notificationFields, notificationLabels } from './notification-fields.ts';
import { NotificationForm, showNotification } from './notification-form.tsx';
import { useNotificationStop } from './notification-stop.ts';
import { notificationKeys, notificationQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/notifications/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/notifications/$notificationId');

const wayBack = (appId: string) => ({
  label: t('All notifications'),
  to: '/apps/$appId/notifications',
  params: { appId },
});

function useBack(appId: string) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/notifications', params: { appId } });
}

export function NewNotificationPage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const goBack = useBack(appId);
  const { data: model, error } = useQuery({ ...notificationQuery(appId, from ?? ''), enabled: from !== undefined });
  return (
    <>
      <PageHeader title={t('Add a notification')} back={<BackLink {...wayBack(appId)} />} />
      <FailureNote message={error?.message} />
      {(from === undefined || model) && (
        <NotificationForm appId={appId} {...(model ? { model } : {})} onDone={goBack} onCancel={goBack} />
      )}
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
      title={(notification) => notification?.description ?? t('Notification')}
      all={wayBack(appId)}
      action={(notification) => <Actions appId={appId} notification={notification} mayChange={mayChange} />}
      height={400}
    >
      {(notification) => (
        <>
          <NotificationForm
            key={notification.objectId}
            appId={appId}
            notification={notification}
            isLocked={!mayChange}
            onDone={goBack}
            onCancel={goBack}
          />
          <Box mt="lg">
            <OwnerBlock
              appId={appId}
              name={notification.description}
              createdBy={notification.createdBy}
              operation="updateNotificationOwner"
              rules={{ group: 'resources', name: 'notifications' }}
              read={() => dataOf(appId).notifications.get(notificationId)}
              handOver={(userId, how) => dataOf(appId).notifications.handOver(notificationId, userId, how)}
              refresh={notificationKeys(appId)}
            />
          </Box>
        </>
      )}
    </RecordPage>
  );
}

interface ActionsProps {
  readonly appId: string;
  readonly notification: Notification;
  readonly mayChange: boolean;
}

function Actions({ appId, notification, mayChange }: ActionsProps) {
  const { objectId, updatedAt } = notification;
  const stop = useNotificationStop(appId);
  return (
    <Group gap="xs">
      {mayChange && <DeleteNotification appId={appId} notification={notification} />}
      <HistoryButton
        appId={appId}
        kind="notifications"
        recordId={objectId}
        present={notification}
        updatedAt={updatedAt}
        labels={notificationLabels}
        show={showNotification(appId)}
        mayChange={mayChange}
        stop={(now: Notification, then: Notification) => stop(notificationFields(now), notificationFields(then))}
        refresh={notificationKeys(appId)}
      />
      {mayChange && (
        <LinkButton
          to="/apps/$appId/notifications/new"
          params={{ appId }}
          search={{ from: objectId }}
          icon="copy"
          isPlain
        >
          {t('Duplicate')}
        </LinkButton>
      )}
    </Group>
  );
}

function DeleteNotification({ appId, notification }: { readonly appId: string; readonly notification: Notification }) {
  const { objectId, description } = notification;
  const [isOpen, setOpen] = useState(false);
  const putBack = usePutBack(appId, 'notifications');
  const { to, params } = wayBack(appId);
  return (
    <>
      <DeleteButton onClick={() => setOpen(true)} />
      <ConfirmedAction
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('Delete the notification')}
        confirm={t('Delete {description}', { description })}
        run={() => dataOf(appId).notifications.delete(objectId)}
        done={t('{description} was deleted.', { description })}
        undo={putBack && (() => putBack(objectId))}
        refresh={[...notificationKeys(appId), trashKey(appId)]}
        leave={{ to, params, forget: notificationQuery(appId, objectId).queryKey }}
      >
        {rich(
          '<b>{description}</b> is no longer shown. It stays in the trash for 30 days, from where it can be put back. To pause it, switch it off instead.',
          { description, b: (inner) => <b>{inner}</b> },
        )}
      </ConfirmedAction>
    </>
  );
}
