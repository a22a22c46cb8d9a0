import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { useDeleteAsShown } from '../../components/dialogs/use-delete-as-shown.ts';
import { Block, Loading } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { type TestAnswer, TestNote } from '../../components/page/test-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Sender } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { CredentialFacts } from './credential-facts.tsx';
import { SenderForm } from './sender-form.tsx';
import { senderForms } from './sender-forms.ts';

const keyOf = (appId: string) => ['apps', appId, 'senders'] as const;

/** The credentials of the app's push providers. */
export function SendersPage() {
  const appId = useAppId();
  const { data, error } = useQuery({
    queryKey: keyOf(appId),
    queryFn: async () => (await call('listSenders', { params: { appId } })).results,
  });
  const times = useTimes(appId);
  return (
    <>
      <PageHeader title={t('Push services')}>
        {t(
          'Services that deliver messages to phones and browsers. Credentials are stored encrypted and cannot be read again. Times are in {zone}.',
          { zone: times.zone },
        )}
      </PageHeader>
      <Loading data={data} error={error} height={240} />
      {data?.map((sender) => (
        <SenderCard key={sender.kind} appId={appId} sender={sender} />
      ))}
    </>
  );
}

interface CardProps {
  readonly appId: string;
  readonly sender: Sender;
}

function SenderCard({ appId, sender }: CardProps) {
  const [isEditing, setEditing] = useState(false);
  const mayWrite = useMay()('senders.write');
  const { kind, name, isSetUp } = sender;
  const close = () => setEditing(false);
  return (
    <Block
      title={name}
      about={
        <Group gap="xs" component="span">
          <span>{senderForms[kind].about}</span>
          <Badge color={isSetUp ? 'teal' : 'gray'} component="span">
            {isSetUp ? t('Set up') : t('Not set up')}
          </Badge>
        </Group>
      }
    >
      {isEditing ? (
        <SenderForm appId={appId} sender={sender} onDone={close} onCancel={close} refresh={[[...keyOf(appId)]]} />
      ) : isSetUp ? (
        <SetUp appId={appId} sender={sender} mayWrite={mayWrite} onReplace={() => setEditing(true)} />
      ) : (
        mayWrite && (
          <Button onClick={() => setEditing(true)} aria-label={t('Set up {name}', { name })}>
            {t('Set up')}
          </Button>
        )
      )}
    </Block>
  );
}

interface SetUpProps extends CardProps {
  readonly mayWrite: boolean;
  readonly onReplace: () => void;
}

function SetUp({ appId, sender, mayWrite, onReplace }: SetUpProps) {
  const { kind, lastTest } = sender;
  const times = useTimes(appId);
  const [isRemoving, setRemoving] = useState(false);
  const test = useAction<void, TestAnswer>({
    run: async () => (await call('testSender', { params: { appId, kind }, body: {} })).result,
    refresh: [keyOf(appId)],
  });
  return (
    <>
      <CredentialFacts appId={appId} sender={sender} />
      {test.data ? (
        <TestNote answer={test.data} />
      ) : lastTest ? (
        <TestNote answer={lastTest} at={times.dateTime(lastTest.at)} />
      ) : (
        <Text c="dimmed" mb="md">
          {t('Not tested yet.')}
        </Text>
      )}
      {mayWrite && (
        <Group gap="xs">
          <Button variant="filled" loading={test.isPending} onClick={() => test.mutate()}>
            {t('Test')}
          </Button>
          <Button onClick={onReplace}>{t('Replace')}</Button>
          <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>
            {t('Remove')}
          </Button>
        </Group>
      )}
      <Removal appId={appId} sender={sender} isOpen={isRemoving} onClose={() => setRemoving(false)} />
    </>
  );
}

function Removal({
  appId,
  sender,
  isOpen,
  onClose,
}: CardProps & { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { kind, name } = sender;
  const params = { appId, kind };
  const remove = useDeleteAsShown<Sender>({
    name,
    shown: sender,
    // Testing them changes nothing.
    members: ['updatedAt'],
    read: async () => (await call('getSender', { params })).result,
    send: (ifMatch) => call('deleteSender', { params, ifMatch }),
    refresh: [keyOf(appId)],
  });
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Remove {name}', { name })}
      confirm={t('Remove the credentials')}
      run={remove}
      done={t('The {name} credentials were removed.', { name })}
      undo={() => call('restoreSender', { params, body: { updatedAt: null } })}
      refresh={[keyOf(appId)]}
    >
      {rich('Messages are no longer delivered through <b>{name}</b> until you enter credentials again.', {
        name,
      })}
    </ConfirmedAction>
  );
}
