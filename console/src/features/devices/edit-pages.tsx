import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { NewPage, RecordPage } from '../../components/page/page-header.tsx';
import { t } from '../../lib/words/words.ts';
import { DeviceForm } from './device-form.tsx';
import { deviceQuery } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/devices/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/devices/$deviceId/edit');

export function NewDevicePage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const navigate = useNavigate();
  return (
    <NewPage
      title={t('Add a device')}
      from={from}
      modelOf={(id) => deviceQuery(appId, id)}
      note={t('The credentials are not copied: the new device gets its own.')}
    >
      {(copied) => (
        <DeviceForm
          appId={appId}
          {...copied}
          onDone={(deviceId) => void navigate({ to: '/apps/$appId/devices/$deviceId', params: { appId, deviceId } })}
          onCancel={() => void navigate({ to: '/apps/$appId/devices', params: { appId } })}
        />
      )}
    </NewPage>
  );
}

export function EditDevicePage() {
  const { appId, deviceId } = editRoute.useParams();
  const query = useQuery(deviceQuery(appId, deviceId));
  const navigate = useNavigate();
  const open = () => void navigate({ to: '/apps/$appId/devices/$deviceId', params: { appId, deviceId } });
  return (
    <RecordPage
      query={query}
      title={(device) => (device ? t('Edit {deviceName}', { deviceName: device.deviceName }) : t('Edit a device'))}
      height={300}
    >
      {(device) => <DeviceForm key={device.objectId} appId={appId} record={device} onDone={open} onCancel={open} />}
    </RecordPage>
  );
}
