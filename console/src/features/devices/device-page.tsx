import { Group } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { Fact, Facts, IdFact, TimeFact } from '../../components/page/facts.tsx';
import { EditOrDelete, RecordPage } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { CredentialsBlock } from './credentials.tsx';
import { deviceLabels } from './device-form.tsx';
import { deviceKeys, deviceQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/devices/$deviceId');

export function DevicePage() {
  const { appId, deviceId } = route.useParams();
  const query = useQuery(deviceQuery(appId, deviceId));
  const mayChange = useMayCall()('updateDevice');
  const edit = { to: '/apps/$appId/devices/$deviceId/edit', params: { appId, deviceId } };
  const copy = { to: '/apps/$appId/devices/new', params: { appId }, from: deviceId };
  return (
    <RecordPage
      query={query}
      title={(device) => device?.deviceName ?? t('Device')}
      all={{ label: t('All devices'), to: '/apps/$appId/devices', params: { appId } }}
      action={(device) => (
        <Group gap="xs">
          <HistoryButton
            appId={appId}
            kind="devices"
            recordId={deviceId}
            present={device}
            updatedAt={device.updatedAt}
            labels={deviceLabels}
            mayChange={mayChange}
            refresh={deviceKeys(appId)}
          />
          {mayChange && (
            <EditOrDelete edit={edit} copy={copy} deletion={<DeleteDevice appId={appId} device={device} />} />
          )}
        </Group>
      )}
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
            read={() => dataOf(appId).devices.get(deviceId)}
            handOver={(userId, how) => dataOf(appId).devices.handOver(deviceId, userId, how)}
            refresh={deviceKeys(appId)}
          />
          <Group justify="flex-end" mt="xs">
            <ShowRequest appId={appId} request={{ operation: 'getDevice', params: { objectId: deviceId } }} />
          </Group>
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
        <TimeFact label={t('Created')}>{times.dateTime(device.createdAt)}</TimeFact>
        <TimeFact label={t('Changed')}>{times.dateTime(device.updatedAt)}</TimeFact>
        <IdFact>{device.objectId}</IdFact>
      </Facts>
    </Block>
  );
}

function DeleteDevice({ appId, device }: { readonly appId: string; readonly device: Device }) {
  return (
    <Deletion
      title={t('Delete the device')}
      confirm={t('Delete {deviceName}', { deviceName: device.deviceName })}
      run={() => dataOf(appId).devices.delete(device.objectId)}
      done={t('{deviceName} was deleted.', { deviceName: device.deviceName })}
      undo={() => restoreFromTrash(appId, 'devices', device.objectId)}
      refresh={[...deviceKeys(appId), trashKey(appId)]}
      leave={{ to: '/apps/$appId/devices', params: { appId }, forget: deviceQuery(appId, device.objectId).queryKey }}
    >
      {rich(
        '<b>{deviceName}</b> is deleted and disconnected within a minute. It stays in the trash for 30 days; its password comes back with it for an hour, afterwards it needs a new one.',
        { deviceName: device.deviceName },
      )}
    </Deletion>
  );
}
