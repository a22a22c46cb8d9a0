import { queryOptions } from '@tanstack/react-query';
import { call, dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ofInstallation } from '../../lib/data/person.ts';

export const installationQuery = (appId: string, installationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getInstallation', installationId),
    queryFn: () => dataOf(appId).installations.get(installationId),
  });

/** What has to be read again when installations change. */
export const installationKeys = (appId: string) => [
  dataKey(appId, 'listInstallations'),
  dataKey(appId, 'getInstallation'),
];

/** What was learned about how loud an installation hears beacons; null: nothing yet. */
export const hearingQuery = (appId: string, installationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getInstallation', installationId, 'hearing'),
    queryFn: async ({ signal }) => {
      const { result } = await call('listHearing', { params: { appId }, query: { installationId }, signal });
      return result.find((one) => one.installationId === installationId) ?? null;
    },
  });

/** The latest visits, events and deliveries of an installation. */
export const tracesQuery = (appId: string, installationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listVisits', 'of-installation', installationId),
    queryFn: async ({ signal }) => {
      const { call } = dataOf(appId);
      const query = { where: ofInstallation(installationId), limit: 8, count: 1 } as const;
      const [visits, events, deliveries] = await Promise.all([
        call('listVisits', { query, signal }),
        call('listEvents', { query, signal }),
        call('listDeliveries', { query, signal }),
      ]);
      return { visits, events, deliveries };
    },
  });
