import { Group } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { EditOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { CredentialsBlock } from './credentials.tsx';
import { deviceKeys, deviceQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/devices/$deviceId');

export function DevicePage() {
  const { appId, deviceId } = route.useParams();
  const query = useQuery(deviceQuery(appId, deviceId));
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = useMayCall()('updateDevice');
  const edit = { to: '/apps/$appId/devices/$deviceId/edit', params: { appId, deviceId } };
  return (
    <RecordPage
      query={query}
      title={(device) => device?.deviceName ?? t('Device')}
      all={{ label: t('All devices'), to: '/apps/$appId/devices', params: { appId } }}
      action={() => mayChange && <EditOrDelete edit={edit} onDelete={() => setDeleting(true)} />}
    >
      {(device) => (
        <>
          <DeviceFacts appId={appId} device={device} />
          <CredentialsBlock appId={appId} device={device} mayChange={mayChange} />
          <OwnerBlock
            appId={appId}
            name={device.deviceName}
            createdBy={device.createdBy}
            operation="updateDeviceOwner"
            rules={{ group: 'resources', name: 'devices' }}
            handOver={(userId) => dataOf(appId).devices.handOver(deviceId, userId)}
            refresh={deviceKeys(appId)}
          />
          <Group justify="flex-end" mt="xs">
            <ShowRequest appId={appId} request={{ operation: 'getDevice', params: { objectId: deviceId } }} />
          </Group>
          <DeleteDevice appId={appId} device={device} isOpen={isDeleting} onClose={() => setDeleting(false)} />
        </>
      )}
    </RecordPage>
  );
}

function DeviceFacts({ appId, device }: { readonly appId: string; readonly device: Device }) {
  const times = useTimes(appId);
  return (
    <Block title={t('Facts')} about={t('Times are in {zone}.', { zone: times.zone })}>
      <Facts>
        <Fact label={t('Maker')}>{device.manufacture}</Fact>
        <Fact label={t('Topic')}>
          <span className="mono">{device.topic}</span>
          <CopyButton text={device.topic} label={t('topic')} />
        </Fact>
        <Fact label={t('Created')} isTime>
          {times.dateTime(device.createdAt)}
        </Fact>
        <Fact label={t('Changed')} isTime>
          {times.dateTime(device.updatedAt)}
        </Fact>
        <Fact label="objectId">
          <span className="mono">{device.objectId}</span>
          <CopyButton text={device.objectId} label="objectId" />
        </Fact>
      </Facts>
    </Block>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly device: Device;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDevice({ appId, device, isOpen, onClose }: DeleteProps) {
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete the device')}
      confirm={t('Delete {deviceName}', { deviceName: device.deviceName })}
      run={() => dataOf(appId).devices.delete(device.objectId)}
      done={t('{deviceName} was deleted.', { deviceName: device.deviceName })}
      refresh={deviceKeys(appId)}
      leave={{ to: '/apps/$appId/devices', params: { appId }, forget: deviceQuery(appId, device.objectId).queryKey }}
    >
      {rich('<b>{deviceName}</b> is deleted permanently, with its credentials. It is disconnected within a minute.', {
        deviceName: device.deviceName,
        b: (inner) => <b>{inner}</b>,
      })}
    </ConfirmedAction>
  );
}
