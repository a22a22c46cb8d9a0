import { Button, Group, Text } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton, CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { Block, FailureNote, Icon, Loading } from '../../components/page/blocks.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { credentialsQuery } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly device: Device;
  readonly mayChange: boolean;
}

interface Issued {
  readonly username: string;
  readonly password: string;
  readonly topic: string;
  readonly issuedAt: string;
}

/** The MQTT credentials of a device: issue, replace, revoke. */
export function CredentialsBlock({ appId, device, mayChange }: Props) {
  const deviceId = device.objectId;
  const query = credentialsQuery(appId, deviceId);
  const { data, error } = useQuery(query);
  const [issued, setIssued] = useState<Issued>();
  const [asking, setAsking] = useState<'replace' | 'revoke'>();
  const params = { appId, deviceId };
  const issue = useAction({
    run: async () => (await call('issueDeviceCredentials', { params })).result as Issued,
    done: () => (data?.issuedAt ? t('{deviceName} has a new password.', { deviceName: device.deviceName }) : undefined),
    undo: ({ issuedAt }) => call('restoreDeviceCredentials', { params, body: { issuedAt } }),
    refresh: [query.queryKey],
    showsError: true,
    after: (made) => {
      setAsking(undefined);
      setIssued(made);
    },
  });
  const revoke = useAction({
    run: () => call('revokeDeviceCredentials', { params }),
    done: t('{deviceName} can no longer connect.', { deviceName: device.deviceName }),
    undo: () => call('restoreDeviceCredentials', { params, body: { issuedAt: null } }),
    refresh: [query.queryKey],
    showsError: true,
    after: () => setAsking(undefined),
  });
  return (
    <Block
      title={t('Connection')}
      about={t('The device connects by MQTT with its own user name and password, and receives only its topic.')}
    >
      <FailureNote message={asking ? undefined : issue.error?.message} />
      <Loading data={data} error={error} height={80} />
      {data && data.issuedAt === null && (
        <NoCredentials mayIssue={mayChange} isBusy={issue.isPending} onIssue={() => issue.mutate()} />
      )}
      {data && data.issuedAt !== null && (
        <CredentialFacts
          appId={appId}
          username={data.username}
          issuedAt={data.issuedAt}
          mayChange={mayChange}
          onAsk={setAsking}
        />
      )}
      <ConfirmDialog
        isOpen={asking === 'replace'}
        onClose={() => setAsking(undefined)}
        title={t('Issue a new password')}
        isBusy={issue.isPending}
        failure={issue.error?.message}
        onConfirm={() => issue.mutate()}
      >
        {rich('<b>{deviceName}</b> is disconnected at once and can only reconnect with the new password.', {
          deviceName: device.deviceName,
        })}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'revoke'}
        onClose={() => setAsking(undefined)}
        title={t('Revoke the credentials')}
        confirm={t('Revoke them')}
        isBusy={revoke.isPending}
        failure={revoke.error?.message}
        onConfirm={() => revoke.mutate()}
      >
        {rich('<b>{deviceName}</b> is disconnected at once and cannot connect until you issue new credentials.', {
          deviceName: device.deviceName,
        })}
      </ConfirmDialog>
      <IssuedOnce issued={issued} onClose={() => setIssued(undefined)} />
    </Block>
  );
}

interface NoneProps {
  readonly mayIssue: boolean;
  readonly isBusy: boolean;
  readonly onIssue: () => void;
}

function NoCredentials({ mayIssue, isBusy, onIssue }: NoneProps) {
  return (
    <>
      <Text c="dimmed">{t('The device has no credentials, so it cannot connect.')}</Text>
      {mayIssue && (
        <Button variant="filled" mt="md" leftSection={<Icon name="key" size={16} />} loading={isBusy} onClick={onIssue}>
          {t('Issue credentials')}
        </Button>
      )}
    </>
  );
}

interface FactsProps {
  readonly appId: string;
  readonly username: string;
  readonly issuedAt: string;
  readonly mayChange: boolean;
  readonly onAsk: (what: 'replace' | 'revoke') => void;
}

function CredentialFacts({ appId, username, issuedAt, mayChange, onAsk }: FactsProps) {
  const times = useTimes(appId);
  return (
    <>
      <Facts>
        <Fact label={t('User name')} isWide>
          <span className="mono">{username}</span>
          <CopyButton text={username} label={t('user name')} />
        </Fact>
        <Fact label={t('Password')} isWide>
          {t('shown once, on {date}', { date: times.date(issuedAt) })}
        </Fact>
      </Facts>
      {mayChange && (
        <Group gap="xs" mt="md">
          <Button onClick={() => onAsk('replace')}>{t('Issue a new password')}</Button>
          <Button onClick={() => onAsk('revoke')}>{t('Revoke them')}</Button>
        </Group>
      )}
    </>
  );
}

function IssuedOnce({ issued, onClose }: { readonly issued: Issued | undefined; readonly onClose: () => void }) {
  return (
    <SecretDialog isOpen={issued !== undefined} onClose={onClose} title={t('Credentials of the device')} hasSecret>
      {issued && (
        <SecretShownOnce
          warning={t('The password is shown only now. Enter both on the device.')}
          stored={t('I have stored them')}
          onClose={onClose}
        >
          <CopyField label={t('User name')} text={issued.username} />
          <CopyField label={t('Password')} text={issued.password} />
          <CopyField label={t('Topic')} text={issued.topic} />
        </SecretShownOnce>
      )}
    </SecretDialog>
  );
}
