import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { SecretDialog } from '../../components/dialogs/shown-once.tsx';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { appQuery, keysQuery } from '../../lib/data/queries.ts';
import { showAge, useTimes } from '../../lib/time/times.ts';
import type { Key } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { type Credentials, CredentialsShownOnce } from './credentials.tsx';
import { SecretKeys } from './secret-keys/secret-keys.tsx';

/**
 * The active keys of an app: at most two, so that a new key can be rolled out before the old one is removed. Below them the
 * secret keys of its servers.
 */
export function KeysSection() {
  const appId = useAppId();
  const { data: keys, error } = useQuery(keysQuery(appId));
  const times = useTimes(appId);
  const may = useMay();
  const [dialog, setDialog] = useState<'add' | Key>();
  return (
    <>
      <PageHeader
        title={t('Keys')}
        action={
          may('keys.write') && (
            <Button
              variant="filled"
              leftSection={<Icon name="plus" />}
              onClick={() => setDialog('add')}
              disabled={!keys}
            >
              {t('Add a key')}
            </Button>
          )
        }
      >
        {t(
          'Every copy of the app sends its AppId and one of these keys with each request. Two can be active at once, so that you can roll out a new key before removing the old one. Times are in {zone}.',
          { zone: times.zone },
        )}
      </PageHeader>
      <RowList
        rows={keys}
        error={error}
        empty={<Text size="md">{t('This app has no active key, so it cannot be reached. Add one.')}</Text>}
      >
        {(key) => (
          <Row
            key={key.keyId}
            title={rich('Key {code}', { code: <span className="mono">…{key.hint}</span> })}
            facts={[
              t('created {minute}', { minute: times.minute(key.createdAt) }),
              <span key="use" title={key.lastUsedAt ? times.minute(key.lastUsedAt) : undefined}>
                {key.lastUsedAt ? t('last used {age}', { age: showAge(key.lastUsedAt) }) : t('never used')}
              </span>,
            ]}
            tools={may('keys.write') && <RowButton label={t('Switch off')} onClick={() => setDialog(key)} />}
          />
        )}
      </RowList>
      <AddKeyDialog appId={appId} keys={keys ?? []} isOpen={dialog === 'add'} onClose={() => setDialog(undefined)} />
      <SwitchOffDialog
        appId={appId}
        target={typeof dialog === 'object' ? dialog : undefined}
        isLast={keys?.length === 1}
        onClose={() => setDialog(undefined)}
      />
      <SecretKeys appId={appId} />
    </>
  );
}

interface AddProps {
  readonly appId: string;
  readonly keys: readonly Key[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function AddKeyDialog({ appId, keys, isOpen, onClose }: AddProps) {
  const [made, setMade] = useState<Credentials>();
  const { data: app } = useQuery(appQuery(appId));
  const outgoing = keys.length > 1 ? [...keys].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))[0] : undefined;
  const add = useAction({
    run: async () => (await call('rotateKey', { params: { appId } })).result,
    done: ({ disabledKeyIds }) =>
      outgoing && disabledKeyIds.includes(outgoing.keyId)
        ? t('The older key …{hint} is off.', { hint: outgoing.hint })
        : undefined,
    undo: async ({ appKey, disabledKeyIds: [keyId = ''] }) => {
      const { results } = await call('listKeys', { params: { appId } });
      const insteadOf = results.find((key) => appKey.endsWith(key.hint))?.keyId;
      await call('restoreKey', { params: { appId, keyId }, body: insteadOf ? { insteadOf } : {} });
    },
    refresh: [keysQuery(appId).queryKey],
    after: setMade,
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={() => setMade(undefined)}
      title={made ? t('The new key') : t('Add a key')}
      hasSecret={made !== undefined}
      isWide={made !== undefined}
    >
      {made ? (
        <CredentialsShownOnce
          credentials={made}
          open={app?.policy.readContent === 'app' ? 'beacons' : 'users'}
          onClose={onClose}
        />
      ) : (
        <Stack>
          <Text>
            {outgoing
              ? t(
                  'There are two active keys. The older one, …{hint}, is switched off at once, and copies of the app that still send it stop working.',
                  { hint: outgoing.hint },
                )
              : t('The existing key stays active, so that you can switch your app to the new one.')}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button variant="filled" onClick={() => add.mutate()} loading={add.isPending} data-autofocus>
              {outgoing ? t('Replace the older key') : t('Add the key')}
            </Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  );
}

interface SwitchOffProps {
  readonly appId: string;
  readonly target: Key | undefined;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function SwitchOffDialog({ appId, target, isLast, onClose }: SwitchOffProps) {
  return (
    <ConfirmedAction
      isOpen={target !== undefined}
      onClose={onClose}
      title={t('Switch off the key …{hint}', { hint: target?.hint ?? '' })}
      confirm={t('Switch off')}
      run={async () => target && call('disableKey', { params: { appId, keyId: target.keyId } })}
      done={t('The key was switched off.')}
      undo={async () => target && call('restoreKey', { params: { appId, keyId: target.keyId }, body: {} })}
      refresh={[keysQuery(appId).queryKey]}
    >
      {t(
        'Copies of the app that send this key stop working at once. It can be switched on again right afterwards only, with Undo.{isLast, select, true { It is the only active key: the app cannot be reached until you add another one.} other {}}',
        { isLast },
      )}
    </ConfirmedAction>
  );
}
