import { Button, Group, Skeleton, Text } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton, CopyField } from '../../components/code/copy-field.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
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
    refresh: [query.queryKey],
    showsError: true,
    after: (made) => {
      setAsking(undefined);
      setIssued(made);
    },
  });
  const revoke = useAction({
    run: () => call('revokeDeviceCredentials', { params }),
    done: `${device.deviceName} can no longer connect.`,
    refresh: [query.queryKey],
    showsError: true,
    after: () => setAsking(undefined),
  });
  return (
    <Block
      title="Connection"
      about="The device connects by MQTT with its own user name and password, and receives only its topic."
    >
      <FailureNote message={(error ?? (asking ? null : issue.error))?.message} />
      {!data && !error && <Skeleton h={80} />}
      {data && data.issuedAt === null && (
        <>
          <Text c="dimmed" size="sm">
            The device has no credentials, so it cannot connect.
          </Text>
          {mayChange && (
            <Button
              mt="md"
              leftSection={<Icon name="key" size={16} />}
              loading={issue.isPending}
              onClick={() => issue.mutate()}
            >
              Issue credentials
            </Button>
          )}
        </>
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
        title="Issue a new password"
        confirm="Issue a new password"
        isBusy={issue.isPending}
        failure={issue.error?.message}
        onConfirm={() => issue.mutate()}
      >
        <b>{device.deviceName}</b> is disconnected at once and can only reconnect with the new password.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'revoke'}
        onClose={() => setAsking(undefined)}
        title="Revoke the credentials"
        confirm="Revoke them"
        isBusy={revoke.isPending}
        failure={revoke.error?.message}
        onConfirm={() => revoke.mutate()}
      >
        <b>{device.deviceName}</b> is disconnected at once and cannot connect until you issue new credentials.
      </ConfirmDialog>
      <IssuedOnce issued={issued} onClose={() => setIssued(undefined)} />
    </Block>
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
        <Fact label="User name" isWide>
          <span className="mono">{username}</span>
          <CopyButton text={username} label="user name" />
        </Fact>
        <Fact label="Password" isWide>
          shown once, on {times.date(issuedAt)}
        </Fact>
      </Facts>
      {mayChange && (
        <Group gap="xs" mt="md">
          <Button variant="default" onClick={() => onAsk('replace')}>
            Issue a new password
          </Button>
          <Button variant="default" onClick={() => onAsk('revoke')}>
            Revoke them
          </Button>
        </Group>
      )}
    </>
  );
}

/** Shows the credentials once. */
function IssuedOnce({ issued, onClose }: { readonly issued: Issued | undefined; readonly onClose: () => void }) {
  return (
    <SecretDialog isOpen={issued !== undefined} onClose={onClose} title="Credentials of the device" hasSecret>
      {issued && (
        <SecretShownOnce
          warning="The password is shown only now. Enter both on the device."
          stored="I have stored them"
          onClose={onClose}
        >
          <CopyField label="User name" text={issued.username} />
          <CopyField label="Password" text={issued.password} />
          <CopyField label="Topic" text={issued.topic} />
        </SecretShownOnce>
      )}
    </SecretDialog>
  );
}
