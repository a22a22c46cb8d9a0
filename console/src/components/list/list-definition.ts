import type { Query } from '@pharos/sdk';
import type { Listed, ListedPage, ListOperation } from '../../lib/data/api.ts';
import type { KeptKind } from '../../lib/data/history.ts';
import type { Bulk } from '../bulk/bulk.ts';
import type { CsvColumns } from '../export/csv-of-list.ts';
import type { Column } from './data-table.tsx';
import type { FilterField } from './filter-rows.ts';

/** A list of an app's records, as data. */
export interface ListDefinition<Id extends ListOperation> {
  readonly operation: Id;
  /** As in a sentence: `beacons`. */
  readonly plural: string;
  /** Deleted records go into the trash under this name. */
  readonly trash?: KeptKind;
  /** With it, records can be chosen and changed together. */
  readonly bulk?: Bulk | undefined;
  /** A function where the columns depend on the records of the page. */
  readonly columns: readonly Column<Listed<Id>>[] | ((records: readonly Listed<Id>[]) => readonly Column<Listed<Id>>[]);
  readonly filters: readonly FilterField[];
  /** The fields that the search looks in; without any there is no search field. */
  readonly searchFields?: readonly string[];
  readonly searchHint?: string;
  readonly defaultOrder: string;
  /** With it, the list can be exported. */
  readonly csv?: CsvColumns<Listed<Id> & { readonly objectId: string }>;
  /** Reads a page through another interface than the operation. */
  readonly read?: (query: Query, signal?: AbortSignal) => Promise<ListedPage<unknown>>;
  /** While a record on the page is in this state, the page is refreshed every few moments. */
  readonly isChanging?: (record: Listed<Id>) => boolean;
}
