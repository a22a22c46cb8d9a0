import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import blocks from '../../components/page/blocks.module.css';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { keysQuery } from '../../lib/data/queries.ts';
import { showAge, showDateTime, timeZone } from '../../lib/time/time.ts';
import type { Key } from '../../lib/wire.ts';
import { type Credentials, CredentialsShownOnce } from './credentials.tsx';

const route = getRouteApi('/signed-in/apps/$appId');

/** The live keys of an app: at most two, so that a new one can be rolled out before the old one goes. */
export function KeysSection() {
  const may = useMay();
  if (may('keys.read')) return <Keys />;
  return <SectionHeader title="Keys">Your role does not include the keys. Owners and managers see them.</SectionHeader>;
}

function Keys() {
  const { appId } = route.useParams();
  const { data: keys, error } = useQuery(keysQuery(appId));
  const may = useMay();
  const [dialog, setDialog] = useState<'add' | Key>();
  return (
    <>
      <SectionHeader
        title="Keys"
        action={
          may('keys.write') && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setDialog('add')} disabled={!keys}>
              Add a key
            </Button>
          )
        }
      >
        An app sends its AppId and one of these keys with each request. Two can be live at once, so that a new one can
        be rolled out before the old one goes. Times are in {timeZone}.
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!keys && !error && <Skeleton h={64} />}
      {keys && keys.length > 0 && (
        <ul className={blocks.rows}>
          {keys.map((key) => (
            <li key={key.keyId} className={`${blocks.row} ${blocks.stacking}`}>
              <div className={blocks.grow}>
                <div className={blocks.title}>
                  Key <span className="mono">…{key.hint}</span>
                </div>
                <div className={blocks.meta}>
                  <span>made {showDateTime(key.createdAt)}</span>
                  <span title={key.lastUsedAt ? showDateTime(key.lastUsedAt) : undefined}>
                    {key.lastUsedAt ? `last used ${showAge(key.lastUsedAt)}` : 'never used'}
                  </span>
                </div>
              </div>
              {may('keys.write') && (
                <Button variant="default" size="xs" onClick={() => setDialog(key)}>
                  Switch off
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {keys?.length === 0 && <Text>This app has no live key, so nothing can reach it. Add one.</Text>}
      <AddKeyDialog appId={appId} keys={keys ?? []} isOpen={dialog === 'add'} onClose={() => setDialog(undefined)} />
      <SwitchOffDialog
        appId={appId}
        target={typeof dialog === 'object' ? dialog : undefined}
        isLast={keys?.length === 1}
        onClose={() => setDialog(undefined)}
      />
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
  const add = useAction({
    run: () => call('rotateKey', { params: { appId } }),
    refresh: [keysQuery(appId).queryKey],
    after: ({ result }) => setMade(result),
  });
  const outgoing = keys.length > 1 ? [...keys].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))[0] : undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setMade(undefined)}
      title={made ? 'The new key' : 'Add a key'}
      size={made ? 'lg' : 'md'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
    >
      {made ? (
        <Stack>
          <CredentialsShownOnce {...made} />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have stored the key</Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text size="sm">
            {outgoing
              ? `There are two live keys. The older one, …${outgoing.hint}, is switched off at once, and copies of the app that still send it stop working.`
              : 'The key that there is stays live, so that you can give the new one to your app first.'}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button onClick={() => add.mutate()} loading={add.isPending} data-autofocus>
              {outgoing ? 'Replace the older key' : 'Add the key'}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

interface SwitchOffProps {
  readonly appId: string;
  readonly target: Key | undefined;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function SwitchOffDialog({ appId, target, isLast, onClose }: SwitchOffProps) {
  const disable = useAction({
    run: (keyId: string) => call('disableKey', { params: { appId, keyId } }),
    done: 'The key is switched off.',
    refresh: [keysQuery(appId).queryKey],
    after: onClose,
  });
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={`Switch off the key …${target?.hint ?? ''}`}>
      <Stack>
        <Text size="sm">
          Copies of the app that send this key stop working at once. It cannot be switched on again.
          {isLast && ' It is the only live key: nothing reaches the app until you add another.'}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={disable.isPending} onClick={() => target && disable.mutate(target.keyId)}>
            Switch it off
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
