import { dataKey, dataQuery, queryOf } from '../../lib/data/api.ts';

export const deviceQuery = (appId: string, deviceId: string) =>
  dataQuery(appId, 'getDevice', [deviceId], (data) => data.devices.get(deviceId));

/** Whether the device may connect, and its user name; never the password. */
export const credentialsQuery = (appId: string, deviceId: string) =>
  queryOf(dataKey(appId, 'getDevice', deviceId, 'credentials'), 'getDeviceCredentials', {
    params: { appId, deviceId },
  });

/** What has to be read again when devices change. */
export const deviceKeys = (appId: string) => [dataKey(appId, 'listDevices'), dataKey(appId, 'getDevice')];
