import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { DeviceForm } from './device-form.tsx';
import { deviceQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/devices/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/devices/$deviceId/edit');

export function NewDevicePage() {
  const { appId } = createRoute.useParams();
  const navigate = useNavigate();
  return (
    <>
      <SectionHeader title="Add a device" />
      <DeviceForm
        appId={appId}
        onDone={(deviceId) => void navigate({ to: '/apps/$appId/devices/$deviceId', params: { appId, deviceId } })}
        onCancel={() => void navigate({ to: '/apps/$appId/devices', params: { appId } })}
      />
    </>
  );
}

export function EditDevicePage() {
  const { appId, deviceId } = editRoute.useParams();
  const { data: device, error } = useQuery(deviceQuery(appId, deviceId));
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/apps/$appId/devices/$deviceId', params: { appId, deviceId: id } });
  return (
    <>
      <SectionHeader title={device ? `Change ${device.deviceName}` : 'Change a device'} />
      <FailureNote message={error?.message} />
      {!device && !error && <Skeleton h={300} />}
      {device && (
        <DeviceForm
          key={device.updatedAt}
          appId={appId}
          device={device}
          onDone={open}
          onCancel={() => open(deviceId)}
        />
      )}
    </>
  );
}
