import type { JsonObject, Query } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { dataKey, type ListOperation } from '../../components/list/record-list.tsx';
import { allRecords } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';

export const installationQuery = (appId: string, installationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getInstallation', installationId),
    queryFn: () => dataOf(appId).installations.get(installationId),
  });

/** What is read anew when installations change. */
export const installationKeys = (appId: string) => [
  dataKey(appId, 'listInstallations'),
  dataKey(appId, 'getInstallation'),
];

const ofInstallation = (objectId: string) => ({
  installationId: { __type: 'Pointer', className: '_Installation', objectId } as const,
});

/** The last of what an installation has done. */
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

const kinds = {
  visits: 'listVisits',
  events: 'listEvents',
  verdicts: 'listVerdicts',
  logs: 'listLogs',
  deliveries: 'listDeliveries',
} as const satisfies Readonly<Record<string, ListOperation>>;

/** Everything that the interface knows of an installation; `onCount` hears how many records are read. */
export async function everythingOf(appId: string, installationId: string, onCount: (records: number) => void) {
  const data = dataOf(appId);
  const call = data.call as unknown as (
    id: string,
    input: { readonly query: Query },
  ) => Promise<{ readonly results: readonly { readonly objectId: string }[] }>;
  const everything: Record<string, unknown> = { installation: await data.installations.get(installationId) };
  let count = 1;
  for (const [name, operation] of Object.entries(kinds)) {
    const found: JsonObject[] = [];
    const pages = allRecords((query) => call(operation, { query }), ofInstallation(installationId));
    for await (const page of pages) {
      found.push(...(page as readonly JsonObject[]));
      count += page.length;
      onCount(count);
    }
    everything[name] = found;
  }
  return everything;
}
