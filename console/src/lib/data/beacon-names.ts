import type { Beacon } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataKey, dataOf } from './api.ts';

/** The limit of the service for values in one list. */
const maxInList = 256;

/** The existing beacons with these ids. */
async function findBeacons(appId: string, ids: readonly string[]): Promise<Beacon[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / maxInList) }, (_, index) =>
    ids.slice(index * maxInList, (index + 1) * maxInList),
  );
  const answers = await Promise.all(
    parts.map((part) => dataOf(appId).beacons.list({ where: { objectId: { $in: part } }, limit: maxInList })),
  );
  return answers.flatMap(({ results }) => results);
}

/** Names by id: null for a deleted beacon, undefined until loaded. */
export type BeaconNames = (beaconId: string) => string | null | undefined;

export function useBeaconNames(appId: string, ids: readonly string[]): BeaconNames {
  const wanted = [...new Set(ids)].sort();
  const { data } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'names', wanted),
    queryFn: async () => {
      const found = await findBeacons(appId, wanted);
      const names = new Map<string, string | null>(wanted.map((id) => [id, null]));
      for (const { objectId, name } of found) names.set(objectId, name);
      return names;
    },
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  return (id) => data?.get(id);
}
