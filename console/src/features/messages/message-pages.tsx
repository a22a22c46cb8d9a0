import { Box, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { FailureNote, LinkButton } from '../../components/page/blocks.tsx';
import { BackLink, PageHeader, RecordPage } from '../../components/page/page-header.tsx';
import { useMayCall, usePutBack } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { trashKey } from '../../lib/data/history.ts';
import { rich, t } from '../../lib/words/words.ts';
import { isInSeries, type Message, messageOf, type Stored, triggerOf } from './message.ts';
import { MessageForm } from './message-form.tsx';
import { memberLabels, shownFields } from './message-members.tsx';
import { deleteMessage, deletionOf, messageKeys, messageQuery } from './message-store.ts';
import { MessageSwitch, offText } from './message-switch.tsx';
import { useMessageStop } from './use-message-stop.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/messages/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/messages/$messageId');

const wayBack = (appId: string) => ({ label: t('All messages'), to: '/apps/$appId/messages', params: { appId } });

function useBack(appId: string) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/apps/$appId/messages', params: { appId } });
}

export function NewMessagePage() {
  const { appId } = createRoute.useParams();
  const { from, beacon } = createRoute.useSearch();
  const goBack = useBack(appId);
  const hasStorylines = useMayCall()('listStorylines');
  const { data: model, error } = useQuery({
    ...messageQuery(appId, from ?? '', hasStorylines),
    enabled: from !== undefined,
  });
  return (
    <>
      <PageHeader title={t('New message')} back={<BackLink {...wayBack(appId)} />} />
      <FailureNote message={error?.message} />
      {(from === undefined || model) && (
        <MessageForm
          appId={appId}
          {...(model ? { model } : {})}
          {...(beacon ? { beacon } : {})}
          onDone={goBack}
          onCancel={goBack}
        />
      )}
    </>
  );
}

export function MessagePage() {
  const { appId, messageId } = oneRoute.useParams();
  const { part } = oneRoute.useSearch();
  const mayCall = useMayCall();
  const query = useQuery(messageQuery(appId, messageId, mayCall('listStorylines'), part));
  const goBack = useBack(appId);
  const mayChange = mayCall('updateNotification');
  return (
    <RecordPage
      query={query}
      title={(message) => message?.name || t('Message')}
      all={wayBack(appId)}
      action={(message) => <Actions appId={appId} message={message} mayChange={mayChange} />}
      height={400}
    >
      {(message) => (
        <>
          <Series appId={appId} message={message} />
          <MessageForm
            key={triggerOf(message) ?? message.objectId}
            appId={appId}
            message={message}
            isLocked={!mayChange}
            onDone={goBack}
            onCancel={goBack}
          />
          <Box mt="lg">
            <Owner appId={appId} message={message} />
          </Box>
        </>
      )}
    </RecordPage>
  );
}

function Series({ appId, message }: { readonly appId: string; readonly message: Message }) {
  const { stored } = message;
  if (stored.kind === 'notification' || !isInSeries(message)) return null;
  return (
    <Group component="nav" gap="0.4rem" mb="1rem" align="stretch" aria-label={t('Messages of this series')}>
      {stored.scenarios.map(({ objectId, alertTitle }, index) => (
        <LinkButton
          key={objectId}
          to="/apps/$appId/messages/$messageId"
          params={{ appId, messageId: message.objectId }}
          search={{ part: objectId }}
          icon={objectId === stored.scenario?.objectId ? 'check' : 'bell'}
          isPlain
        >
          {alertTitle || t('Message {number}', { number: index + 1 })}
        </LinkButton>
      ))}
    </Group>
  );
}

interface ActionsProps {
  readonly appId: string;
  readonly message: Message;
  readonly mayChange: boolean;
}

