import type { DbTable } from '../../db/table.ts';
import type { Resource } from '../../resources/define.ts';
import { buckets, recordLists, records, schemas } from './buckets/definition/tables.ts';
import { files } from './files/resource.ts';
import { trash, versions } from './history/tables.ts';

export const resources: readonly Resource[] = [files];

export const tables: readonly DbTable[] = [
  ...resources.map(({ table }) => table),
  versions,
  trash,
  recordLists,
  records,
  schemas,
  buckets,
];
