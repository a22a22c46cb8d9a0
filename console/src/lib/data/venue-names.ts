import { listed, t } from '../words/words.ts';
import { byName, listAll } from './all-records.ts';
import { dataQuery } from './query-of.ts';

/** The venues of an app that the signed-in administrator may see, by name. */
export const venueNamesQuery = (appId: string) =>
  dataQuery(appId, 'listVenues', ['names'], async (data) => byName(await listAll(data.venues.list)));

interface Named {
  readonly objectId: string;
  readonly name: string;
}

/** It may come back from the trash. */
export const deletedVenue = () => t('A deleted venue');

/** `North house and South house` */
export function venueNames(venues: readonly Named[], ids: readonly string[]): string {
  if (ids.length === 0) return t('No venue');
  return listed(ids.map((id) => venues.find(({ objectId }) => objectId === id)?.name ?? deletedVenue()));
}