function Actions({ appId, message, mayChange }: ActionsProps) {
  const { objectId, isEnabled, stored } = message;
  return (
    <Group gap="xs">
      <MessageSwitch
        appId={appId}
        message={message}
        isLocked={!mayChange}
        text={isEnabled ? t('On') : t('Off: a draft')}
      />
      {mayChange && <DeleteMessage appId={appId} message={message} />}
      <History appId={appId} message={message} mayChange={mayChange} />
      {mayChange && (stored.kind === 'notification' || stored.scenario) && (
        <LinkButton
          to="/apps/$appId/messages/new"
          params={{ appId }}
          search={{ from: triggerOf(message) ?? objectId }}
          icon="copy"
          isPlain
        >
          {t('Duplicate')}
        </LinkButton>
      )}
    </Group>
  );
}

function History({ appId, message, mayChange }: ActionsProps) {
  const stop = useMessageStop(appId);
  const { stored, isEnabled } = message;
  const present = stored.kind === 'notification' ? stored.record : stored.scenario;
  if (!present) return null;
  const fieldsOf = (state: object) => {
    const record = { ...present, ...state };
    return messageOf(
      (stored.kind === 'notification' ? { ...stored, record } : { ...stored, scenario: record }) as Stored,
    );
  };
  return (
    <HistoryButton
      appId={appId}
      kind={stored.kind === 'notification' ? 'notifications' : 'scenarios'}
      recordId={present.objectId}
      present={present}
      updatedAt={present.updatedAt}
      labels={memberLabels}
      show={shownFields(appId)}
      mayChange={mayChange}
      stop={(now: object, then: object) => {
        const [is, was] = [fieldsOf(now), fieldsOf(then)];
        if (is.isEnabled && !was.isEnabled)
          return {
            title: t('Switch off {what}', { what: message.name }),
            confirm: t('Switch off'),
            text: offText(message),
          };
        return isEnabled ? stop(is.fields, was.fields) : undefined;
      }}
      refresh={messageKeys(appId)}
    />
  );
}

function DeleteMessage({ appId, message }: Omit<ActionsProps, 'mayChange'>) {
  const { name } = message;
  const { kind, id } = deletionOf(message);
  const putBack = usePutBack(appId, kind);
  const { to, params } = wayBack(appId);
  const title = kind === 'scenarios' && message.stored.kind === 'storyline' ? message.fields.alertTitle || name : name;
  return (
    <Deletion
      title={t('Delete the message')}
      confirm={t('Delete {title}', { title })}
      run={() => deleteMessage(appId, message)}
      done={t('{title} was deleted.', { title })}
      undo={putBack && (() => putBack(id))}
      refresh={[...messageKeys(appId), trashKey(appId)]}
      leave={{ to, params, forget: messageQuery(appId, message.objectId, true).queryKey }}
    >
      {rich(
        '<b>{title}</b> is no longer shown. It stays in the trash for 30 days, from where it can be put back. To pause it, switch it off instead.',
        { title },
      )}
    </Deletion>
  );
}

function Owner({ appId, message }: Omit<ActionsProps, 'mayChange'>) {
  const { notifications, storylines } = dataOf(appId);
  const { stored, name, objectId } = message;
  const shared = { appId, name, refresh: messageKeys(appId) };
  if (stored.kind === 'notification')
    return (
      <OwnerBlock
        {...shared}
        createdBy={stored.record.createdBy}
        operation="updateNotificationOwner"
        rules={{ group: 'resources', name: 'notifications' }}
        read={() => notifications.get(objectId)}
        handOver={(userId, how) => notifications.handOver(objectId, userId, how)}
      />
    );
  return (
    <OwnerBlock
      {...shared}
      createdBy={stored.record.createdBy}
      operation="updateStorylineOwner"
      rules={{ group: 'resources', name: 'storylines' }}
      read={() => storylines.get(objectId)}
      handOver={async (userId, how) => {
        const answer = await storylines.handOver(objectId, userId, how);
        for (const { objectId: id } of stored.scenarios) await storylines.handOverDetail(objectId, id, userId, {});
        return answer;
      }}
    />
  );
}
