import type { FilterField } from '../../components/list/filter-rows.ts';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import type { ListOperation } from '../../lib/data/api.ts';
import { beaconNames } from '../../lib/data/names.ts';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import type { Narrowing } from './search.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

/** One tab of the activity page, as data. */
export interface ActivityTab<Id extends ListOperation> {
  readonly list: ListDefinition<Id>;
  readonly narrowing: Narrowing;
  /** The choices beside the filter button; the label stands for all of them. */
  readonly kinds: { readonly label: string; readonly options: readonly Option[] };
}

export const optionsOf = (labels: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export const idFilter: FilterField = { name: 'objectId', label: 'objectId', kind: 'text' };
export const beaconFilter: FilterField = {
  name: 'beaconId',
  label: t('Beacon (id)'),
  kind: 'pointer',
  className: 'Beacon',
};
export const visitorFilter: FilterField = {
  name: 'installationId',
  label: t('Phone (id)'),
  kind: 'pointer',
  className: '_Installation',
};

/** CSV rows with the names of the beacons. */
export async function rowsWithBeacons<T extends { readonly beaconId: { readonly objectId: string } }>(
  appId: string,
  records: readonly T[],
  cells: (record: T, beacon: string) => readonly string[],
) {
  const names = await beaconNames(
    appId,
    records.map(({ beaconId }) => beaconId.objectId),
  );
  return records.map((record) => cells(record, names.get(record.beaconId.objectId) ?? ''));
}

export const timeText = (times: Times, iso: string | null | undefined) => (iso ? times.dateTime(iso) : '');
