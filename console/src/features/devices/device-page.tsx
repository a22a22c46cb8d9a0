import { Group } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { ChangeOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { CredentialsBlock } from './credentials.tsx';
import { deviceKeys, deviceQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/devices/$deviceId');

export function DevicePage() {
  const { appId, deviceId } = route.useParams();
  const query = useQuery(deviceQuery(appId, deviceId));
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = useMayCall()('updateDevice');
  const change = { to: '/apps/$appId/devices/$deviceId/edit', params: { appId, deviceId } };
  return (
    <RecordPage
      query={query}
      title={(device) => device?.deviceName ?? 'Device'}
      all={{ label: 'All devices', to: '/apps/$appId/devices', params: { appId } }}
      action={() => mayChange && <ChangeOrDelete change={change} onDelete={() => setDeleting(true)} />}
    >
      {(device) => (
        <>
          <DeviceFacts appId={appId} device={device} />
          <CredentialsBlock appId={appId} device={device} mayChange={mayChange} />
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
    <Block title="Facts" about={`Times are in ${times.zone}.`}>
      <Facts>
        <Fact label="Maker">{device.manufacture}</Fact>
        <Fact label="Topic">
          <span className="mono">{device.topic}</span>
          <CopyButton text={device.topic} label="topic" />
        </Fact>
        <Fact label="Created" isTime>
          {times.dateTime(device.createdAt)}
        </Fact>
        <Fact label="Changed" isTime>
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
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useAction({
    run: () => dataOf(appId).devices.delete(device.objectId),
    done: `${device.deviceName} is deleted.`,
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/devices', params: { appId } });
      queries.removeQueries({ queryKey: deviceQuery(appId, device.objectId).queryKey });
      await Promise.all(deviceKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the device"
      confirm={`Delete ${device.deviceName}`}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      <b>{device.deviceName}</b> goes for good, with its credentials. Its connection ends within a minute.
    </ConfirmDialog>
  );
}
