import { type CsvColumns, cellsIn } from '../../components/export/csv-of-list.ts';
import type { FilterField } from '../../components/list/filter-rows.ts';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { VisitorId } from '../../components/names/names.tsx';
import type { ListOperation } from '../../lib/data/api.ts';
import { beaconNames } from '../../lib/data/names.ts';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import type { Narrowing } from './search.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

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

/** CSV with the names of the beacons; `members`: those that another name says better. */
export const csvWithBeacons = <T extends { readonly beaconId: { readonly objectId: string } }>(
  appId: string,
  header: readonly string[],
  members: Readonly<Record<string, string>> = {},
): CsvColumns<T> => ({
  header,
  rows: async (records) => {
    const ids = records.map(({ beaconId }) => beaconId.objectId);
    const names = await beaconNames(appId, ids);
    const named = records.map((record) => ({ ...record, beacon: names.get(record.beaconId.objectId) }));
    return cellsIn(
      header.map((name) => members[name] ?? name),
      named,
    );
  },
});

/** When something happened. */
export const whenColumn = <Name extends string>(times: Times, name: Name, label: string, sortBy = 'objectId') => ({
  name,
  label,
  sortBy,
  isTime: true as const,
  render: (record: { readonly [_ in Name]: string }) => times.dateTime(record[name]),
});

export const visitorColumn = {
  name: 'visitor',
  label: t('Visitor'),
  render: ({ installationId }: { readonly installationId: { readonly objectId: string } }) => (
    <VisitorId objectId={installationId.objectId} />
  ),
};
