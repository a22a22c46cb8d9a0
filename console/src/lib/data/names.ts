import { operations, PharosError } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { t } from '../words/words.ts';
import { dataKey, dataOf } from './api.ts';

/** Names of records for lists that contain only ids: requested one by one, fetched in batches. */

type Load<Name> = (appId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Name>>;

/** Fewer than the service accepts in one condition. */
const maxIds = 250;

interface Waiting<Name> {
  readonly ids: Set<string>;
  readonly names: Promise<ReadonlyMap<string, Name>>;
}

/** Combines requests into batches. Resolves to null for deleted records. */
function together<Name>(load: Load<Name>): (appId: string, id: string) => Promise<Name | null> {
  const waiting = new Map<string, Waiting<Name>>();
  return async (appId, id) => {
    let batch = waiting.get(appId);
    if (!batch || batch.ids.size >= maxIds) {
      const ids = new Set<string>();
      // Everything rendered in the same tick is requested before this runs.
      const names = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
        if (waiting.get(appId)?.ids === ids) waiting.delete(appId);
        return load(appId, [...ids]);
      });
      batch = { ids, names };
      waiting.set(appId, batch);
    }
    batch.ids.add(id);
    return (await batch.names).get(id) ?? null;
  };
}

const byId = (ids: readonly string[]) => ({ where: { objectId: { $in: [...ids] } }, limit: ids.length });

const loadBeacons: Load<string> = async (appId, ids) => {
  const { results } = await dataOf(appId).beacons.list(byId(ids));
  return new Map(results.map(({ objectId, name }) => [objectId, name]));
};

/** A notification or a scenario. */
export interface NamedTrigger {
  readonly name: string;
  /** Whoever is limited to venues cannot read what it is. */
  readonly isHidden?: true;
}

const loadTriggers: Load<NamedTrigger> = async (appId, ids) => {
  const data = dataOf(appId);
  const { results: notifications } = await data.notifications.list(byId(ids));
  const found = new Map<string, NamedTrigger>(
    notifications.map(({ objectId, description }) => [objectId, { name: description }]),
  );
  const others = ids.filter((id) => !found.has(id));
  if (others.length === 0) return found;
  try {
    const { results: scenarios } = await data.storylines.listAllDetails(byId(others));
    for (const { objectId, alertTitle } of scenarios)
      found.set(objectId, { name: alertTitle || t('A message without a title') });
  } catch (error) {
    // Storylines are about the app as a whole. The names of the others are known all the same.
    if (!(error instanceof PharosError) || error.status !== 403) throw error;
    for (const id of others) found.set(id, { name: t('a message of the whole app, or a deleted one'), isHidden: true });
  }
  return found;
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The title of a push, or else its text. */
export const pushName = ({ data }: { readonly data: Readonly<Record<string, unknown>> }): string =>
  text(data['title']) || text(data['alert']) || t('A message without text');

const loadPushes: Load<string> = async (appId, ids) => {
  const { results } = await dataOf(appId).call(operations.listPushes, { query: byId(ids) });
  return new Map(results.map((push) => [push.objectId, pushName(push)]));
};

const beaconName = together(loadBeacons);
const triggerName = together(loadTriggers);
const nameOfPush = together(loadPushes);

const kept = { staleTime: 60_000 };

export const beaconNameQuery = (appId: string, beaconId: string) =>
  queryOptions({
    ...kept,
    queryKey: dataKey(appId, 'listBeacons', 'name', beaconId),
    queryFn: () => beaconName(appId, beaconId),
  });

export const triggerNameQuery = (appId: string, triggerId: string) =>
  queryOptions({
    ...kept,
    queryKey: dataKey(appId, 'listNotifications', 'trigger', triggerId),
    queryFn: () => triggerName(appId, triggerId),
  });

export const pushNameQuery = (appId: string, pushId: string) =>
  queryOptions({
    ...kept,
    queryKey: dataKey(appId, 'listPushes', 'name', pushId),
    queryFn: () => nameOfPush(appId, pushId),
  });

export async function beaconNames(appId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const unique = [...new Set(ids)];
  return new Map(await Promise.all(unique.map(async (id) => [id, await beaconName(appId, id)] as const)));
}
