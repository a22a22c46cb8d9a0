import { queryOptions } from '@tanstack/react-query';
import { dataKey } from '../../components/list/record-list.tsx';
import { call, dataOf } from '../../lib/data/api.ts';

export const deviceQuery = (appId: string, deviceId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDevice', deviceId),
    queryFn: () => dataOf(appId).devices.get(deviceId),
  });

/** Whether it may connect, and by which name; never the password. */
export const credentialsQuery = (appId: string, deviceId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDevice', deviceId, 'credentials'),
    queryFn: async () => (await call('getDeviceCredentials', { params: { appId, deviceId } })).result,
  });

/** What is read anew when devices change. */
export const deviceKeys = (appId: string) => [dataKey(appId, 'listDevices'), dataKey(appId, 'getDevice')];
