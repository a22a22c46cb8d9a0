import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';

export const notificationQuery = (appId: string, notificationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getNotification', notificationId),
    queryFn: () => dataOf(appId).notifications.get(notificationId),
  });

/** What has to be read again when notifications change. */
export const notificationKeys = (appId: string) => [
  dataKey(appId, 'listNotifications'),
  dataKey(appId, 'getNotification'),
];
