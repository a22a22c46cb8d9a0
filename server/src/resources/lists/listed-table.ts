import type { FieldLookup } from '@pharos/query';
import type { Sql } from '../../base/sql.ts';
import type { Row } from '../../db/db.ts';
import type { NamingTable } from '../members/phone-view.ts';
import type { ListIndexes } from './plan.ts';

/** What a list needs to know of the table whose rows it shows. */
export interface ListedTable extends NamingTable, ListIndexes {
  readonly name: string;
  /** Names that a where and an order may use. */
  readonly lookup: FieldLookup;
  /** The column list of a select. */
  readonly selection: Sql;
  /** One row as the interface shows it, as JSON text. */
  render(row: Row): string;
}
