import { queryOptions } from '@tanstack/react-query';
import { dataKey } from '../../components/list/record-list.tsx';
import { dataOf } from '../../lib/data/api.ts';

export const notificationQuery = (appId: string, notificationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getNotification', notificationId),
    queryFn: () => dataOf(appId).notifications.get(notificationId),
  });

/** What is read anew when notifications change. */
export const notificationKeys = (appId: string) => [
  dataKey(appId, 'listNotifications'),
  dataKey(appId, 'getNotification'),
];
