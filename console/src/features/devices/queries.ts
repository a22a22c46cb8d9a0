import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';

export const deviceQuery = (appId: string, deviceId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDevice', deviceId),
    queryFn: () => dataOf(appId).devices.get(deviceId),
  });

/** Whether the device may connect, and its user name; never the password. */
export const credentialsQuery = (appId: string, deviceId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDevice', deviceId, 'credentials'),
    queryFn: async () => (await call('getDeviceCredentials', { params: { appId, deviceId } })).result,
  });

/** What has to be read again when devices change. */
export const deviceKeys = (appId: string) => [dataKey(appId, 'listDevices'), dataKey(appId, 'getDevice')];
