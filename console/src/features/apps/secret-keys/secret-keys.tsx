import { Badge, Button, Group, Text, Title } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { ConfirmedAction } from '../../../components/dialogs/confirm-dialog.tsx';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { Icon } from '../../../components/page/blocks.tsx';
import { useMay, useMayCall } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { secretKeysQuery } from '../../../lib/data/queries.ts';
import { allFloorsQuery } from '../../../lib/data/venue-queries.ts';
import { showAge, useTimes } from '../../../lib/time/times.ts';
import type { SecretKey } from '../../../lib/wire.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { NewSecretKeyDialog } from './new-secret-key.tsx';
import { scopeWords } from './scopes.ts';

/** The keys of gateways, integrations and servers, below those of the app. */
export function SecretKeys({ appId }: { readonly appId: string }) {
  const { data: keys, error } = useQuery(secretKeysQuery(appId));
  const may = useMay();
  const mayReadFloors = useMayCall()('listFloors');
  const { data: floors = [] } = useQuery({ ...allFloorsQuery(appId), enabled: mayReadFloors });
  const [dialog, setDialog] = useState<'new' | SecretKey>();
  const [model, setModel] = useState<SecretKey>();
  const target = typeof dialog === 'object' ? dialog : undefined;
  const stopping = target ? sendersOf(target, floors) : [];
  const close = () => setDialog(undefined);
  return (
    <>
      <Group justify="space-between" align="flex-start" mt="xl" mb="lg" gap="md">
        <div>
          <Title order={2}>{t('Secret keys')}</Title>
          <Text c="dimmed" mt={2} maw="42rem">
            {t(
              'For gateways, a CMS and other servers, which send one in the place of the app’s key. Each may do only what you let it. Never put one into an app or a web page.',
            )}
          </Text>
        </div>
        {may('keys.write') && (
          <Button
            variant="filled"
            leftSection={<Icon name="plus" />}
            onClick={() => {
              setModel(undefined);
              setDialog('new');
            }}
            disabled={!keys}
          >
            {t('Make a secret key')}
          </Button>
        )}
      </Group>
      <RowList
        rows={keys}
        error={error}
        label={t('Secret keys')}
        empty={<Text size="md">{t('There are no secret keys.')}</Text>}
      >
        {(key) => (
          <SecretKeyRow
            key={key.keyId}
            appId={appId}
            secretKey={key}
            senders={sendersOf(key, floors)}
            tools={
              may('keys.write') && (
                <>
                  <RowButton
                    label={t('Duplicate')}
                    of={t('Duplicate {name}', { name: key.name })}
                    onClick={() => {
                      setModel(key);
                      setDialog('new');
                    }}
                  />
                  <RowButton
                    label={t('Revoke')}
                    of={t('Revoke {name}', { name: key.name })}
                    onClick={() => setDialog(key)}
                  />
                </>
              )
            }
          />
        )}
      </RowList>
      <NewSecretKeyDialog appId={appId} model={model} isOpen={dialog === 'new'} onClose={close} />
      <ConfirmedAction
        isOpen={target !== undefined}
        onClose={close}
        title={t('Revoke {name}', { name: target?.name ?? '' })}
        confirm={t('Revoke')}
        run={async () => target && call('revokeSecretKey', { params: { appId, keyId: target.keyId } })}
        done={t('The secret key was revoked.')}
        undo={async () => target && call('restoreSecretKey', { params: { appId, keyId: target.keyId } })}
        refresh={[secretKeysQuery(appId).queryKey]}
      >
        {t(
          'Whatever sends this key stops working at once. It can be made valid again right afterwards only, with Undo.',
        )}
        {stopping.length > 0 && (
          <Text mt="xs">
            {t('Gateways that send it, as the plans say: {list}.', { list: listed(stopping.map(senderText)) })}
          </Text>
        )}
      </ConfirmedAction>
    </>
  );
}

/** A gateway that sends a key, where it hangs. */
interface Sender {
  readonly name: string;
  readonly floor: Floor;
}

const sendersOf = ({ keyId }: SecretKey, floors: readonly Floor[]): readonly Sender[] =>
  floors.flatMap((floor) =>
    (floor.gateways ?? []).flatMap((gateway) => (gateway.keyId === keyId ? [{ name: gateway.name, floor }] : [])),
  );

const senderText = ({ name, floor }: Sender) => `${name} (${floor.name})`;

interface RowProps {
  readonly appId: string;
  readonly secretKey: SecretKey;
  readonly senders: readonly Sender[];
  readonly tools: ReactNode;
}

function SecretKeyRow({ appId, secretKey: key, senders, tools }: RowProps) {
  const times = useTimes(appId);
  const isExpired = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now();
  const lastUse =
    key.lastUsedAt &&
    t('last used {age} from {lastUsedFrom}', { age: showAge(key.lastUsedAt), lastUsedFrom: key.lastUsedFrom });
  return (
    <Row
      title={
        <>
          {key.name} <span className="mono">…{key.hint}</span>{' '}
          {isExpired && (
            <Badge color="orange" size="sm">
              {t('expired')}
            </Badge>
          )}
        </>
      }
      facts={[
        scopeWords(key.scopes),
        key.networks.length > 0 && t('only from {list}', { list: key.networks.join(', ') }),
        key.expiresAt && !isExpired && t('until {minute}', { minute: times.minute(key.expiresAt) }),
        t('made {minute} by {createdBy}', { minute: times.minute(key.createdAt), createdBy: key.createdBy }),
        <span key="use" title={key.lastUsedAt ? times.minute(key.lastUsedAt) : undefined}>
          {lastUse ?? t('never used')}
        </span>,
        senders.length > 0 && (
          <>
            {t('sent by')}{' '}
            {senders.map((sender, at) => (
              <Fragment key={`${sender.floor.objectId} ${sender.name}`}>
                {at > 0 && ', '}
                <Link
                  to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
                  params={{ appId, venueId: sender.floor.venueId.objectId, floorId: sender.floor.objectId }}
                  style={{ color: 'var(--mantine-color-anchor)' }}
                >
                  {senderText(sender)}
                </Link>
              </Fragment>
            ))}
          </>
        ),
      ]}
      tools={tools}
    />
  );
}
